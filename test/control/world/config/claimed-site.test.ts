import t from 'tap';
import { claimedSites, vendorAt } from '../../../../control/world/config/claimed-site.ts';
import { SMTP_MANIFEST } from '../../../../twins/smtp/manifest.ts';
import { STRIPE_MANIFEST } from '../../../../twins/stripe/manifest.ts';

const ACME = {
  vendor: 'acme',
  hosts: [
    { host: 'app.acme.test', paths: ['/'] },
    { host: 'shared.test', paths: ['/acme/'] },
  ],
  screens: [{ id: 'item', path: '/items/{id}' }],
};
const OTHER = {
  vendor: 'other',
  hosts: [{ host: 'shared.test', paths: ['/', '/acme/deep/'] }],
  screens: [
    { id: 'one', path: '/one/<id>', host: 'shared.test' },
    { id: 'all', path: '/all', host: 'shared.test' },
  ],
};

t.test('[4.3] the hosts at which twins serve pages, and where one lands there', t => {
  t.strictSame(claimedSites([ACME, OTHER]), [
    { vendor: 'acme', host: 'app.acme.test', real: true, land: null },
    { vendor: 'acme', host: 'shared.test', real: true, land: '/all' },
  ]);
  const sites = claimedSites([STRIPE_MANIFEST, SMTP_MANIFEST]);
  t.match(
    sites.find(({ host }) => host === 'dashboard.stripe.com'),
    { vendor: 'stripe', land: '/test' },
  );
  t.match(
    sites.find(({ host }) => host === 'checkout.stripe.com'),
    { land: null },
  );
  t.match(
    sites.find(({ host }) => host === 'connect.stripe.com'),
    { land: null },
    'its page asks for a query',
  );
  t.equal(
    sites.some(({ host }) => host === 'api.stripe.com'),
    false,
    'no page is there',
  );
  t.strictSame(
    sites.at(-1),
    { vendor: 'smtp', host: 'smtp', real: false, land: '/' },
    'a mailbox has no host',
  );
  t.end();
});

t.test('[7.2 unclaimed-path] a path of a shared host is its vendor’s, or nobody’s', t => {
  const [app, shared] = claimedSites([ACME, OTHER]);
  const at = (site: typeof app, path: string, manifests = [ACME, OTHER]) => vendorAt(manifests, site!, path);
  t.equal(at(app, '/'), 'acme');
  t.equal(at(shared, '/acme/x'), 'acme');
  t.equal(at(shared, '/acme'), 'acme');
  t.equal(at(shared, '/acme/deep/x'), 'other');
  t.equal(at(shared, '/acmes'), 'other');
  t.equal(at(shared, '/x', [ACME]), null);
  t.end();
});
