// A process of a moment in the outer namespace of a contained run, where every address is this machine's own: opens the
// listeners that are to answer for all of them, hands them to the relay and ends. Plain JavaScript, because a run waits
// for it.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

const BACKLOG = 4_096;

const PARENT_LOOK_MS = 250;

process.once('disconnect', () => process.exit(0));
// Of a relay that was killed while it was handed something, the channel tells nothing.
const relay = Number(process.argv[2]);
setInterval(() => process.ppid === relay || process.exit(0), PARENT_LOOK_MS).unref();
let work = Promise.resolve();
/** @param {import('./messages.ts').GateAsk} asked */
process.on('message', asked => {
  work = work.then(() => open(asked)).then(() => asked.last && process.send({ type: 'done' }));
});

async function open({ tcp, udp }) {
  for (const port of tcp) {
    const server = (await listen(port, '::')) ?? (await listen(port, '0.0.0.0'));
    if (server !== null) await handOver({ type: 'tcp', port }, server);
  }
  for (const address of udp) {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    try {
      socket.bind(53, address);
      await once(socket, 'listening');
      socket.on('error', () => {});
      await handOver({ type: 'udp' }, socket);
    } catch {
      // Without IPv6 here; nobody asks there then.
      socket.close();
    }
  }
}

async function listen(port, host) {
  const server = createServer();
  try {
    server.listen({ port, host, backlog: BACKLOG });
    await once(server, 'listening');
    // From here on it is one of accepting, which the relay does.
    server.on('error', () => {});
    return server;
  } catch {
    return null;
  }
}

function handOver(message, handle) {
  return new Promise((resolve, reject) => {
    process.send(message, handle, error => (error ? reject(error) : resolve()));
  });
}
