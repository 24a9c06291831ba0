// Two more errands at the world's page (docs/page.md): what a run of a test changed, and where something is that somebody has
// only a word or an id of.
import t from 'tap';
import { looksRight } from './accessible.ts';
import { faultsOf, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM } from './readable.ts';

const skip = CHROMIUM === undefined ? 'no Chromium is installed' : false;

t.test('finding things at the world’s page', { skip, timeout: 280_000 }, async t => {
  const world = await openBrowserWorld(t);
  const { browser, place, pictures, stripe } = world;
  await stripe('/v1/customers', { name: 'Before Everything', email: 'before@b.test' });
  const opened = (await (await world.ask('runs', 'POST', {})).json()) as { name: string };
  const ada = await stripe('/v1/customers', { name: 'Ada Lovelace', email: 'ada@b.test' });
  await stripe(`/v1/customers/${ada['id']}`, { 'metadata[desk]': 'northern window' });
  await stripe('/v1/products', { name: 'Gold' });
  await stripe('/v1/charges', { amount: '1900', currency: 'eur', source: 'tok_none' }).catch(() => {});
  await world.ask(`runs/${opened.name}`, 'DELETE');
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 } });
  t.teardown(() => context.close());

  await t.test('[4.4] what did this test run change: one click', async t => {
    // The next thing happens in a later millisecond than the run's end.
    const { runs } = (await (await world.ask('runs')).json()) as { runs: { closedAt: string }[] };
    while (Date.now() <= Date.parse(runs[0]!.closedAt)) await new Promise(setImmediate);
    await stripe('/v1/customers', { name: 'After Everything', email: 'after@b.test' });
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(place);
    await page.getByRole('link', { name: 'What changed' }).click();
    const main = page.locator('main');
    const line = main.locator('summary', { hasText: 'created customer “Ada Lovelace”' });
    await line.waitFor();
    t.equal(await main.getByText(/Before Everything|After Everything/).count(), 0, 'of that run alone');
    await line.click();
    await main.getByRole('cell', { name: 'metadata.desk' }).waitFor();
    t.match(
      await main.getByRole('row', { name: 'POST /v1/charges' }).innerText(),
      /stripe, modelled\s+1\s+1/,
    );
    await looksRight(t, page, 'report', pictures);
    await page.getByLabel('By').selectOption('all');
    await main.getByText('created customer “After Everything”').waitFor();
    t.match(page.url(), /#report\?run=all$/);
    await main.locator('summary', { hasText: 'created customer “Ada Lovelace”' }).click();
    await main.getByRole('link', { name: 'The record and its history' }).first().click();
    await page.getByRole('heading', { name: 'customer Ada Lovelace' }).waitFor();
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test(
    '[4.9] a word finds records and entries, by the keyboard alone, and the view is an address',
    async t => {
      const page = await context.newPage();
      const faults = faultsOf(page);
      await page.goto(place);
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('ada northern');
      await page.keyboard.press('Enter');
      const main = page.locator('main');
      await main.getByRole('link', { name: 'customer Ada Lovelace' }).waitFor();
      t.match(page.url(), /#find\?text=ada\+northern$/);
      await main
        .getByText(/^1 found; all \d+ were looked through\.$/)
        .nth(1)
        .waitFor();
      t.equal(await main.locator('.timeline > li').count(), 1, 'the entry that named the desk');
      await looksRight(t, page, 'find', pictures);

      await page.goto(`${place}#find?text=${ada['id']}`);
      await main.getByRole('link', { name: 'customer Ada Lovelace' }).waitFor();
      t.match(
        await main.locator('tbody tr').first().innerText(),
        /customer Ada Lovelace/,
        'the id itself first',
      );

      await page.goto(`${place}#find?kind=product&text=gold`);
      await main.locator('.timeline > li').waitFor();
      t.equal(await main.getByRole('heading', { name: 'Records' }).count(), 0, 'a kind is of entries alone');
      t.equal(await page.getByLabel('Kind of entry').inputValue(), 'product');
      await page.getByLabel('Text or id').fill('nowhere');
      await page.getByLabel('Text or id').press('Enter');
      await main.getByText(/^None found; all \d+ were looked through\.$/).waitFor();
      t.strictSame(faults, []);
      await page.close();
    },
  );

  await t.test('[4.9] what is new waits until somebody asks for it', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#find?kind=product`);
    const lines = page.locator('main .timeline > li');
    await lines.first().waitFor();
    await stripe('/v1/products', { name: 'Silver' });
    const news = page.getByRole('button', { name: '1 new' });
    await news.waitFor();
    t.equal(await lines.count(), 1, 'nothing moves');
    await news.click();
    await lines.nth(1).waitFor();
    t.match(await lines.first().innerText(), /product Silver/);
    t.equal(await news.isVisible(), false);
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[5.3-6] whoever reads only finds as much', async t => {
    const made = await world.ask('keys', 'POST', { name: 'guest', scope: 'read' });
    const { key } = (await made.json()) as { key: string };
    const guest = await browser.newContext();
    const page = await guest.newPage();
    await page.goto(`${place}#key=${key}`);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    for (const view of ['find?text=lovelace', `report?run=${opened.name}`]) {
      await page.goto(`${place}#${view}`);
      const found = page.locator('main').getByText('Ada Lovelace').first();
      await found.waitFor();
      t.ok(await found.isVisible(), view);
    }
    await guest.close();
  });
});
