// The page's requests in a real Chromium: each as it happens, what one was asked and answered, and steady while somebody
// reads. Run by `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { inaccessible } from './accessible.ts';
import { faultsOf, type OpenedWorld, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

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

async function looksRight(t: Test, page: Page, name: string, pictures: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1100, 380]) {
      await page.setViewportSize({ width, height: 900 });
      t.strictSame(await poorlyReadable(page), [], `${name}, ${colorScheme}, ${width}`);
      await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
    t.strictSame(await inaccessible(page), [], `${name}, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 1100, height: 900 });
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
});
