// Every row of bad-input's "Path", "Method", "Authority" and "Output" that a wire can carry, as bytes: who is
// judged, what arrives at the origin, and what the client is told. The tables of test/policy judge the same
// rows without sockets.
import t from 'tap';
import { value } from '../kit/http-text.ts';
import { connectTunnel, openWire, TunnelRefused } from '../kit/wire.ts';
import { type AttackedWorld, startWorld } from './world.ts';

/** What a request is answered: `status rule grantField`. */
async function told(world: AttackedWorld, way: 'clear' | 'secure', request: string): Promise<string> {
  await using peer =
    way === 'clear' ? await openWire(world.proxy.port) : (await world.proxy.tunnel(world.secure)).peer;
  await peer.send(request);
  const method = /^[A-Z]+/.exec(request)?.[0] ?? 'GET';
  const response = await peer.readResponse(method);
  const body = response.body.toString();
  const record = body.split('\n')[1];
  const { rule, grantField } = record?.startsWith('{') ? JSON.parse(record) : {};
  return [response.status, rule, grantField].filter(part => part !== undefined).join(' ');
}

const N = '502 not-granted runtime.network.egress';
const NW = '502 not-granted runtime.network.writes';
const I = '502 invalid';

t.test('[bad-input Path] what is judged is what arrives, inside a tunnel and in the clear', async t => {
  await using world = await startWorld();
  const rows: readonly (readonly [path: string, told: string, arrived?: string])[] = [
    ['/v1/a', '200', '/v1/a'],
    ['/v1/a?q=/../..', '200', '/v1/a?q=/../..'],
    ['/v1', N],
    ['/v10', N],
    ['/v1evil', N],
    ['/V1/a', N],
    ['/v1/../admin', N],
    ['/v1/%2e%2e/admin', N],
    ['/v1/.%2E/z', N],
    ['/admin/../v1/a', '200', '/v1/a'],
    ['/v1/./b/%2e%2e/c', '200', '/v1/c'],
    ['/v1/..%2fadmin', I],
    ['/v1\\a', I],
    ['\\v1/a', I],
    ['/v1%5Ca', I],
    ['/v1/%zz', I],
    ['/v1/%', I],
    ['/v1/%u002f', I],
    ['/v1/%252f', '200', '/v1/%252f'],
    ['/v1/%ff', I],
    ['/v1/%00', I],
    ['/v1/%0d%0aX:y', '200', '/v1/%0d%0aX:y'],
    ['//v1/a', N],
    ['/v1//a', '200', '/v1//a'],
    ['/v1/..;/admin', I],
    ['/v1/a#f', '200', '/v1/a'],
    ['/v1/a#/../../admin', '200', '/v1/a'],
  ];
  for (const [path, expected, arrived] of rows) {
    for (const way of ['clear', 'secure'] as const) {
      // A backslash that begins a path is a part of the authority where one stands before it.
      if (way === 'secure' && path.startsWith('\\')) continue;
      const before = world.seen.length;
      const target = way === 'clear' ? `http://${world.clear}${path}` : path;
      const request = `GET ${target} HTTP/1.1\r\nHost: ${world[way]}\r\n\r\n`;
      t.equal(await told(world, way, request), expected, `${path} ${way}`);
      t.strictSame(
        world.seen.slice(before).map(({ target }) => target),
        arrived === undefined ? [] : [arrived],
        path,
      );
    }
  }
});

t.test('[bad-input Path] OPTIONS * and GET * name no path', async t => {
  await using world = await startWorld();
  for (const method of ['GET', 'OPTIONS']) {
    t.equal(await told(world, 'secure', `${method} * HTTP/1.1\r\nHost: ${world.secure}\r\n\r\n`), I, method);
    t.equal(await told(world, 'clear', `${method} * HTTP/1.1\r\nHost: ${world.clear}\r\n\r\n`), I, method);
  }
  t.equal(world.seen.length, 0);
});

