// The floor for any proxy in Node: CONNECT answered, then bytes piped unread.
import './loopback-names.ts';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { ready } from '../child.ts';

const server = createServer({ noDelay: true }, (client: Socket) => {
  client.on('error', () => client.destroy());
  client.once('data', (bytes: Buffer) => {
    const [, host = '', port = ''] = /^CONNECT ([^:]+):(\d+) /.exec(bytes.toString('latin1')) ?? [];
    const upstream = connect({ host, port: Number(port), noDelay: true });
    client.pause();
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  ready({ port: (server.address() as AddressInfo).port }),
);
