// The judgement, as tables: every rule of 7.2 with a row that refuses and its nearest neighbour that passes,
// every "Path", "Method" and "Authority" row of bad-input, the order of the rules, and what must always hold.

import t from 'tap';
import type { Ask } from '../../policy/ask.ts';
import { parseAuthority, unreadable } from '../../policy/authority.ts';
import { decide } from '../../policy/decide.ts';
import type { Decision } from '../../policy/decision.ts';
import { resolvePath } from '../../policy/path.ts';
import { RULE_NAMES, RULES } from '../../policy/rules.ts';
import { DEFAULT_RUN, type Declaration, type Run } from '../../policy/run.ts';
import { type NetworkGrants, type Snapshot, unreadSnapshot } from '../../policy/snapshot.ts';
import { fc } from '../kit/property.ts';
import { ask, DOCS, granting, NOTHING, rawAsk, world } from './world.ts';

const run = (declaration: Declaration): Run => ({ name: 'app', declaration });

const reached = new Set<string>();

/** `not-granted (runtime.network.egress)`, `twin tw /v1/a`, `egress /v1/a`: a decision in one line. */
function said(decision: Decision): string {
  switch (decision.to) {
    case 'refuse': {
      const { rule, grantField } = decision.refusal;
      reached.add(rule);
      return grantField === undefined ? rule : `${rule} (${grantField})`;
    }
    case 'twin':
      return `twin ${decision.vendor} ${decision.path}`;
    case 'tunnel':
      return `tunnel ${decision.permit.host}:${decision.permit.port}`;
    case 'stream':
      return `stream ${decision.vendor} ${decision.stream}`;
    default:
      return `${decision.to} ${decision.path}`;
  }
}

type Row = readonly [name: string, ask: Ask, snapshot: Snapshot, expected: string];

function table(t: Tap, rows: readonly Row[]): void {
  for (const [name, asked, snapshot, expected] of rows) {
    t.equal(said(decide(asked, snapshot)), expected, name);
  }
}
type Tap = { equal(found: unknown, wanted: unknown, name: string): unknown };

const w = world();
const N = 'not-granted (runtime.network.egress)';
const NW = 'not-granted (runtime.network.writes)';

t.test('[7.2 invalid] [bad-input Path] a second path in a field is refused where a path decides', async t => {
  const other = (url: string, ...otherPaths: string[]): Ask => ask(url, { otherPaths });
  table(t, [
    ['a subtree', other('https://p.test/v1/a', '/admin'), w, 'invalid'],
    ['an exact path', other('https://e.test/v1/x', '/admin'), w, 'invalid'],
    ['a whole URL', other('https://p.test/v1/a', 'https://p.test/v1/a'), w, 'invalid'],
    ['the same path', other('https://p.test/v1/a', '/v1/./a'), w, 'egress /v1/a'],
    ['a whole origin', other('https://o.test/a', '/admin'), w, 'egress /a'],
    ['a twin', other('https://tw.test/v1/a', '/admin'), w, 'twin tw /v1/a'],
  ]);
});

t.test('[7.2 not-granted] [bad-input Path] what is judged is what is forwarded', async t => {
  const rows: [url: string, expected: string][] = [
    ['https://p.test/v1/a', 'egress /v1/a'],
    ['https://p.test/v1/', 'egress /v1/'],
    ['https://p.test/v1', N],
    ['https://p.test/v10', N],
    ['https://p.test/v1evil', N],
    ['https://p.test/V1/a', N],
    ['https://e.test/v1/x', 'egress /v1/x'],
    ['https://e.test/v1/x/', N],
    ['https://e.test/v1/x?q=1', 'egress /v1/x?q=1'],
    ['https://e.test/v1/x%3Fq', N],
    ['https://o.test', 'egress /'],
    ['https://o.test/any/thing?at=all', 'egress /any/thing?at=all'],
    ['https://p.test/v1/../admin', N],
    ['https://p.test/admin/../v1/a', 'egress /v1/a'],
    ['https://p.test/v1/%2e%2e/admin', N],
    ['https://p.test/v1/.%2E/z', N],
    ['https://p.test/v1/..%2fadmin', 'invalid'],
    ['https://p.test/v1\\a', 'invalid'],
    ['https://p.test\\v1/a', 'invalid'],
    ['https://p.test/v1%5Ca', 'invalid'],
    ['https://p.test/v1/%zz', 'invalid'],
    ['https://p.test/v1/%', 'invalid'],
    ['https://p.test/v1/%u002f', 'invalid'],
    ['https://p.test/v1/%252f', 'egress /v1/%252f'],
    ['https://p.test/v1/%ff', 'invalid'],
    ['https://p.test/v1/%00', 'invalid'],
    ['https://p.test//v1/a', N],
    ['https://p.test/v1//a', 'egress /v1//a'],
    ['https://p.test/v1/..;/admin', 'invalid'],
    ['https://p.test/v1/a#f', 'egress /v1/a'],
    // Unreadable wherever the world grants something, even to a host that it grants nothing on.
    ['https://other.test/%', 'invalid'],
  ];
  for (const [url, expected] of rows) t.equal(said(decide(ask(url), w)), expected, url);
  const empty = world({ network: NOTHING });
  t.equal(said(decide(ask('https://p.test/%'), empty)), 'not-granted', 'where the world grants nothing');
  t.equal(said(decide(ask('https://p.test/%'), world({ sandbox: true }))), 'sealed', 'in a sandbox');
  t.equal(said(decide(ask('https://o.test/', { path: '*' }), w)), 'invalid', 'GET *');
});

