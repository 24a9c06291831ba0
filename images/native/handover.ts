// A connection on its way from one run to another. What came to this process is read here as it comes, and what was read would
// not go along with it: so the other run gets the far end of a new connection, unread, and this process joins the two.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join, keepHalfOpen } from '../../contained/joint.ts';

/** `accept` gets the end that goes on. */
export async function handOver(client: Socket, accept: (far: Socket) => void): Promise<void> {
  client.on('error', () => client.destroy());
  // Of Linux's abstract names: it is in no folder, and gone with its listener.
  const path = `\0wrld-${randomBytes(16).toString('hex')}`;
  const server = keepHalfOpen(createServer({ pauseOnConnect: true }));
  server.on('error', () => client.destroy());
  server.listen(path);
  try {
    await once(server, 'listening');
    const near = connect({ path, allowHalfOpen: true });
    near.on('error', () => client.destroy());
    client.on('close', () => near.destroy());
    const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [
      [Socket],
      unknown,
    ];
    accept(far);
    join(client, near);
  } catch {
    client.destroy();
  } finally {
    server.close();
  }
}
