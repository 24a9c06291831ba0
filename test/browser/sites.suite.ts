// The vendors' sites in a real Chromium, at local addresses and at hosted ones behind TLS: opened from the world's page, two
// browsers side by side as two people, a profile replaced under an open tab, a site that calls another, a guest who reads,
// rotated tokens, and the board. Run by `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join, relative } from 'node:path';
import { createServer } from 'node:tls';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { bareWorld, hostDirectory, startHostQuietly } from '../kit/many-worlds.ts';
import { EMPTY_PROFILE, profileCookie } from '../kit/opened-sites.ts';
import { createTestAuthority } from '../kit/test-ca.ts';
import { faultsOf, launchChromium, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

const skip = CHROMIUM === undefined ? 'no Chromium is installed' : false;
const MODULE = new URL('../kit/site-twin.ts', import.meta.url).pathname;
const SITE = 'app.acme.test';

/** What the stories need of a world, wherever it is served. */
type Stage = {
  readonly browser: Browser;
  /** Of the world's own page. */
  readonly place: string;
  /** What `place` has behind its hash for somebody to get in; nothing on the machine that serves it. */
  readonly key: string;
  /** One of the world's endpoints, with its token. */
  ask(path: string, method?: string, body?: unknown): Promise<Response>;
  /** The origin of a copy: `ada--app-acme-test`. */
  originOf(label: string): string;
  readonly pictures: string | null;
};

async function local(t: Test): Promise<Stage> {
  const { control, browser, ask, place, pictures } = await openBrowserWorld(t, 'acme', MODULE);
  const { host } = new URL(control.ownOrigin!);
  return { browser, ask, place, key: '', originOf: label => `http://${label}.${host}`, pictures };
}

/** A host of many worlds, with what ends TLS in front of it. */
async function hosted(t: Test): Promise<Stage> {
  const directory = await hostDirectory(t);
  const { token } = await bareWorld(directory, 'acme/shop', []);
  const folder = join(directory, 'acme', 'shop');
  const services = { acme: { twin: relative(folder, MODULE) } };
  await writeFile(join(folder, '.wrld', 'world.json'), JSON.stringify({ name: 'acme/shop', services }));
  const authority = await createTestAuthority();
  let behind = 0;
  const front = createServer(await authority.leaf(['worlds.test', '*.worlds.test']), socket => {
    const inner = connect(behind, '127.0.0.1');
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port } = front.address() as AddressInfo;
  const baseUrl = `https://worlds.test:${port}`;
  const host = await startHostQuietly(directory, { baseUrl, suffix: '.worlds.test' });
  behind = Number(new URL(host.listensAt).port);
  const browser = await launchChromium([
    '--ignore-certificate-errors',
    '--host-resolver-rules=MAP *.worlds.test 127.0.0.1',
  ]);
  t.teardown(async () => {
    await browser.close();
    front.close();
    await host.close();
  });
  const own = `shop--acme.worlds.test:${port}`;
  const current = { token };
  const ask: Stage['ask'] = (path, method = 'GET', body) =>
    fetch(`${host.listensAt}/-/acme/shop/${path}`, {
      method,
      headers: { 'x-wrld-token': current.token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    browser,
    ask,
    place: `https://${own}/-/acme/shop/`,
    key: `#key=${token}`,
    originOf: label => `https://${label}--${own}`,
    pictures: null,
  };
}

/** A context that is signed in to the world, and its page. */
async function visitor(
  { browser, place, key }: Stage,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${place}${key}`);
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  return { context, page };
}

const go = ({ place }: Stage, browser: string | null, host = SITE): string =>
  `${place}sites/go?${new URLSearchParams({ host, ...(browser === null ? {} : { browser }) })}`;

const hello = (page: Page, who: string): Promise<void> =>
  page.getByRole('heading', { name: who, exact: true, level: 1 }).waitFor();

async function put({ ask }: Stage, name: string, profile: object): Promise<void> {
  const answer = await ask(`browsers/${name}`, 'PUT', profile);
  if (!answer.ok) throw new Error(await answer.text());
}

const person = (who: string, locale: string, theme: string) => ({
  storageState: {
    cookies: [profileCookie('who', who)],
    origins: [{ origin: `https://${SITE}`, localStorage: [{ name: 'theme', value: theme }] }],
  },
  context: { locale },
});

const kept = (page: Page): Promise<string> =>
  page.evaluate('JSON.stringify(localStorage)') as Promise<string>;

async function stories(t: Test, stage: Stage): Promise<void> {
  const { ask, originOf } = stage;
  await t.test('[4.3] somebody signs in at a vendor’s page, opened from the world’s', async t => {
    const { context, page } = await visitor(stage);
    const faults = faultsOf(page);
    await page.getByRole('link', { name: 'Pages', exact: true }).click();
    await page.getByRole('link', { name: SITE }).click();
    await hello(page, 'Nobody');
    t.equal(page.url(), `${originOf('app-acme-test')}/`);
    await page.getByLabel('Name').fill('Grace');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await hello(page, 'Hello Grace');
    t.equal(page.url(), `${originOf('app-acme-test')}/`, 'the form and its redirect stay at the address');
    t.strictSame(faults, []);
    await context.close();
  });

  await t.test('[4.3-4, 4.3-6] two browsers side by side are two people', async t => {
    await put(stage, 'ada', person('ada', 'fr-FR', '</script><b>dark'));
    await put(stage, 'bob', person('bob', 'nn-NO', 'light'));
    const { context, page } = await visitor(stage);
    const other = await context.newPage();
    await page.goto(go(stage, 'ada'));
    await other.goto(go(stage, 'bob'));
    await hello(page, 'Hello ada');
    await hello(other, 'Hello bob');
    t.equal(await page.locator('#language').innerText(), 'fr-FR');
    t.equal(await other.locator('#language').innerText(), 'nn-NO');
    t.equal(await kept(page), '{"theme":"</script><b>dark"}');
    t.equal(await kept(other), '{"theme":"light"}');
    await other.getByLabel('Name').fill('Robert');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await hello(other, 'Hello Robert');
    await page.reload();
    await hello(page, 'Hello ada');
    await other.goto(go(stage, 'bob'));
    await hello(other, 'Hello Robert');
    t.pass('what was loaded is not loaded again');
    await context.close();
  });

  await t.test('[4.3-5] a profile that is replaced while a tab is open', async t => {
    await put(stage, 'ada', person('ada', 'fr-FR', 'dark'));
    const { context, page } = await visitor(stage);
    await page.goto(go(stage, 'ada'));
    await hello(page, 'Hello ada');
    await page.evaluate('localStorage.setItem("draft", "ada’s own")');
    await put(stage, 'ada', {
      storageState: { cookies: [profileCookie('name', 'x')], origins: [] },
      context: {},
    });
    await page.goto(`${originOf('ada--app-acme-test')}/?again#place`);
    await hello(page, 'Nobody');
    t.match(page.url(), /\/\?again#place$/, 'at the page that was asked for');
    t.equal(await kept(page), '{}');
    const names = (await context.cookies(page.url())).map(({ name }) => name);
    t.ok(names.includes('name') && !names.includes('who'), names.join());
    await ask('browsers/ada', 'DELETE');
    await page.reload();
    await page.getByText('no browser “ada”').waitFor();
    await put(stage, 'ada', EMPTY_PROFILE);
    await page.reload();
    await hello(page, 'Nobody');
    t.notOk(
      (await context.cookies(page.url())).some(({ name }) => name === 'name'),
      'over a deletion too',
    );
    await context.close();
  });

  await t.test(
    '[4.3-8, 4.3-9] a site that calls another is refused, and each is opened by itself',
    async t => {
      await put(stage, 'ada', person('ada', 'fr-FR', 'dark'));
      const { context, page } = await visitor(stage);
      await page.goto(go(stage, 'ada', 'docs.acme.test'));
      await page.getByText('How to.').waitFor();
      const docs = originOf('ada--docs-acme-test');
      t.equal(page.url(), `${docs}/start`);
      await page.goto(go(stage, 'ada'));
      await hello(page, 'Hello ada');
      const refused = page.waitForResponse(`${docs}/start?x`);
      const world = new URL(stage.place).origin;
      const called = await page.evaluate(`Promise.all([
        fetch('${docs}/start?x', { mode: 'no-cors', credentials: 'include' }).then(({ type }) => type),
        fetch('${docs}/start?y', { credentials: 'include' }).catch(() => 'refused'),
        fetch('${world}/-/acme/shop/clock', { credentials: 'include' }).catch(() => 'refused'),
      ])`);
      t.equal((await refused).status(), 403);
      t.strictSame(called, ['opaque', 'refused', 'refused'], 'nor does the world answer a page of a site');
      await page.getByRole('link', { name: 'Docs' }).click();
      await page.getByText('How to.').waitFor();
      t.pass('who opened both goes from one to the other by a link');

      await put(stage, 'eve', EMPTY_PROFILE);
      await page.goto(go(stage, 'eve'));
      await hello(page, 'Nobody');
      await page.getByRole('link', { name: 'Docs' }).click();
      await page.getByRole('heading', { name: 'docs.acme.test is not open here' }).waitFor();
      t.strictSame(await poorlyReadable(page), []);
      await page.getByRole('link', { name: 'Open it as eve' }).click();
      await page.getByText('docs.acme.test/start as eve?').waitFor();
      await page.getByRole('link', { name: 'Open', exact: true }).click();
      await page.getByText('How to.').waitFor();
      t.equal(page.url(), `${originOf('eve--docs-acme-test')}/start`);
      const opening = page.waitForResponse(go(stage, 'bob'));
      await page.evaluate(`{
        const frame = document.createElement('iframe');
        frame.src = ${JSON.stringify(go(stage, 'bob'))};
        document.body.append(frame);
      }`);
      t.equal((await opening).status(), 403, 'no page of a site opens another browser’s');
      await context.close();
    },
  );

  await t.test(
    '[4.3-4, 4.3-7] two tabs at once, a page’s own bearer, and a redirect that leads out',
    async t => {
      await put(stage, 'ada', person('ada', 'fr-FR', 'dark'));
      const { context, page } = await visitor(stage);
      const other = await context.newPage();
      await Promise.all([page.goto(go(stage, 'ada')), other.goto(`${go(stage, 'ada')}&land=/?deep`)]);
      await Promise.all([hello(page, 'Hello ada'), hello(other, 'Hello ada')]);
      t.equal(other.url(), `${originOf('ada--app-acme-test')}/?deep`);
      const asked = await page.evaluate(
        `fetch('/api/me', { headers: { authorization: 'Bearer of the page' } }).then(answer => answer.json())`,
      );
      t.match(asked, { authorization: 'Bearer of the page', host: SITE, cookie: 'who=ada' });
      const left = page.waitForRequest('https://elsewhere.example/x?y=1');
      await page.goto(`${originOf('ada--app-acme-test')}/to/away`).catch(() => {});
      t.ok(await left, 'it is not the world’s, and stays what it is');
      await context.close();
    },
  );

  await t.test('[5.3-5, 5.3-6] a guest with a read-only key reads', async t => {
    await put(stage, 'ada', person('ada', 'fr-FR', 'dark'));
    const { key } = (await (await ask('keys', 'POST', { name: 'guest', scope: 'read' })).json()) as {
      key: string;
    };
    const { context, page } = await visitor({ ...stage, key: `#key=${key}` });
    await page.getByText('reads only').waitFor();
    await page.goto(go(stage, 'ada'));
    await hello(page, 'Hello ada');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The credential reads only').waitFor();
    t.strictSame(await poorlyReadable(page), []);
    await context.close();
  });
}

async function boardStories(t: Test, stage: Stage): Promise<void> {
  const { ask, place, originOf, pictures } = stage;
  for (const name of ['ada', 'bob', 'eve']) await ask(`browsers/${name}`, 'DELETE');
  const frame = (page: Page, name: string) => page.frameLocator(`iframe[title="${name}"]`);

  await t.test('[4.3-10] the board, from no browser to two, as somebody arranged it', async t => {
    const { context, page } = await visitor(stage, { viewport: { width: 1280, height: 900 } });
    const faults = faultsOf(page);
    await page.getByRole('link', { name: 'Pages', exact: true }).click();
    await page.getByRole('link', { name: 'All of them on a board' }).click();
    await frame(page, SITE).getByRole('heading', { name: 'Nobody' }).waitFor();
    await page.getByRole('button', { name: `Width of ${SITE}: half` }).click();
    await page.getByRole('button', { name: `Width of ${SITE}: full` }).waitFor();
    const grip = page.getByRole('separator', { name: `Height of ${SITE}`, exact: true });
    await grip.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    t.equal(await grip.getAttribute('aria-valuenow'), '340');
    const box = (await grip.boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + 65, { steps: 4 });
    await page.mouse.up();
    t.equal(await grip.getAttribute('aria-valuenow'), '400', 'by hand as by key');
    await put(stage, 'ada', person('ada', 'fr-FR', 'dark'));
    await put(stage, 'bob', person('bob', 'nn-NO', 'light'));
    await page.reload();
    await frame(page, `${SITE} as ada`).getByRole('heading', { name: 'Hello ada' }).waitFor();
    await frame(page, `${SITE} as bob`).getByRole('heading', { name: 'Hello bob' }).waitFor();
    t.equal(
      await page.locator(`iframe[title="${SITE}"]`).count(),
      0,
      'no plain copy where each has an address',
    );
    t.equal(
      await page.getByRole('button', { name: `Width of ${SITE} as ada: full` }).count(),
      1,
      'the first one’s',
    );
    t.equal(await page.getByRole('button', { name: `Width of ${SITE} as bob: half` }).count(), 1);
    const order = () =>
      page
        .getByRole('region', { name: 'Browser bob' })
        .locator('iframe')
        .evaluateAll(all => all.map(each => (each as unknown as { title: string }).title));
    t.strictSame(await order(), [`${SITE} as bob`, 'docs.acme.test as bob']);
    const docs = frame(page, 'docs.acme.test as bob').locator('body');
    await docs.evaluate('globalThis.mark = "as it was"');
    const back = page.getByRole('button', { name: 'Move docs.acme.test as bob back' });
    await back.press('Enter');
    t.strictSame(await order(), ['docs.acme.test as bob', `${SITE} as bob`]);
    t.equal(await docs.evaluate('globalThis.mark'), 'as it was', 'what is moved is not loaded anew');
    t.equal(
      await page.evaluate('document.activeElement.getAttribute("aria-label")'),
      'Move docs.acme.test as bob back',
    );
    await frame(page, `${SITE} as bob`)
      .locator('body')
      .evaluate(`fetch('/api/notes', { method: 'POST', body: '{"text":"seen"}' })`);
    await page.locator('details.lately li', { hasText: 'acme' }).first().waitFor();
    await page.getByRole('region', { name: 'Browser ada' }).locator('summary').click();
    // The browser tells the page of it in a turn of its own.
    await page.evaluate(`new Promise(kept => {
      const look = () =>
        Object.values(localStorage).some(held => /"folded":{[^}]*true/.test(held)) ? kept() : requestAnimationFrame(look);
      look();
    })`);
    await page.reload();
    await frame(page, `${SITE} as bob`).getByRole('heading', { name: 'Hello bob' }).waitFor();
    t.strictSame(await order(), ['docs.acme.test as bob', `${SITE} as bob`], 'kept');
    t.equal(
      await page.getByRole('region', { name: 'Browser ada' }).locator('iframe').first().isVisible(),
      false,
    );
    await page.getByRole('button', { name: 'Arrange as at first' }).click();
    t.strictSame(await order(), [`${SITE} as bob`, 'docs.acme.test as bob']);
    t.strictSame(faults, []);
    await context.close();
  });

  await t.test('[4.3-10] the board can be read, in light and dark, wide and narrow', async t => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 380]) {
        const { context, page } = await visitor(stage, { colorScheme, viewport: { width, height: 900 } });
        await page.goto(`${place}board`);
        await frame(page, `${SITE} as ada`).getByRole('heading', { name: 'Hello ada' }).waitFor();
        t.strictSame(await poorlyReadable(page), [], `${colorScheme}, ${width}`);
        if (pictures !== null)
          await page.screenshot({
            path: join(pictures, `board-${colorScheme}-${width}.png`),
            fullPage: true,
          });
        await page.goto(`${place}#pages`);
        await page.getByRole('heading', { name: 'ada' }).waitFor();
        t.strictSame(await poorlyReadable(page), [], `the pages, ${colorScheme}, ${width}`);
        if (pictures !== null)
          await page.screenshot({ path: join(pictures, `pages-${colorScheme}-${width}.png`) });
        await context.close();
      }
  });

  await t.test('[5.3-1] rotated tokens end every site, and who may come in goes on', async t => {
    const { context, page } = await visitor(stage);
    await page.goto(go(stage, 'ada'));
    await hello(page, 'Hello ada');
    t.equal((await ask('rotate', 'POST')).status, 200);
    await page.reload();
    await page.getByRole('heading', { name: `${SITE} is not open here` }).waitFor();
    t.equal(page.url(), `${originOf('ada--app-acme-test')}/`);
    await page.getByRole('link', { name: 'Open it as ada' }).click();
    if (stage.key !== '') {
      await page.getByLabel('Token, or a read-only key').waitFor();
      t.pass('elsewhere than on this machine a token is asked for');
      return context.close();
    }
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await hello(page, 'Hello ada');
    await context.close();
  });
}