t.test('what takes any path gets it resolved where it can be read, and else as it came', async t => {
  const rows: [url: string, expected: string][] = [
    ['http://db:5432/a/../b?q=1', 'service /b?q=1'],
    ['http://db:5432/a%2f../b', 'service /a%2f../b'],
    ['http://db:5432/%zz', 'service /%zz'],
    ['http://db:5432/a\\b#f', 'service /a\\b'],
    ['http://db:5432', 'service /'],
    ['http://localhost:9000/a/./b', 'egress /a/b'],
    ['http://shop.test/a/../b', 'app /b'],
  ];
  for (const [url, expected] of rows) t.equal(said(decide(ask(url), w)), expected, url);
});

t.test(
  '[7.2 unclaimed-path] on a port that no twin serves, the variable that leads to one is named',
  async t => {
    const reason = (url: string): string => {
      const decision = decide(ask(url), w);
      return decision.to === 'refuse' ? decision.refusal.reason : decision.to;
    };
    t.match(reason('https://tw.test:8443/v1/a'), /no twin serves port 8443.* is at TW_URL too/);
    t.notMatch(reason('https://whole.test:8443/a'), /undefined|null| too, which/);
  },
);

t.test('what nobody may write into a request line is escaped on its way to what takes any path', async t => {
  t.equal(said(decide(ask('http://db:5432/', { path: 'a é\ud800' }), w)), 'service a%20%C3%A9%EF%BF%BD');
});

t.test('[7.2 policy-unreadable] of an address that cannot be read, where nothing is granted', async t => {
  const empty = world({ network: NOTHING });
  const unread = {
    run: { ...DEFAULT_RUN, policyUnreadable: true },
    authority: unreadable('a b', 'it is none'),
  };
  t.equal(said(decide(ask('https://a.test/', unread), empty)), 'policy-unreadable');
  t.equal(said(decide(ask('https://a.test/', { authority: unread.authority }), empty)), 'not-granted');
});

t.test('[2.1] the target of a refusal is a URL', async t => {
  const target = (path: string): unknown => {
    const decision = decide(ask('https://other.test', { path }), w);
    return decision.to === 'refuse' && decision.refusal.target;
  };
  for (const path of ['', '*', '/']) t.equal(target(path), 'https://other.test/', path);
  t.equal(target('/a?key=b'), 'https://other.test/a', 'without what may be a secret');
});

t.test('[7.2 inspected-transport, guest-http2] the preface of HTTP/2 is known for what it is', async t => {
  const preface = (changes: Partial<Ask>): unknown => {
    const decision = decide(rawAsk('o.test:443', { transport: 'http2', ...changes }), w);
    return (
      decision.to === 'refuse' && [
        decision.refusal.rule,
        / over HTTP\/2|HTTP\/2/.test(decision.refusal.reason),
      ]
    );
  };
  t.strictSame(preface({}), ['inspected-transport', true]);
  t.strictSame(preface({ guest: true }), ['guest-http2', true]);
});

