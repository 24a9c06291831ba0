// The services that a native run depends on, each at an address of its own: in a network namespace beside the program's, so
// that a listener there takes no port from the program. The gate of contained runs opens them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { plainAddress } from '../../contained/addresses.ts';
import { keepHalfOpen } from '../../contained/joint.ts';
import type { FromGate, GateAsk } from '../../contained/messages.ts';
import { LINKED, OUTER_SCRIPT } from '../../contained/network.ts';
import type { Lead } from './messages.ts';

const GATE = fileURLToPath(new URL('../../contained/gate.js', import.meta.url));

/** Resolves when all of them listen. `accept` gets a connection of the program's to one of them. */
export async function openNeighbours(
  leads: readonly Lead[],
  accept: (client: Socket, to: Lead) => void,
): Promise<void> {
  if (leads.length === 0) return;
  const pid = String(process.pid);
  const words = ['--net', '--', 'sh', '-c', OUTER_SCRIPT, 'sh', pid, process.execPath, GATE, pid];
  const gate = spawn('unshare', words, { stdio: ['ignore', 'pipe', 2, 'ipc'] });
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
  let said = '';
  gate.stdout!.setEncoding('latin1').on('data', (text: string) => (said += text));
  await once(gate.stdout!, 'end');
  if (!said.startsWith(LINKED))
    throw new Error('the network of the services that it depends on could not be made');
  const asked: GateAsk = { tcp: [...new Set(leads.map(each => each.port))], udp: [], last: true };
  gate.send(asked);
  await ready.promise;
}
