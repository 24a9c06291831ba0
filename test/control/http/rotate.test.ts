// Rotation of a world that is up, with its file and its proxy: what the old tokens opened has ended everywhere.
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { type RunningControl, startControl } from '../../../control/node/control.ts';
import { digest } from '../../../control/node/digest.ts';
import { openEntropy } from '../../../control/node/entropy.ts';
import { openLog } from '../../../control/node/log.ts';
import { openSqlite } from '../../../control/node/sqlite.ts';
import { WorldTokens } from '../../../control/node/token-file.ts';
import { openTokens } from '../../../control/world/access/token.ts';
import { within } from '../../kit/deadline.ts';
import { openWire } from '../../kit/wire.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld-rotate-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));

const OWN = '/-/acme/shop';

// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test asserts.
type Asked = { readonly status: number; readonly json: any; readonly headers: Headers };

async function ask(control: RunningControl, method: string, path: string, more: object = {}): Promise<Asked> {
  const { headers, body } = more as { headers?: { [name: string]: string }; body?: object };
  const response = await fetch(`${control.baseUrl}${path}`, {
    method,
    headers: headers ?? {},
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) };
}

/** As a browser at an origin, which `fetch` cannot pretend to be. */
async function atOrigin(
  origin: string,
  method: string,
  path: string,
  headers: object,
): Promise<IncomingMessage> {
  const { host, port } = new URL(origin);
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { host, ...headers },
    agent: false,
  });
  outgoing.end();
  const [response] = (await within('an answer', once(outgoing, 'response'))) as [IncomingMessage];
  response.resume();
  return response;
}

/** The status with which the proxy answers a client that names the default run with this secret. */
async function throughProxy({ proxyUrl }: RunningControl, secret: string): Promise<number> {
  await using peer = await openWire(Number(new URL(proxyUrl).port));
  const credentials = Buffer.from(`default:${secret}`).toString('base64');
  await peer.send(
    `GET http://undeclared.test/ HTTP/1.1\r\nHost: undeclared.test\r\nProxy-Authorization: Basic ${credentials}\r\nConnection: close\r\n\r\n`,
  );
  return (await peer.readResponse('GET')).status;
}