t.test('[7.2 not-granted] of 10,000 grants every one counts, and nothing beside them', async t => {
  const many = granting({
    egress: Array.from({ length: 10_000 }, (_, n) => `https://h${n % 500}.test/v1/${n}/`),
  });
  const rows: [url: string, expected: string][] = [
    ['https://h0.test/v1/0/x', 'egress /v1/0/x'],
    ['https://h250.test/v1/4750/x', 'egress /v1/4750/x'],
    ['https://h499.test/v1/9999/x', 'egress /v1/9999/x'],
    ['https://h499.test/v1/9998/x', N],
    ['https://h499.test/v1/99999/x', N],
    ['https://h500.test/v1/500/x', N],
  ];
  for (const [url, expected] of rows) t.equal(said(decide(ask(url), many)), expected, url);
});

t.test('[7.2 not-granted] [bad-input Method] reads, writes and neither', async t => {
  const rows: [method: string, url: string, expected: string][] = [
    ['HEAD', 'https://p.test/v1/a', 'egress /v1/a'],
    ['OPTIONS', 'https://p.test/v1/a', 'egress /v1/a'],
    ['POST', 'https://p.test/v1/a', NW],
    ['POST', 'https://p.test/v1/w/a', 'egress /v1/w/a'],
    ['DELETE', 'https://p.test/v1/w/a', 'egress /v1/w/a'],
    ['POST', 'https://p.test/v1/w/../a', NW],
    ['QUERY', 'https://p.test/v1/a', NW],
    ['PURGE', 'https://o.test/', NW],
    ['get', 'https://p.test/v1/a', NW],
    ['TRACE', 'https://p.test/v1/w/a', 'not-granted'],
    ['TRACE', 'http://localhost:9000/', 'not-granted'],
  ];
  for (const [method, url, expected] of rows) {
    t.equal(said(decide(ask(url, { method }), w)), expected, `${method} ${url}`);
  }
  const writesOnly = granting({ writes: ['https://p.test'] });
  t.equal(said(decide(ask('https://p.test/'), writesOnly)), N, 'a write grant is no read grant');
});

t.test('[7.2 not-granted] [bad-input Authority] one origin is one scheme, host and port', async t => {
  const rows: [url: string, expected: string][] = [
    ['https://P.TEST/v1/a', 'egress /v1/a'],
    ['https://p.test:443/v1/a', 'egress /v1/a'],
    ['https://p.test./v1/a', 'egress /v1/a'],
    ['https://ｐ.test/v1/a', 'egress /v1/a'],
    ['https://р.test/v1/a', N],
    ['https://p.test:8443/v1/a', N],
    ['http://p.test/v1/a', N],
    ['https://*.p.test/', N],
    ['https://169.254.169.254/', N],
    ['https://p.test../v1/a', 'invalid'],
    ['https://[p.test]/v1/a', 'invalid'],
    ['https://p.test:0443/v1/a', 'invalid'],
    ['https://u@p.test/v1/a', 'invalid'],
  ];
  for (const [url, expected] of rows) t.equal(said(decide(ask(url), w)), expected, url);
  const clash = { authority: unreadable('e.test', 'the Host line names another host than the tunnel') };
  t.equal(said(decide(ask('https://p.test/v1/a', clash), w)), 'invalid');
  t.equal(said(decide(ask('https://p.test../'), world({ network: NOTHING }))), 'not-granted');
  t.equal(said(decide(ask('https://p.test../'), world({ sandbox: true }))), 'sealed');
});

t.test(
  '[7.2 not-granted] a world that is attached to without a proxy says so, and names no sandbox',
  async t => {
    const far = granting({}, { grantless: 'its host runs no proxy: list the host in NO_PROXY' });
    const decision = decide(ask('https://p.test/v1/a'), far);
    t.match(decision, { to: 'refuse', refusal: { rule: 'not-granted', reason: /NO_PROXY/ } });
    t.notMatch(JSON.stringify(decision), /sandbox|grantField/);
    t.match(said(decide(rawAsk('p.test:443'), far)), 'not-granted');
    t.match(said(decide(ask('https://tw.test/v1/a'), far)), 'twin tw /v1/a');
  },
);

