// What the proxy sees of control when it asks for a twin: an HTTP server on a unix socket that says what it was
// asked, and that switches to a scripted stream where one is given.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Peer, PeerGone } from './peer.ts';

export type StandInControl = AsyncDisposable & {
  readonly path: string;
  /** Upgrades asked for, oldest first. */
  readonly upgrades: readonly IncomingMessage[];
};

/** `stream` serves each upgrade; without it they are answered 404. */
export async function startControl(stream?: (peer: Peer) => Promise<void>): Promise<StandInControl> {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-control-'));
  const path = join(folder, 'twins.sock');
  const upgrades: IncomingMessage[] = [];
  const failures: unknown[] = [];
  const server = createServer((request, response) => response.end(`twin ${request.method} ${request.url}`));
  const peers: Peer[] = [];
  server.on('upgrade', (request, socket) => {
    upgrades.push(request);
    const peer = new Peer(socket);
    peers.push(peer);
    if (stream === undefined) {
      void peer.send('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      return peer.end();
    }
    void peer.send('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: wrld-stream\r\n\r\n');
    stream(peer).catch(error => {
      if (!(error instanceof PeerGone)) failures.push(error);
      // A unix socket knows no reset.
      peer.socket.destroy();
    });
  });
  await new Promise<void>(resolve => server.listen(path, resolve));
  return {
    path,
    upgrades,
    async [Symbol.asyncDispose]() {
      for (const peer of peers) peer.socket.destroy();
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
      rmSync(folder, { recursive: true, force: true });
      if (failures.length > 0) throw failures[0];
    },
  };
}
