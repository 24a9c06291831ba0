// Where a browser program's requests go (7.1, last row), row by row, and what it is told.
import t from 'tap';

type Verdict = {
  readonly to: string;
  readonly url?: string;
  readonly rule?: string;
  readonly about?: string;
};
type Terms = { readonly [name: string]: unknown };
type Judge = { judge(ask: object, terms: Terms): Verdict };
type Refusals = { refusalOf(refused: object): Error & { readonly worldRefusal?: object } };
const load = async <T>(file: string): Promise<T> =>
  (await import(new URL(`../../../console/tab/${file}`, import.meta.url).href)) as T;
// A page's modules have their types in comments, which this program does not read.
const { judge } = await load<Judge>('judge.js');
const { refusalOf } = await load<Refusals>('refusal.js');

const PLAN = {
  name: 'acme/shop',
  docsUrl: 'http://127.0.0.1:4000',
  ownLoopback: true,
  twins: [
    { host: 'api.stripe.com', path: '/v1/', vendor: 'stripe' },
    { host: 'api.shared.test', path: '/', vendor: 'all' },
    { host: 'api.shared.test', path: '/maps/', vendor: 'maps' },
    { host: 'api.far.test:8443', path: '/', vendor: 'far' },
  ],
  layers: [
    {
      egress: ['https://p.test/v1/', 'https://e.test/v1/x', 'https://o.test'],
      writes: ['https://p.test/v1/w/'],
    },
  ],
};
const TERMS = {
  world: 'http://127.0.0.1:4000',
  name: 'acme/shop',
  plan: PLAN,
  page: 'http://localhost:5173',
  hosts: null,
  grants: { egress: [], writes: [] },
};
const told = (url: string, terms: Terms = {}, method = 'GET', transport = 'http'): string => {
  const { to, rule, url: at } = judge({ method, url: new URL(url), transport }, { ...TERMS, ...terms });
  return rule ?? at ?? to;
};
const place = 'http://127.0.0.1:4000/acme/shop';

t.test('[7.1] each request goes where the world would have it', async t => {
  const rows: readonly (readonly [want: string, url: string, method?: string])[] = [
    [`${place}/stripe/v1/customers?limit=1`, 'https://api.stripe.com/v1/customers?limit=1#x'],
    [`${place}/stripe/v1/customers`, 'https://API.stripe.com:443/v1/a/../customers', 'POST'],
    [`${place}/maps/maps/x`, 'https://api.shared.test/maps/x'],
    [`${place}/all/mapsx`, 'https://api.shared.test/mapsx'],
    [`${place}/far/x`, 'https://api.far.test:8443/x'],
    ['not-granted', 'https://api.far.test/x'],
    ['unclaimed-path', 'https://api.stripe.com/v2/x'],
    ['own', `${place}/stripe/v1/customers`],
    ['own', 'http://127.0.0.1:4000/-/acme/shop/clock'],
    ['out', 'http://127.0.0.1:4000/reference/refusals'],
    ['out', 'http://localhost:5173/api'],
    ['out', 'http://127.0.0.1:9999/x'],
    ['out', 'data:,x'],
    ['out', 'https://p.test/v1/a?q'],
    ['not-granted', 'https://p.test/v1'],
    ['not-granted', 'https://p.test/v10'],
    ['not-granted', 'https://p.test/V1/a'],
    ['not-granted', 'https://p.test/v1/%2e%2e/admin'],
    ['invalid', 'https://p.test/v1/..%2fadmin'],
    ['invalid', 'https://nobody.test/%zz'],
    ['not-granted', 'https://p.test/v1/a', 'POST'],
    ['out', 'https://p.test/v1/w/a', 'DELETE'],
    ['out', 'https://e.test/v1/x?q=1', 'HEAD'],
    ['not-granted', 'https://e.test/v1/x/'],
    ['out', 'https://o.test/any%7Ething'],
    ['not-granted', 'http://o.test/'],
    ['not-granted', 'https://p.test:8443/v1/a'],
    ['not-granted', 'https://xp.test/v1/a'],
    ['not-granted', 'https://p.test@evil.test/v1/a'],
  ];
  for (const [want, url, method] of rows) t.equal(told(url, {}, method), want, `${method ?? 'GET'} ${url}`);
});

t.test(
  '[7.2] parents, declarations, the page’s own grants, loopback, sockets, and no plan at all',
  async t => {
    const parent = { egress: ['https://o.test'], writes: [] };
    t.equal(
      told('https://p.test/v1/a', { plan: { ...PLAN, layers: [...PLAN.layers, parent] } }),
      'not-granted',
    );
    t.equal(told('https://o.test/', { plan: { ...PLAN, layers: [...PLAN.layers, parent] } }), 'out');
    t.equal(told('https://o.test/', { plan: { ...PLAN, layers: [] } }), 'not-granted');
    t.equal(told('https://q.test/', { grants: { egress: ['https://q.test'], writes: [] } }), 'out');
    t.equal(told('https://o.test/', { hosts: ['p.test'] }), 'undeclared');
    t.equal(
      told('https://api.stripe.com/v1/x', { hosts: [] }),
      `${place}/stripe/v1/x`,
      'a twin is the world’s',
    );
    t.equal(told('http://localhost:1/', { plan: { ...PLAN, ownLoopback: false } }), 'own-loopback-ungranted');
    t.equal(told('https://o.test/', { plan: null }), 'policy-unreadable');
    t.equal(told('https://api.stripe.com/v1/x', { plan: null }), 'policy-unreadable');
    t.equal(told('http://localhost:5173/api', { plan: null }), 'out');
    t.equal(told('wss://o.test/', {}, 'GET', 'socket'), 'inspected-transport');
    t.equal(told('wss://closed.test/', {}, 'GET', 'socket'), 'not-granted');
  },
);

t.test('[7.1] the tab’s own words: no record, but for what the program does not declare', async t => {
  const about = {
    program: 'checkout.js',
    world: 'acme/shop',
    docsUrl: PLAN.docsUrl,
    url: new URL('wss://closed.test/x?secret'),
    about: 'egress',
    declaredBy: null,
  };
  for (const rule of [
    'not-granted',
    'undeclared',
    'unclaimed-path',
    'invalid',
    'inspected-transport',
    'own-loopback-ungranted',
    'policy-unreadable',
  ]) {
    const error = refusalOf({ ...about, rule });
    t.ok(error.message.startsWith('checkout.js may not reach closed.test: '), error.message);
    t.ok(error.message.endsWith(`: http://127.0.0.1:4000/reference/refusals#${rule}`), error.message);
    t.notMatch(error.message, /secret/);
    t.equal(error.worldRefusal !== undefined, rule === 'undeclared', rule);
    if (rule !== 'undeclared')
      t.match(
        error.message,
        'the network of this tab is closed unless granted by the world the tab is attached to or the page that embeds it',
      );
  }
});