t.test('[7.2] each network rule refuses, and its nearest neighbour passes', async t => {
  const local = world({ endpoints: ['127.0.0.1:4000', 'localhost:4000'] });
  const sealed = world({ sandbox: true });
  const unread = { run: { ...DEFAULT_RUN, policyUnreadable: true } };
  const build = granting(
    { egress: ['https://o.test', 'https://o2.test'], passthrough: ['https://o.test'] },
    { phase: 'build' },
  );
  const whole = granting({ egress: ['https://g.test'], writes: ['https://g.test'] });
  const guest = { guest: true } as const;
  const o = 'https://o.test/';
  const listed = run({ egress: ['o.test', 'odd.test:8443'], host: false });
  table(t, [
    ['sealed', ask(o), sealed, 'sealed'],
    ['sealed: a twin', ask('https://tw.test/v1/a'), sealed, 'twin tw /v1/a'],
    ['sealed: an endpoint', ask('http://127.0.0.1:4000/x'), sealed, 'world /x'],
    ['sealed: a service', ask('http://db:5432/'), sealed, 'service /'],
    ['sealed: own loopback', ask('http://localhost:9/'), sealed, 'egress /'],
    ['sealed: an app host', ask('https://shop.test/'), sealed, 'app /'],
    ['policy-unreadable', ask(o, unread), w, 'policy-unreadable'],
    [
      'policy-unreadable: no policy yet',
      ask('https://tw.test/v1/a'),
      unreadSnapshot(DOCS),
      'policy-unreadable',
    ],
    ['policy-unreadable: a twin', ask('https://tw.test/v1/a', unread), w, 'twin tw /v1/a'],
    ['policy-unreadable: a readable one', ask(o), w, 'egress /'],
    ['unclaimed-path', ask('https://tw.test/unserved'), w, 'unclaimed-path'],
    ['unclaimed-path: without its slash', ask('https://tw.test/v1'), w, 'unclaimed-path'],
    ['unclaimed-path: by dots', ask('https://tw.test/v1/../v2/'), w, 'unclaimed-path'],
    ['unclaimed-path: served', ask('https://tw.test/v1/?x'), w, 'twin tw /v1/?x'],
    ['unclaimed-path: http is served too', ask('http://tw.test/v1/'), w, 'twin tw /v1/'],
    ['unclaimed-path: another port', ask('https://tw.test:8443/v1/a'), w, 'unclaimed-path'],
    ['unclaimed-path: the other scheme’s port', ask('http://tw.test:443/v1/a'), w, 'unclaimed-path'],
    ['unclaimed-path: a port of its own', ask('https://odd.test:8443/x'), w, 'twin odd /x'],
    ['unclaimed-path: not its port', ask('https://odd.test/x'), w, 'unclaimed-path'],
    ['several vendors: the longest prefix', ask('https://shared.test/two/x'), w, 'twin two /two/x'],
    ['several vendors: the rest', ask('https://shared.test/twofold'), w, 'twin one /twofold'],
    ['several vendors: dots are resolved first', ask('https://shared.test/two/../x'), w, 'twin one /x'],
    ['an ambiguous path, a whole host', ask('https://whole.test/a%2Fb'), w, 'twin whole /a%2Fb'],
    ['… its dots resolved', ask('https://whole.test/x/../../a%2Fb'), w, 'twin whole /a%2Fb'],
    ['an ambiguous path, several vendors', ask('https://shared.test/a%2Fb'), w, 'unclaimed-path'],
    ['an ambiguous path, a prefix', ask('https://tw.test/v1/a%2Fb'), w, 'unclaimed-path'],
    ['a backslash, a whole host', ask('https://whole.test/..\\a'), w, 'unclaimed-path'],
    ['OPTIONS * at a twin', ask('https://whole.test', { method: 'OPTIONS', path: '*' }), w, 'unclaimed-path'],
    ['http2 to a twin', ask('https://tw.test/v1/a', { transport: 'http2' }), w, 'twin tw /v1/a'],
    ['an upgrade to a twin', ask('https://tw.test/v1/a', { transport: 'upgrade' }), w, 'twin tw /v1/a'],
    ['undeclared', ask('https://p.test/v1/a', { run: listed }), w, 'undeclared'],
    ['undeclared: another port', ask('https://o.test:8443/', { run: listed }), w, 'undeclared'],
    ['undeclared: declared', ask(o, { run: listed }), w, 'egress /'],
    [
      'undeclared: a twin needs no declaring',
      ask('https://tw.test/v1/a', { run: listed }),
      w,
      'twin tw /v1/a',
    ],
    ['raw-socket-twinned', rawAsk('tw.test:443'), w, 'raw-socket-twinned'],
    ['raw-socket-twinned: HTTP', ask('https://tw.test/v1/a'), w, 'twin tw /v1/a'],
    ['a TCP twin’s stream', rawAsk('mail.test:25'), w, 'stream mail smtp'],
    ['a TCP twin’s stream beside HTTP', rawAsk('odd.test:25'), w, 'stream odd tcp'],
    ['raw-socket-twinned: not the stream’s port', rawAsk('odd.test:8443'), w, 'raw-socket-twinned'],
    ['unclaimed-path: not the stream’s port', rawAsk('mail.test:26'), w, 'unclaimed-path'],
    ['unclaimed-path: HTTP at a stream', ask('http://mail.test:25/'), w, 'unclaimed-path'],
    ['unclaimed-path: HTTP at a stream’s host', ask('https://mail.test/'), w, 'unclaimed-path'],
    ['raw-socket-app', rawAsk('shop.test:443'), w, 'raw-socket-app'],
    ['raw-socket-app: HTTP', ask('https://shop.test/x'), w, 'app /x'],
    ['inspected-transport: raw', rawAsk('o.test:443'), w, 'inspected-transport'],
    [
      'inspected-transport: raw, granted as http',
      rawAsk('h.test:80'),
      granting({ egress: ['http://h.test'] }),
      'inspected-transport',
    ],
    ['inspected-transport: http2', ask(o, { transport: 'http2' }), w, 'inspected-transport'],
    ['inspected-transport: h2c', rawAsk('o.test:443', { transport: 'http2' }), w, 'inspected-transport'],
    ['inspected-transport: upgrade', ask(o, { transport: 'upgrade' }), w, 'inspected-transport'],
    ['inspected-transport: CONNECT inside CONNECT', ask(o, { method: 'CONNECT' }), w, 'inspected-transport'],
    ['inspected-transport: raw bytes at an endpoint', rawAsk('127.0.0.1:4000'), w, 'inspected-transport'],
    ['inspected-transport: HTTP/1.1', ask(o), w, 'egress /'],
    ['inspected-transport: passthrough', rawAsk('o.test:443'), build, 'tunnel o.test:443'],
    ['passthrough: not this origin', rawAsk('o2.test:443'), build, 'inspected-transport'],
    ['passthrough: not this port', rawAsk('o.test:8443'), build, N],
    [
      'passthrough: not without phase build',
      rawAsk('o.test:443'),
      { ...build, phase: null },
      'inspected-transport',
    ],
    ['raw to what is not granted', rawAsk('evil.test:22'), w, N],
    ['guest-upgrade', ask(o, { ...guest, transport: 'upgrade' }), w, 'guest-upgrade'],
    ['guest-http2', ask(o, { ...guest, transport: 'http2' }), w, 'guest-http2'],
    ['guest-*: HTTP/1.1', ask(o, guest), w, 'egress /'],
    ['guest-inspected: part of an origin', rawAsk('p.test:443', guest), w, 'guest-inspected'],
    ['guest-inspected: read-only', rawAsk('o.test:443', guest), w, 'guest-inspected'],
    ['guest-inspected: the whole origin', rawAsk('g.test:443', guest), whole, 'tunnel g.test:443'],
    [
      'service-undeclared',
      ask('http://db:5432/', { run: run({ services: ['cache'] }) }),
      w,
      'service-undeclared',
    ],
    [
      'service-undeclared: declared',
      ask('http://db:5432/', { run: run({ services: ['db'] }) }),
      w,
      'service /',
    ],
    ['service-undeclared: no list', rawAsk('db:5432'), w, 'service '],
    ['a service’s other port', ask('http://db:5433/'), w, N],
    [
      'own-loopback-ungranted',
      ask('http://[::1]:9/'),
      granting({ ownLoopback: false }),
      'own-loopback-ungranted (runtime.network.ownLoopback)',
    ],
    [
      'own-loopback-ungranted: by a parent',
      ask('http://0/'),
      world({ parents: [{ ...NOTHING, ownLoopback: false, world: 'acme/base' }] }),
      'own-loopback-ungranted',
    ],
    ['own loopback', ask('http://127.1:9/x'), w, 'egress /x'],
    ['another name of where control listens', ask('http://notes--acme.localhost:4000/x'), local, 'world /x'],
    ['and another address', ask('http://0.0.0.0:4000/x'), local, 'world /x'],
    ['but not unread', rawAsk('notes--acme.localhost:4000'), local, 'inspected-transport'],
    ['own loopback: raw', rawAsk('localhost:9'), w, 'tunnel localhost:9'],
    ['guest-private', ask('http://10.0.0.1/', guest), w, 'guest-private'],
    ['guest-private: metadata', ask('http://169.254.169.254/', guest), w, 'guest-private'],
    ['guest-private: the machine’s name', ask('http://host.docker.internal/', guest), w, 'guest-private'],
    ['guest-private: loopback it did not declare', ask('http://localhost:9/', guest), w, 'guest-private'],
    [
      'guest-private: its own',
      ask('http://localhost:9/', { ...guest, run: run({ ownLoopback: true }) }),
      w,
      'egress /',
    ],
    ['guest-private: an endpoint', ask('http://127.0.0.1:4000/', guest), w, 'world /'],
    ['guest-private: a public address', ask('https://8.8.8.8/', guest), w, N],
    ['host-undeclared', ask('http://192.168.1.1/', { run: run({ host: false }) }), w, 'host-undeclared'],
    [
      'host-undeclared: loopback that is not its own',
      ask('http://localhost:9/', { run: run({ host: false, ownLoopback: false }) }),
      w,
      'host-undeclared',
    ],
    [
      'host-undeclared: declared and granted',
      ask('http://192.168.1.1/', { run: run({ host: true }) }),
      granting({ egress: ['http://192.168.1.1'] }),
      'egress /',
    ],
  ]);
});

