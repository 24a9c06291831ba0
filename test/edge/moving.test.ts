// [4.10] [4.11] A world moves from a folder to a host, from there to the edge and back into a folder, by the commands that a
// person has, and answers everywhere what it answered before.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { COMMAND_MS_MAX, type Ended, wrld } from '../kit/command-line.ts';
import { type EdgeHost, startEdge } from '../kit/edge-host.ts';
import {
  type AskedHost,
  askHost as askSoon,
  bareWorld,
  type HostAsk,
  hostDirectory,
  startHostQuietly,
} from '../kit/many-worlds.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };
const VENDORS = ['stripe', 'openai'];

/** A whole world is read, or put in order, for one answer, on a machine that may be busy. */
const askHost = (at: AskedHost, method: string, path: string, ask: HostAsk = {}) =>
  askSoon(at, method, path, { ...ask, waitMs: COMMAND_MS_MAX });

type Row = {
  readonly name: string;
  readonly base: string;
  readonly token: string;
  readonly readToken: string;
};

async function post(at: AskedHost, path: string, token: string, body: string | object) {
  const headers = typeof body === 'string' ? FORM : JSON_BODY;
  const { status, json, text } = await askHost(at, 'POST', path, { token, headers, body });
  if (status > 299) throw new Error(`${path}: ${text}`);
  return json;
}

/** What waits: a trial's end, and the renewals after it. */
async function subscribe(at: AskedHost, token: string): Promise<void> {
  const stripe = async (path: string, body: string): Promise<string> =>
    (await post(at, `/acme/shop/stripe/v1/${path}`, token, body)).id;
  const customer = await stripe('customers', 'email=a@acme.test');
  const method = await stripe('payment_methods/pm_card_visa/attach', `customer=${customer}`);
  const price = await stripe(
    'prices',
    `product=${await stripe('products', 'name=Gold')}&unit_amount=500&currency=usd&recurring[interval]=month`,
  );
  await stripe(
    'subscriptions',
    `customer=${customer}&items[0][price]=${price}&default_payment_method=${method}&trial_period_days=7`,
  );
}

/** History, files, a clock that was moved, what waits, a changeset, a browser, and a branch with work of its own. */
async function fill(
  at: AskedHost,
  token: string,
): Promise<{ readonly name: string; readonly token: string }> {
  const own = '/-/acme/shop';
  await askHost(at, 'PUT', `${own}/clock`, {
    token,
    headers: JSON_BODY,
    body: { at: '2099-01-01T00:00:00Z' },
  });
  await subscribe(at, token);
  const long = { model: 'gpt-4o', messages: [{ role: 'user', content: `${'long '.repeat(60_000)}` }] };
  await post(at, '/acme/shop/openai/v1/chat/completions', token, long);
  await post(at, `${own}/clock/advance`, token, { by: '1d' });
  const browser = {
    cookies: [],
    origins: [{ origin: 'https://a.test', localStorage: [{ name: 'n', value: 'v' }] }],
  };
  await askHost(at, 'PUT', `${own}/browsers/one`, { token, headers: JSON_BODY, body: browser });
  const branch = await post(at, `${own}/branches`, token, { label: 'try', ttl: 2_000_000 });
  await post(at, `/${branch.name}/stripe/v1/customers`, branch.token, 'email=branch@acme.test');
  await post(at, `${own}/changesets`, token, { message: 'cut', name: 'cut' });
  await post(at, '/acme/shop/stripe/v1/customers', token, 'email=later@acme.test');
  return branch;
}

const LOOKS = [
  'map',
  'clock',
  'timeline?limit=200',
  'log/stripe?after=0',
  'log/openai?after=0',
  'checkpoint/stripe',
  'diff',
  'changesets',
  'browsers',
  'browsers/one',
  'branches',
  'records/stripe/customer',
];
const LISTS = ['customers?limit=100', 'subscriptions', 'invoices', 'events?limit=100'];

/** All that it answers, of itself and of its branch. */
async function answers(
  at: AskedHost,
  rows: readonly Pick<Row, 'name' | 'token'>[],
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const { name, token } of rows)
    for (const path of [
      ...LOOKS.map(look => `/-/${name}/${look}`),
      ...LISTS.map(list => `/${name}/stripe/v1/${list}`),
    ]) {
      const { status, text } = await askHost(at, 'GET', path, { token });
      told.push(`${path} ${status} ${text.replaceAll(at.baseUrl, '(base)')}`);
    }
  return told;
}

