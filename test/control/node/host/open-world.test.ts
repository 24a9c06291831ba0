// [4.10] “A world served by the host answers exactly what a world served by the plain serve command answers”.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { serveControl } from '../../../../control/node/control.ts';
import { openLog } from '../../../../control/node/log.ts';
import { bareWorld, hostDirectory, startHostQuietly } from '../../../kit/many-worlds.ts';
import { answersOf } from '../../../kit/world-requests.ts';

t.test('[4.10] a world of a host answers what wrld world serve answers', async t => {
  const directory = await hostDirectory(t);
  const served = await hostDirectory(t);
  const tokens = await bareWorld(directory, 'acme/shop', ['stripe', 'smtp']);
  cpSync(join(directory, 'acme', 'shop'), served, { recursive: true });
  const expected = await (async () => {
    const log = openLog('silent');
    await using control = await serveControl({ folder: served, host: '127.0.0.1', port: 0, log });
    return await answersOf(control.baseUrl, tokens);
  })();
  await using host = await startHostQuietly(directory);
  const found = await answersOf(host.baseUrl, tokens);
  t.ok(expected.length > 120, `${expected.length} requests`);
  t.ok(
    expected.filter(({ status }) => status < 300).length > 40,
    'many of them are answered with more than a refusal',
  );
  for (const [index, answer] of expected.entries()) t.strictSame(found[index], answer, answer.asked);
});
