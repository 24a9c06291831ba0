// One script of requests, as the text of a program: what people do with HTTP from Node, one step after the other. It is
// run straight and in every way through a world, and tells what it saw of each step.
import type { ScriptOrigin } from './script-origin.ts';

/** Of one hop, or of the machine's own pace. */
const HEADERS_LEFT_OUT = '^(connection|keep-alive|date|transfer-encoding|proxy-connection)$';

const CLIENT = `
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import http2 from 'node:http2';
import { Readable } from 'node:stream';
import { WebSocket as Ws } from 'ws';
const hash = bytes => bytes.length + ' ' + createHash('sha256').update(bytes).digest('hex').slice(0, 8);
const leftOut = new RegExp(${JSON.stringify(HEADERS_LEFT_OUT)}, 'i');
const shown = raw => raw.flatMap((name, nth) => nth % 2 || leftOut.test(name) ? [] : [name + ': ' + raw[nth + 1]]);
const moduleOf = url => url.startsWith('https:') ? https : http;
const request = (url, options = {}, write = asked => asked.end()) => new Promise((resolve, reject) => {
  const hints = [];
  const asked = moduleOf(url).request(url, options, async answer => {
    const chunks = [];
    const { statusCode: status, statusMessage: message, httpVersion: version } = answer;
    const told = { status, message, version, headers: shown(answer.rawHeaders), hints };
    try { for await (const chunk of answer) chunks.push(chunk); } catch (error) { return resolve({ ...told, cut: error.code, body: hash(Buffer.concat(chunks)) }); }
    resolve({ ...told, body: hash(Buffer.concat(chunks)), trailers: answer.rawTrailers, complete: answer.complete });
  });
  asked.on('information', ({ statusCode, headers }) => hints.push(statusCode, headers.link));
  asked.on('error', reject);
  write(asked);
});
const fetched = async (url, options) => {
  const answer = await fetch(url, options);
  const headers = [...answer.headers].filter(([name]) => !leftOut.test(name));
  return { status: answer.status, text: answer.statusText, url: answer.url, redirected: answer.redirected, headers, body: hash(Buffer.from(await answer.arrayBuffer())) };
};
const socketed = (url, options) => new Promise((resolve, reject) => {
  const heard = [];
  const socket = new Ws(url + '/path?x=1', ['one', 'two'], options);
  socket.on('open', () => { socket.send('text'); socket.send(Buffer.alloc(70000, 7)); });
  socket.on('message', (data, binary) => { heard.push([binary, hash(data)]); if (heard.length === 2) socket.close(4001, 'enough'); });
  socket.on('close', (code, reason) => resolve({ heard, code, reason: String(reason), protocol: socket.protocol }));
  socket.on('error', reject);
});
const steps = {};
`;