/** Elsewhere a host serves branches at addresses of their own, and no world is reset. */
async function otherWorlds(t: Test, stage: Stage): Promise<void> {
  await t.test(
    '[2.5] a branch begins with the browsers of its world, and a reset loads them anew',
    async t => {
      const { ask, place } = stage;
      await put(stage, 'ada', person('ada', 'fr-FR', 'dark'));
      const made = (await (await ask('branches', 'POST', { label: 'try' })).json()) as {
        readonly name: string;
      };
      const branch = made.name.split('/')[1]!;
      const there = place.replaceAll('shop', branch);
      const { context, page } = await visitor({ ...stage, place: there });
      await page.goto(go({ ...stage, place: there }, 'ada'));
      await hello(page, 'Hello ada');
      t.match(page.url(), `http://ada--app-acme-test.${branch}--acme.localhost:`);
      await page.getByLabel('Name').fill('Bea');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await hello(page, 'Hello Bea');
      t.equal((await ask(`branches/${made.name}`, 'DELETE')).status, 204);
      await page.goto(place);
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await page.goto(go(stage, 'ada'));
      await hello(page, 'Hello ada');
      await page.getByLabel('Name').fill('Robert');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await hello(page, 'Hello Robert');
      t.equal((await ask('reset', 'POST', {})).status, 200);
      await page.reload();
      await hello(page, 'Hello ada');
      await context.close();
    },
  );
}

