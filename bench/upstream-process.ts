// The upstream where there is no nginx: raw TLS, answers made once, so that it costs less than any proxy.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { ready } from './child.ts';
import { LARGE_BYTES, smallBody } from './upstream.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const [certFile = '', keyFile = ''] = process.argv.slice(2);
const small = answer(Buffer.from(smallBody()));
const large = answer(Buffer.alloc(LARGE_BYTES, 'x'));

const server = createServer(
  { cert: readFileSync(certFile), key: readFileSync(keyFile), ALPNProtocols: ['http/1.1'] },
  socket => {
    let head: Buffer = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      for (let end = head.indexOf(HEAD_END); end >= 0; end = head.indexOf(HEAD_END)) {
        socket.write(head.toString('latin1', 0, 9) === 'GET /10m ' ? large : small);
        head = head.subarray(end + HEAD_END.length);
      }
    });
  },
);
server.on('tlsClientError', () => {});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  ready({ port: (server.address() as AddressInfo).port }),
);

function answer(body: Buffer): Buffer {
  const head = `HTTP/1.1 200 OK\r\nServer: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: keep-alive\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
