// The least that control takes for a proxy, as a process: it listens, says hello, acknowledges what is pushed,
// and answers every HTTP request with its pid and the version it holds. For tests of the supervision alone.
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { encodeMessage, type FromControl, type FromProxy, PUSH_PROTOCOL } from '../../policy/push.ts';

const { values } = parseArgs({
  strict: false,
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    ipc: { type: 'string' },
    mode: { type: 'string' },
  },
});
const { host, ipc, mode } = values as { [name: string]: string | undefined };

if (mode === 'broken') {
  process.stderr.write('cannot start: broken on purpose\n');
  process.exit(3);
}
if (mode === 'stubborn') process.on('SIGTERM', () => {});
else process.on('SIGTERM', () => process.exit(0));

let held: { epoch: string; version: number } | null = null;
const server = createServer((_request, response) =>
  response.end(
    JSON.stringify({ pid: process.pid, version: held?.version ?? null, env: Object.keys(process.env) }),
  ),
);
server.listen(Number(values['port']), host, () => {
  if (mode === 'mute') return;
  dial();
});

function dial(): void {
  const { address, port } = server.address() as AddressInfo;
  const socket = connect(ipc!);
  const say = (message: FromProxy): void => void socket.write(encodeMessage(message));
  socket.on('connect', () => {
    say({
      type: 'hello',
      protocol: PUSH_PROTOCOL,
      pid: process.pid,
      listen: { host: address, port },
      snapshot: held,
    });
    if (mode === 'dies') setImmediate(() => process.exit(4));
  });
  createInterface({ input: socket }).on('line', line => {
    const message = JSON.parse(line) as FromControl;
    if (message.type === 'drain') process.exit(0);
    const { epoch, version } = message.snapshot;
    held = { epoch, version };
    say({ type: 'ack', epoch, version });
  });
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(dial, 20));
}
