// The way to the real vendor and back, by the commands that people type: a second world in another process plays the vendor
// and knows nothing of the first (docs/deploying.md).
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { command, openWorlds, startServe, startUp, wrld, wrldGiven, wrldWords } from '../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(() => worlds.remove());

/** An app with the vendor's own SDK, which knows nothing of worlds. */
const APP = `
import Stripe from ${JSON.stringify(fileURLToPath(import.meta.resolve('stripe')))};
const stripe = new Stripe('sk_test_app');
const product = await stripe.products.create({ name: 'Gold' });
const price = await stripe.prices.create({
  product: product.id, currency: 'eur', unit_amount: Number(process.env.PRICE), recurring: { interval: 'month' },
});
const customer = await stripe.customers.create({
  name: 'Grace', payment_method: 'pm_card_visa', invoice_settings: { default_payment_method: 'pm_card_visa' },
});
const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
console.log(JSON.stringify({ customer: customer.id, subscription: id }));
`;

const CHECK = `export const check = {
  name: 'no price over 100',
  run: ({ changes }) =>
    changes.some(({ type, after }) => type === 'price' && after?.unit_amount > 10_000)
      ? { ok: false, message: 'a price is over 100' }
      : undefined,
};
`;

type Listed = { readonly data: readonly { readonly id: string; readonly [field: string]: unknown }[] };
type Served = { readonly worldUrl: string; readonly token: string };

/** A vendor's own call, of whichever world. */
const stripe = async <T>({ worldUrl, token }: Served, path: string, form?: { [name: string]: string }) => {
  const answer = await fetch(`${worldUrl}/stripe/v1/${path}`, {
    headers: { authorization: 'Bearer sk_test_x', 'x-twins-key': token },
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });
  return { observed: answer.headers.get('x-wrld-observed-at'), body: (await answer.json()) as T };
};

