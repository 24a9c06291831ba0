// Two sockets joined byte for byte, back-pressure and half-closes in both directions; when one side breaks, the other
// is cut.
import type { Server, Socket } from 'node:net';

/** A listener that came from another process, without its settings: half-closes of its connections are kept. */
export function keepHalfOpen(server: Server): Server {
  return Object.assign(server, { allowHalfOpen: true });
}

/** Both are open for half-closes (`allowHalfOpen`), and nobody else listens to either any more. */
export function join(a: Socket, b: Socket): void {
  pass(a, b);
  pass(b, a);
  a.resume();
  b.resume();
}

function pass(from: Socket, to: Socket): void {
  from.on('data', bytes => {
    if (!to.write(bytes)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => {
    if (!to.writableEnded) to.destroy();
  });
}