/** Of `base`, whatever carries it. */
const REQUESTS = `
function requests(name, base) {
const step = (title, run) => steps[name + ': ' + title] = run;
for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'M-SEARCH', 'PURGE']) {
  const body = /^P(?!ROP|URGE)/.test(method) ? 'body of ' + method : undefined;
  step('request ' + method, () => request(base + '/m?q=%20a', { method, headers: { 'X-Mixed-Case': 'Value', 'x-two': ['1', '2'], Accept: '*/*', 'accept-language': 'de, en;q=0.5' } }, asked => asked.end(body)));
  step('fetch ' + method, () => fetched(base + '/m?q=%20a', { method, headers: { 'X-Mixed-Case': 'Value' }, body }));
}
step('request DELETE with a body', () => request(base + '/m', { method: 'DELETE', headers: { 'content-length': 4 } }, asked => asked.end('body')));
step('headers in their order, twice, in their case', () => request(base + '/order', { headers: ['Z-Last', '1', 'host', new URL(base).host, 'a-FIRST', '2', 'Z-Last', '3', 'X-Empty', '', 'x-latin', 'caf\\u00e9', 'Cookie', 'a=1; b=2'] }));
step('a long head', () => request(base + '/head', { headers: Object.fromEntries(Array.from({ length: 60 }, (_, i) => ['x-h' + i, 'v'.repeat(100)])) }));
step('a long path', () => request(base + '/' + 'p/'.repeat(1500) + '?' + 'q'.repeat(2000)));
for (const path of ['/cookies', '/gzip', '/gzip-stream', '/large', '/empty', '/not-modified', '/trailers', '/hints', '/status?code=404', '/status?code=503', '/status?code=299', '/until-closed', '/a/../b', '/%C3%A9', '/a//b', '/x;y=1?a&a=&=b', '/q?a=%2F%20+']) {
  step('request ' + path, () => request(base + path, { headers: { cookie: 'a=1; b=2', authorization: 'Basic eDp5', 'accept-encoding': 'gzip' } }));
  step('fetch ' + path, () => fetched(base + path, { headers: { cookie: 'a=1', authorization: 'Bearer x' } }));
}
for (const status of [301, 302, 303, 307, 308]) {
  step('fetch redirect ' + status, () => fetched(base + '/redirect?status=' + status, { method: 'POST', body: 'again' }));
  step('request redirect ' + status, () => request(base + '/redirect?status=' + status));
}
step('fetch manual redirect', () => fetched(base + '/redirect?status=302', { redirect: 'manual' }));
step('a chunked body', () => request(base + '/up', { method: 'POST' }, async asked => { for (let i = 0; i < 100; i++) asked.write(Buffer.alloc(5000, 'abc'[i % 3])); asked.end(); }));
step('a chunked body with trailers', () => request(base + '/up', { method: 'POST', headers: { trailer: 'x-sum' } }, asked => { asked.write('body'); asked.addTrailers({ 'x-sum': '4' }); asked.end(); }));
step('a body of known length', () => request(base + '/up', { method: 'PUT', headers: { 'content-length': 500000 } }, asked => asked.end(Buffer.alloc(500000, 'z'))));
step('100-continue', () => request(base + '/up', { method: 'POST', headers: { expect: '100-continue', 'content-length': 4 } }, asked => { asked.flushHeaders(); asked.on('continue', () => asked.end('body')); }));
step('a streamed body of fetch', () => fetched(base + '/up', { method: 'POST', duplex: 'half', body: Readable.toWeb(Readable.from([Buffer.from('one'), Buffer.from('two')])) }));
step('a form', () => fetched(base + '/form', { method: 'POST', body: new URLSearchParams({ a: '1', b: '\\u00fc' }) }));
step('events, each when the one before is here', async () => {
  const answer = await fetch(base + '/events?name=' + encodeURIComponent(name));
  const heard = [];
  for await (const bytes of answer.body) { heard.push(Buffer.from(bytes).toString()); if (heard.length < 4) await (await fetch(base + '/heard?name=' + encodeURIComponent(name))).text(); }
  return { type: answer.headers.get('content-type'), heard };
});
for (const path of ['/hung-up', '/short', '/broken-chunks']) {
  step('request ' + path, () => request(base + path));
  step('fetch ' + path, () => fetched(base + path));
}
step('keep-alive', async () => {
  const agent = new (moduleOf(base).Agent)({ keepAlive: true, maxSockets: 1 });
  const all = [];
  for (let i = 0; i < 5; i++) all.push(await request(base + '/k' + i, { agent }));
  agent.destroy();
  return all;
});
step('parallel', () => Promise.all(Array.from({ length: 20 }, (_, i) => i % 2 ? request(base + '/p' + i) : fetched(base + '/p' + i))));
step('an answer that is given up', () => new Promise(resolve => { const asked = moduleOf(base).get(base + '/endless', answer => answer.once('data', chunk => { asked.destroy(); resolve(String(chunk)); })); asked.on('error', () => {}); }));
step('a fetch that is given up', async () => { const controller = new AbortController(); const answer = await fetch(base + '/endless', { signal: controller.signal }); const reader = answer.body.getReader(); const { value } = await reader.read(); controller.abort(); return [String(Buffer.from(value)), await reader.read().catch(error => error.name)]; });
}
`;

/** Ends with all that was seen, by step. */
export function requestScript({ bases }: ScriptOrigin): string {
  const { inspected, plain, whole, sockets } = bases;
  return `${CLIENT}${REQUESTS}
requests('TLS', ${JSON.stringify(inspected)});
requests('clear', ${JSON.stringify(plain)});
requests('whole', ${JSON.stringify(whole)});
steps['whole: WebSocket over TLS'] = () => socketed(${JSON.stringify(whole.replace('https', 'wss'))});
steps['WebSocket'] = () => socketed(${JSON.stringify(sockets)});
steps['whole: HTTP/2'] = () => new Promise((resolve, reject) => {
  const session = http2.connect(${JSON.stringify(whole)});
  session.on('error', reject);
  const told = [];
  for (const path of ['/one', '/large']) {
    const stream = session.request({ ':path': path, 'x-h': '1' });
    const chunks = [];
    let headers = null;
    stream.on('response', given => headers = { ...given, date: '' });
    stream.on('data', chunk => chunks.push(chunk)).on('end', () => { told.push([path, headers[':status'], hash(Buffer.concat(chunks))]); if (told.length === 2) { session.close(); resolve(told.sort()); } });
  }
});
steps['loopback, the Host being another'] = () => fetched(${JSON.stringify(`http://127.0.0.1:${new URL(plain).port}/l`)}, { headers: { host: 'tenant.example' } });
steps['a body that is given up'] = () => new Promise(resolve => { const asked = https.request(${JSON.stringify(`${inspected}/given-up`)}, { method: 'POST', headers: { expect: '100-continue' } }); asked.on('error', error => resolve(error.code)); asked.on('continue', () => asked.write('some', () => asked.destroy())); asked.flushHeaders(); });
const told = {};
for (const [name, step] of Object.entries(steps)) told[name] = await step().catch(error => ({ error: error.code ?? error.message, cause: error.cause?.code }));
say(told);
`;
}