t.test(
  '[bad-input Path] where the world grants nothing, an unreadable path is not-granted, and sealed in a sandbox',
  async t => {
    await using world = await startWorld();
    const ask = (): Promise<string> =>
      told(world, 'clear', 'GET http://x.test/% HTTP/1.1\r\nHost: x.test\r\n\r\n');
    world.proxy.push({});
    t.equal(await ask(), '502 not-granted');
    world.proxy.push({ sandbox: true });
    t.equal(await ask(), '502 sealed');
  },
);

t.test('[bad-input Method] reads, writes and neither, by the wire', async t => {
  await using world = await startWorld();
  const rows: readonly (readonly [head: string, told: string])[] = [
    ['HEAD /v1/a', '200'],
    ['OPTIONS /v1/a', '200'],
    ['POST /v1/a', NW],
    ['POST /v1/w/a', '200'],
    ['PUT /v1/w/a', '200'],
    ['POST /v1/w/../a', NW],
    ['QUERY /v1/a', NW],
    ['TRACE /v1/a', '502 not-granted'],
    ['TRACE /v1/w/a', '502 not-granted'],
    ['FOO /v1/a', '400'],
    ['TRACK /v1/a', '400'],
  ];
  for (const [head, expected] of rows) {
    const request = `${head} HTTP/1.1\r\nHost: ${world.secure}\r\n\r\n`;
    t.equal(await told(world, 'secure', request), expected, head);
  }
  const override = (method: string, field: string, path: string): Promise<string> =>
    told(world, 'secure', `${method} ${path} HTTP/1.1\r\nHost: ${world.secure}\r\n${field}\r\n\r\n`);
  t.equal(await override('POST', 'X-HTTP-Method-Override: GET', '/v1/a'), NW);
  for (const name of ['X-HTTP-Method-Override', 'x-http-method', 'X-METHOD-Override']) {
    t.equal(await override('GET', `${name}: DELETE`, '/v1/a'), NW, name);
    t.equal(await override('GET', `${name}: delete`, '/v1/w/a'), '200', `${name} where writes are granted`);
    t.equal(await override('GET', `${name}: head`, '/v1/a'), '200', `${name} to another read`);
  }
  t.equal(await override('GET', 'X-HTTP-Method-Override: TRACE', '/v1/w/a'), '502 not-granted');
  const several = 'X-HTTP-Method-Override: DELETE\r\nX-HTTP-Method: GET';
  t.equal(await override('GET', several, '/v1/a'), NW, 'a read after a write');
  t.equal(await override('GET', 'Accept: */*', '/v1/a?_method=DELETE'), NW, 'an override in the query');
});

t.test('[bad-input Path] a field that names another path passes only where no path was judged', async t => {
  await using world = await startWorld();
  const asks = (field: string, path: string): Promise<string> =>
    told(world, 'secure', `GET ${path} HTTP/1.1\r\nHost: ${world.secure}\r\n${field}\r\n\r\n`);
  for (const name of ['X-Original-URL', 'x-rewrite-url']) {
    t.equal(await asks(`${name}: /admin`, '/v1/a'), I, name);
    t.equal(await asks(`${name}: /v1/b`, '/v1/a'), I, `${name} to another path of the grant`);
    t.equal(await asks(`${name}: /v1/a`, '/v1/a'), '200', `${name} to the same path`);
  }
  t.equal(await asks('X-Original-URL: /v1/a\r\nX-Original-URL: /admin', '/v1/a'), I, 'the second of two');
});

