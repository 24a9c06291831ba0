// Worlds of two orgs on one host, whichever it is (4.10, 4.11): each endpoint of one, and of the host itself, is asked with all
// that the other has, by every way to present it and under every name. What is asked is drawn from the tables of routes.
import { once } from 'node:events';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import type { AdminRoute } from '../../control/hosting/admin-route.ts';
import { originsUnder } from '../../control/hosting/origins.ts';
import type { Documented } from '../../control/http/route.ts';
import { documented } from '../../control/http/routes.ts';
import { OWN_PLACE } from '../../control/http/site-loading.ts';
import { within } from '../kit/deadline.ts';
import { askHost, type HostAnswer, type HostAsk } from '../kit/many-worlds.ts';

export const SUFFIX = '.worlds.example.com';
const VICTIM = 'acme/shop';
const RIVAL = 'rival/shop';
const VENDORS = ['stripe', 'smtp', 'openai'];
const SITE = { host: 'dashboard.stripe.com', label: 'dashboard-stripe-com' };

/** A whole machine at work beside this test is no fault of a world's. */
const WAIT_MS = 30_000;

export type AttackedHost = {
  /** Where it is asked. */
  readonly baseUrl: string;
  /** As it is named: its worlds' origins have its scheme and port. */
  readonly named: string | null;
  readonly admin: string;
  /** Its own endpoints. */
  readonly routes: readonly AdminRoute[];
  /** Credentials that the rival's world takes over; both are made where it takes none. */
  readonly adopted?: { readonly token: string; readonly readToken: string };
};

type Headers = { readonly [name: string]: string };
type Way = readonly [who: string, headers: Headers];
type Pair = { readonly token: string; readonly readToken: string };

const FORMS: { readonly [form: string]: (credential: string) => Headers } = {
  'x-wrld-token': credential => ({ 'x-wrld-token': credential }),
  'x-twins-key': credential => ({ 'x-twins-key': credential }),
  bearer: credential => ({ authorization: `Bearer ${credential}` }),
  token: credential => ({ authorization: `token ${credential}` }),
  basic: credential => ({ authorization: `Basic ${btoa(`u:${credential}`)}` }),
};
/** Which of them it is makes no difference to how it is looked for: two forms suffice for the others. */
const IN_ALL_FORMS = ['token', 'key', 'admin token'];
const NAVIGATION: Headers = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };

/** The victim's, with names that there are. */
const pathOf = (template: string): string =>
  template
    .replace('<org>/<world>', VICTIM)
    .replace(/<(?:vendor|twin)>/g, 'stripe')
    .replace(/<path\.\.\.>/, 'v1/customers')
    .replace(/\/?<[a-z]+\.\.\.>/, '/x')
    .replace(/<[a-z]+>/g, 'x');

/** A HEAD is a GET, and where the twin judges the method there are several. */
function methodsOf({ method }: Pick<Documented, 'method'>): readonly string[] {
  if (method === 'ANY') return ['POST', 'GET', 'DELETE'];
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** A few at once: there are thousands. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) await work(all[at]!);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

type Stage = {
  readonly host: AttackedHost;
  readonly victim: Pair;
  readonly secrets: readonly string[];
  /** All that a world gives to whoever has it, and the token of a branch that left the victim. */
  readonly rival: { readonly [who: string]: string };
  readonly cookies: { readonly [who: string]: string };
  /** Into the rival’s copy of a site. */
  readonly sitePass: string;
  readonly hostOf: (name: string) => string;
  readonly siteOf: (name: string) => string;
  readonly ask: (method: string, path: string, more?: HostAsk) => Promise<HostAnswer>;
};

