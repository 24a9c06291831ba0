// `node bench/page.ts`: what a page that somebody keeps open costs control, on a world that is asked all the time. The same
// traffic with each of two views in a real Chromium, and in between with the tab hidden, which asks for nothing; control's CPU as
// the kernel counts it. Under a minute; nothing here asserts.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { launchChromium } from '../test/browser/opened-world.ts';
import { type PageWorld, pageOf, withPageWorld } from './page-world.ts';

const WINDOW_MS = 6_000;
/** Until what answers is compiled. */
const WARM_MS = 6_000;
/** To be rid of what opening a page costs. */
const SETTLE_MS = 1_500;
/** A request to a twin every so often; every tenth goes past the twins and is refused. */
const EVERY_MS = 10;
/** The kernel's clock of processes, as every Linux has it. */
const TICK_MS = 10;

async function measure(world: PageWorld): Promise<void> {
  const ends = new AbortController();
  const traffic = ask(world, ends.signal);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(pageOf(world));
    await page.locator('main h2').waitFor();
    await pause(WARM_MS);
    const shares: number[] = [];
    for (const [, look] of LOOKS) {
      await look(page);
      await pause(SETTLE_MS);
      const before = cpuMs(world.pid);
      const from = performance.now();
      await pause(WINDOW_MS);
      shares.push((cpuMs(world.pid) - before) / (performance.now() - from));
    }
    console.log(`${1000 / EVERY_MS} requests a second at most; control's share of a core:`);
    for (const [nth, [what]] of LOOKS.entries()) {
      const share = shares[nth]!;
      // Beside those with a hidden tab before and after it: the world is not the same a minute later.
      const without = (shares[nth - 1] ?? share) / 2 + (shares[nth + 1] ?? share) / 2;
      const more = nth % 2 === 1 ? `, ${percent(share - without)} more` : '';
      console.log(`  ${what.padEnd(12)} ${percent(share)}${more}`);
    }
  } finally {
    await browser.close();
    ends.abort();
    await traffic;
  }
}

/** In the order they are measured, every other one hidden; what is asked of the page before. */
const LOOKS: readonly (readonly [what: string, look: (page: Page) => Promise<unknown>])[] = [
  ['hidden', page => setHidden(page, true)],
  ['Timeline', page => setHidden(page, false)],
  ['hidden', page => setHidden(page, true)],
  ['Requests', page => setHidden(page, false).then(() => page.evaluate("location.hash = '#requests'"))],
  ['hidden', page => setHidden(page, true)],
];

/** A headless browser shows every tab. */
const setHidden = (page: Page, hidden: boolean): Promise<unknown> =>
  page.evaluate(
    `Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
  );

async function ask({ worldUrl, proxyUrl, token }: PageWorld, ends: AbortSignal): Promise<void> {
  const headers = { 'x-twins-key': token, authorization: 'Bearer sk_test_bench' };
  const asked: Promise<unknown>[] = [];
  for (let nth = 0; !ends.aborted; nth++) {
    if (nth % 10 === 0) asked.push(refused(proxyUrl));
    else if (nth % 5 === 0)
      asked.push(
        fetch(`${worldUrl}/stripe/v1/customers`, {
          method: 'POST',
          headers,
          body: new URLSearchParams({ name: 'Ada' }),
        }).then(drain),
      );
    else asked.push(fetch(`${worldUrl}/stripe/v1/customers?limit=1`, { headers }).then(drain));
    if (asked.length > 100) await asked.shift();
    await pause(EVERY_MS);
  }
  await Promise.all(asked);
}

const drain = (answer: Response): Promise<unknown> => answer.arrayBuffer();

function refused(proxyUrl: string): Promise<void> {
  const { hostname, port } = new URL(proxyUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: 'http://rates.test/v1', headers: { host: 'rates.test' } }, answer => {
      answer.resume().on('end', () => resolve());
    })
      .on('error', reject)
      .end();
  });
}

function cpuMs(pid: number): number {
  const told = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = told
    .slice(told.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * TICK_MS;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

await withPageWorld(measure);
