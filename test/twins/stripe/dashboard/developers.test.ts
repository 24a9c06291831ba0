// The developers' page: which version the account has, and another for it.
import t from 'tap';
import { API_VERSION } from '../../../../twins/stripe/api/version.ts';
import { look } from '../../../kit/dashboard.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test('[4.9] the account’s version is shown, and set', async t => {
  await using made = await openStripeWorld();
  const shown = await look(made, '/test/developers');
  t.match(shown.html, `<dd><code>${API_VERSION}</code>`);
  t.match(shown.html, `<option selected>${API_VERSION}`);
  const [, once = ''] = /name="once" value="(\w+)"/.exec(shown.html) ?? [];
  const sent = await look(made, '/test/developers', { form: { version: '2024-06-20', once } });
  t.match(sent, { status: 303, location: /\/developers$/ }, sent.text);
  t.match((await look(made, '/test/developers')).html, '<dd><code>2024-06-20</code>');
  await look(made, '/test/developers', { form: { version: '2020-08-27', once } });
  t.match((await look(made, '/test/developers')).html, '<dd><code>2024-06-20</code>', 'a form is taken once');
});

t.test('[4.9] one that never was is refused in Stripe’s words', async t => {
  await using made = await openStripeWorld();
  const before = await made.position();
  const refused = await look(made, '/test/developers', { form: { version: '2019-2-19' } });
  t.match(refused, { status: 400, text: /Invalid Stripe API version: 2019-2-19/ });
  t.equal(await made.position(), before, 'and nothing is kept');
});

t.test('[5.4] who only reads sees no form', async t => {
  await using made = await openStripeWorld();
  const { html } = await look(made, '/test/developers', { scope: 'read' });
  t.notMatch(html, '<form method="post"');
});
