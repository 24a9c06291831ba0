import t from 'tap';
import { visit } from '../../../kit/stripe-page.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test('[4.1] whoever proved who they are is sent back to the app, where it says so', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const at = async (return_url?: string) => {
    const asked = { type: 'document' as const, ...(return_url === undefined ? {} : { return_url }) };
    const { url } = await stripe.identity.verificationSessions.create(asked);
    return await visit(made, url ?? '', 'outcome=verify');
  };
  t.match(await at('https://shop.test/verified'), { status: 303, location: 'https://shop.test/verified' });
  t.match(await at(), { status: 200, text: /close this page/ });
});
