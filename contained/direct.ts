// A port of this machine's loopback that a run reaches as it is, past the proxy: a listener of the run's inside, which whoever
// started the run leads to the same port here.
import { connect, type Server } from 'node:net';
import { join, keepHalfOpen } from './joint.ts';
import { listenInside } from './mirror.ts';
import type { Listening } from './socket-table.ts';

/** Inside. Resolves when it was handed out, by `hand`, which says when it is there; where the port is taken, there is none. */
export async function openDirect(
  place: Listening,
  hand: (server: Server, there: () => void) => void,
): Promise<void> {
  const server = await listenInside(place, () => {});
  if (server === null) return;
  await new Promise<void>(resolve => hand(server, resolve));
  server.close();
}

/** Outside. */
export function leadOut(server: Server, { address, port }: Listening): void {
  keepHalfOpen(server);
  server.on('error', () => {});
  server.on('connection', client => {
    client.setNoDelay(true);
    const target = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    client.on('error', () => target.destroy());
    client.on('close', () => target.destroy());
    target.on('error', () => client.destroy());
    target.once('connect', () => join(client, target));
  });
}