t.test('[7.2 not-granted] a world is held to the lists of its parents', async t => {
  const own = { egress: ['https://p.test', 'https://q.test/a/'], writes: ['https://p.test/w/'] };
  const parent = { ...NOTHING, egress: ['https://p.test/v1/', 'https://r.test'] };
  const grandparent = { ...NOTHING, egress: ['https://p.test/v1/', 'https://p.test/v2/', 'https://r.test'] };
  const narrowed = granting(own, { parents: [parent, grandparent] });
  const rows: [method: string, url: string, expected: string][] = [
    ['GET', 'https://p.test/v1/a', 'egress /v1/a'],
    // Only a parent lacks it: no field of this world's file would grant it.
    ['GET', 'https://p.test/v2/a', 'not-granted'],
    ['GET', 'https://q.test/a/b', 'not-granted'],
    ['POST', 'https://p.test/w/a', 'not-granted'],
    // Only this world lacks it.
    ['GET', 'https://r.test/', N],
    // Both lack it.
    ['GET', 'https://s.test/', 'not-granted'],
  ];
  for (const [method, url, expected] of rows) {
    t.equal(said(decide(ask(url, { method }), narrowed)), expected, `${method} ${url}`);
  }
  const both = { ...NOTHING, egress: ['https://o.test'], passthrough: ['https://o.test'] };
  const readOnly = { ...both, passthrough: [] };
  const build = (parents: readonly NetworkGrants[]): Snapshot => granting(both, { phase: 'build', parents });
  t.equal(said(decide(rawAsk('o.test:443'), build([both]))), 'tunnel o.test:443');
  t.equal(said(decide(rawAsk('o.test:443'), build([both, readOnly]))), 'inspected-transport');
  t.equal(said(decide(rawAsk('o.test:443'), build([NOTHING]))), 'not-granted');
});

