// `wrld world run -- <browser>` and `wrld world browser`: a real browser, with a profile of its own, believes the world's
// twins and shows its refusals. Run by `npm run test:browser`.
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import t from 'tap';
import { command, openWorlds, startUp, wrld, wrldWords } from '../kit/command-line.ts';
import { CHROMIUM } from './readable.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);
const skip = CHROMIUM === undefined ? 'no Chromium is installed' : false;
const profiles = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter(name => name.startsWith('wrld-browser-')).sort();

t.test(
  'a Chromium that is run in the world: a twin’s answer, a refusal as a page, no profile left',
  { skip },
  async t => {
    const folder = await worlds.make('run');
    const before = await profiles();
    const dump = (url: string) =>
      command(
        wrldWords('world', 'run', '--', CHROMIUM!, '--headless', '--disable-gpu', '--dump-dom', url),
        folder,
      );
    const twin = await dump('https://api.stripe.com/v1/customers');
    t.notMatch(twin.err, /CERT/);
    t.notMatch(twin.err, /wrld: refused/, 'the browser’s own errands are off');
    const refused = await dump('https://shop.example/a');
    t.match(refused.out, /id="wrld-world-refusal"/);
    t.match(refused.err, /wrld: refused to Mozilla\/5\.0 \[not-granted\]: GET https:\/\/shop\.example\/a /);
    t.strictSame(await profiles(), before);
  },
);

t.test('a Chromium of a test’s own, by the switches that are printed', { skip }, async t => {
  const folder = await worlds.make('args');
  const none = await wrld(folder, 'world', 'browser', '--args');
  t.match(none, { code: 1, err: /no world with a proxy is up/ });
  await using _up = await startUp(folder);
  const printed = await wrld(folder, 'world', 'browser', '--args');
  const args = JSON.parse(printed.out) as string[];
  t.match(
    args.join(' '),
    /--proxy-server=http:\/\/127\.0\.0\.1:\d+ --ignore-certificate-errors-spki-list=[\w+/]{43}= /,
  );
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox', ...args] });
  t.teardown(() => browser.close());
  const page = await browser.newPage({ extraHTTPHeaders: { authorization: 'Bearer sk_test_x' } });
  const answer = await page.goto('https://api.stripe.com/v1/customers');
  t.equal(answer?.status(), 200);
  t.match(await page.textContent('body'), /"url": "\/v1\/customers"/);
});

t.test('what is no browser is told', async t => {
  const folder = await worlds.make('none');
  t.match(await wrld(folder, 'world', 'browser', '--with', join('/usr/bin', 'env')), {
    code: 2,
    err: /env is no browser that is known here/,
  });
});