t.test('[5.3-1, 4.8, security 7] new tokens, and everything that the old ones opened ends', async t => {
  await mkdir(join(folder, '.wrld'), { recursive: true });
  const config = { name: 'acme/shop', services: { stripe: { twin: 'stripe' } } };
  await writeFile(join(folder, '.wrld', 'world.json'), JSON.stringify(config));
  const options = {
    folder,
    host: '127.0.0.1',
    port: 0,
    proxyPort: 0,
    sandbox: false,
    log: openLog('silent'),
  };
  await using control = await startControl(options);
  const old = { token: control.token, readToken: control.readToken };
  const by = (token: string) => ({ headers: { 'x-wrld-token': token } });
  const key = (await ask(control, 'POST', `${OWN}/keys`, { ...by(old.token), body: { name: 'ci' } })).json
    .key;
  t.equal((await ask(control, 'GET', `${OWN}/clock`, by(key))).status, 200);
  t.not(await throughProxy(control, old.token), 407);

  await t.test('[security 15] a branch inherits no session, no key and no token', async t => {
    const made = await ask(control, 'POST', `${OWN}/branches`, { ...by(old.token), body: { label: 'try' } });
    t.equal(made.status, 201);
    const { name } = made.json;
    for (const credential of [old.token, old.readToken, key])
      t.equal((await ask(control, 'GET', `/-/${name}/clock`, by(credential))).status, 401);
    t.equal((await ask(control, 'GET', `/-/${name}/clock`, by(made.json.token))).status, 200);
    t.equal((await ask(control, 'GET', `${OWN}/clock`, by(made.json.token))).status, 401, 'nor the reverse');
    t.strictSame((await ask(control, 'GET', `/-/${name}/keys`, by(made.json.token))).json, { keys: [] });
    const own = control.ownOrigin!;
    const opened = await atOrigin(own, 'POST', `${OWN}/session`, { 'x-wrld-token': old.token });
    const cookie = opened.headers['set-cookie']![0]!.split(';')[0]!;
    t.equal((await atOrigin(own, 'GET', `${OWN}/clock`, { cookie })).statusCode, 200);
    const label = name.split('/').reverse().join('--');
    const branchs = `http://${label}.localhost:${new URL(own).port}`;
    t.equal((await atOrigin(branchs, 'GET', `/-/${name}/clock`, { cookie })).statusCode, 401);
    const theirs = await atOrigin(branchs, 'POST', `/-/${name}/session`, { 'x-wrld-token': made.json.token });
    t.equal(theirs.statusCode, 200, 'a branch has an origin and sessions of its own');
    t.equal((await atOrigin(own, 'GET', `${OWN}/clock`, { cookie })).statusCode, 200);
  });

  await t.test('[5.6] only the token itself asks for it', async t => {
    for (const [who, credential] of [
      ['the read token', old.readToken],
      ['a key', key],
    ] as const)
      t.equal((await ask(control, 'POST', `${OWN}/rotate`, by(credential))).status, 403, who);
    t.equal((await ask(control, 'POST', `${OWN}/rotate`)).status, 401, 'nobody');
  });

  const rotated = await ask(control, 'POST', `${OWN}/rotate`, by(old.token));
  const { token, readToken } = rotated.json;
  t.equal(rotated.status, 200);
  t.equal(rotated.headers.get('cache-control'), 'no-store');
  t.strictSame(Object.keys(rotated.json), ['name', 'token', 'readToken']);
  t.match(rotated.json, { name: 'acme/shop', token: /^tok_w_/, readToken: /^tok_r_/ });
  for (const [what, credential, status] of [
    ['the old token', old.token, 401],
    ['the old read token', old.readToken, 401],
    ['a key', key, 401],
    ['the new token', token, 200],
    ['the new read token', readToken, 200],
  ] as const)
    t.equal((await ask(control, 'GET', `${OWN}/clock`, by(credential))).status, status, what);
  t.equal(await readFile(join(folder, '.wrld', 'token'), 'utf8'), `${token}\n${readToken}\n`);
  t.equal(control.token, token);
  t.equal(control.readToken, readToken);
  t.equal(await throughProxy(control, old.token), 407, 'the default run’s secret changed with it');
  t.not(await throughProxy(control, token), 407);
  t.strictSame((await ask(control, 'GET', `${OWN}/keys`, by(token))).json, { keys: [] });

  await t.test('of two at once one wins', async t => {
    const both = await Promise.all([1, 2].map(() => ask(control, 'POST', `${OWN}/rotate`, by(token))));
    t.strictSame(both.map(each => each.status).sort(), [200, 401]);
    const winner = both.find(each => each.status === 200)!;
    t.equal((await ask(control, 'GET', `${OWN}/clock`, by(winner.json.token))).status, 200);
    t.equal((await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n')[0], winner.json.token);
  });
});

t.test('a file that cannot be written keeps no token back, and says none in the log', async t => {
  await using stack = new AsyncDisposableStack();
  const sql = openSqlite(':memory:');
  stack.defer(() => sql.close());
  const tokens = openTokens({ sql, entropy: openEntropy(), digest });
  const place = join(folder, 'place');
  await mkdir(place);
  const said: unknown[] = [];
  const quiet = (): void => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error: (...all: unknown[]) => void said.push(all) };
  const held = await WorldTokens.open(tokens, join(place, 'token'), log);
  await rm(place, { recursive: true });
  const renewed = await held.renew();
  t.equal(tokens.scopeOf(renewed.write.reveal()), 'write');
  t.equal(held.write.reveal(), renewed.write.reveal());
  t.equal(said.length, 1);
  t.notMatch(JSON.stringify(said), /tok_/);
});
