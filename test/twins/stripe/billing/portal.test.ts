// The billing portal, and the hosted pages that people meet.
import t from 'tap';
import type { Call } from '../../../../twins/kit/call.ts';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld, type StripeWorld, shop } from '../../../kit/stripe-world.ts';

type Page = { readonly status: number; readonly body: string; readonly location: string | null };

/** What every call of a browser has: it comes by the vendor's host, and knows no token. */
const PAGE_CALL: Pick<Call, 'via' | 'query' | 'headers' | 'body' | 'caller' | 'scope' | 'trace'> = {
  via: 'host',
  query: '',
  headers: {},
  body: new Uint8Array(),
  caller: null,
  scope: 'write',
  trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
};

/** A page as a browser asks for it; with a form, as it posts it. */
async function visit(made: StripeWorld, url: string, form?: string): Promise<Page> {
  const { hostname, pathname, search } = new URL(url);
  const reply = await made.world.call('stripe', {
    ...PAGE_CALL,
    method: form === undefined ? 'GET' : 'POST',
    host: hostname,
    path: pathname,
    query: search.slice(1),
    body: new TextEncoder().encode(form ?? ''),
  });
  const location = reply.headers.find(([name]) => name === 'Location')?.[1] ?? null;
  return { status: reply.status, body: String(reply.body), location };
}

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
  const shown = await visit(made, page!);
  t.match(shown, { status: 200, body: /25\.00 USD/ });
  t.notMatch(shown.body, /<b>Work/, 'text is text');
  t.match(await visit(made, page!, 'number=4000000000000002'), { status: 402, body: /declined/ });
  const { status, location: proof } = await visit(made, page!, 'number=4000002760003184');
  t.match({ status, proof }, { status: 303, proof: /^https:\/\/hooks\.stripe\.com\// });
  const back = await visit(made, proof!, 'outcome=fail');
  t.match(back.location ?? '', page!.split('?')[0], 'and back to the invoice');
  t.match(await visit(made, page!, 'number=4242424242424242'), { status: 200, body: /was paid/ });
  t.match(await stripe.invoices.retrieve(draft.id), { status: 'paid', amount_paid: 2500 });

  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const portal = await stripe.billingPortal.sessions.create({ customer: customer.id });
  t.match(await visit(made, portal.url), { status: 200, body: /Cancel subscription/ });
  t.match(await visit(made, portal.url, `subscription=${id}&do=cancel`), {
    status: 200,
    body: /ends on 2026-02-15/,
  });
  t.match(await stripe.subscriptions.retrieve(id), { cancel_at_period_end: true, status: 'active' });
  await visit(made, portal.url, `subscription=${id}&do=keep`);
  t.equal((await stripe.subscriptions.retrieve(id)).cancel_at_period_end, false);
});

t.test('[4.1] the portal changes the card, the details and the plan, and shows the invoices', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price, product } = await shop(stripe);
  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const large = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 4500,
    recurring: { interval: 'month' },
  });
  const configuration = await stripe.billingPortal.configurations.create({
    features: {
      customer_update: { enabled: true, allowed_updates: ['email'] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product: product.id, prices: [price.id, large.id] }],
        proration_behavior: 'always_invoice',
      },
    },
  });
  t.same(faultsOf(configuration), []);
  const { url } = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    configuration: configuration.id,
  });
  const shown = await visit(made, url);
  for (const text of [/15\.00 USD/, /ending in 4242/, /Switch plan/, /2026-01-15/]) t.match(shown.body, text);
  t.notMatch(shown.body, /Cancel subscription/, 'the configuration does not let one');
  t.match(await visit(made, url, `subscription=${id}&do=cancel`), { status: 404 });
  t.match(await visit(made, url, 'do=card&number=4000000000000002'), { status: 402, body: /declined/ });
  t.match(await visit(made, url, 'do=card&number=5555555555554444'), {
    status: 200,
    body: /mastercard ending in 4444/,
  });
  t.equal((await stripe.customers.listPaymentMethods(customer.id)).data.length, 2);
  await visit(made, url, 'do=details&email=new%40example.com&name=Eve');
  t.match(await stripe.customers.retrieve(customer.id), { email: 'new@example.com', name: 'Ada' });
  await visit(made, url, `do=plan&subscription=${id}&price=${large.id}`);
  t.match(await stripe.subscriptions.retrieve(id), { items: { data: [{ price: { id: large.id } }] } });
  t.match((await stripe.invoices.list({ subscription: id })).data[0], { total: 3000, status: 'paid' });
});

t.test('[4.1] a flow of the portal shows one thing, and goes on where it was told', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  const session = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    flow_data: {
      type: 'subscription_cancel',
      subscription_cancel: { subscription: subscription.id },
      after_completion: { type: 'redirect', redirect: { return_url: 'https://shop.example.com/bye' } },
    },
  });
  t.same(faultsOf(session), []);
  const { url } = session;
  const shown = await visit(made, url);
  t.match(shown.body, /Cancel subscription/);
  t.notMatch(shown.body, /Card number/);
  t.match(await visit(made, url, `subscription=${subscription.id}&do=cancel`), {
    status: 303,
    location: 'https://shop.example.com/bye',
  });
  await t.rejects(
    stripe.billingPortal.sessions.create({
      customer: customer.id,
      flow_data: { type: 'subscription_cancel', subscription_cancel: { subscription: subscription.id } },
    }),
    { message: /`sub_\w+` is already set to be canceled at period end/ },
    'there is nothing left to cancel',
  );
  await t.rejects(
    stripe.billingPortal.sessions.create({
      customer: customer.id,
      flow_data: { type: 'subscription_update', subscription_update: { subscription: subscription.id } },
    }),
    { message: /has not enabled `subscription_update`/ },
  );
});

