// The vendor's own screens as a person meets them (4.9), in a real Chromium: Stripe's hosted checkout at the world's
// place, and at the vendor's own address through the world's proxy.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { faultsOf, type OpenedWorld, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

const SHOP = 'http://localhost:9/thanks';

/** A checkout of two mugs; `url` is where the vendor's SDK sends the person. */
async function checkout({ stripe }: OpenedWorld): Promise<{ readonly id: string; readonly url: string }> {
  const { id, url } = await stripe('/v1/checkout/sessions', {
    mode: 'payment',
    success_url: `${SHOP}?session={CHECKOUT_SESSION_ID}`,
    'line_items[0][quantity]': '2',
    'line_items[0][price_data][currency]': 'eur',
    'line_items[0][price_data][unit_amount]': '1200',
    'line_items[0][price_data][product_data][name]': 'Mug <b>&',
  });
  return { id, url };
}

async function pay(page: Page, number: string): Promise<void> {
  await page.getByLabel('Email').fill('a@b.test');
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expiry').fill('12 / 40');
  await page.getByLabel('CVC').fill('123');
  await page.getByLabel('Name on card').fill('A. Person');
  await page.getByRole('button', { name: 'Pay' }).click();
}

t.test(
  '[4.9] the vendor’s screens',
  { skip: CHROMIUM === undefined ? 'no Chromium is installed' : false, timeout: 120_000 },
  async t => {
    const world = await openBrowserWorld(t);
    const { control, browser, ask, place, pictures } = world;
    const at = (url: string): string => `${control.ownOrigin}/acme/shop/stripe${new URL(url).pathname}`;
    const stateOf = async (id: string): Promise<unknown> => {
      const headers = { 'x-twins-key': control.token, authorization: 'Bearer sk_test_x' };
      const answer = await fetch(`${control.worldUrl}/stripe/v1/checkout/sessions/${id}`, { headers });
      const { status, payment_status: paid } = (await answer.json()) as { [field: string]: unknown };
      return { status, paid };
    };

    await t.test(
      'a hosted checkout is paid at the world’s place, and the shop’s own page follows',
      async t => {
        const context = await browser.newContext();
        // The shop is none of the world's; where the person is sent is what matters.
        await context.route(`${SHOP}**`, route => route.fulfill({ body: 'thanks' }));
        const page = await context.newPage();
        await page.goto(place);
        await page.getByRole('heading', { name: 'Timeline' }).waitFor();
        const faults = faultsOf(page);
        const { id, url } = await checkout(world);
        await page.goto(at(url));
        await page.getByText('Mug <b>& × 2').waitFor();
        await pay(page, '4000 0000 0000 0002');
        await page.getByText('declined').waitFor();
        t.same(await stateOf(id), { status: 'open', paid: 'unpaid' }, 'a declined card pays nothing');
        await page.screenshot({ path: join(pictures, 'checkout-declined.png') });
        await pay(page, '4242 4242 4242 4242');
        await page.waitForURL(`${SHOP}?session=${id}`);
        t.same(await stateOf(id), { status: 'complete', paid: 'paid' });
        const { entries } = (await (await ask('timeline')).json()) as {
          readonly entries: readonly { readonly entry: { readonly kind: string } }[];
        };
        const kinds = entries.map(({ entry }) => entry.kind);
        t.ok(kinds.includes('checkout.session.completed'));
        t.strictSame(
          faults.filter(text => !/status of 402/.test(text)),
          [],
        );
        await context.close();
      },
    );

    await t.test('[5.3-5] a read session opens the page, and pays nothing', async t => {
      const made = (await (await ask('keys', 'POST', { name: 'guest', scope: 'read' })).json()) as {
        key: string;
      };
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${place}#key=${made.key}`);
      await page.getByText('reads only').waitFor();
      const { id, url } = await checkout(world);
      await page.goto(at(url));
      await page.getByText('Total').waitFor();
      await pay(page, '4242 4242 4242 4242');
      await page.waitForLoadState();
      t.same(await stateOf(id), { status: 'open', paid: 'unpaid' });
      await context.close();
    });

    await t.test(
      'at the vendor’s own address, through the world’s proxy, with no session at all',
      async t => {
        // The authority of a test's world is not in the system's store.
        const context = await browser.newContext({
          proxy: { server: control.proxyUrl! },
          ignoreHTTPSErrors: true,
        });
        await context.route(`${SHOP}**`, route => route.fulfill({ body: 'thanks' }));
        const page = await context.newPage();
        const { id, url } = await checkout(world);
        t.match(url, /^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_test_/);
        await page.goto(url);
        await pay(page, '4242 4242 4242 4242');
        await page.waitForURL(`${SHOP}?session=${id}`);
        t.same(await stateOf(id), { status: 'complete', paid: 'paid' });
        await context.close();
      },
    );

    await t.test('it can be read, in light and dark, wide and narrow', async t => {
      const { url } = await checkout(world);
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1100, 400]) {
          const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
          const page = await context.newPage();
          await page.goto(place);
          await page.getByRole('heading', { name: 'Timeline' }).waitFor();
          await page.goto(at(url));
          t.strictSame(await poorlyReadable(page), [], `${colorScheme}, ${width}`);
          await page.screenshot({ path: join(pictures, `checkout-${colorScheme}-${width}.png`) });
          await context.close();
        }
      }
    });
  },
);
