// The program of a run that is measured: kept-alive reads of a twin over TLS connections that it opens by itself, through
// the proxy of its environment (`open`) or straight (`contained`). Prints how many a second.
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { dial, getRequest } from './dial.ts';
import { Responses } from './responses.ts';

const HOST = 'api.stripe.com';
const PORT = 443;

const [way, connections, windowMs] = process.argv.slice(2);
const ca = readFileSync(process.env['NODE_EXTRA_CA_CERTS']!, 'utf8');
const proxyPort = Number(new URL(process.env['HTTPS_PROXY']!).port);
const request = Buffer.from(getRequest(HOST, PORT, '/v1/customers?limit=1'), 'latin1');
let count = 0;
let counting = false;
for (let nth = 0; nth < Number(connections); nth++) {
  const socket =
    way === 'open'
      ? await dial({ port: proxyPort, tunnel: true, ca, originPort: PORT }, HOST)
      : connect({ host: HOST, port: PORT, servername: HOST, ca });
  const reader = new Responses();
  socket.on('data', (bytes: Buffer) => {
    if (reader.feed(bytes) === 0) return;
    if (counting) count += 1;
    socket.write(request);
  });
  socket.write(request);
}
// A quarter of the window to get warm.
setTimeout(() => {
  counting = true;
  const from = performance.now();
  setTimeout(() => {
    process.stdout.write(`${(count * 1_000) / (performance.now() - from)}\n`, () => process.exit(0));
  }, Number(windowMs));
}, Number(windowMs) / 4);