function doneJson(is: Test, { code, out, err }: Ended) {
  is.strictSame([code, err], [0, '']);
  return JSON.parse(out);
}

function same(is: Test, found: readonly string[], expected: readonly string[], where: string): void {
  const index = expected.findIndex((answer, n) => answer !== found[n]);
  if (index === -1) return void is.pass(`${where}: ${expected.length} answers are the same`);
  const [answer = '', other = ''] = [expected[index], found[index]];
  let at = 0;
  while (at < answer.length && answer[at] === other[at]) at++;
  const part = (text: string): string => text.slice(Math.max(at - 80, 0), at + 80);
  is.equal(part(other), part(answer), `${where}: ${answer.slice(0, 60)}`);
}

const edge: EdgeHost = await startEdge();
t.teardown(() => edge[Symbol.asyncDispose]());
/** Of the first test: all of a world with large bytes and a branch. */
let archive = '';

t.test('[4.10] [4.11] local, host, edge and back: the same answers everywhere', async t => {
  const home = await hostDirectory(t);
  const directory = await hostDirectory(t);
  const back = await hostDirectory(t);
  const folder = join(home, 'acme/shop');
  const tokens = await bareWorld(home, 'acme/shop', VENDORS);
  await using local = await startHostQuietly(home);
  const branch = await fill(local, tokens.token);
  const own = { name: 'acme/shop', token: tokens.token };
  const before = await answers(local, [own, branch]);
  t.equal(
    before
      .filter(told => !/ 200 /.test(told))
      .map(told => told.slice(0, 200))
      .join('\n'),
    '',
    'each is answered',
  );

  await using host = await startHostQuietly(directory);
  await writeFile(join(back, 'admin'), host.adminToken.secret.reveal());
  const adminFile = join(back, 'admin');
  const dry = await wrld(
    folder,
    'world',
    'push-to',
    host.baseUrl,
    '--token-file',
    adminFile,
    '--dry-run',
    '--json',
  );
  t.match(doneJson(t, dry), {
    name: 'acme/shop',
    worlds: ['acme/shop', branch.name],
    left: [{ what: 'access', name: 'tokens, keys, sessions' }],
  });
  t.strictSame((await askHost(host, 'GET', '/-/ping')).json, { worlds: [] }, 'a dry run moves nothing');
  const pushed = doneJson(
    t,
    await wrld(folder, 'world', 'push-to', host.baseUrl, '--token-file', adminFile, '--json'),
  );
  const atHost: readonly Row[] = pushed.moved;
  t.strictSame(
    atHost.map(({ name }) => name),
    ['acme/shop', branch.name],
  );
  same(t, await answers(host, atHost), before, 'the host');
  same(t, await answers(local, [own, branch]), before, 'and what it leaves is as it was');

  await writeFile(join(back, 'edge-admin'), edge.admin);
  const toEdge = ['world', 'push-to', edge.baseUrl, '--from', `${host.baseUrl}/acme/shop`] as const;
  const files = ['--token-file', join(back, 'edge-admin'), '--from-token-file', adminFile, '--json'] as const;
  const atEdge: readonly Row[] = doneJson(t, await wrld(back, ...toEdge, ...files)).moved;
  same(t, await answers(edge, atEdge), before, 'the edge');

  await mkdir(folderOf(back), { recursive: true });
  const from = [
    'world',
    'import',
    `${edge.baseUrl}/acme/shop`,
    '--token-file',
    join(back, 'edge-admin'),
  ] as const;
  t.match(doneJson(t, await wrld(folderOf(back), ...from, '--json')), { name: 'acme/shop', setAside: null });
  t.match(doneJson(t, await wrld(folderOf(back), 'world', 'check', '--json')), { ok: true });
  same(t, await answers(edge, atEdge), before, 'the edge goes on');
  await using again = await startHostQuietly(back);
  const { json } = await askHost(again, 'GET', '/-/worlds', { token: again.adminToken.secret.reveal() });
  same(t, await answers(again, json.worlds), before, 'the folder');

  const given = askHost(edge, 'GET', '/-/worlds/acme/shop/archive', { token: edge.admin });
  // Who asks meanwhile waits, or is told to come back where that takes long.
  const asked = Array.from({ length: 8 }, () => askHost(edge, 'GET', '/-/acme/shop/map', atEdge[0]));
  archive = (await given).text;
  for (const { status, text } of await Promise.all(asked))
    t.ok(status === 200 || /"being-moved"/.test(text), text);

  // What waited, waits: the trial ends, and renews.
  const ends = async (
    at: AskedHost,
    [{ token } = { token: '' }]: readonly { readonly token: string }[],
  ): Promise<readonly string[]> => {
    await post(at, '/-/acme/shop/clock/advance', token, { by: '40d' });
    const log = await askHost(at, 'GET', '/-/acme/shop/log/stripe?after=0', { token: token });
    return log.json.entries.map(
      ({ kind, occurredAt }: { readonly kind: string; readonly occurredAt: string }) =>
        `${occurredAt} ${kind}`,
    );
  };
  const expected = await ends(local, [own]);
  t.ok(
    expected.some(entry => /^2099-02-08.* invoice\.created$/.test(entry)),
    expected.join('\n'),
  );
  t.strictSame(await ends(edge, atEdge), expected, 'the same falls due on the edge');
  t.strictSame(await ends(again, json.worlds), expected, 'and in the folder');
});

