import t from 'tap';
import {
  addressOf,
  checkLabels,
  copyAt,
  copyLabel,
  isBrowserName,
  isSiteHost,
  type SiteCopy,
  type SitePlace,
  siteLabel,
} from '../../../../control/world/config/site-label.ts';
import { fc } from '../../../kit/property.ts';

const LOCAL: SitePlace = { ownHost: 'shop--acme.localhost:4000', form: 'local' };
const HOSTED: SitePlace = { ownHost: 'shop--acme.worlds.test', form: 'hosted' };
const HOSTS = ['dashboard.stripe.com', 'checkout.stripe.com'];

t.test(
  '[4.3-1] a site is its real host with hyphens for dots, and a browser’s copy is named after both',
  t => {
    t.equal(siteLabel('Dashboard.Stripe.com'), 'dashboard-stripe-com');
    t.equal(siteLabel('vendor.test:8443'), 'vendor-test-8443');
    t.equal(copyLabel({ browser: 'ada', host: 'dashboard.stripe.com' }), 'ada--dashboard-stripe-com');
    const copy = { browser: 'ada', host: 'dashboard.stripe.com' };
    const plain = { browser: null, host: 'dashboard.stripe.com' };
    t.equal(addressOf(LOCAL, copy, HOSTS), 'ada--dashboard-stripe-com.shop--acme.localhost:4000');
    t.equal(addressOf(LOCAL, plain, HOSTS), 'dashboard-stripe-com.shop--acme.localhost:4000');
    t.equal(addressOf(HOSTED, copy, HOSTS), 'ada--dashboard-stripe-com--shop--acme.worlds.test');
    t.equal(addressOf(HOSTED, plain, HOSTS), 'dashboard-stripe-com--shop--acme.worlds.test');
    t.equal(addressOf(LOCAL, { browser: 'ada', host: 'elsewhere.test' }, HOSTS), null);
    t.end();
  },
);

t.test('[4.3-1] what a request’s host names', t => {
  for (const [place, host, expected] of [
    [LOCAL, 'ada--dashboard-stripe-com.shop--acme.localhost:4000', { browser: 'ada', host: HOSTS[0] }],
    [LOCAL, 'checkout-stripe-com.shop--acme.localhost:4000', { browser: null, host: HOSTS[1] }],
    [LOCAL, 'ada--dashboard-stripe-com.shop--acme.localhost:4001', null],
    [LOCAL, 'ada--dashboard-stripe-com.shop--acme.localhost', null],
    [LOCAL, 'ADA--dashboard-stripe-com.shop--acme.localhost:4000', null],
    [LOCAL, 'a.ada--dashboard-stripe-com.shop--acme.localhost:4000', null],
    [LOCAL, 'ada--dashboard-stripe-com--shop--acme.localhost:4000', null],
    [LOCAL, 'ada--nobody-test.shop--acme.localhost:4000', null],
    [LOCAL, '--dashboard-stripe-com.shop--acme.localhost:4000', null],
    [LOCAL, 'shop--acme.localhost:4000', null],
    [HOSTED, 'ada--dashboard-stripe-com--shop--acme.worlds.test', { browser: 'ada', host: HOSTS[0] }],
    [HOSTED, 'dashboard-stripe-com--shop--acme.worlds.test', { browser: null, host: HOSTS[0] }],
    [HOSTED, 'ada--dashboard-stripe-com.shop--acme.worlds.test', null],
    [HOSTED, 'ada--dashboard-stripe-com--other--acme.worlds.test', null],
  ] as const)
    t.strictSame(copyAt(place, host, HOSTS), expected, host);
  t.ok(isSiteHost(LOCAL, 'x.shop--acme.localhost:4000'));
  t.ok(isSiteHost(HOSTED, 'x--shop--acme.worlds.test'));
  for (const host of [
    'shop--acme.localhost:4000',
    '.shop--acme.localhost:4000',
    'x.other--acme.localhost:4000',
  ])
    t.notOk(isSiteHost(LOCAL, host), host);
  t.end();
});

