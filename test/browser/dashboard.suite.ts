// Stripe's dashboard in a real Chromium: at the world's place and at its own address, read in light and dark, wide and
// narrow, used with the keyboard alone. Run by `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { faultsOf, type OpenedWorld, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

type Shop = { readonly customer: string; readonly payment: string; readonly subscription: string };

/** Somebody who pays, somebody who does not, and names that nobody would choose. */
async function shop({ stripe }: OpenedWorld): Promise<Shop> {
  const card = { payment_method: 'pm_card_visa', 'invoice_settings[default_payment_method]': 'pm_card_visa' };
  const ada = await stripe('/v1/customers', { name: 'Ada Lovelace', email: 'ada@example.com', ...card });
  const long = 'A_name_without_an_end_'.repeat(8);
  await stripe('/v1/customers', {
    name: `${long}<b>&`,
    email: `${'e'.repeat(60)}@a-long-host.example.com`,
    description: long,
  });
  const product = await stripe('/v1/products', {
    name: 'Tea of the month',
    description: 'A new one each month',
  });
  const price = await stripe('/v1/prices', {
    product: product['id'],
    currency: 'eur',
    unit_amount: '123450',
    'recurring[interval]': 'month',
  });
  const subscription = await stripe('/v1/subscriptions', {
    customer: ada['id'],
    'items[0][price]': price['id'],
  });
  const paying = {
    currency: 'eur',
    customer: ada['id'],
    'automatic_payment_methods[enabled]': 'true',
    'automatic_payment_methods[allow_redirects]': 'never',
  };
  const payment = await stripe('/v1/payment_intents', {
    ...paying,
    amount: '2500',
    payment_method: 'pm_card_visa',
    confirm: 'true',
    description: 'Two mugs',
    'metadata[order]': '42',
  });
  await stripe('/v1/payment_intents', { ...paying, amount: '900' });
  for (let n = 0; n < 25; n++) await stripe('/v1/customers', { name: `Customer ${n}` });
  await stripe('/v1/test_helpers/test_clocks', { frozen_time: '1893456000', name: 'Renewals' });
  return { customer: ada['id'], payment: payment['id'], subscription: subscription['id'] };
}

