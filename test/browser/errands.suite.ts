// What people open the world's page for, each with the clicks that it takes (docs/page.md): in a real Chromium, over a world
// in which a shop has worked. Run by `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { inaccessible } from './accessible.ts';
import { faultsOf, type OpenedWorld, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

const skip = CHROMIUM === undefined ? 'no Chromium is installed' : false;

/** The customer Ada with a subscription, and a webhook endpoint where nobody listens. */
async function openShop(world: OpenedWorld): Promise<void> {
  const { ask, stripe } = world;
  await ask('clock', 'PUT', { at: '2027-01-01T00:00:00Z' });
  const product = await stripe('/v1/products', { name: 'Gold' });
  const price = await stripe('/v1/prices', {
    product: product['id'],
    unit_amount: '1900',
    currency: 'eur',
    'recurring[interval]': 'month',
  });
  const customer = await stripe('/v1/customers', {
    name: 'Ada Lovelace',
    email: 'ada@b.test',
    payment_method: 'pm_card_visa',
    'invoice_settings[default_payment_method]': 'pm_card_visa',
  });
  await stripe('/v1/webhook_endpoints', {
    url: 'http://127.0.0.1:9/hook',
    'enabled_events[]': 'invoice.paid',
  });
  await stripe('/v1/subscriptions', { customer: customer['id'], 'items[0][price]': price['id'] });
}

/** A GET in the manner of any client of a proxy. */
function throughProxy(proxy: string, url: string): Promise<{ status: number | undefined; refused: unknown }> {
  const { hostname, port, username, password } = new URL(proxy);
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const headers = {
    host: new URL(url).host,
    // A world for this machine alone asks for none.
    ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` }),
  };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: url, headers, agent: false }, answer => {
      answer.resume();
      resolve({ status: answer.statusCode, refused: answer.headers['x-wrld-world-refusal'] });
    })
      .on('error', reject)
      .end();
  });
}

/** Looked at as people have it: in light and dark, wide and narrow; and nothing that axe finds in either. */
async function looksRight(t: Test, page: Page, name: string, pictures: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1100, 380]) {
      await page.setViewportSize({ width, height: 800 });
      t.strictSame(await poorlyReadable(page), [], `${name}, ${colorScheme}, ${width}`);
      await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) });
    }
    t.strictSame(await inaccessible(page), [], `${name}, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 1100, height: 800 });
}

