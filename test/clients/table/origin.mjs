// What a world of the table grants, what listens on loopback, and one whose certificate nobody should trust. Keys and
// certificates are files that the arguments name; says that it listens.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const [folder, granted, loopback, untrusted] = process.argv.slice(2);
const pair = name => ({
  key: readFileSync(`${folder}/${name}.key`),
  cert: readFileSync(`${folder}/${name}.crt`),
});
const REFS = `001e# service=git-upload-pack\n0000`;
const ref = `${'a'.repeat(40)} refs/heads/main\0\n`;

function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://x');
  if (pathname.endsWith('/info/refs')) {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    const line = (ref.length + 4).toString(16).padStart(4, '0') + ref;
    return response.end(`${REFS}${line}0000`);
  }
  if (pathname === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let nth = 0;
    const timer = setInterval(() => {
      response.write(`data: event ${nth}\n\n`);
      if (++nth < 4) return;
      clearInterval(timer);
      response.end();
    }, 25);
    return;
  }
  let bytes = 0;
  request.on('data', chunk => (bytes += chunk.length));
  request.on('end', () => {
    const said = { '/hello': 'granted hello', '/up': `took ${bytes}` }[pathname] ?? 'outside';
    response.end(said);
  });
}

const [host, port] = granted.split(' ');
https.createServer(pair('granted'), answer).listen(Number(port), host, () => {
  http.createServer(answer).listen(Number(loopback), '127.0.0.1', () => {
    https
      .createServer(pair('untrusted'), answer)
      .listen(Number(untrusted), '127.0.0.1', () => console.log('listening'));
  });
});
