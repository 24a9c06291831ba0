// A port for servers that cannot say which one they took.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to whoever takes any: nobody gets one of these by chance. */
const FIRST = 10_000;
const LAST = 32_000;

/** Free a moment ago, and one of many: another test that asks at the same time gets another. */
export async function freePort(): Promise<number> {
  while (true) {
    const port = randomInt(FIRST, LAST);
    const server = createServer().listen(port, '127.0.0.1');
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
