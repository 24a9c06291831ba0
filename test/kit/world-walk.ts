// A world as it is used, from its first customer to a deploy: what the endpoints answer when there is something to tell, and
// when what they are given is good. As test/kit/world-requests.ts, for every host.
import type { HostAnswer, HostAsk } from './many-worlds.ts';

type Step = {
  readonly method: string;
  /** Below the world’s own endpoints; with a slash at its start, below its vendors or another world’s. `{name}` is what was kept. */
  readonly path: string;
  readonly body?: object | string;
  readonly headers?: HostAsk['headers'];
  /** What of the JSON answer, or of its headers, the steps that follow name. */
  readonly keep?: { readonly [name: string]: (answer: Kept) => string };
  /** Asked at the world’s own origin. */
  readonly atOrigin?: true;
  /** In the place of the token. */
  readonly by?: HostAsk['headers'];
};

// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the steps ask for.
type Kept = { readonly json: any; readonly cookie: string };

type Way = {
  readonly token: string;
  /** `host:port` of the world’s own origin. */
  readonly origin: string;
  readonly ask: (method: string, path: string, who: string, more: HostAsk) => Promise<HostAnswer>;
};

/** One step after the other, of the world acme/shop. */
export async function walk(steps: readonly Step[], { token, origin, ask }: Way): Promise<void> {
  const kept = new Map<string, string>();
  const filled = (text: string): string =>
    text.replace(/\{([a-z]+)\}/g, (_, name: string) => kept.get(name) ?? '(none)');
  const filledIn = (headers: object): { [name: string]: string } =>
    JSON.parse(filled(JSON.stringify(headers)));
  for (const { method, path, body, headers, keep = {}, atOrigin, by } of steps) {
    const target = targetOf(filled(path));
    const who = `${by === undefined ? 'the token' : Object.keys(by)}${atOrigin ? ' at its origin' : ''}, on the walk`;
    const answer = await ask(method, target, who, {
      headers: {
        ...headers,
        ...filledIn(by ?? { 'x-wrld-token': token }),
        ...(atOrigin && { host: origin }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? filled(body) : body }),
    });
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    for (const [name, read] of Object.entries(keep)) kept.set(name, read({ json: answer.json, cookie }));
  }
}