t.test(
  '[4.3] Stripe’s dashboard as one person has it, and on to an invoice’s page',
  { skip, timeout: 120_000 },
  async t => {
    const { browser, ask, place, stripe, control } = await openBrowserWorld(t);
    const stage = { browser, ask, place, key: '', originOf: (label: string) => label, pictures: null };
    await put(stage, 'ada', EMPTY_PROFILE);
    const customer = await stripe('/v1/customers', { email: 'ada@example.com' });
    const invoice = await stripe('/v1/invoices', {
      customer: customer['id'],
      collection_method: 'send_invoice',
      days_until_due: '5',
    });
    await stripe('/v1/invoiceitems', {
      customer: customer['id'],
      invoice: invoice['id'],
      amount: '500',
      currency: 'usd',
    });
    await stripe(`/v1/invoices/${invoice['id']}/finalize`, {});
    const { context, page } = await visitor(stage);
    await page.goto(`${go(stage, 'ada', 'dashboard.stripe.com')}&land=/test/invoices/${invoice['id']}`);
    await page.getByRole('link', { name: /invoice\.stripe\.com/ }).click();
    await page.getByRole('link', { name: 'Open it as ada' }).click();
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { name: /^Invoice/ }).waitFor();
    const { host } = new URL(control.ownOrigin!);
    t.match(page.url(), `http://ada--invoice-stripe-com.${host}/i/`);
    await page.goto(`${place}board`);
    await page.frameLocator('iframe').getByRole('heading', { name: 'Home' }).waitFor();
    const titles = await page
      .locator('iframe')
      .evaluateAll(all => all.map(each => (each as unknown as { title: string }).title));
    t.strictSame(titles, ['dashboard.stripe.com as ada'], 'pages that are of something have no frame');
    await context.close();
  },
);

