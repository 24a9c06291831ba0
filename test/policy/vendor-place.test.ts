import t from 'tap';
import type { Ask, VendorCaller } from '../../policy/ask.ts';
import { decide } from '../../policy/decide.ts';
import { judgeOutgoing } from '../../policy/outgoing.ts';
import { compileSnapshot, type Snapshot } from '../../policy/snapshot.ts';
import { parseVendorOrigin } from '../../policy/vendor-place.ts';
import { ask, WORLD, world } from './world.ts';

const ROOT: VendorCaller = { by: 'root', world: 'acme/shop', name: 'tw' };
const LINK: VendorCaller = { by: 'link', world: 'acme/shop', name: 'mapbox' };
const VENDORS = [
  { ...ROOT, origin: 'https://tw.test' },
  { ...LINK, origin: 'https://api.mapbox.test:8443' },
  { ...ROOT, name: 'here', origin: 'http://127.0.0.1:5000' },
  { ...ROOT, name: 'pinned', origin: 'https://pinned.test' },
];
const w = world({ vendors: VENDORS });

const said = (asked: Ask, snapshot: Snapshot = w): string => {
  const decision = decide(asked, snapshot);
  return decision.to === 'refuse'
    ? decision.refusal.rule
    : `${decision.to} ${'path' in decision ? decision.path : ''}`;
};
const as = (caller: VendorCaller, url: string, more: Partial<Ask> = {}): Ask =>
  ask(url, { as: caller, ...more });

t.test(
  '[2.8] a root is let out to its own origin, though that is a twin’s host, and to no other',
  async t => {
    const rows: readonly [why: string, asked: Ask, expected: string][] = [
      ['its own origin, before the twin', as(ROOT, 'https://tw.test/v1/a?b=1'), 'egress /v1/a?b=1'],
      ['any method', as(ROOT, 'https://tw.test/v1/a', { method: 'POST' }), 'egress /v1/a'],
      ['an encoded slash is the vendor’s to read', as(ROOT, 'https://tw.test/v1/a%2Fb'), 'egress /v1/a%2Fb'],
      ['a dot segment is resolved', as(ROOT, 'https://tw.test/v1/../a'), 'egress /a'],
      ['a path that nobody can read', as(ROOT, 'https://tw.test/v1\\a'), 'invalid'],
      ['TRACE', as(ROOT, 'https://tw.test/v1/a', { method: 'TRACE' }), 'not-granted'],
      ['another port', as(ROOT, 'https://tw.test:8443/v1/a'), 'not-granted'],
      ['in the clear', as(ROOT, 'http://tw.test/v1/a'), 'not-granted'],
      ['another vendor’s origin', as(ROOT, 'https://api.mapbox.test:8443/'), 'not-granted'],
      ['an origin that the world grants', as(ROOT, 'https://p.test/v1/a'), 'not-granted'],
      ['the world’s own endpoints', as(ROOT, 'http://127.0.0.1:4000/'), 'not-granted'],
      ['a root that is not set', as({ ...ROOT, name: 'whole' }, 'https://whole.test/'), 'not-granted'],
      ['the root of another world', as({ ...ROOT, world: 'acme/b' }, 'https://tw.test/v1/a'), 'not-granted'],
      ['a link of a root’s name', as({ ...ROOT, by: 'link' }, 'https://tw.test/v1/a'), 'not-granted'],
      ['a link', as(LINK, 'https://api.mapbox.test:8443/x'), 'egress /x'],
      ['the app itself has the twin', ask('https://tw.test/v1/a'), 'twin /v1/a'],
      ['and no grant by the link', ask('https://api.mapbox.test:8443/x'), 'not-granted'],
    ];
    for (const [why, asked, expected] of rows) t.equal(said(asked), expected, why);
  },
);

t.test('[7.2 sealed] a sandbox asks no real vendor', async t => {
  const sandbox = world({ vendors: VENDORS, sandbox: true });
  t.equal(said(as(ROOT, 'https://tw.test/v1/a'), sandbox), 'sealed');
  t.equal(said(as(LINK, 'https://api.mapbox.test:8443/x'), sandbox), 'sealed');
});

t.test(
  '[2.8] the permit says where: a name leads outside, an address and a pinned name to themselves',
  async t => {
    const permit = (asked: Ask) => {
      const decision = decide(asked, w);
      return decision.to === 'egress' ? decision.permit : null;
    };
    t.match(permit(as(ROOT, 'https://tw.test/')), { address: null, loopback: false, outside: true });
    t.match(permit(as({ ...ROOT, name: 'here' }, 'http://127.0.0.1:5000/')), {
      address: '127.0.0.1',
      loopback: true,
    });
    t.match(permit(as({ ...ROOT, name: 'pinned' }, 'https://pinned.test/')), { address: '127.0.0.1' });
  },
);