t.test('[bad-input Authority] a CONNECT that nobody can read is refused itself', async t => {
  await using world = await startWorld();
  for (const authority of [
    'p.test',
    'p.test:',
    'p.test:0443',
    'p.test:99999',
    '/x',
    'u@p.test:443',
    '[p.test]:443',
    '[[p.test]]:443',
    'p.test..:443',
    '[fe80::1%25eth0]:443',
    'p.test:443:443',
    'https://p.test/',
    `${'a'.repeat(64)}.test:443`,
    `${'a.'.repeat(127)}test:443`,
  ]) {
    try {
      await world.proxy.tunnel(authority);
      t.fail(authority);
    } catch (error) {
      if (!(error instanceof TunnelRefused)) throw error;
      t.match(error.connect.start, /^HTTP\/1\.1 502 /, authority);
      t.equal(value(error.connect, 'x-wrld-world-refusal'), 'grant', authority);
      t.match((await error.peer.readUntil('}\n')).toString(), /\n\{.*"rule":"invalid".*\}\n$/, authority);
      error.peer.socket.destroy();
    }
  }
  await using nul = await openWire(world.proxy.port);
  await nul.send('CONNECT p.test\0.evil.test:443 HTTP/1.1\r\nHost: p.test\r\n\r\n');
  t.equal((await nul.readResponse()).status, 400, 'NUL');
});

t.test('[bad-input Authority] other spellings of the tunnel’s host, and other hosts', async t => {
  await using world = await startWorld();
  const port = world.secure.split(':')[1];
  const get = (target: string, ...hosts: string[]): string =>
    `GET ${target} HTTP/1.1\r\n${hosts.map(host => `Host: ${host}\r\n`).join('')}\r\n`;
  const rows: readonly (readonly [string, string, string])[] = [
    ['upper case', get('/v1/a', `P.TEST:${port}`), '200'],
    ['one final dot', get('/v1/a', `p.test.:${port}`), '200'],
    ['two final dots', get('/v1/a', `p.test..:${port}`), I],
    ['fullwidth', get('/v1/a', Buffer.from(`ｐ.test:${port}`).toString('latin1')), '200'],
    ['a Cyrillic letter', get('/v1/a', Buffer.from(`р.test:${port}`).toString('latin1')), I],
    ['bytes that are no UTF-8', get('/v1/a', `\xff.test:${port}`), I],
    ['brackets', get('/v1/a', `[p.test]:${port}`), I],
    ['an empty Host', get('/v1/a', ''), I],
    ['no Host', get('/v1/a'), I],
    ['two Host lines', get('/v1/a', `p.test:${port}`, 'evil.test'), I],
    ['two equal Host lines', get('/v1/a', `p.test:${port}`, `p.test:${port}`), I],
    ['a path in Host', get('/v1/a', `p.test:${port}/evil`), I],
    ['user information in Host', get('/v1/a', `u@p.test:${port}`), I],
    ['the name without its port', get('/v1/a', 'p.test'), I],
    ['an absolute target of the same host', get(`https://p.test:${port}/v1/a`, `p.test:${port}`), '200'],
    ['an absolute target of another', get('https://evil.test/v1/a', `p.test:${port}`), I],
    ['an absolute target of another scheme', get(`http://p.test:${port}/v1/a`, `p.test:${port}`), I],
  ];
  for (const [what, request, expected] of rows) t.equal(await told(world, 'secure', request), expected, what);
  for (const { headers } of world.seen) t.equal(headers.host, world.secure, 'Host is written anew');
});

t.test('[bad-input Authority] the absolute form in the clear', async t => {
  await using world = await startWorld();
  const port = world.clear.split(':')[1];
  const get = (target: string, ...hosts: string[]): string =>
    `GET ${target} HTTP/1.1\r\n${hosts.map(host => `Host: ${host}\r\n`).join('')}\r\n`;
  const rows: readonly (readonly [string, string, string])[] = [
    ['another Host', get(`http://${world.clear}/v1/a`, 'evil.test'), '200'],
    ['two Host lines', get(`http://${world.clear}/v1/a`, world.clear, 'evil.test'), I],
    ['an ungranted host and a granted Host', get('http://evil.test/v1/a', world.clear), N],
    ['user information', get(`http://p.test@evil.test/v1/a`, 'evil.test'), N],
    ['user information before a granted host', get(`http://u:secret@${world.clear}/v1/a`, 'x'), '200'],
    ['another port', get(`http://c.test:1/v1/a`, 'c.test:1'), N],
    ['http where https is granted', get(`http://${world.secure}/v1/a`, world.secure), N],
    ['ftp', get(`ftp://${world.clear}/v1/a`, world.clear), I],
    ['a wildcard', get('http://*.c.test/v1/a', 'c.test'), N],
    ['metadata', get('http://169.254.169.254/latest/', 'x'), N],
    ['another spelling', get(`HTTP://C.TEST.:${port}/v1/a`, 'x'), '200'],
    ['no path, but a query', get(`http://${world.clear}?q`, 'x'), N],
  ];
  for (const [what, request, expected] of rows) t.equal(await told(world, 'clear', request), expected, what);
  for (const { headers } of world.seen) t.equal(headers.host, world.clear, 'Host is written anew');
  t.notMatch(JSON.stringify(world.proxy.refusals), /secret|u:/, 'user information is in no record');
});