t.test('[design: the order of checks] where two rules fit, the earlier one names the refusal', async t => {
  // Each row breaks its own rule and every one below it that it can; taking its cause away gives the next.
  const nothingDeclared: Declaration = { egress: [], services: [], host: false, ownLoopback: false };
  const confined = { run: { ...run(nothingDeclared), policyUnreadable: true } };
  const sandbox = world({
    sandbox: true,
    endpoints: ['tw.test:443'],
    services: [
      { name: 'tw', host: 'tw.test', port: 443 },
      { name: 'shop', host: 'shop.test', port: 443 },
      { name: 'local', host: '127.0.0.1', port: 9 },
    ],
    network: { ...NOTHING, egress: ['https://o.test/x'], ownLoopback: false },
  });
  const noEndpoint = { ...sandbox, endpoints: new Map() };
  const open = { ...sandbox, sandbox: false };
  const guest = { guest: true } as const;
  table(t, [
    ['address readable', ask('https://a..b/%', confined), open, 'invalid'],
    ['the world’s own endpoints', ask('https://tw.test/unserved', confined), sandbox, 'world /unserved'],
    [
      'unclaimed-path before raw-socket-twinned',
      rawAsk('tw.test:22', confined),
      noEndpoint,
      'unclaimed-path',
    ],
    ['raw-socket-twinned before services', rawAsk('tw.test:443', confined), noEndpoint, 'raw-socket-twinned'],
    ['raw-socket-app before services', rawAsk('shop.test:443', confined), sandbox, 'raw-socket-app'],
    [
      'service-undeclared before loopback',
      ask('http://127.0.0.1:9/%', confined),
      sandbox,
      'service-undeclared',
    ],
    [
      'own-loopback-ungranted before guest-private',
      ask('http://127.0.0.1:8/%', { guest: true, run: run({ egress: [], host: false, ownLoopback: true }) }),
      sandbox,
      'own-loopback-ungranted (runtime.network.ownLoopback)',
    ],
    [
      'guest-private before host-undeclared',
      ask('http://127.0.0.1:8/%', { ...confined, ...guest }),
      sandbox,
      'guest-private',
    ],
    ['host-undeclared before undeclared', ask('http://10.0.0.1/%', confined), sandbox, 'host-undeclared'],
    ['undeclared before sealed', ask('https://o.test/%', confined), sandbox, 'undeclared'],
    [
      'sealed before policy-unreadable',
      ask('https://o.test/%', { run: { ...DEFAULT_RUN, policyUnreadable: true } }),
      sandbox,
      'sealed',
    ],
    [
      'policy-unreadable before invalid',
      ask('https://o.test/%', { run: { ...DEFAULT_RUN, policyUnreadable: true } }),
      open,
      'policy-unreadable',
    ],
    ['invalid before not-granted', ask('https://n.test/%', { transport: 'http2' }), open, 'invalid'],
    ['not-granted before transport', ask('https://o.test/y', { transport: 'http2' }), open, N],
    ['not-granted before guest-*', ask('https://o.test/y', { ...guest, transport: 'upgrade' }), open, N],
    ['inspected-transport', ask('https://o.test/x', { transport: 'http2' }), open, 'inspected-transport'],
    ['guest-http2', ask('https://o.test/x', { ...guest, transport: 'http2' }), open, 'guest-http2'],
  ]);
});

