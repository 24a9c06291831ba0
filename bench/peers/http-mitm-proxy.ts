// http-mitm-proxy as its users run it, with its upstream keep-alive on. Argument: a folder for its authority.
import './loopback-names.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Proxy as MitmProxy } from 'http-mitm-proxy';
import { ready } from '../child.ts';

const folder = process.argv[2]!;
const proxy = new MitmProxy();
// It reports every client that leaves; those are the bench's own.
proxy.onError(() => {});
proxy.listen({ port: 0, host: '127.0.0.1', sslCaDir: folder, keepAlive: true }, () => {
  ready({ port: proxy.httpPort, ca: readFileSync(join(folder, 'certs', 'ca.pem'), 'utf8') });
});
