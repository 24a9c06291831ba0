// The world's page where things are not at their best: a slow network, an answer that does not come, no mouse.
import type { Page, Request } from 'playwright-core';
import t from 'tap';
import { faultsOf, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM } from './readable.ts';

const skip = CHROMIUM === undefined ? 'no Chromium is installed' : false;

/** As a train has it. */
const SLOW = { offline: false, latency: 300, downloadThroughput: 60_000, uploadThroughput: 30_000 };

async function onSlowNetwork(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', SLOW);
}

t.test('the world’s page, steady', { skip, timeout: 280_000 }, async t => {
  const world = await openBrowserWorld(t);
  const { browser, place, stripe } = world;
  await stripe('/v1/customers', { name: 'Ada Lovelace' });
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 } });
  t.teardown(() => context.close());

  await t.test('on a slow network, what was left does not come back over what is looked at', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await onSlowNetwork(page);
    await page.goto(place);
    await page.locator('.timeline > li', { hasText: 'customer Ada Lovelace' }).waitFor();
    const views = page.getByRole('navigation', { name: 'Views' });
    for (const name of ['Records', 'Requests', 'Find', 'What changed', 'Webhooks'])
      await views.getByRole('link', { name, exact: true }).click();
    await page.locator('main').getByText('No webhook was sent.').first().waitFor();
    t.strictSame(await page.locator('main h2').allInnerTexts(), ['Webhooks']);
    t.equal(await views.locator('[aria-current=page]').innerText(), 'Webhooks');
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('an answer that does not come is told, and the page goes on with the next', async t => {
    const page = await context.newPage();
    const stories: Request[] = [];
    page.on('request', request => {
      if (request.url().includes('/story?')) stories.push(request);
    });
    await page.goto(place);
    await page.locator('.timeline > li').first().waitFor();
    await page.route('**/story?**', route => route.abort());
    // The page reads again once it is told of news: what it has asked for by now is still answered.
    for (const story of stories) await (await story.response())?.finished();
    await stripe('/v1/customers', { name: 'Grace Hopper' });
    await page.locator('#notice.bad').waitFor();
    t.not(await page.locator('#notice').innerText(), '');
    t.equal(await page.locator('.timeline > li').count(), 1, 'what was there stays');
    await page.unroute('**/story?**');
    await stripe('/v1/customers', { name: 'Mary Jackson' });
    await page.locator('.timeline > li', { hasText: 'customer Mary Jackson' }).waitFor();
    await page.locator('.timeline > li', { hasText: 'customer Grace Hopper' }).waitFor();
    t.pass('nothing is left out');
    await page.close();
  });

  await t.test(
    'by the keyboard alone: over the navigation, into a view, through a table to a record',
    async t => {
      const page = await context.newPage();
      const faults = faultsOf(page);
      await page.goto(place);
      await page.locator('.timeline > li').first().waitFor();
      const focused = () =>
        page.evaluate<string>(
          'document.activeElement?.textContent?.trim() || document.activeElement?.tagName',
        );
      const tabTo = async (text: string): Promise<void> => {
        for (let stops = 0; stops < 60; stops++) {
          await page.keyboard.press('Tab');
          if ((await focused()) === text) return;
        }
        throw new Error(`no ${text} within 60 stops`);
      };
      await page.keyboard.press('Tab');
      t.equal(await focused(), 'Skip to the content');
      await tabTo('Records');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'customer', exact: true }).waitFor();
      await tabTo('customer');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'customer Ada Lovelace' }).waitFor();
      await tabTo('customer Ada Lovelace');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'customer Ada Lovelace' }).waitFor();
      t.match(page.url(), /#records\?twin=stripe&type=customer&id=cus_/);
      t.strictSame(faults, []);
      await page.close();
    },
  );
});