t.test(
  '[4.9] the dashboard',
  { skip: CHROMIUM === undefined ? 'no Chromium is installed' : false, timeout: 240_000 },
  async t => {
    const world = await openBrowserWorld(t);
    const { control, browser, ask, place, pictures } = world;
    const dashboard = `${control.ownOrigin}/acme/shop/stripe/test`;
    const visitor = async (options: Parameters<typeof browser.newContext>[0] = {}, key = '') => {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      await page.goto(`${place}${key === '' ? '' : `#key=${key}`}`);
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      return { context, page };
    };
    const heading = (page: Page, name: string | RegExp) =>
      page.getByRole('heading', { level: 1, name }).waitFor();

    await t.test('empty, it says what to do', async t => {
      const { context, page } = await visitor();
      await page.goto(`${dashboard}/customers`);
      t.match(await page.locator('main').innerText(), /No customers yet[\s\S]*wrld world run -- curl/);
      await page.screenshot({ path: join(pictures, 'dashboard-empty.png') });
      await context.close();
    });

    const { customer, payment, subscription } = await shop(world);

    await t.test('a stranger without the world’s credential sees nothing', async t => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const answer = await page.goto(`${dashboard}/customers`);
      t.equal(answer!.status(), 401);
      t.notMatch(await page.content(), /Ada/);
      await context.close();
    });

    for (const colorScheme of ['light', 'dark'] as const) {
      await t.test(`a person can read it: ${colorScheme}, wide and narrow`, async t => {
        const { context, page } = await visitor({ colorScheme });
        await page.goto(`${dashboard}/logs`);
        const link = await page.locator('main tbody a').first().getAttribute('href');
        const request = link?.split('/').at(-1);
        t.match(request, /^req_/);
        for (const [name, path] of [
          ['home', ''],
          ['customers', '/customers'],
          ['customer', `/customers/${customer}`],
          ['payments', '/payments'],
          ['payment', `/payments/${payment}`],
          ['subscription', `/subscriptions/${subscription}`],
          ['invoices', '/invoices'],
          ['products', '/products'],
          ['events', '/events'],
          ['logs', '/logs'],
          ['log', '/logs/1'],
          ['logs-of-changes', '/logs?show=changes'],
          ['request', `/logs/${request}`],
          ['clocks', '/test-clocks'],
          ['search', '/search?query=nobody'],
        ] as const) {
          for (const width of [1100, 380]) {
            await page.setViewportSize({ width, height: 800 });
            await page.goto(`${dashboard}${path}`);
            // What is folded is read as well.
            await page.locator('details').evaluateAll(all => {
              for (const each of all) each.setAttribute('open', '');
            });
            t.strictSame(await poorlyReadable(page), [], `${name} at ${width}`);
            t.strictSame(await nameless(page), [], `${name}: what is operated has a name`);
            await page.screenshot({
              path: join(pictures, `dashboard-${name}-${colorScheme}-${width}.png`),
              fullPage: true,
            });
          }
        }
        await context.close();
      });
    }

    await t.test('from a list to a customer, their payment, and its refund, by keyboard alone', async t => {
      const { context, page } = await visitor();
      const faults = faultsOf(page);
      const follow = async (name: string | RegExp): Promise<void> => {
        const link = page.getByRole('main').getByRole('link', { name }).first();
        await tabTo(page, link);
        await page.keyboard.press('Enter');
      };
      await page.goto(`${dashboard}/customers`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      t.match(page.url(), /#content$/, 'the first stop leads over the navigation');
      await follow('Older');
      await page.getByRole('rowheader', { name: 'Ada Lovelace' }).waitFor();
      await follow('Ada Lovelace');
      await heading(page, 'Ada Lovelace');
      await follow('25.00 EUR');
      await heading(page, '25.00 EUR');
      await tabTo(page, page.locator('summary', { hasText: 'Refund' }));
      await page.keyboard.press('Enter');
      await tabTo(page, page.getByLabel(/^Amount/));
      await page.keyboard.press('Control+A');
      await page.keyboard.type('7');
      await page.keyboard.press('Enter');
      await page.getByText('Partly refunded').first().waitFor();
      await page.getByRole('rowheader', { name: '7.00 EUR' }).waitFor();
      await page.reload();
      t.equal(
        await page.getByRole('rowheader', { name: '7.00 EUR' }).count(),
        1,
        'a reload gives back nothing more',
      );
      const { entries } = (await (await ask('timeline')).json()) as {
        readonly entries: readonly { readonly entry: { readonly kind: string } }[];
      };
      t.equal(entries[0]?.entry.kind, 'charge.refunded');
      t.strictSame(faults, []);
      await context.close();
    });

    await t.test('a search finds a person by email, an object by its id', async t => {
      const { context, page } = await visitor();
      await page.goto(dashboard);
      const search = page.getByRole('searchbox', { name: 'Search everything' });
      await search.fill('ADA@example.com');
      await search.press('Enter');
      await page.getByRole('link', { name: 'Ada Lovelace' }).click();
      await heading(page, 'Ada Lovelace');
      await search.fill(payment);
      await search.press('Enter');
      await heading(page, '25.00 EUR');
      t.ok(page.url().endsWith(`/test/payments/${payment}`));
      await page.goto(`${dashboard}/payments`);
      await page.getByRole('searchbox', { name: 'Search payments' }).fill('metadata["order"]:"42"');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('rowheader', { name: '25.00 EUR' }).waitFor();
      t.equal(await page.getByRole('rowheader').count(), 1);
      await context.close();
    });

    await t.test('[5.3-5] a read session reads it, and is shown no button that would fail', async t => {
      const made = (await (await ask('keys', 'POST', { name: 'guest', scope: 'read' })).json()) as {
        key: string;
      };
      const { context, page } = await visitor({}, made.key);
      for (const path of ['/customers', `/payments/${payment}`]) {
        await page.goto(`${dashboard}${path}`);
        await page.getByText('You are reading only').waitFor();
        t.equal(await page.locator('form[method=post]').count(), 0, path);
      }
      await context.close();
    });

    await t.test('at Stripe’s own address, through the world’s proxy', async t => {
      const context = await browser.newContext({
        proxy: { server: control.proxyUrl! },
        ignoreHTTPSErrors: true,
      });
      const page = await context.newPage();
      await page.goto('https://dashboard.stripe.com');
      await heading(page, 'Home');
      await page.getByRole('link', { name: 'Customers' }).click();
      t.equal(page.url(), 'https://dashboard.stripe.com/customers');
      await page.locator('summary', { hasText: 'Create a customer' }).click();
      await page.getByLabel('Name').fill('Grace Hopper');
      await page.getByRole('button', { name: 'Create a customer' }).click();
      await heading(page, 'Grace Hopper');
      t.match(page.url(), /^https:\/\/dashboard\.stripe\.com\/customers\/cus_/);
      // A page of the app, or of anybody else, that the same browser is on.
      const stranger = await context.newPage();
      await stranger.route('http://shop.localhost/', route =>
        route.fulfill({
          contentType: 'text/html',
          body: '<form method="post" action="https://dashboard.stripe.com/customers"><input name="name" value="Eve"><button>Win</button></form>',
        }),
      );
      await stranger.goto('http://shop.localhost/');
      await stranger.getByRole('button').click();
      await heading(stranger, 'Not from here');
      await page.goto('https://dashboard.stripe.com/test/customers');
      t.match(await page.locator('main').innerText(), /Grace Hopper/);
      t.notMatch(await page.locator('main').innerText(), /Eve/);
      await context.close();
    });
  },
);

/** Presses Tab until something has the focus, as somebody without a mouse gets there. */
async function tabTo(page: Page, target: ReturnType<Page['locator']>): Promise<void> {
  for (let stops = 0; stops < 200; stops++) {
    await page.keyboard.press('Tab');
    const handle = await target.elementHandle();
    if (await handle!.evaluate(element => element.matches(':focus'))) return;
  }
  throw new Error('no number of stops leads there');
}

/** Fields, buttons and links that a screen reader has no words for. */
async function nameless(page: Page): Promise<string[]> {
  const operated = page.locator('input:not([type=hidden]), select, button, a, summary');
  return operated.evaluateAll(all =>
    all
      .filter(each => {
        const { labels } = each as unknown as { readonly labels?: ArrayLike<unknown> | null };
        const named = (each.textContent ?? '').trim() !== '' && each.tagName !== 'SELECT';
        return !named && (labels?.length ?? 0) === 0;
      })
      .map(each => each.outerHTML),
  );
}