async function stageOf(host: AttackedHost): Promise<Stage> {
  const origins = originsUnder(SUFFIX, host.named)!;
  const hostOf = (name: string): string => new URL(origins.of(name)).host;
  const siteOf = (name: string): string => `${SITE.label}--${hostOf(name)}`;
  const ask: Stage['ask'] = (method, path, more) => askHost(host, method, path, { waitMs: WAIT_MS, ...more });
  const got = async (status: number, ...asked: Parameters<typeof ask>): Promise<HostAnswer> => {
    const answer = await ask(...asked);
    if (answer.status !== status) throw new Error(`${asked.slice(0, 2)}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const made = async (name: string, more: object = {}): Promise<Pair> => {
    const [org, world] = name.split('/');
    const body = { org, world, vendors: VENDORS, ...more };
    return (await got(201, 'POST', '/-/worlds', { token: host.admin, body })).json;
  };
  const victim = await made(VICTIM);
  const { token, readToken } = await made(RIVAL, host.adopted);
  const key = async (scope: string): Promise<string> =>
    (await got(200, 'POST', `/-/${RIVAL}/keys`, { token, body: { name: scope, scope } })).json.key;
  const branch = async (name: string, of: Pair): Promise<Pair> =>
    (await got(201, 'POST', `/-/${name}/branches`, { token: of.token, body: {} })).json;
  const own = { token, headers: { host: hostOf(RIVAL) } };
  const session = await got(200, 'POST', `/-/${RIVAL}/session`, own);
  const enter = async (): Promise<string> =>
    new URL((await got(303, 'GET', `/-/${RIVAL}/sites/go?host=${SITE.host}`, own)).headers.location!).search;
  const at = { headers: { ...NAVIGATION, host: siteOf(RIVAL) } };
  const entered = await ask('GET', `${OWN_PLACE}enter${await enter()}`, at);
  return {
    host,
    victim,
    secrets: ['secret@acme', victim.token, victim.readToken],
    rival: {
      token,
      'read token': readToken,
      key: await key('write'),
      'read-only key': await key('read'),
      'token of its branch': (await branch(RIVAL, { token, readToken })).token,
      'token of a branch of the victim': (await branch(VICTIM, victim)).token,
    },
    cookies: { session: cookieOf(session), 'session at its site': cookieOf(entered) },
    sitePass: await enter(),
    hostOf,
    siteOf,
    ask,
  };
}

function cookieOf({ status, text, headers }: HostAnswer): string {
  const [cookie] = headers['set-cookie'] ?? [];
  if (cookie === undefined) throw new Error(`no cookie: ${status} ${text}`);
  return cookie.split(';')[0]!;
}

/** Every way to present what the rival has, and `admin`. */
function waysOf({ rival, cookies }: Stage, admin: string): readonly Way[] {
  const credentials = Object.entries({ ...rival, 'admin token': admin }).flatMap(([who, credential]) =>
    Object.entries(FORMS)
      .filter(([form]) => IN_ALL_FORMS.includes(who) || /^x-wrld-token$|^bearer$/.test(form))
      .map(([form, headers]): Way => [`the ${who} as ${form}`, headers(credential)]),
  );
  const carried = Object.entries(cookies).map(
    ([who, cookie]): Way => [`the ${who}`, { cookie, 'sec-fetch-site': 'same-origin' }],
  );
  return [...credentials, ...carried];
}

/** What is wrong with each answer that is more than a refusal. */
type Opened = { readonly opened: string[]; readonly tell: (what: string, answer: HostAnswer) => void };

function watch({ secrets }: Stage): Opened {
  const opened: string[] = [];
  const tell = (what: string, { text, headers }: HostAnswer): void => {
    const told = secrets.some(secret => text.includes(secret)) || /tok_[wrk]_/.test(text);
    if (told || headers['set-cookie'] !== undefined) opened.push(`${what}, and tells`);
  };
  return { opened, tell };
}

/** [5.1] No endpoint of the victim’s opens to anything of the rival’s, nor to the admin. */
export async function attackWorld(t: Test, host: AttackedHost): Promise<void> {
  const stage = await stageOf(host);
  const { victim, ask } = stage;
  const look = async (path: string): Promise<unknown> =>
    (await ask('GET', `/-/${VICTIM}/${path}`, victim)).json;
  await ask('POST', `/${VICTIM}/stripe/v1/customers`, {
    ...victim,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'email=secret@acme.test',
  });
  const state = async (): Promise<string> =>
    JSON.stringify(await Promise.all(['timeline', 'keys', 'rules', 'branches', 'clock'].map(look)));
  await ask('PUT', `/-/${VICTIM}/clock`, { ...victim, body: { at: '2099-01-01T00:00:00.000Z' } });
  const before = await state();

  await endpointsOf(t, stage);
  await siteOfVictim(t, stage);
  await socketsOf(t, stage);
  t.equal(await state(), before, 'and nothing of it is another');

  // That it is the credential that is missing: whose it is gets in.
  const mine = new Set<string>();
  const reads = documented.filter(({ method, path, access }) => {
    return (
      method === 'GET' && access !== 'open' && path.includes('<org>/<world>') && !path.endsWith('/events')
    );
  });
  await each(reads, async ({ path }) => {
    if ((await ask('GET', pathOf(path), victim)).status !== 401) mine.add(path);
  });
  t.equal(mine.size, reads.length, 'each of them is open to the victim itself');
}

async function endpointsOf(t: Test, stage: Stage): Promise<void> {
  const { host, ask, hostOf } = stage;
  const ways = waysOf(stage, host.admin);
  const own = documented.filter(({ path }) => path.includes('<org>/<world>'));
  const places: readonly (readonly [string, Headers])[] = [
    ['the host', {}],
    ...[VICTIM, RIVAL].map(
      name => [`the origin of ${name}`, { host: hostOf(name), origin: `https://${hostOf(name)}` }] as const,
    ),
  ];
  const tried = new Set<string>();
  const { opened, tell } = watch(stage);
  // Who asks is found out the same way under every name, by every method: elsewhere one form and the cookies suffice.
  const few = ways.filter(([who]) => /x-wrld-token|session/.test(who));
  const cases = own.flatMap(route =>
    methodsOf(route).flatMap((method, nth) =>
      places.flatMap((place, n) => (n + nth === 0 ? ways : few).map(way => ({ route, method, place, way }))),
    ),
  );
  await each(cases, async ({ route, method, place: [where, named], way: [who, headers] }) => {
    const asked = (more: Headers): Promise<HostAnswer> =>
      ask(method, pathOf(route.path), {
        headers: { ...named, ...more },
        ...(method === 'GET' || method === 'HEAD' ? {} : { body: {} }),
      });
    const answer = await asked(headers);
    const { status } = answer;
    tried.add(`${route.method} ${route.path}`);
    const what = `${method} ${route.path} at ${where} by ${who}: ${status}`;
    tell(what, answer);
    if (route.access === 'open') {
      // What everybody is told anyway.
      if (status !== (await asked({})).status) opened.push(what);
      return;
    }
    // At the rival’s origin nothing of the victim’s is served.
    const refused = /the origin of rival/.test(where) ? [401, 404, 409] : [401, 409];
    if (status < 400 || (route.access !== 'keyless' && !refused.includes(status))) opened.push(what);
  });
  t.strictSame(opened, []);
  t.strictSame([...tried].sort(), [...new Set(own.map(({ method, path }) => `${method} ${path}`))].sort());
  t.comment(`${tried.size} endpoints, ${cases.length} attempts`);
}