t.test('[2.1] the record says what was asked, and nothing that is secret', async t => {
  const refusal = (asked: Ask, snapshot = w) => {
    const decision = decide(asked, snapshot);
    if (decision.to !== 'refuse') throw new Error(said(decision));
    return decision.refusal;
  };
  t.strictSame(refusal(ask('https://evil.test:8443/a/b?key=secret#f', { method: 'POST' })), {
    kind: 'wrld-world-refusal',
    version: 1,
    capability: 'network.egress',
    target: 'https://evil.test:8443/a/b',
    missing: 'grant',
    rule: 'not-granted',
    reason:
      'POST https://evil.test:8443/a/b is not granted: runtime.network.writes in .wrld/world.json does not list it. Add the origin, the exact path or a subtree that ends in / to runtime.network.writes.',
    grantField: 'runtime.network.writes',
    see: 'http://docs.test/reference/refusals#not-granted',
  });
  t.equal(refusal(ask('https://p.test@evil.test/v1/a')).target, 'https://evil.test/v1/a');
  t.equal(refusal(rawAsk('evil.test:22')).target, 'evil.test:22');
  t.match(refusal(ask('https://tw.test/unserved')).reason, /is at TW_URL too, which the world sets/);
  t.match(refusal(rawAsk('tw.test:443')).reason, /Point the SDK at the URL in TW_URL/);
  const declaredBy = [
    { capability: 'network.services', file: 'compose.yaml', line: 4 },
    { capability: 'network.egress', file: 'hosts.json', line: 7 },
  ];
  const declared = refusal(ask('https://p.test/v1/a', { run: run({ egress: [], declaredBy }) }));
  t.strictSame(declared.declaredBy, declaredBy[1]);
  t.notOk('declaredBy' in refusal(ask('https://n.test/', { run: run({ declaredBy }) })));
});

t.test('[bad-input DNS] permits: pinned names, literal addresses, own loopback', async t => {
  const permitOf = (asked: Ask, snapshot: Snapshot) => {
    const decision = decide(asked, snapshot);
    if (!('permit' in decision)) throw new Error(said(decision));
    const { scheme, host, port, address, loopback } = decision.permit;
    return [scheme, host, port, address, loopback];
  };
  const g = granting({ egress: ['https://p.test', 'http://pinned.test:81', 'http://10.0.0.1'] });
  t.strictSame(permitOf(ask('https://p.test/'), g), ['https', 'p.test', 443, null, false]);
  t.strictSame(permitOf(ask('http://pinned.test:81/'), g), ['http', 'pinned.test', 81, '127.0.0.1', true]);
  t.strictSame(permitOf(ask('http://10.0.0.1/'), g), ['http', '10.0.0.1', 80, '10.0.0.1', true]);
  t.strictSame(permitOf(ask('http://localhost:9/'), g), ['http', 'localhost', 9, null, true]);
  t.strictSame(permitOf(ask('http://x.localhost:9/'), g), ['http', 'x.localhost', 9, '127.0.0.1', true]);
  t.strictSame(permitOf(ask('http://0.0.0.0:9/'), g), ['http', '0.0.0.0', 9, '127.0.0.1', true]);
  t.strictSame(permitOf(ask('http://[::]:9/'), g), ['http', '::', 9, '::1', true]);
  t.strictSame(permitOf(ask('https://shop.test/'), g), ['http', '127.0.0.1', 3000, '127.0.0.1', true]);
  t.strictSame(permitOf(ask('http://db:5432/'), g), ['http', 'db', 5432, null, true]);
  t.strictSame(permitOf(ask('http://127.0.0.1:4000/'), g), ['http', '127.0.0.1', 4000, '127.0.0.1', true]);
});

