// The fixtures of `wrld/playwright` as a runner of Playwright's uses them, with a Chromium beside the world.
import { type BrowserContextOptions, chromium } from 'playwright-core';
import t from 'tap';
import { type BrowserWorld, worldFixtures } from '../../authoring/playwright.ts';
import { profileCookie } from '../kit/opened-sites.ts';
import { CHROMIUM } from './readable.ts';

t.test(
  'a page in the world, and a test that fails shows its story',
  { skip: CHROMIUM === null ? 'no Chromium here' : false },
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
          { workerWorld: suite },
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
      await t.rejects(opened.browserContext(browser, { profile: 'bob' }), {
        message: /no browser of that name/,
      });
    });
    t.match(attached[0], /The world of “a page”:\n {2}refused by the world:/);
  },
);
