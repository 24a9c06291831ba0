// The page's requests in a real Chromium: each as it happens, what one was asked and answered, and steady while somebody
// reads. Run by `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { inaccessible, looksRight } from './accessible.ts';
import { faultsOf, type OpenedWorld, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM } from './readable.ts';

const skip = CHROMIUM === undefined ? 'no Chromium is installed' : false;

/** Through the world's proxy; resolves to the status. */
function throughProxy({ control }: OpenedWorld, url: string): Promise<number | undefined> {
  const { hostname, port } = new URL(control.proxyUrl);
  const headers = { host: new URL(url).host };
  return new Promise((resolve, reject) => {
    get({ hostname, port, path: url, headers, agent: false }, answer => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });
}

/** A server of this machine that the world is granted, by another name. */
async function grantedOrigin(t: Test): Promise<string> {
  const origin = createServer((_request, response) => response.end('rates'));
  await new Promise<void>(resolve => origin.listen(0, '127.0.0.1', resolve));
  t.teardown(() => origin.close());
  return `http://rates.test:${(origin.address() as AddressInfo).port}`;
}

t.test('requests at the world’s page', { skip, timeout: 280_000 }, async t => {
  const world = await openBrowserWorld(t);
  const { browser, stripe, place, pictures } = world;
  const origin = await grantedOrigin(t);
  await stripe('/v1/customers', { name: "Ada O'Hara", email: 'ada@b.test' });
  t.equal(await throughProxy(world, `${origin}/v1?key=1`), 502);
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 } });
  t.teardown(() => context.close());
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);

  await t.test('[4.9] a request is there as it happens, and opens by the keyboard alone', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#requests`);
    const rows = page.locator('.requests > li');
    const created = rows.filter({ hasText: 'POST api.stripe.com/v1/customers' });
    await created.waitFor();
    await rows.filter({ hasText: `GET rates.test/v1` }).filter({ hasText: 'not-granted' }).waitFor();
    await created.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    await created.getByText("Ada O'Hara").first().waitFor();
    await created.getByText('"object": "customer"').waitFor();
    t.notMatch(await created.innerText(), /sk_test_x/, 'no credential is sent to the page');
    await created.getByRole('button', { name: 'Copy as curl' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Copied; put your own credential').waitFor();
    await looksRight(t, page, 'requests', pictures);
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.9] what arrives while somebody reads waits, and a view is an address', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#requests`);
    const rows = page.locator('.requests > li');
    await rows.nth(1).waitFor();
    await rows.first().hover();
    const first = await rows.first().getAttribute('data-id');
    await stripe('/v1/products', { name: 'Gold' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    t.equal(await rows.first().getAttribute('data-id'), first, 'nothing moves under the pointer');
    t.equal(await throughProxy(world, `${origin}/v2`), 502);
    await page.getByRole('button', { name: '2 new' }).waitFor();
    t.pass('of what nobody tells, too');
    await page.getByRole('button', { name: '2 new' }).click();
    await rows.filter({ hasText: 'POST api.stripe.com/v1/products' }).waitFor();
    t.equal(await rows.count(), 4);
    await page.getByLabel('What became of it').selectOption('refused');
    await page.waitForURL(/#requests\?outcome=refused$/);
    await rows.filter({ hasText: '/v2' }).waitFor();
    t.equal(await rows.filter({ hasText: 'stripe' }).count(), 0);
    await page.getByLabel('In the address').fill('rates.test/v1');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/outcome=refused&text=rates\.test%2Fv1$/);
    await page.reload();
    await rows.filter({ hasText: 'rates.test/v1' }).waitFor();
    t.equal(await rows.count(), 1, 'whoever is sent the address sees the same');
    await page.getByText('As a table').click();
    await page.getByRole('columnheader', { name: 'p95 ms' }).waitFor();
    t.strictSame(await inaccessible(page), []);
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.9] a tab that is hidden asks for nothing, and goes on when it is seen', async t => {
    const page = await context.newPage();
    await page.goto(`${place}#requests`);
    const rows = page.locator('.requests > li');
    await rows.first().waitFor();
    const stop = page.waitForEvent('requestfailed', request => request.url().endsWith('/events'));
    await page.evaluate(hiddenAs(true));
    await stop;
    const asked: string[] = [];
    page.on('request', request => asked.push(request.url()));
    await stripe('/v1/coupons', { percent_off: '10' });
    // Longer than the page takes to ask by itself, by its own clock.
    await page.evaluate('new Promise(done => setTimeout(done, 2_500))');
    t.strictSame(asked, []);
    await page.evaluate(hiddenAs(false));
    await rows.filter({ hasText: '/v1/coupons' }).waitFor();
    t.pass('what happened meanwhile is there');
    await page.close();
  });

  await t.test('[5.3-6] whoever reads only sees requests, and how they were answered', async t => {
    const made = await world.ask('keys', 'POST', { name: 'reader', scope: 'read' });
    const { key } = (await made.json()) as { readonly key: string };
    const guest = await browser.newContext();
    const page = await guest.newPage();
    await page.goto(`${place}#key=${key}`);
    await page.getByText('reads only').waitFor();
    await page.getByRole('link', { name: 'Requests' }).click();
    const created = page.locator('.requests > li').filter({ hasText: 'POST api.stripe.com/v1/customers' });
    await created.locator('summary').first().click();
    await created.getByText('"object": "customer"').waitFor();
    const link = created.getByRole('link', { name: 'this request' });
    await link.click();
    await page.locator('.panel').getByText('"object": "customer"').waitFor();
    await page
      .locator('.panel')
      .getByRole('link', { name: /in the timeline$/ })
      .click();
    const line = page.locator('.timeline > li', { hasText: 'customer.created' });
    await line.waitFor();
    t.equal(await page.locator('.timeline > li').count(), 1, 'its trace alone');
    await guest.close();
  });
});

/** A headless browser shows every tab. */
const hiddenAs = (hidden: boolean): string =>
  `Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} }); document.dispatchEvent(new Event('visibilitychange'))`;