t.test(
  '[4.11] a move to the edge that breaks off leaves nothing, and holds its names until then',
  async t => {
    const admin = (method: string, path: string, body?: string | object) =>
      askHost(edge, method, path, { token: edge.admin, ...(body !== undefined && { body }) });
    const { worlds } = (await admin('GET', '/-/ping')).json;
    for (const name of worlds.toReversed())
      t.match(await admin('DELETE', `/-/worlds/${name}`), { status: 204 });
    const parts = archive.match(/[\s\S]*?\n?\{"part":.*\n/g) ?? [];
    const path = '/-/worlds/acme/shop/archive';
    const [first, ...rest] = parts;
    t.match(await admin('POST', `${path}/check`, first), { status: 200 });
    t.match(await admin('DELETE', path), { status: 404 }, 'a check begins nothing');
    t.match(await admin('POST', path, first), { status: 201 });
    const blob = rest.findIndex(part => part.includes('{"blob":'));
    for (const part of rest.slice(0, blob + 1)) {
      t.match(await admin('PUT', path, part), { status: 200 });
      t.match(await admin('PUT', path, part), { status: 200 }, 'once more changes nothing');
    }
    t.match(await admin('PUT', path, rest[blob + 2]), {
      status: 409,
      json: { error: { code: 'out-of-order' } },
    });
    t.strictSame((await admin('GET', '/-/ping')).json, { worlds: [] });
    const make = { org: 'acme', world: 'shop', vendors: [] };
    t.match(await admin('POST', '/-/worlds', make), { status: 409 }, 'the name is held');
    const bucket = await edge.miniflare.getR2Bucket('BLOBS');
    t.equal((await bucket.list()).objects.length, 1);
    t.match(await admin('PUT', path, rest[blob + 1]!.replace(/\d(?=[^\d]*\n$)/, 'x')), { status: 400 });
    t.match(await admin('PUT', path, rest[blob + 1]), { status: 404 });
    t.strictSame((await bucket.list()).objects, []);
    t.match(await admin('POST', path, first), { status: 201 });
    let last = await admin('PUT', path, rest[0]);
    for (const part of rest.slice(1)) last = await admin('PUT', path, part);
    t.equal(last.json.worlds[0].name, 'acme/shop');
    t.strictSame((await admin('PUT', path, rest.at(-1))).json, last.json, 'its end once more');
    for (const { name } of last.json.worlds.toReversed())
      t.match(await admin('DELETE', `/-/worlds/${name}`), { status: 204 });
    t.match(await admin('PUT', path, rest.at(-1)), { status: 404 }, 'of a world that is gone');
    t.match(await admin('POST', path, first), { status: 201 });
    t.match(await admin('DELETE', path), { status: 204 });
    t.match(await admin('POST', '/-/worlds', make), { status: 201 });
    t.match(await admin('POST', path, first), { status: 409, json: { error: { code: 'taken' } } });
  },
);

function folderOf(directory: string): string {
  return join(directory, 'acme/shop');
}