t.test('[properties] decide is total, pure, and never wider than what is listed', async () => {
  const network = fc.record({
    egress: fc.subarray(['https://p.test/v1/', 'https://p.test', 'http://p.test/x', 'https://q.test/a/b/']),
    writes: fc.subarray(['https://p.test/v1/w/', 'https://q.test']),
    passthrough: fc.constant([]),
    ownLoopback: fc.boolean(),
  });
  const snapshots = fc.record({
    network,
    parents: fc.array(network, { maxLength: 2 }),
    sandbox: fc.boolean(),
  });
  const hosts = fc.oneof(
    fc.constantFrom('p.test', 'q.test', 'tw.test', 'P.test.', 'localhost', '10.0.0.1', 'shop.test', 'db'),
    fc.string(),
  );
  const paths = fc.oneof(
    fc.constantFrom('/', '/v1/a', '/v1/w/a', '/v1/../x', '/a/b/c', '/a%2f', '*', ''),
    fc.string(),
    fc.string({ unit: 'binary' }),
  );
  const asks = fc.record({
    method: fc.constantFrom('GET', 'POST', 'TRACE', 'OPTIONS', 'CONNECT', 'é'),
    scheme: fc.constantFrom('http' as const, 'https' as const),
    authority: fc
      .tuple(hosts, fc.constantFrom(80, 443, null))
      .map(([text, port]) => parseAuthority(text, port)),
    path: paths,
    transport: fc.constantFrom('http1' as const, 'http2' as const, 'upgrade' as const, 'raw' as const),
    run: fc.constantFrom(DEFAULT_RUN, run({ egress: ['p.test'], services: [], host: false })),
    guest: fc.boolean(),
  });
  fc.assert(
    fc.property(asks, snapshots, (asked, changes) => {
      const snapshot = world(changes);
      const before = JSON.stringify(asked);
      const decision = decide(asked, snapshot);
      if (JSON.stringify(decide(asked, snapshot)) !== JSON.stringify(decision)) return false;
      if (JSON.stringify(asked) !== before) return false;
      if ('path' in decision && !/^[!-~]*$/.test(decision.path)) return false;
      if (decision.to !== 'egress' || decision.permit.loopback || !asked.authority.ok) return true;
      // Judged again from the documents alone, by plain text comparison.
      const { scheme, host, port } = decision.permit;
      const path = resolvePath(decision.path);
      if (!path.ok || path.target !== decision.path || asked.transport !== 'http1' || changes.sandbox)
        return false;
      const list = ['GET', 'HEAD', 'OPTIONS'].includes(asked.method) ? 'egress' : 'writes';
      const origin = `${scheme}://${host}`;
      const pathname = decision.path.split('?')[0]!;
      return (
        scheme === asked.scheme &&
        host === asked.authority.host &&
        port === (scheme === 'https' ? 443 : 80) &&
        [changes.network, ...changes.parents].every(layer =>
          layer[list].some(grant => {
            if (grant === origin) return true;
            const url = origin + pathname;
            return grant.endsWith('/') ? url.startsWith(grant) : url === grant;
          }),
        )
      );
    }),
    { numRuns: 3000 },
  );
});

t.test('[7.2] the tables above reach every network rule that a proxy can see', async t => {
  // native-direct is found by the native run itself: no proxy sees a connection that went around it.
  const network = RULE_NAMES.filter(
    rule => RULES[rule].capability.startsWith('network.') && rule !== 'native-direct',
  );
  t.strictSame(
    network.filter(rule => !reached.has(rule)),
    [],
  );
});