t.test('[bad-input Transport] an upgrade to a granted origin, and a CONNECT inside a CONNECT', async t => {
  await using world = await startWorld({ world: {} });
  const origin = `https://${world.secure}`;
  world.proxy.push({
    network: { egress: [origin, 'http://localhost:9'], writes: [origin], passthrough: [], ownLoopback: true },
    extraHosts: { 'p.test': '127.0.0.1' },
    services: [{ name: 'db', host: 'db', port: 5432 }],
  });
  for (const protocol of ['h2c', 'websocket', 'x-other']) {
    const request = `GET /v1/a HTTP/1.1\r\nHost: ${world.secure}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`;
    t.equal(await told(world, 'secure', request), '502 inspected-transport', protocol);
  }
  const nested = `CONNECT ${world.secure} HTTP/1.1\r\nHost: ${world.secure}\r\n\r\n`;
  t.equal(await told(world, 'secure', nested), '502 inspected-transport');
  for (const [host, rule] of [
    ['localhost:9', 'inspected-transport'],
    ['db:5432', 'inspected-transport'],
    ['x.test:80', 'not-granted'],
  ] as const) {
    const { peer } = await connectTunnel(world.proxy.port, host);
    await peer.send(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    t.match((await peer.readResponse()).body.toString(), `"rule":"${rule}"`, host);
    peer.socket.destroy();
  }
  t.equal(world.seen.length, 0);
});

t.test(
  '[bad-input Output] a refusal’s header carries one word, its body the record on one line, HEAD the head',
  async t => {
    await using world = await startWorld();
    for (const path of [
      '/%0d%0aX-Evil:%20y',
      '/</script><svg/onload=1>',
      `/${'a'.repeat(9_000)}`,
      '/v1/%E2%80%A8',
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const { peer } = await world.proxy.tunnel('evil.test:443');
        await peer.send(`${method} ${path} HTTP/1.1\r\nHost: evil.test\r\n\r\n`);
        const response = await peer.readResponse(method);
        t.match(value(response, 'x-wrld-world-refusal')!, /^(declaration|grant|transport|twin)$/);
        t.equal(value(response, 'x-evil'), undefined);
        if (method === 'HEAD') {
          await peer.send(`GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n`);
          t.match((await peer.readHead()).start, /^HTTP\/1\.1 502 /, 'nothing stands between the heads');
        } else {
          const lines = response.body.toString().split('\n');
          t.equal(lines.length, 3);
          t.equal(JSON.parse(lines[1]!).kind, 'wrld-world-refusal');
        }
        peer.socket.destroy();
      }
    }
    const { peer } = await world.proxy.tunnel('evil.test:443');
    await peer.send(
      'GET /</script><svg/onload=1> HTTP/1.1\r\nHost: evil.test\r\nAccept: text/html\r\nSec-Fetch-Mode: navigate\r\n\r\n',
    );
    const page = await peer.readResponse();
    t.match(value(page, 'content-security-policy'), /^default-src 'none'/);
    t.equal(value(page, 'x-content-type-options'), 'nosniff');
    t.notMatch(page.body.toString(), /<svg/);
    peer.socket.destroy();
  },
);
