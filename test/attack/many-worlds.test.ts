// Worlds of two orgs on one host (4.10): nothing that opens one opens anything of the other, on any endpoint, by any way to present
// it, under any name of the host; and whatever a world does to itself, its neighbour answers.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import type { AdminRoute } from '../../control/hosting/admin-route.ts';
import { adminRoutes } from '../../control/hosting/routes.ts';
import type { Route } from '../../control/http/route.ts';
import { routes } from '../../control/http/routes.ts';
import type { RunningHost } from '../../control/node/host/host.ts';
import { within } from '../kit/deadline.ts';
import { askHost, bareWorld, type HostAnswer, hostDirectory, startHostQuietly } from '../kit/many-worlds.ts';

const SUFFIX = '.worlds.example.com';
const originOf = (name: string): string => `${name.split('/').reverse().join('--')}${SUFFIX}`;
const VICTIM = 'acme/shop';
const RIVAL = 'rival/shop';

/** A whole machine at work beside this test is no fault of a world's. */
const WAIT_MS = 30_000;

t.setTimeout(600_000);

type Headers = { readonly [name: string]: string };

const FORMS: { readonly [form: string]: (credential: string) => Headers } = {
  'x-wrld-token': credential => ({ 'x-wrld-token': credential }),
  'x-twins-key': credential => ({ 'x-twins-key': credential }),
  bearer: credential => ({ authorization: `Bearer ${credential}` }),
  token: credential => ({ authorization: `token ${credential}` }),
  basic: credential => ({ authorization: `Basic ${btoa(`u:${credential}`)}` }),
};

/** The victim's, with names that there are. */
const pathOf = (template: string): string =>
  template
    .replace('<org>/<world>', VICTIM)
    .replace(/<(?:vendor|twin)>/g, 'stripe')
    .replace(/<path\.\.\.>/, 'v1/customers')
    .replace(/\/?<[a-z]+\.\.\.>/, '/x')
    .replace(/<[a-z]+>/g, 'x');

type Rival = { readonly credentials: { readonly [who: string]: string }; readonly cookie: string };

/** All that a world gives to whoever has it. */
async function rivalOf(
  host: RunningHost,
  tokens: { readonly token: string; readonly readToken: string },
): Promise<Rival> {
  const { token, readToken } = tokens;
  const key = async (scope: string): Promise<string> =>
    (await askHost(host, 'POST', `/-/${RIVAL}/keys`, { token, body: { name: scope, scope } })).json.key;
  const credentials = { token, readToken, key: await key('write'), readKey: await key('read') };
  const session = await askHost(host, 'POST', `/-/${RIVAL}/session`, {
    token,
    headers: { host: originOf(RIVAL) },
  });
  if (session.status !== 200) throw new Error(session.text);
  return { credentials, cookie: session.headers['set-cookie']![0]!.split(';')[0]! };
}

/** Every way to present what the rival has, and the admin's token. */
function presented({ credentials, cookie }: Rival, admin: string): readonly (readonly [string, Headers])[] {
  const all = Object.entries({ ...credentials, admin }).flatMap(([who, credential]) =>
    Object.entries(FORMS).map(([form, headers]) => [`the ${who} as ${form}`, headers(credential)] as const),
  );
  return [...all, ['the session', { cookie, 'sec-fetch-site': 'same-origin' }]];
}

