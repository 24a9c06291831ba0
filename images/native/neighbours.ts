// The services that a native run depends on, each at an address of its own: in a network namespace beside the program's, so
// that a listener there takes no port from the program. The gate of contained runs opens them.
import type { Server, Socket } from 'node:net';
import { plainAddress } from '../../contained/addresses.ts';
import { keepHalfOpen } from '../../contained/joint.ts';
import type { FromGate, GateAsk } from '../../contained/messages.ts';
import { isLinked, openOuter } from '../../contained/outer.ts';
import type { Lead } from './messages.ts';

/** Resolves when all of them listen. `accept` gets a connection of the program's to one of them. */
export async function openNeighbours(
  leads: readonly Lead[],
  accept: (client: Socket, to: Lead) => void,
): Promise<void> {
  if (leads.length === 0) return;
  const gate = openOuter();
  const ready = Promise.withResolvers<void>();
  gate.on('error', ready.reject);
  gate.on('message', (message: FromGate, handle) => {
    if (message.type === 'done') {
      gate.disconnect();
      return ready.resolve();
    }
    if (message.type !== 'tcp') return;
    // Unread: a connection that goes on to another process takes nothing along that was read here.
    const server = Object.assign(keepHalfOpen(handle as Server), { pauseOnConnect: true });
    server.on('error', () => {});
    server.on('connection', client => {
      client.setNoDelay(true);
      client.on('error', () => client.destroy());
      const address = plainAddress(client.localAddress ?? '');
      const lead = leads.find(each => each.address === address && each.port === message.port);
      if (lead === undefined) client.destroy();
      else accept(client, lead);
    });
  });
  if (!(await isLinked(gate.stdout!)))
    throw new Error('the network of the services that it depends on could not be made');
  const asked: GateAsk = { tcp: [...new Set(leads.map(each => each.port))], udp: [], last: true };
  gate.send(asked);
  await ready.promise;
}