function targetOf(path: string): string {
  if (/^\/(?:-\/)?acme\//.test(path)) return path;
  return path.startsWith('/') ? `/acme/shop${path}` : `/-/acme/shop/${path}`;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const SCRIPT = { 'content-type': 'application/javascript' };
const CHECK = `export const check = { name: 'known', run(entry, tree) {
  return { ok: tree.list('customer').length < 2, message: String(tree.list('customer').length) };
} };`;

const get = (path: string, more: Partial<Step> = {}): Step => ({ method: 'GET', path, ...more });
const del = (path: string, more: Partial<Step> = {}): Step => ({ method: 'DELETE', path, ...more });
const form = (path: string, body: string, more: Partial<Step> = {}): Step => {
  return { method: 'POST', path: `/stripe/v1/${path}`, body, headers: FORM, ...more };
};
const send = (method: string, path: string, body?: object, more: Partial<Step> = {}): Step => {
  return { method, path, ...(body && { body, headers: JSON_TYPE }), ...more };
};

const MAKING: readonly Step[] = [
  send('PUT', 'clock', { at: '2100-01-01T00:00:00.000Z' }),
  form('customers', 'email=hopper@acme.test&name=Hopper', { keep: { customer: ({ json }) => json.id } }),
  form('customers/{customer}', 'metadata[plan]=pro'),
  form('customers', 'email=bob@acme.test'),
  form('prices', 'currency=usd&unit_amount=900&recurring[interval]=month&product_data[name]=Pro', {
    keep: { price: ({ json }) => json.id },
  }),
  form(
    'subscriptions',
    'customer={customer}&items[0][price]={price}&collection_method=send_invoice&days_until_due=7',
  ),
  form(
    'payment_intents',
    'amount=500&currency=eur&payment_method=pm_card_visa&confirm=true&automatic_payment_methods[enabled]=true&automatic_payment_methods[allow_redirects]=never',
  ),
  form('payment_intents', 'amount=-1&currency=eur'),
  get('/stripe/v1/customers/{customer}'),
  get('/stripe/twin'),
  get('/stripe/twin/scenario'),
  get('/smtp/'),
  send('POST', '/openai/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'hello' }],
  }),
];

const LOOKING: readonly Step[] = [
  get('map'),
  get('log/stripe?after=0'),
  get('log/stripe/1'),
  get('log/stripe?after=x'),
  get('checkpoint/stripe?at=2'),
  get('history?at=2100-01-01T00:00:00.000Z'),
  get('diff'),
  get('timeline?limit=2', { keep: { next: ({ json }) => json.next } }),
  get('timeline?limit=2&before={next}'),
  get('timeline?twin=smtp'),
  get('timeline?limit=0'),
  get('story'),
  get('story/stripe/customer'),
  get('story/stripe/customer/{customer}'),
  get('find/entries?text=hopper'),
  get('find/records?text=hopper'),
  get('records/stripe/customer'),
  get('records/stripe/customer/{customer}'),
  get('conversations'),
  get('conversations/openai/1'),
  get('due'),
  get('webhooks'),
  get('requests?hours=1'),
  get('requests?hours=0'),
  get('coverage'),
  get('twins'),
  get('twins/stripe/status'),
  get('twins/stripe/coverage'),
  get('twins/none/status'),
  get('clock'),
  send('POST', 'clock/advance', { by: '40d' }),
  send('POST', 'clock/advance', { by: '40w' }),
  send('PUT', 'clock', { at: '2099-01-01T00:00:00.000Z' }),
  get('timeline?limit=5'),
];

const CHANGESETS: readonly Step[] = [
  { method: 'PUT', path: 'checks/known', body: CHECK, headers: SCRIPT },
  { method: 'PUT', path: 'checks/bad', body: 'export const check = 1', headers: SCRIPT },
  get('checks'),
  send('PUT', 'rules', { changesets: { approvals: 1 } }),
  send('PUT', 'rules', { changesets: { approvals: 'x' } }),
  get('rules'),
  send('POST', 'changesets', {}),
  send('POST', 'changesets', { message: 'the first', name: 'first' }),
  send('POST', 'changesets', { message: 'none left', name: 'second' }),
  get('changesets/first'),
  send('POST', 'changesets/first/verify'),
  send('POST', 'changesets/first/approve', { as: 'ada', note: 'fine' }),
  send('POST', 'changesets/first/approve', { as: 'for:bob' }),
  get('changesets'),
  send('POST', 'deploy/first'),
  send('POST', 'deploy/none'),
  send('POST', 'deploy'),
  get('report'),
  del('checks/known'),
];

const VENDORS: readonly Step[] = [
  send('PUT', 'twins/stripe/credential', { headers: { Authorization: 'Bearer sk_live_x' } }),
  send('PUT', 'twins/stripe/root', {
    url: 'https://vendor.test',
    deploy: 'manual',
    refresh: { every: null },
  }),
  send('PUT', 'twins/stripe/root', { url: 'ftp://vendor.test' }),
  get('twins/stripe/root'),
  send('PUT', 'twins/stripe/credential', { headers: { Authorization: 'Bearer sk_live_x' } }),
  get('twins/stripe/credential'),
  send('POST', 'credentials/rewrap'),
  send('PUT', 'links/maps', { origin: 'https://maps.example.com' }),
  send('PUT', 'links/near', { origin: 'http://maps.example.com' }),
  send('PUT', 'links/stripe', { origin: 'https://maps.example.com' }),
  get('links'),
  del('links/maps'),
  send('POST', 'twins/stripe/ingest', { id: 'evt_1' }),
  get('map'),
  { method: 'PUT', path: 'twins/stripe/root', body: 'null', headers: JSON_TYPE },
  get('twins/openai/scenario'),
  send('PUT', 'origin', { url: 'https://worlds.example.com/acme', token: 'x' }),
  get('origin'),
  send('POST', 'origin/push'),
];

const PROFILE = {
  storageState: {
    cookies: [
      {
        name: 'a',
        value: 'b c',
        domain: 'dashboard.stripe.com',
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: true,
        sameSite: 'Lax',
      },
    ],
    origins: [{ origin: 'https://dashboard.stripe.com', localStorage: [{ name: 'k', value: 'v' }] }],
  },
  context: { locale: 'de-DE', viewport: { width: 800, height: 600 } },
};
const SESSION = { 'sec-fetch-site': 'same-origin', cookie: '{cookie}' };

const PEOPLE: readonly Step[] = [
  send('PUT', 'browsers/ada', PROFILE),
  send('PUT', 'browsers/Ada', PROFILE),
  send('PUT', 'browsers/bob', { ...PROFILE, proxy: {} }),
  get('browsers'),
  get('browsers/ada'),
  get('sites'),
  get('board'),
  get('sites/go?host=dashboard.stripe.com&browser=ada', { atOrigin: true }),
  get('sites/go?host=nobody.test', { atOrigin: true }),
  del('browsers/ada'),
  send(
    'POST',
    'keys',
    { name: 'ci', scope: 'read' },
    { keep: { key: ({ json }) => json.key, id: ({ json }) => json.id } },
  ),
  send('POST', 'keys', { name: 'ci', scope: 'read', for: 'u1', forName: 'Ada' }),
  send('POST', 'keys', { name: 'for:x' }),
  get('keys'),
  get('map', { by: { 'x-wrld-token': '{key}' } }),
  get('keys', { by: { 'x-wrld-token': '{key}' } }),
  send('PUT', 'clock', { at: '2101-01-01T00:00:00.000Z' }, { by: { 'x-wrld-token': '{key}' } }),
  get('/stripe/v1/customers?limit=1', { by: { 'x-twins-key': '{key}' } }),
  send('POST', 'session', undefined, { by: { 'x-wrld-token': '{key}' } }),
  send('POST', 'session', undefined, {
    atOrigin: true,
    by: { 'x-wrld-token': '{key}' },
    keep: { cookie: ({ cookie }) => cookie },
  }),
  get('session', { atOrigin: true, by: SESSION }),
  get('diff', { atOrigin: true, by: SESSION }),
  get('diff', { by: SESSION }),
  send('POST', 'clock/advance', { by: '1d' }, { atOrigin: true, by: SESSION }),
  get('/stripe/v1/customers?limit=1', { atOrigin: true, by: SESSION }),
  del('keys/{id}'),
  get('diff', { atOrigin: true, by: SESSION }),
  send('POST', 'session', undefined, { atOrigin: true, keep: { cookie: ({ cookie }) => cookie } }),
  send('POST', 'clock/advance', { by: '1d' }, { atOrigin: true, by: SESSION }),
  send('POST', 'clock/advance', { by: '1d' }, { atOrigin: true, by: { cookie: '{cookie}' } }),
  del('session', { atOrigin: true, by: SESSION }),
  get('session', { atOrigin: true, by: SESSION }),
  send('POST', 'session', undefined, {
    atOrigin: true,
    by: { 'x-wrld-pass': 'a.b.c', 'sec-fetch-site': 'same-origin' },
  }),
  del('keys?person=u1'),
  get('keys'),
];

export const WALK: readonly Step[] = [...MAKING, ...LOOKING, ...CHANGESETS, ...VENDORS, ...PEOPLE];

/** On hosts that make some: `wrld world serve` does not (4.9). */
export const BRANCHING: readonly Step[] = [
  form('customers', 'email=ada@acme.test'),
  get('branches'),
  send(
    'POST',
    'branches',
    { label: 'try', ttl: 600 },
    { keep: { branch: ({ json }) => json.name, token: ({ json }) => json.token } },
  ),
  send('POST', 'branches', { ttl: 1 }),
  send('POST', 'branches', { at: { instant: '2999-01-01T00:00:00.000Z' } }),
  send('POST', 'branches', { live: true, at: { instant: '2020-01-01T00:00:00.000Z' } }),
  send('POST', 'branches', { label: 'No Label' }),
  get('branches'),
  get('/-/{branch}/map', { by: { 'x-wrld-token': '{token}' } }),
  get('/{branch}/stripe/v1/customers', { by: { 'x-wrld-token': '{token}' } }),
  get('/-/{branch}/diff', { by: { 'x-wrld-token': '{token}' } }),
  get('/-/{branch}/clock', { by: { 'x-wrld-token': '{token}' } }),
  get('/-/{branch}/twins/stripe/status', { by: { 'x-wrld-token': '{token}' } }),
  get('/{branch}/.well-known/wrld-world', { by: { 'x-wrld-token': '{token}' } }),
  get('/-/{branch}/map'),
  del('branches/acme/none'),
  del('branches/{branch}'),
  del('branches/{branch}'),
  get('branches'),
];
