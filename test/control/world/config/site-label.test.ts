import t from 'tap';
import { browserLabel, checkLabels, siteLabel } from '../../../../control/world/config/site-label.ts';

t.test('[4.3] a site is its real host with hyphens for dots, and a browser’s copy is named after both', t => {
  t.equal(siteLabel('Dashboard.Stripe.com'), 'dashboard-stripe-com');
  t.equal(browserLabel('alice', 'dashboard.stripe.com'), 'alice--dashboard-stripe-com');
  t.end();
});

t.test('[8] a label over 63 characters is skipped, and a browser without any other is refused', t => {
  const fits = `${'a'.repeat(49)}.test`;
  t.equal(browserLabel('alice-2', fits)?.length, 63);
  t.equal(browserLabel('alice-23', fits), null);
  t.match(checkLabels('alice-23', [fits], []), { ok: false, why: 'no-site-fits' });
  t.match(checkLabels('alice-23', [fits, 'api.stripe.com'], []), { ok: true });
  t.match(checkLabels('alice', [], []), { ok: true }, 'a world without sites has nothing to collide with');
  t.end();
});

t.test('[4.3] an address that is another’s already is refused', t => {
  t.match(checkLabels('alice', ['b.test', 'alice--b.test'], []), { ok: false, why: 'label-taken' });
  t.match(checkLabels('alice', ['-b.test', 'b.test'], ['alice-']), { ok: false, why: 'label-taken' });
  t.match(checkLabels('alice', ['b.test'], ['alice', 'bob']), { ok: true }, 'itself is no other');
  t.end();
});