/** Its vendor’s pages are at an address of their own, where what opens is a session of that address (4.3). */
async function siteOfVictim(t: Test, stage: Stage): Promise<void> {
  const { host, ask, siteOf, sitePass } = stage;
  const { opened, tell } = watch(stage);
  for (const method of ['GET', 'POST'])
    for (const path of ['/', '/test/customers', '/v1/customers', `/-/${VICTIM}/map`]) {
      const asked = (headers: Headers): Promise<HostAnswer> =>
        ask(method, path, { headers: { host: siteOf(VICTIM), ...NAVIGATION, ...headers } });
      const nobody = await asked({});
      for (const [who, headers] of waysOf(stage, host.admin)) {
        const answer = await asked(headers);
        const what = `${method} ${path} at the victim’s site by ${who}: ${answer.status}`;
        tell(what, answer);
        // A page that is asked from elsewhere than the address bar is refused even more.
        if (answer.status < 400 && answer.status !== nobody.status) opened.push(what);
      }
    }
  const entering = await ask('GET', `${OWN_PLACE}enter${sitePass}`, {
    headers: { ...NAVIGATION, host: siteOf(VICTIM) },
  });
  tell('the rival’s pass into its own site', entering);
  t.strictSame(opened, []);
}

/** What is no request: a twin’s WebSocket asks as a request does, a stream by its first message. */
async function socketsOf(t: Test, stage: Stage): Promise<void> {
  const { host, rival } = stage;
  const at = host.baseUrl.replace('http', 'ws');
  const opened: string[] = [];
  for (const [who, headers] of waysOf(stage, host.admin)) {
    const socket = new WebSocket(`${at}/${VICTIM}/openai/v1/realtime?model=gpt-realtime`, { headers });
    socket.on('error', () => {});
    const answer = Promise.race([
      once(socket, 'unexpected-response').then(([, response]) => {
        response.resume();
        return response.statusCode;
      }),
      once(socket, 'open').then(() => 101),
    ]);
    const status = await within('an answer to the handshake', answer, WAIT_MS);
    if (status !== 401) opened.push(`the twin’s WebSocket by ${who}: ${status}`);
    socket.terminate();
  }
  for (const [who, secret] of Object.entries({ ...rival, admin: host.admin })) {
    const socket = new WebSocket(`${at}/-/${VICTIM}/streams/smtp`);
    const heard: string[] = [];
    socket.on('message', data => heard.push(String(data)));
    await within('the upgrade', once(socket, 'open'), WAIT_MS);
    const closed = once(socket, 'close');
    socket.send(secret);
    await within(`the stream to close on ${who}`, closed, WAIT_MS);
    if (heard.length > 0) opened.push(`the stream by ${who}: ${heard.join('')}`);
  }
  t.strictSame(opened, []);
}