/** Each object of a PDF stands where its table says. */
function wholePdf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
  const offsets = [...text.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, at]) => Number(at));
  const wrong = offsets.filter((at, index) => !text.startsWith(`${index + 1} 0 obj`, at));
  if (!text.startsWith('%PDF-1.4\n') || offsets.length === 0 || wrong.length > 0) throw new Error(text);
  return text;
}

t.test('[4.1] invoices, credit notes and quotes are there as PDF', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  for (let item = 0; item < 50; item += 1) {
    await stripe.invoiceItems.create({
      customer: customer.id,
      amount: 100,
      currency: 'usd',
      description: `Work (${item}) – à la carte`,
    });
  }
  const draft = await stripe.invoices.create({
    customer: customer.id,
    pending_invoice_items_behavior: 'include',
    footer: 'Thank you',
  });
  const invoice = await stripe.invoices.finalizeInvoice(draft.id);
  const fetched = async (url: string): Promise<Uint8Array> => {
    const { hostname: host, pathname: path } = new URL(url);
    const { status, headers, body } = await made.world.call('stripe', {
      ...PAGE_CALL,
      method: 'GET',
      host,
      path,
    });
    t.match({ status, headers }, { status: 200, headers: [['Content-Type', 'application/pdf']] });
    return body as Uint8Array;
  };
  const text = wholePdf(await fetched(invoice.invoice_pdf!));
  for (const part of [
    `Invoice ${invoice.number}`,
    'Work \\(49\\) ? à la carte',
    '50.00 USD',
    'Thank you',
    '/Count 2',
  ])
    t.ok(text.includes(part), part);
  const note = await stripe.creditNotes.create({ invoice: invoice.id, amount: 300, memo: 'Sorry' });
  t.match(wholePdf(await fetched(note.pdf)), /Credit note .*\n[\s\S]*3\.00 USD[\s\S]*Sorry/);
  const quote = await stripe.quotes.create({
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 2 }],
    header: 'An offer',
  });
  const stream = (await stripe.quotes.pdf(quote.id)) as unknown as ReadableStream<Uint8Array>;
  t.match(wholePdf(await new Response(stream).bytes()), /An offer[\s\S]*2 x Plan[\s\S]*30\.00 USD/);
});

t.test('[4.1] a change that the app proposes is confirmed in the portal', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price, product } = await shop(stripe);
  const { id, items } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  const configuration = await stripe.billingPortal.configurations.create({
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['quantity'],
        products: [{ product: product.id, prices: [price.id] }],
      },
    },
  });
  const session = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    configuration: configuration.id,
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: { subscription: id, items: [{ id: items.data[0]!.id, quantity: 5 }] },
      after_completion: { type: 'hosted_confirmation', hosted_confirmation: { custom_message: 'All set' } },
    },
  });
  t.same(faultsOf(session), []);
  t.match((await visit(made, session.url)).body, /Confirm the change/);
  t.match(await visit(made, session.url, `do=confirm&subscription=${id}`), { status: 200, body: /All set/ });
  t.match(await stripe.subscriptions.retrieve(id), { items: { data: [{ quantity: 5 }] } });
  const billed = async (): Promise<number> => (await stripe.invoices.list({ subscription: id })).data.length;
  t.equal(await billed(), 1, 'a configuration that says nothing of it prorates nothing');
  await stripe.billingPortal.configurations.update(configuration.id, {
    features: { subscription_update: { proration_behavior: 'always_invoice' } },
  });
  const more = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    configuration: configuration.id,
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: { subscription: id, items: [{ id: items.data[0]!.id, quantity: 6 }] },
    },
  });
  await visit(made, more.url, `do=confirm&subscription=${id}`);
  t.equal(await billed(), 2, 'as the configuration says now');
});

t.test('[4.1] a flow without a configuration goes by the account’s default as it stands', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price, product } = await shop(stripe);
  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const open = (type: 'subscription_update' | 'subscription_cancel') =>
    stripe.billingPortal.sessions.create({
      customer: customer.id,
      flow_data: { type, [type]: { subscription: id } },
    });
  await t.rejects(open('subscription_update'), { message: /has not enabled/ }, 'off until it is turned on');
  await open('subscription_cancel');
  const [held] = (await stripe.billingPortal.configurations.list({ is_default: true })).data;
  await stripe.billingPortal.configurations.update(held!.id, {
    features: {
      subscription_cancel: { enabled: false },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product: product.id, prices: [price.id] }],
      },
    },
  });
  t.equal((await open('subscription_update')).configuration, held!.id);
  await t.rejects(open('subscription_cancel'), { message: /has not enabled/ });
});
