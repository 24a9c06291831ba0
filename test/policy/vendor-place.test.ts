import t from 'tap';
import type { Ask, VendorCaller } from '../../policy/ask.ts';
import { decide } from '../../policy/decide.ts';
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