/** [5.1] None of the host’s own endpoints opens to anything of a world’s, under any name. */
export async function attackHost(t: Test, host: AttackedHost): Promise<void> {
  const stage = await stageOf(host);
  const { ask, hostOf } = stage;
  const ways = waysOf(stage, 'tok_a_another-hosts-admin-token-0123456789');
  const { opened, tell } = watch(stage);
  const names: readonly (readonly [string, Headers, number])[] = [
    ['the host', {}, 401],
    // There the world is served, and nothing of the host.
    ['the rival’s origin', { host: hostOf(RIVAL) }, 404],
  ];
  const tried = new Set<string>();
  const cases = host.routes
    .filter(({ access }) => access === 'admin')
    .flatMap(route => methodsOf(route).flatMap(method => ways.map(way => ({ route, method, way }))));
  await each(cases, async ({ route, method, way: [who, headers] }) => {
    for (const [where, named, refusal] of names) {
      const answer = await ask(method, route.path.replace('<org>/<world>', RIVAL), {
        headers: { ...named, ...headers },
        ...(method === 'GET' || method === 'HEAD' ? {} : { body: {} }),
      });
      tried.add(`${route.method} ${route.path}`);
      const what = `${method} ${route.path} at ${where} by ${who}: ${answer.status}`;
      tell(what, answer);
      if (answer.status !== refusal) opened.push(what);
    }
  });
  t.strictSame(opened, []);
  t.equal(tried.size, host.routes.filter(({ access }) => access === 'admin').length);
  const { worlds } = (await ask('GET', '/-/worlds', { token: host.admin })).json;
  t.strictSame(
    worlds
      .map(({ name }: { readonly name: string }) => name)
      .filter((name: string) => !/-[0-9a-f]{4,}$/.test(name)),
    [VICTIM, RIVAL],
  );
}
