// The billing portal, and the hosted pages that people meet.
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[4.1] the portal: configurations, sessions, and the default made for them', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const session = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    return_url: 'https://shop.example.com/',
    expand: ['configuration'],
  });
  t.match(session, {
    url: /^https:\/\/billing\.stripe\.com\/p\/session\//,
    configuration: { is_default: true },
  });
  const own = await stripe.billingPortal.configurations.create({
    features: { subscription_cancel: { enabled: true, mode: 'immediately' } },
  });
  t.match(own.features.subscription_cancel, {
    enabled: true,
    mode: 'immediately',
    proration_behavior: 'none',
  });
  t.same(faultsOf(own), []);
  t.equal((await stripe.billingPortal.configurations.list({ is_default: true })).data.length, 1);
});

t.test('[4.1] the hosted pages: an invoice is paid, a subscription is canceled', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const visit = async (url: string, form?: string): Promise<{ status: number; body: string }> => {
    const { hostname, pathname, search } = new URL(url);
    const reply = await made.world.call('stripe', {
      method: form === undefined ? 'GET' : 'POST',
      host: hostname,
      via: 'host',
      path: pathname,
      query: search.slice(1),
      headers: {},
      body: new TextEncoder().encode(form ?? ''),
      caller: null,
      scope: 'write',
      trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
    });
    return { status: reply.status, body: String(reply.body) };
  };
  await stripe.invoiceItems.create({
    customer: customer.id,
    amount: 2500,
    currency: 'usd',
    description: '<b>Work</b>',
  });
  const draft = await stripe.invoices.create({
    customer: customer.id,
    pending_invoice_items_behavior: 'include',
  });
  const { hosted_invoice_url: page } = await stripe.invoices.finalizeInvoice(draft.id);
  const shown = await visit(page!);
  t.match(shown, { status: 200, body: /25\.00 USD/ });
  t.notMatch(shown.body, /<b>Work/, 'text is text');
  t.match(await visit(page!, 'number=4000000000000002'), { status: 402, body: /declined/ });
  t.match(await visit(page!, 'number=4242424242424242'), { status: 200, body: /was paid/ });
  t.match(await stripe.invoices.retrieve(draft.id), { status: 'paid', amount_paid: 2500 });

  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const portal = await stripe.billingPortal.sessions.create({ customer: customer.id });
  t.match(await visit(portal.url), { status: 200, body: /Cancel subscription/ });
  t.match(await visit(portal.url, `subscription=${id}&do=cancel`), {
    status: 200,
    body: /ends on 2026-02-15/,
  });
  t.match(await stripe.subscriptions.retrieve(id), { cancel_at_period_end: true, status: 'active' });
  await visit(portal.url, `subscription=${id}&do=keep`);
  t.equal((await stripe.subscriptions.retrieve(id)).cancel_at_period_end, false);
});