t.test('errands at the world’s page', { skip, timeout: 280_000 }, async t => {
  const world = await openBrowserWorld(t);
  const { browser, place, pictures } = world;
  await openShop(world);
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 } });
  t.teardown(() => context.close());

  await t.test('[4.9] the timeline reads in words, and what hangs together stands together', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#timeline`);
    const line = page.locator('.timeline > li', {
      hasText: 'subscription for Ada Lovelace, EUR 19.00 a month',
    });
    await line.getByText('1 webhook, 1 failed').waitFor();
    t.equal(
      await page.locator('.timeline > li', { hasText: 'invoice.paid to' }).count(),
      0,
      'a webhook is no line of its own',
    );
    await line.getByText('1 webhook, 1 failed').press('Enter');
    await line.getByText('invoice.paid to http://127.0.0.1:9/hook').waitFor();
    await looksRight(t, page, 'timeline', pictures);
    await line.locator('summary').first().press('Enter');
    await line.getByRole('heading', { name: /^invoice .*for Ada Lovelace created/ }).waitFor();
    const besides = line.locator('summary', { hasText: /^Also .* × event/ });
    t.equal(await line.locator('h3', { hasText: 'event evt_' }).count(), 0, 'events are folded');
    await besides.press('Enter');
    await line.locator('h3', { hasText: 'event evt_' }).first().waitFor();
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.9] why was this customer charged: three clicks from the records', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#records`);
    await page.getByRole('link', { name: 'charge', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Customer' }).waitFor();
    await page.getByRole('link', { name: 'charge of EUR 19.00 for Ada Lovelace' }).click();
    await page.getByRole('heading', { name: 'charge of EUR 19.00 for Ada Lovelace' }).waitFor();
    await page.getByText('made by customer.subscription.created').waitFor();
    await page.getByText('made by customer.subscription.created').click();
    await page.locator('pre', { hasText: '"amount": 1900' }).waitFor();
    await looksRight(t, page, 'record', pictures);
    await page.getByRole('link', { name: /^cus_/ }).first().click();
    await page.getByRole('heading', { name: 'customer Ada Lovelace' }).waitFor();
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.4] as of an instant: the bar, the views, a branch from there', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await world.ask('clock', 'PUT', { at: '2027-01-03T00:00:00Z' });
    const product = await world.stripe('/v1/products', { name: 'Silver' });
    await page.goto(`${place}#records?twin=stripe&type=product`);
    await page.getByRole('link', { name: 'product Silver' }).waitFor();
    await page.getByLabel('Instant to look at').press('Home');
    await page.getByText('As of 2027-01-01 00:00:00').waitFor();
    await page.getByRole('link', { name: 'product Gold' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'product Silver' }).count(), 0, 'it was not there then');
    t.match(page.url(), /at=2027-01-01T00/);
    await looksRight(t, page, 'past', pictures);
    await page.getByRole('link', { name: 'Timeline', exact: true }).click();
    await page.locator('.timeline > li', { hasText: 'product Gold' }).waitFor();
    t.equal(await page.locator('.timeline > li', { hasText: 'product Silver' }).count(), 0);
    await page.getByRole('button', { name: 'Branch from here' }).click();
    await page.locator('#notice', { hasText: 'The branch is made:' }).waitFor();
    t.match(await (await world.ask('branches')).json(), { branches: [{ at: '2027-01-01T00:00:00.000Z' }] });
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.locator('.timeline > li', { hasText: 'product Silver' }).waitFor();
    t.notMatch(page.url(), /at=/);
    t.equal(
      (await world.ask(`story/stripe/product/${product['id']}?at=2027-01-02T00:00:00Z`)).status,
      404,
      'by the endpoint too',
    );
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.9] what will happen on the first of next month: four clicks', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(place);
    await page.getByRole('link', { name: 'Ahead', exact: true }).click();
    await page
      .getByRole('link', { name: /subscription for Ada Lovelace/ })
      .first()
      .waitFor();
    const before = await (await world.ask('map')).json();
    await looksRight(t, page, 'ahead', pictures);
    await page.getByRole('button', { name: 'Try it in a branch' }).click();
    await page.getByRole('link', { name: /^acme\/shop-/ }).click();
    await page.getByRole('button', { name: 'Move the clock there' }).click();
    const renewed = page.locator('.timeline > li', { hasText: '2027-02-01 00:00:00' });
    await renewed.filter({ hasText: 'for Ada Lovelace' }).first().waitFor();
    await page.locator('#clock', { hasText: '2027-02-01 23:59:59' }).waitFor();
    t.strictSame(await (await world.ask('map')).json(), before, 'this world has not moved');
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[2.1] the reference page has its landmarks', async t => {
    const page = await context.newPage();
    await page.goto(`${world.control.baseUrl}/reference/refusals`);
    await page.getByRole('main').getByRole('heading', { name: 'not-granted' }).waitFor();
    t.equal(await page.getByRole('navigation', { name: 'Rules' }).count(), 1);
    t.strictSame(await inaccessible(page), []);
    await page.close();
  });

  await t.test('[7.2 not-granted] what was refused passes after two clicks', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    const origin = createServer((_request, response) => response.end('rates'));
    await new Promise<void>(resolve => origin.listen(0, '127.0.0.1', resolve));
    t.teardown(() => origin.close());
    const { port } = origin.address() as AddressInfo;
    const get = () => throughProxy(world.control.proxyUrl, `http://rates.test:${port}/v1?key=1`);
    t.match(await get(), { status: 502, refused: 'grant' });
    await page.goto(`${place}#refusals`);
    await page.getByRole('button', { name: /^Grant this… http:\/\/rates\.test/ }).click();
    await page.locator('ins', { hasText: `"http://rates.test:${port}/v1"` }).waitFor();
    await looksRight(t, page, 'grant', pictures);
    await page.getByRole('button', { name: 'Write it to .wrld/world.json' }).click();
    await page.getByText('is granted; what asks for it again passes.').waitFor();
    t.match(await get(), { status: 200, refused: undefined });
    await page
      .getByRole('button', { name: /^Grant this… http:\/\/rates\.test/ })
      .first()
      .click();
    await page.getByText(/is listed in runtime\.network\.egress already/).waitFor();
    t.strictSame(
      faults.filter(text => !/status of 409/.test(text)),
      [],
    );
    await page.close();
  });
});
