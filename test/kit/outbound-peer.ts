// The other end of the outbound contract (test/contract/outbound.ts): each path behaves in its own way.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { within } from './deadline.ts';

export type OutboundPeer = AsyncDisposable & {
  readonly port: number;
  readonly cuts: (count: number) => Promise<void>;
};

export async function openOutboundPeer(): Promise<OutboundPeer> {
  let cut = 0;
  let tell = (): void => {};
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) cut += 1;
      tell();
    });
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cuts: count =>
      within(
        `${count} connections cut`,
        new Promise<void>(resolve => {
          tell = () => cut >= count && resolve();
          tell();
        }),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, name = '', rest = ''] = request.url!.split('/');
  switch (name) {
    case 'echo': {
      const { method, headers } = request;
      const body = await text(request);
      response.writeHead(200, ['X-Twice', 'a', 'X-Twice', 'b']);
      return void response.end(JSON.stringify({ method, headers, body }));
    }
    case 'status':
      return void response.writeHead(Number(rest), { location: '/elsewhere' }).end();
    case 'parts':
      for (const part of ['one ', 'two ']) {
        response.write(part);
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      return void response.end('three');
    case 'half':
      return void response.write('half of it');
    case 'broken':
      response.write('half of it', () => setTimeout(() => response.destroy(), 20));
      return;
    case 'hang-up':
      return void response.destroy();
    case 'endless': {
      const more = (): void =>
        void (response.write(Buffer.alloc(64 * 1024)) ? setImmediate(more) : response.once('drain', more));
      return more();
    }
    // `silent` answers nothing, `unread` reads nothing either.
  }
}