t.test(
  '[8, security 58] a label over 63 characters is skipped, and a browser without any other refused',
  t => {
    const fits = `${'a'.repeat(49)}.test`;
    t.equal(copyLabel({ browser: 'alice-2', host: fits }).length, 63);
    t.ok(addressOf(LOCAL, { browser: 'alice-2', host: fits }, [fits]));
    t.equal(addressOf(LOCAL, { browser: 'alice-23', host: fits }, [fits]), null);
    t.match(checkLabels('alice-23', [fits], []), { ok: false, why: 'no-site-fits' });
    t.match(checkLabels('alice-23', [fits, 'api.stripe.com'], []), { ok: true });
    t.match(checkLabels('alice', [], []), { ok: true }, 'a world without sites has nothing to collide with');
    const hosted = `${'a'.repeat(37)}.test`;
    t.ok(addressOf(HOSTED, { browser: 'alice-2', host: hosted }, [hosted]), 'the world’s own label counts');
    t.equal(addressOf(HOSTED, { browser: 'alice-23', host: hosted }, [hosted]), null);
    t.match(checkLabels('alice-23', [hosted], [], HOSTED), {
      ok: false,
      why: 'no-site-fits',
      message: /with alice-23--a+-test--shop--acme none fits into the 63 characters/,
    });
    t.match(checkLabels('alice-23', [hosted], [], LOCAL), { ok: true });
    t.end();
  },
);

t.test('[4.3-3, security 60, security 61] what collides', t => {
  t.match(checkLabels('alice', ['b.test', 'alice--b.test'], []), { ok: false, why: 'label-taken' });
  t.match(checkLabels('alice', ['-b.test', 'b.test'], ['alice-']), { ok: false, why: 'label-taken' });
  t.match(checkLabels('alice', ['b.test'], ['alice', 'bob']), { ok: true }, 'itself is no other');
  const claimed = ['b.test', 'alice--b.test'];
  const address = 'alice--b-test.shop--acme.localhost:4000';
  t.strictSame(copyAt(LOCAL, address, ['b.test']), { browser: 'alice', host: 'b.test' });
  t.strictSame(
    copyAt(LOCAL, address, claimed),
    { browser: null, host: 'alice--b.test' },
    'claimed later, it wins',
  );
  t.equal(addressOf(LOCAL, { browser: 'alice', host: 'b.test' }, claimed), null);
  t.equal(addressOf(LOCAL, { browser: null, host: 'a-b.c' }, ['a.b-c', 'a-b.c']), null, 'the first has it');
  t.end();
});

t.test('[4.3-2] no address begins as Punycode does', t => {
  t.equal(addressOf(LOCAL, { browser: 'xn', host: 'b.test' }, ['b.test']), null);
  t.match(checkLabels('xn', ['b.test'], []), { ok: false, why: 'no-site-fits' });
  t.equal(addressOf(LOCAL, { browser: null, host: 'xn--caf-dma.test' }, ['xn--caf-dma.test']), null);
  t.ok(addressOf(LOCAL, { browser: 'ada', host: 'xn--caf-dma.test' }, ['xn--caf-dma.test']));
  t.end();
});

t.test('[4.3-1, 4.3-3] whatever there is, an address leads to its copy, and no two copies share one', t => {
  const part = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?$/);
  const host = fc.array(part, { minLength: 2, maxLength: 4 }).map(parts => parts.join('.'));
  const browser = fc.stringMatching(/^[a-z0-9]{1,8}(?:-[a-z0-9]{1,8}){0,2}$/).filter(isBrowserName);
  const place = fc.constantFrom(LOCAL, HOSTED);
  fc.assert(
    fc.property(
      fc.uniqueArray(host, { minLength: 1, maxLength: 5 }),
      fc.uniqueArray(browser, { maxLength: 4 }),
      place,
      (hosts, browsers, at) => {
        const copies: SiteCopy[] = hosts.flatMap(each =>
          [null, ...browsers].map(name => ({ browser: name, host: each })),
        );
        const seen = new Set<string>();
        for (const copy of copies) {
          const address = addressOf(at, copy, hosts);
          if (address === null) continue;
          const there = copyAt(at, address, hosts);
          const whole = there?.host === copy.host && there.browser === copy.browser;
          const short = address.split('.').every(label => label.replace(/:\d+$/, '').length <= 63);
          if (seen.has(address) || !whole || !short) return false;
          // As a browser writes it.
          if (new URL(`http://${address}`).host !== address) return false;
          seen.add(address);
        }
        return true;
      },
    ),
  );
  t.end();
});
