// `node bench/page-large.ts [entries]`: the page of a world with 100,000 entries, in a real Chromium: when the first view is there,
// and the longest that each view holds up the browser (a task of more than 50 ms is one that people notice), while more is written.
// Some minutes, most of them to write the entries; nothing here asserts.
import type { Page } from 'playwright-core';
import { launchChromium } from '../test/browser/opened-world.ts';
import { type PageWorld, pageOf, withPageWorld } from './page-world.ts';

const ENTRIES = Number(process.argv[2] ?? 100_000);
const AT_ONCE = 16;
const LOADS = 9;
/** How long each view is looked at while the world is written to. */
const LOOK_MS = 3_000;
const WRITE_EVERY_MS = 20;

async function write({ worldUrl, token }: PageWorld, name: string): Promise<void> {
  const answer = await fetch(`${worldUrl}/stripe/v1/customers`, {
    method: 'POST',
    headers: { 'x-twins-key': token, authorization: 'Bearer sk_test_bench' },
    body: new URLSearchParams({ name, email: `${name.replaceAll(' ', '.')}@b.test` }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${answer.status}`);
}

async function fill(world: PageWorld): Promise<void> {
  let nth = 0;
  const writer = async (): Promise<void> => {
    while (nth < ENTRIES) await write(world, `Customer ${nth++}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, writer));
}

/** Noted by the page itself, from before its first script. */
const WATCH = `
  globalThis.tasks = [];
  new PerformanceObserver(list => tasks.push(...list.getEntries().map(each => each.duration))).observe({ type: 'longtask' });
  new MutationObserver((_, watcher) => {
    if (document.querySelector('main .timeline > li') === null) return;
    watcher.disconnect();
    globalThis.firstView = performance.now();
  }).observe(document, { childList: true, subtree: true });
`;

async function firstViews(page: Page): Promise<void> {
  const times: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    await page.reload();
    await page.locator('main .timeline > li').first().waitFor();
    times.push((await page.evaluate('firstView')) as number);
  }
  times.sort((a, b) => a - b);
  const [median = 0, worst = 0] = [times[Math.floor(LOADS / 2)], times.at(-1)];
  console.log(
    `first view: ${median.toFixed(0)} ms in the middle of ${LOADS} loads, ${worst.toFixed(0)} ms at worst`,
  );
}

/** What somebody does in each view. */
const VIEWS: readonly (readonly [what: string, look: (page: Page) => Promise<unknown>])[] = [
  ['Timeline, 500 lines', page => go(page, 'timeline').then(() => older(page, 9, 'main .timeline > li'))],
  [
    'Records, 500 rows',
    page => go(page, 'records?twin=stripe&type=customer').then(() => older(page, 9, 'main tbody tr')),
  ],
  [
    'Find, all looked through',
    page =>
      go(page, 'find?text=nowhere').then(() =>
        page
          .getByText(/^None found; all/)
          .nth(1)
          .waitFor({ timeout: 0 }),
      ),
  ],
  [
    'Find, an email',
    page =>
      go(page, `find?text=customer.${Math.floor(ENTRIES / 2)}@b.test`).then(() =>
        page
          .getByText(/^1 found; all/)
          .first()
          .waitFor({ timeout: 0 }),
      ),
  ],
  ['Requests', page => go(page, 'requests').then(() => page.locator('.requests > li').first().waitFor())],
  ['As of an hour ago', page => go(page, `timeline?at=${new Date(Date.now() - 3_600_000).toISOString()}`)],
];

const go = (page: Page, view: string): Promise<unknown> => page.evaluate(`location.hash = '#${view}'`);

async function older(page: Page, times: number, rows: string): Promise<void> {
  await page.locator(rows).first().waitFor();
  for (let nth = 0; nth < times; nth++) {
    const count = await page.locator(rows).count();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.locator(rows).nth(count).waitFor();
  }
}

await withPageWorld(async world => {
  const from = performance.now();
  await fill(world);
  console.log(`${ENTRIES} entries written in ${((performance.now() - from) / 1000).toFixed(0)} s`);
  const browser = await launchChromium();
  const ends = new AbortController();
  try {
    const page = await browser.newPage();
    await page.addInitScript(WATCH);
    await page.goto(pageOf(world));
    await page.locator('main .timeline > li').first().waitFor();
    await firstViews(page);
    const writing = (async () => {
      for (let nth = 0; !ends.signal.aborted; nth++) {
        await write(world, `New ${nth}`);
        await new Promise(done => setTimeout(done, WRITE_EVERY_MS));
      }
    })();
    for (const [what, look] of VIEWS) {
      await page.evaluate('tasks.length = 0');
      const began = performance.now();
      await look(page);
      const took = performance.now() - began;
      await page.waitForTimeout(LOOK_MS);
      const tasks = (await page.evaluate('tasks')) as number[];
      const told =
        tasks.length === 0
          ? 'none over 50 ms'
          : `${tasks.length} over 50 ms, the longest ${Math.max(...tasks)} ms`;
      console.log(`  ${what.padEnd(26)} ${told} (${(took / 1000).toFixed(1)} s)`);
    }
    ends.abort();
    await writing;
  } finally {
    ends.abort();
    await browser.close();
  }
});