/** A few at once: there are thousands. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) await work(all[at]!);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

const methodOf = ({ method }: Route | AdminRoute): string => (method === 'ANY' ? 'POST' : method);

t.test('[5.1, 4.10] nothing of one world opens another, on any of its endpoints', async t => {
  const directory = await hostDirectory(t);
  const victim = await bareWorld(directory, VICTIM, ['stripe', 'smtp']);
  const tokens = await bareWorld(directory, RIVAL, ['stripe', 'smtp']);
  await using host = await startHostQuietly(directory, { suffix: SUFFIX });
  const rival = await rivalOf(host, tokens);
  const ways = presented(rival, host.adminToken.secret.reveal());
  const look = async (path: string): Promise<unknown> =>
    (await askHost(host, 'GET', `/-/${VICTIM}/${path}`, victim)).json;
  await askHost(host, 'POST', `/${VICTIM}/stripe/v1/customers`, {
    ...victim,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'email=secret@acme.test',
  });
  const before = JSON.stringify([await look('timeline'), await look('keys'), await look('rules')]);

  const own = routes.filter(({ path }) => path.includes('<org>/<world>'));
  const hosts: readonly (readonly [string, Headers])[] = [
    ['the host', {}],
    ['the victim’s origin', { host: originOf(VICTIM), origin: `https://${originOf(VICTIM)}` }],
    ['the rival’s origin', { host: originOf(RIVAL), origin: `https://${originOf(RIVAL)}` }],
  ];
  const tried = new Set<string>();
  const opened: string[] = [];
  // Who asks is found out the same way under every name: elsewhere one form and the session suffice.
  const few = ways.filter(([who]) => /x-wrld-token|session/.test(who));
  const cases = own.flatMap(route =>
    hosts.flatMap((at, n) => (n === 0 ? ways : few).map(way => ({ route, at, way }))),
  );
  await each(cases, async ({ route, at: [where, named], way: [who, headers] }) => {
    const method = methodOf(route);
    const ask = (more: Headers): Promise<HostAnswer> =>
      askHost(host, method, pathOf(route.path), {
        waitMs: WAIT_MS,
        headers: { ...named, ...more },
        ...(method === 'GET' ? {} : { body: {} }),
      });
    const { status, text, headers: told } = await ask(headers);
    tried.add(`${route.method} ${route.path}`);
    const what = `${method} ${route.path} at ${where} by ${who}: ${status}`;
    if (/secret@acme|tok_[wrk]_/.test(text) || told['set-cookie'] !== undefined)
      opened.push(`${what}, and tells`);
    if (route.access === 'open') {
      // What everybody is told anyway.
      if (status !== (await ask({})).status) opened.push(what);
    } else if (status < 400) opened.push(what);
    else if (route.access !== 'keyless' && ![401, 404, 409].includes(status)) opened.push(what);
    else if (status === 404 && where !== 'the rival’s origin' && route.access !== 'keyless')
      opened.push(what);
  });
  t.strictSame(opened, []);
  t.equal(tried.size, new Set(own.map(({ method, path }) => `${method} ${path}`)).size);
  t.ok(tried.size > 70, `${tried.size} endpoints, ${cases.length} attempts`);
  const after = JSON.stringify([await look('timeline'), await look('keys'), await look('rules')]);
  t.equal(after, before, 'and nothing of it is another');

  // That it is the credential that is missing: whose it is gets in.
  let mine = 0;
  await each(own, async ({ method, path, access }) => {
    if (method !== 'GET' || access === 'open' || path.endsWith('/events')) return;
    if ((await askHost(host, method, pathOf(path), victim)).status !== 401) mine += 1;
  });
  t.ok(mine > 20, `${mine} of them open to the victim itself`);

  // What is no request: the credential is the first message.
  for (const [who, secret] of Object.entries({
    ...rival.credentials,
    admin: host.adminToken.secret.reveal(),
  })) {
    const socket = new WebSocket(`${host.listensAt.replace('http', 'ws')}/-/${VICTIM}/streams/smtp`);
    const heard: string[] = [];
    socket.on('message', data => heard.push(String(data)));
    await within('the upgrade', once(socket, 'open'));
    const closed = once(socket, 'close');
    socket.send(secret);
    await within(`the stream to close on ${who}`, closed);
    t.strictSame(heard, [], `no byte of the stream for ${who}`);
  }
});

t.test('[5.1, 4.10] nothing of any world opens the host’s own endpoints', async t => {
  const directory = await hostDirectory(t);
  const tokens = await bareWorld(directory, RIVAL);
  await using host = await startHostQuietly(directory, { suffix: SUFFIX });
  const rival = await rivalOf(host, tokens);
  const ways = presented(rival, 'tok_a_another-hosts-admin-token-0123456789');
  const admin = adminRoutes.filter(({ access }) => access === 'admin');
  const opened: string[] = [];
  await each(
    admin.flatMap(route => ways.map(way => ({ route, way }))),
    async ({ route, way: [who, headers] }) => {
      const method = methodOf(route);
      const path = route.path.replace('<org>/<world>', RIVAL);
      const { status } = await askHost(host, method, path, {
        headers,
        ...(method === 'GET' ? {} : { body: {} }),
      });
      if (status !== 401) opened.push(`${method} ${path} by ${who}: ${status}`);
    },
  );
  t.strictSame(opened, []);
  t.ok(admin.length >= 6);
  t.strictSame(host.names(), [RIVAL]);
});

const FUNCTIONS = `export function answer({ said }) { for (;;); }`;
const HANDLERS = JSON.stringify({ version: 1, handlers: [] });

/** Of 200 requests each, until one is too many. */
const FLOODS_MAX = 20;