t.test('[2.6–2.9, 3, 4.5–4.7] what an app did in a branch is checked, approved and done once', async t => {
  const folder = await worlds.make('shop');
  const place = await worlds.make('real', { name: 'acme/real' });
  await using up = await startUp(folder);
  const here: Served = {
    worldUrl: up.up.worldUrl,
    token: (await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n')[0]!.trim(),
  };
  const own = `${new URL(here.worldUrl).origin}/-${new URL(here.worldUrl).pathname}`;
  const send = async (method: string, path: string, body: unknown, token = here.token) => {
    const headers = { 'x-wrld-token': token };
    const answer = await fetch(`${own}/${path}`, { method, headers, body: JSON.stringify(body) });
    return (await answer.json()) as { readonly [field: string]: string };
  };
  // What the vendor's world may send its webhooks to.
  const config = join(place, '.wrld', 'world.json');
  const network = { egress: [`${new URL(own).origin}/`], writes: [`${new URL(own).origin}/`] };
  const declared = JSON.parse(await readFile(config, 'utf8')) as object;
  await writeFile(config, JSON.stringify({ ...declared, runtime: { network } }));
  await using served = await startServe(place);
  const vendor: Served = served.up;
  await stripe(vendor, 'customers', { name: 'Ada' });

  const says = (...args: readonly string[]) => wrld(folder, 'world', ...args);
  t.match(await says('root', 'set', 'stripe', `${vendor.worldUrl}/stripe`), { code: 0 });
  t.match(await wrldGiven(folder, `${vendor.token}\n`, 'world', 'credential', 'set', 'stripe'), { code: 0 });
  t.match(await says('refresh', 'stripe'), { code: 0 }, 'a look without a credential held nothing back');
  t.match(await says('refresh', 'stripe'), { code: 0, out: /a moment ago; again from .* or with --force/ });
  const copied = await stripe<Listed>(here, 'customers');
  t.match(copied.body.data, [{ name: 'Ada' }]);
  t.match(copied.observed, /^\d{4}-\d\d-\d\dT/, 'and it is said when the vendor was seen');

  await writeFile(join(folder, 'app.mjs'), APP);
  await writeFile(join(folder, 'check.js'), CHECK);
  await says('changeset', 'check', 'set', 'prices', 'check.js');
  const cutAt = async (price: string) => {
    const words = wrldWords(
      ...['world', 'run', '--branch', 'new', '--cut', 'Gold plan', '--json', 'run.json'],
      ...['--', process.execPath, 'app.mjs'],
    );
    const { code, out, err } = await command(['env', `PRICE=${price}`, ...words], folder);
    t.equal(code, 0, err);
    const [, name = ''] = /cut (change-[0-9a-f]+)/.exec(err) ?? [];
    const [, branch = ''] = /the branch (\S+) stays/.exec(err) ?? [];
    t.match(err, /a1 {2}stripe: create product “Gold” {2}POST \/v1\/products/);
    t.match(err, /a4 {2}stripe: create subscription {2}POST \/v1\/subscriptions/);
    return { name, branch, ids: JSON.parse(out) as { customer: string; subscription: string } };
  };

  const dear = await cutAt('15000');
  const inBranch = ['--branch', dear.branch];
  await says('changeset', 'check', 'set', 'prices', 'check.js', ...inBranch);
  const refused = await says('changeset', 'verify', dear.name, ...inBranch);
  t.match(refused, { code: 1, out: /a price is over 100/ });
  await says('branch', 'remove', dear.branch);

  const { name, branch, ids } = await cutAt('9000');
  t.match(await says('changeset', 'push', name, '--branch', branch), { code: 0, out: /4 actions/ });
  t.match(await says('changeset', 'push', name, '--branch', branch), { code: 0 }, 'twice is once');
  t.match(await says('changeset', 'verify', name), { code: 0, out: /every check passes/ });
  await send('PUT', 'rules', { changesets: { approvals: 2 } });
  t.match(await says('changeset', 'approve', name, '--as', 'ann'), { code: 0, out: /approvals 1\/2/ });
  t.match(await says('changeset', 'deploy', name, '--yes'), { code: 1, err: /approvals 1\/2/ });
  const { key = '' } = await send('POST', 'keys', { name: 'ci', for: 'bob', forName: 'Bob' });
  await send('POST', `changesets/${name}/approve`, {}, key);
  t.match((await stripe<Listed>(vendor, 'products')).body.data, [], 'nothing of it reached the vendor yet');

  const deployed = await says('changeset', 'deploy', name, '--yes');
  t.match(deployed, {
    code: 0,
    out: /a4 {2}stripe {2}deployed {2}sub_\w+ {2}https:\/\/dashboard\.stripe\.com/,
  });
  t.match(await says('changeset', 'deploy', name, '--yes'), { code: 0 });
  const [there] = (await stripe<Listed>(vendor, 'subscriptions')).body.data;
  t.match((await stripe<Listed>(vendor, 'subscriptions')).body.data, [{ status: 'active' }], 'once');
  const held = await stripe<{ id: string; customer: string }>(here, `subscriptions/${ids.subscription}`);
  t.equal(held.body.id, there!.id, 'the id that the app holds leads to what the vendor made');
  const byOld = await stripe<Listed>(here, `subscriptions?customer=${ids.customer}`);
  t.match(byOld.body.data, [{ id: there!.id, customer: there!['customer'] }]);

  t.match(await says('refresh', 'stripe', '--force'), { code: 0 });
  for (const list of ['customers', 'subscriptions', 'invoices', 'payment_intents', 'charges']) {
    const idsOf = async (world: Served) =>
      (await stripe<Listed>(world, list)).body.data.map(({ id }) => id).sort();
    t.strictSame(await idsOf(here), await idsOf(vendor), `${list}: those of the vendor, and no others`);
  }

  const url = `${own}/twins/stripe/ingest`;
  const { secret } = (
    await stripe<{ secret: string }>(vendor, 'webhook_endpoints', { url, 'enabled_events[]': '*' })
  ).body;
  const both = `${vendor.token}\n${secret}\n`;
  t.match(await wrldGiven(folder, both, 'world', 'credential', 'set', 'stripe', '--signing-secret'), {
    code: 0,
  });
  const [ada] = copied.body.data;
  const told = changed(own, here.token);
  await told.open;
  await stripe(vendor, `customers/${ada!.id}`, { name: 'Ada Lovelace' });
  await told.next;
  t.match(
    (await stripe(here, `customers/${ada!.id}`)).body,
    { name: 'Ada Lovelace' },
    'a webhook is folded in',
  );
  t.match(await says('timeline'), { out: /customer\.updated +webhook/ });
});

/** The next entry of the world's logs, as its server-sent events tell it. */
function changed(
  own: string,
  token: string,
): { readonly open: Promise<unknown>; readonly next: Promise<void> } {
  const ending = new AbortController();
  const open = fetch(`${own}/events`, { headers: { 'x-wrld-token': token }, signal: ending.signal });
  const next = open.then(async ({ body }) => {
    let said = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      if (/event: entry/.test(said)) break;
    }
    ending.abort();
  });
  return { open, next };
}