t.test('[4.7] [security 54] what an origin is', async t => {
  const rows: readonly [by: 'root' | 'link', text: string, origin: string | null][] = [
    ['link', 'https://api.e.test', 'https://api.e.test'],
    ['link', 'HTTPS://API.E.test:443', 'https://api.e.test'],
    ['link', 'https://api.e.test:8443', 'https://api.e.test:8443'],
    ['link', 'https://api.e.test/', null],
    ['link', 'https://api.e.test?x', null],
    ['link', 'http://api.e.test', null],
    ['link', 'https://u:p@api.e.test', null],
    ['link', 'https://api.e.test:0443', null],
    ['link', 'https://api.e.test:99999', null],
    ['link', 'https://api.e.test\\@evil.test', null],
    ['link', 'https://8.8.8.8', null],
    ['link', 'https://[2606:4700::1111]', null],
    ['link', 'https://0x7f.1', null],
    ['link', 'https://2130706433', null],
    ['link', 'https://localhost', null],
    ['link', 'https://a.localhost', null],
    ['link', 'https://*.e.test', null],
    ['link', 'ftp://e.test', null],
    ['link', '', null],
    ['root', 'https://8.8.8.8', 'https://8.8.8.8'],
    ['root', 'http://8.8.8.8', null],
    ['root', 'http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['root', 'http://[::1]:4000', 'http://[::1]:4000'],
    ['root', 'https://127.0.0.1', 'https://127.0.0.1'],
    ['root', 'http://localhost:4000', null],
    ['root', 'https://10.0.0.1', null],
    ['root', 'https://169.254.169.254', null],
    ['root', 'https://[fd00::1]', null],
    ['root', 'https://0.0.0.0', null],
    ['root', 'http://e.test', null],
  ];
  for (const [by, text, origin] of rows) {
    const read = parseVendorOrigin(by, text);
    t.equal(read.ok ? read.origin : null, origin, `${by} ${text}`);
  }
});

t.test('[2.8] a vendor that cannot be gone to spoils the policy of nobody else', async t => {
  const one = world({ vendors: [{ ...ROOT, origin: 'http://10.0.0.1' }, VENDORS[1]!] });
  t.equal(said(as(ROOT, 'http://10.0.0.1/'), one), 'not-granted');
  t.equal(said(as(LINK, 'https://api.mapbox.test:8443/x'), one), 'egress /x');
  const wrong = compileSnapshot({ ...WORLD, vendors: [{ ...ROOT, by: 'app', origin: 'https://e.test' }] });
  t.match(wrong, { ok: false, why: /vendors\[0\]\.by/ });
});

t.test(
  '[7.2] what is recorded of a twin leaves by the world’s grants alone, and by the run’s declaration',
  async t => {
    const recording = (name: string, origin: string, base?: string) => ({
      by: 'recording' as const,
      world: 'acme/shop',
      name,
      origin,
      ...(base !== undefined && { base }),
    });
    const at = (origin: string, base?: string): Snapshot =>
      world({ vendors: [recording('tw@tw.test', origin, base)] });
    const plain = at('https://tw.test');
    const granted = at('https://p.test', '');
    const based = at('https://p.test', '/v1');
    const post = { method: 'POST' } as const;
    const declared = (...egress: readonly string[]) => ({ run: { name: 'r', declaration: { egress } } });
    const rows: readonly [why: string, snapshot: Snapshot, asked: Ask, expected: string][] = [
      ['a twin that is recorded, without a grant', plain, ask('https://tw.test/v1/a'), 'not-granted'],
      ['another of its paths that no twin serves', plain, ask('https://tw.test/unserved'), 'unclaimed-path'],
      ['another twin', plain, ask('https://whole.test/v1/a'), 'twin /v1/a'],
      [
        'one that is granted is the twin’s, which sends it on',
        granted,
        ask('https://tw.test/v1/a'),
        'twin /v1/a',
      ],
      ['a path that is not granted there', granted, ask('https://tw.test/v1/../v2/a'), 'unclaimed-path'],
      ['a write that is not granted', granted, ask('https://tw.test/v1/a', post), 'not-granted'],
      ['a write that is', granted, ask('https://tw.test/v1/w/a', post), 'twin /v1/w/a'],
      ['a query', granted, ask('https://tw.test/v1/a?x=1'), 'twin /v1/a?x=1'],
      ['below a path of its own', based, ask('https://tw.test/v1/a'), 'twin /v1/a'],
      [
        'over HTTP/2 it is sent on over HTTP/1.1',
        granted,
        ask('https://tw.test/v1/a', { transport: 'http2' }),
        'twin /v1/a',
      ],
      [
        'a WebSocket is the twin’s own',
        plain,
        ask('https://tw.test/v1/a', { transport: 'upgrade' }),
        'twin /v1/a',
      ],
      ['undeclared', granted, ask('https://tw.test/v1/a', declared('e.test')), 'undeclared'],
      ['declared', granted, ask('https://tw.test/v1/a', declared('p.test')), 'twin /v1/a'],
      [
        'a run of another world’s branch',
        granted,
        ask('https://tw.test/v1/a', { ...post, run: { name: 'r', declaration: {}, world: 'acme/b' } }),
        'twin /v1/a',
      ],
      [
        'a run whose copy of the policy is unreadable',
        granted,
        ask('https://tw.test/v1/a', { run: { name: 'r', declaration: {}, policyUnreadable: true } }),
        'policy-unreadable',
      ],
      [
        'a sandbox',
        world({ sandbox: true, vendors: [recording('tw@tw.test', 'https://p.test')] }),
        ask('https://tw.test/v1/a'),
        'sealed',
      ],
      ['a place that cannot be read', at('https://'), ask('https://tw.test/v1/a'), 'not-granted'],
    ];
    for (const [why, snapshot, asked, expected] of rows) t.equal(said(asked, snapshot), expected, why);
  },
);

t.test('[7.2] control sends a recording on to its own place alone, by the grants', async t => {
  const name = 'tw@tw.test';
  const by = { by: 'recording', world: 'acme/shop', name } as const;
  const one = (origin: string): Snapshot => world({ vendors: [{ ...by, origin }] });
  const [granted, plain] = [one('https://p.test'), one('https://tw.test')];
  const rows: readonly [why: string, snapshot: Snapshot, asked: Ask, expected: string][] = [
    ['granted', granted, as(by, 'https://p.test/v1/a?b=1'), 'egress /v1/a?b=1'],
    ['a write that is not', granted, as(by, 'https://p.test/v1/a', { method: 'POST' }), 'not-granted'],
    ['a write that is', granted, as(by, 'https://p.test/v1/w/a', { method: 'DELETE' }), 'egress /v1/w/a'],
    [
      'the vendor’s own host, which is a twin’s, ungranted',
      plain,
      as(by, 'https://tw.test/v1/a'),
      'not-granted',
    ],
    ['a granted origin that is not its own', plain, as(by, 'https://p.test/v1/a'), 'not-granted'],
    [
      'a twin that nobody records',
      granted,
      as({ ...by, name: 'whole@whole.test' }, 'https://p.test/v1/a'),
      'not-granted',
    ],
    [
      'the world itself',
      one('http://127.0.0.1:4000'),
      as(by, 'http://127.0.0.1:4000/acme/shop/tw/'),
      'not-granted',
    ],
    [
      'the machine’s metadata',
      one('http://169.254.169.254'),
      as(by, 'http://169.254.169.254/'),
      'not-granted',
    ],
    ['TRACE', granted, as(by, 'https://p.test/v1/a', { method: 'TRACE' }), 'not-granted'],
    ['a place that cannot be read', one('https://*.test'), as(by, 'https://p.test/v1/a'), 'not-granted'],
  ];
  for (const [why, snapshot, asked, expected] of rows) t.equal(said(asked, snapshot), expected, why);
});

t.test('[7.2 undeclared] where nobody knows which run asks, each must have declared it', async t => {
  const as = { by: 'recording', world: 'acme/shop', name: 'tw@tw.test' } as const;
  const recorded = world({ vendors: [{ ...as, origin: 'https://p.test' }] });
  const judge = (...declared: readonly { readonly egress?: readonly string[] }[]) =>
    judgeOutgoing({ url: 'https://p.test/v1/a', method: 'GET', as, declared }, recorded);
  t.match(judge(), { ok: true, path: '/v1/a' });
  t.match(judge({}, { egress: ['p.test'] }), { ok: true });
  t.match(judge({ egress: ['p.test'] }, { egress: ['e.test'] }), {
    ok: false,
    refused: true,
    record: { rule: 'undeclared', missing: 'declaration' },
  });
});