t.test(
  '[4.3-6, 4.9] two people pay at Stripe’s checkout, each in a browser of their own, and are back at the shop',
  { skip, timeout: 120_000 },
  async t => {
    const { browser, ask, place, stripe, control, pictures } = await openBrowserWorld(t);
    const stage = { browser, ask, place, key: '', originOf: (label: string) => label, pictures: null };
    const { host } = new URL(control.ownOrigin!);
    // The shop is none of the world's.
    const shop = 'http://localhost:9/thanks';
    const one = async (name: string, locale: string) => {
      await put(stage, name, { ...EMPTY_PROFILE, context: { locale } });
      const { url, id } = await stripe('/v1/checkout/sessions', {
        mode: 'payment',
        success_url: shop,
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': 'eur',
        'line_items[0][price_data][unit_amount]': '1900',
        'line_items[0][price_data][product_data][name]': `Ticket of ${name}`,
      });
      const { context, page } = await visitor(stage);
      await context.route(`${shop}**`, route => route.fulfill({ body: 'thanks' }));
      await page.goto(`${go(stage, name, 'checkout.stripe.com')}&land=${new URL(url!).pathname}`);
      await page.getByText(`Ticket of ${name}`).waitFor();
      return { id, page, context };
    };
    const [ada, bob] = await Promise.all([one('ada', 'en-GB'), one('bob', 'de-DE')]);
    t.match(ada.page.url(), `http://ada--checkout-stripe-com.${host}/c/pay/`);
    t.match(bob.page.url(), `http://bob--checkout-stripe-com.${host}/c/pay/`);
    await bob.page.screenshot({ path: join(pictures, 'site-checkout.png') });
    for (const { page } of [ada, bob]) {
      await page.getByLabel('Email').fill('a@b.test');
      await page.getByLabel('Card number').fill('4242 4242 4242 4242');
      await page.getByLabel('Expiry').fill('12 / 40');
      await page.getByLabel('CVC').fill('123');
      await page.getByLabel('Name on card').fill('A. Person');
    }
    await bob.page.getByRole('button', { name: /^Pay/ }).click();
    await bob.page.waitForURL(shop);
    const paid = async (id: string | undefined) =>
      (await (await ask(`records/stripe/checkout.session/${id}`)).json()) as { readonly body: object };
    t.match(await paid(bob.id), { body: { payment_status: 'paid' } });
    t.match(await paid(ada.id), { body: { payment_status: 'unpaid' } }, 'who has not pressed has not paid');
    await ada.page.getByRole('button', { name: /^Pay/ }).click();
    await ada.page.waitForURL(shop);
    t.match(await paid(ada.id), { body: { payment_status: 'paid' } });
    await Promise.all([ada.context.close(), bob.context.close()]);
  },
);

for (const [name, open] of [
  ['local', local],
  ['hosted', hosted],
] as const)
  t.test(`[4.3] sites at ${name} addresses`, { skip, timeout: 240_000 }, async t => {
    const stage = await open(t);
    await stories(t, stage);
    await boardStories(t, stage);
    if (name === 'local') await otherWorlds(t, stage);
  });