/** What a world does to itself, or has done to it; each resolves when it is over. */
const NEIGHBOURS: { readonly [what: string]: (bad: Bad) => Promise<unknown> } = {
  'a check that loops': async ({ ask, form }) => {
    await form('/v1/customers', 'email=a@b.test');
    const body = "export const check = { name: 'loops', run() { for (;;); } };";
    const set = await ask('PUT', 'checks/loops', body);
    if (set.status !== 200) throw new Error(set.text);
    await ask('POST', 'changesets', { message: 'all', name: 'all' });
    const verified = await ask('POST', 'changesets/all/verify');
    if (verified.json.verification.ok !== false) throw new Error(`it does not loop: ${verified.text}`);
  },
  'a function that never answers': async ({ at }) => {
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'loop' }] });
    const say = () => at('POST', '/openai/v1/chat/completions', 'application/json', body);
    const [first] = await Promise.all([say(), say(), say()]);
    if (!/did not come to its end/.test(first.text)) throw new Error(`${first.status} ${first.text}`);
  },
  'a store that is damaged': async ({ ask }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('GET', 'map')));
    if (!answers.every(({ status }) => status === 503)) throw new Error('it opens');
  },
  'a year of events at once': async ({ ask, form }) => {
    await ask('PUT', 'clock', { at: '2030-01-01T00:00:00Z' });
    const { id } = (await form('/v1/customers', 'email=a@b.test')).json;
    const price = 'currency=usd&unit_amount=100&recurring[interval]=day&product_data[name]=Daily';
    const { id: daily } = (await form('/v1/prices', price)).json;
    const made = await form(
      '/v1/subscriptions',
      `customer=${id}&items[0][price]=${daily}&collection_method=send_invoice&days_until_due=30`,
    );
    if (made.status !== 200) throw new Error(made.text);
    const advanced = await ask('POST', 'clock/advance', { by: '365d' });
    if (advanced.status >= 300) throw new Error(advanced.text);
    const { position } = (await ask('GET', 'map')).json.twins.find(
      ({ twin }: { twin: string }) => twin === 'stripe',
    );
    if (position < 365) throw new Error(`only ${position} events`);
  },
  'more requests than it may have': async ({ ask }) => {
    for (let n = 0; n < FLOODS_MAX; n++) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => ask('GET', 'map')));
      if (answers.some(({ status }) => status === 429)) return;
    }
    throw new Error('none of them was too many');
  },
};

type Said = Pick<HostAnswer, 'status' | 'text' | 'json'>;

/** How a bad world is asked: it may take its time. */
type Bad = {
  /** Below the world’s vendors. */
  readonly at: (method: string, path: string, type: string, body: string) => Promise<Said>;
  readonly ask: (method: string, path: string, body?: object | string) => Promise<Said>;
  readonly form: (path: string, body: string) => Promise<Said>;
};

function badWorld(host: RunningHost, name: string, token: string): Bad {
  const send = async (method: string, path: string, type: string, body: string | null): Promise<Said> => {
    const headers = { 'x-wrld-token': token, ...(body === null ? {} : { 'content-type': type }) };
    const answer = await fetch(`${host.listensAt}${path}`, { method, headers, body });
    const text = await answer.text();
    return { status: answer.status, text, json: text === '' ? null : JSON.parse(text) };
  };
  return {
    at: (method, path, type, body) => send(method, `/${name}${path}`, type, body),
    ask: (method, path, body) => {
      const sent = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
      return send(method, `/-/${name}/${path}`, 'application/json', sent);
    },
    form: (path, body) => send('POST', `/${name}/stripe${path}`, 'application/x-www-form-urlencoded', body),
  };
}

t.test('[4.10] a bad neighbour does not keep another world from answering', async t => {
  const directory = await hostDirectory(t);
  const good = await bareWorld(directory, VICTIM);
  const tokens = new Map<string, { readonly token: string }>();
  const names = Object.keys(NEIGHBOURS).map((what, n) => [what, `bad/w${n}`] as const);
  for (const [, name] of names) tokens.set(name, await bareWorld(directory, name, ['stripe', 'openai']));
  const nameOf = new Map(names);
  const looping = join(directory, nameOf.get('a function that never answers')!);
  const config = join(looping, '.wrld', 'world.json');
  const declared = JSON.parse(readFileSync(config, 'utf8'));
  declared.services.openai.colocate = { scenarioPath: 'openai.json' };
  writeFileSync(config, JSON.stringify(declared));
  writeFileSync(join(looping, 'openai.json'), HANDLERS);
  writeFileSync(join(looping, 'openai.js'), FUNCTIONS);
  const store = join(directory, nameOf.get('a store that is damaged')!, '.wrld', 'world', 'world.db');
  const bytes = readFileSync(store);
  bytes.fill(0x5a, 4096, 6 * 4096);
  writeFileSync(store, bytes);

  await using host = await startHostQuietly(directory, { budget: { requestsPerSecond: 20, burst: 100 } });
  const waits: number[] = [];
  const neighbour = async (): Promise<void> => {
    const began = performance.now();
    const answer = await askHost(host, 'POST', `/${VICTIM}/stripe/v1/customers`, {
      ...good,
      waitMs: WAIT_MS,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'email=a@b.test',
    });
    if (answer.status === 429) return;
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    waits.push(performance.now() - began);
  };
  await neighbour();
  for (const [what, does] of Object.entries(NEIGHBOURS)) {
    const name = nameOf.get(what)!;
    const bad = badWorld(host, name, tokens.get(name)!.token);
    waits.length = 0;
    let over = false;
    const doing = does(bad)
      .then(
        () => null,
        (error: unknown) => error,
      )
      .finally(() => {
        over = true;
      });
    // Each is held to the deadline of an answer by the kit.
    while (!over || waits.length === 0) await neighbour();
    t.equal(await doing, null, what);
    const most = Math.max(...waits);
    t.comment(`beside ${what}: ${waits.length} answers, the slowest in ${most.toFixed(0)} ms`);
  }
  t.match(await askHost(host, 'GET', `/-/${VICTIM}/map`, good), { status: 200 });
});
