// The fixtures of `wrld/playwright` as a runner of Playwright's uses them, with a Chromium beside the world.
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import t from 'tap';
import { type BrowserWorld, worldFixtures } from '../../authoring/playwright.ts';
import { profileCookie } from '../kit/opened-sites.ts';
import { CHROMIUM } from './readable.ts';

/** Local storage, and a database with keys and indexes of each kind and values that JSON has not. */
const SIGNS_IN = `(async () => {
  localStorage.setItem('ключ', '</script>"\\n');
  const asked = indexedDB.open('shop', 3);
  asked.onupgradeneeded = () => {
    const carts = asked.result.createObjectStore('carts', { keyPath: 'id', autoIncrement: true });
    carts.createIndex('by tag', 'tags', { multiEntry: true });
    carts.createIndex('by both', ['id', 'at'], { unique: true });
    asked.result.createObjectStore('loose');
  };
  const db = await new Promise(resolve => { asked.onsuccess = () => resolve(asked.result); });
  const change = db.transaction(['carts', 'loose'], 'readwrite');
  change.objectStore('carts').put({ at: new Date('2030-01-01'), tags: ['a', 'b'], bytes: new Uint8Array([1, 2, 3]) });
  change.objectStore('loose').put('plain', 'key');
  await new Promise(resolve => { change.oncomplete = resolve; });
  db.close();
})()`;

const READS = `(async () => {
  const asked = indexedDB.open('shop', 3);
  const db = await new Promise(resolve => { asked.onsuccess = () => resolve(asked.result); });
  const look = db.transaction(['carts', 'loose']);
  const got = request => new Promise(resolve => { request.onsuccess = () => resolve(request.result); });
  const carts = look.objectStore('carts');
  const { at, bytes, ...cart } = await got(carts.index('by tag').get('b'));
  return [{ ...cart, at: at.toISOString(), bytes: [...bytes] }, await got(carts.index('by both').count()), await got(look.objectStore('loose').get('key'))];
})()`;

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** The order of cookies is the browser's own. */
function sorted({ cookies, origins }: State): State {
  return { origins, cookies: [...cookies].sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

t.test(
  'a page in the world, and a test that fails shows its story',
  { skip: CHROMIUM === undefined ? 'no Chromium is installed' : false },
  async t => {
    const { workerWorld, world, contextOptions } = worldFixtures({ twins: ['stripe'], install: false });
    const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
    t.teardown(() => browser.close());
    const attached: string[] = [];
    const info = {
      title: 'a page',
      status: 'failed',
      expectedStatus: 'passed',
      attach: async (_name: string, { body }: { readonly body: string }) => void attached.push(body),
    };
    const whole = async (
      work: (world: BrowserWorld, options: BrowserContextOptions) => Promise<void>,
    ): Promise<void> =>
      workerWorld[0]({}, suite =>
        world(
          { workerWorld: suite, browser },
          opened =>
            contextOptions({ contextOptions: { locale: 'de' }, world: opened }, options =>
              work(opened, options),
            ),
          info,
        ),
      );
    await whole(async (opened, options) => {
      t.match(options, { locale: 'de', proxy: { server: opened.proxyUrl }, ignoreHTTPSErrors: true });
      const context = await opened.browserContext(browser);
      const page = await context.newPage();
      const answer = await page.goto('https://api.elsewhere.example/');
      t.equal(answer?.status(), 502);
      t.match(await page.content(), 'wrld-world-refusal');
      const twin = await page.request.get('https://api.stripe.com/v1/customers', {
        headers: { authorization: 'Bearer sk_test_x' },
      });
      t.equal(twin.status(), 200);
      await context.close();

      const put = (name: string, profile: object) =>
        fetch(new URL(`/-/${opened.name}/browsers/${name}`, opened.url), {
          method: 'PUT',
          headers: { 'x-wrld-token': opened.token, 'content-type': 'application/json' },
          body: JSON.stringify(profile),
        });
      const cookies = [profileCookie('who', 'ada', { domain: '.stripe.com' })];
      const origins = [
        { origin: 'https://dashboard.stripe.com', localStorage: [{ name: 'theme', value: 'dark' }] },
      ];
      t.equal(
        (await put('ada', { storageState: { cookies, origins }, context: { locale: 'fr-FR' } })).status,
        200,
      );
      const ada = await opened.browserContext(browser, { profile: 'ada' });
      const dashboard = await ada.newPage();
      await dashboard.goto('https://dashboard.stripe.com/test');
      t.strictSame(
        await dashboard.evaluate('[document.cookie, localStorage.theme, navigator.language]'),
        ['who=ada', 'dark', 'fr-FR'],
        '[4.3-11] the vendor’s own page, as that browser of the world has it',
      );
      await ada.close();
      const named = await opened.browserContext('ada', { locale: 'de-DE' });
      const page2 = await named.newPage();
      await page2.goto('https://dashboard.stripe.com/test');
      t.strictSame(
        await page2.evaluate('[document.cookie, localStorage.theme, navigator.language]'),
        ['who=ada', 'dark', 'de-DE'],
        '[4.3-11] the name alone; what a test wants otherwise it says besides',
      );
      const missing = { message: /no browser of that name/ };
      await t.rejects(opened.browserContext('bob'), missing);
      await t.rejects(opened.browserContext(browser, { profile: 'bob' }), missing);

      // Whatever Playwright keeps of a context comes back the same: through the world, and into another context.
      const signed = await opened.browserContext(browser);
      const shop = await signed.newPage();
      await shop.goto('https://dashboard.stripe.com/test');
      await shop.evaluate(SIGNS_IN);
      const each = { path: '/', expires: -1, httpOnly: false, secure: true } as const;
      await signed.addCookies([
        { ...each, name: 'host', value: 'with spaces', domain: 'dashboard.stripe.com', sameSite: 'Strict' },
        { ...each, name: 'later', value: 'x', domain: '.stripe.com', expires: 4_102_444_800, path: '/v1' },
        { ...each, name: 'none', value: '', domain: 'api.stripe.com', httpOnly: true, sameSite: 'None' },
      ]);
      await opened.keepBrowser('carol', signed, { locale: 'nn-NO' });
      const before = await signed.storageState({ indexedDB: true });
      t.match(before.origins[0], { indexedDB: [{ name: 'shop', version: 3 }] });
      await signed.close();
      const carol = await opened.browserContext('carol');
      const back = await carol.newPage();
      await back.goto('https://dashboard.stripe.com/test');
      t.strictSame(sorted(await carol.storageState({ indexedDB: true })), sorted(before));
      t.equal(await back.evaluate('navigator.language'), 'nn-NO');
      t.strictSame(await back.evaluate(READS), [
        { id: 1, at: '2030-01-01T00:00:00.000Z', tags: ['a', 'b'], bytes: [1, 2, 3] },
        1,
        'plain',
      ]);
      await opened.keepBrowser('carol', carol);
      const again = await opened.browserContext('carol');
      t.equal(await (await again.newPage()).evaluate('navigator.language'), 'nn-NO', 'its settings stay');
    });
    t.match(attached[0], /The world of “a page”:\n {2}refused by the world:/);
  },
);
