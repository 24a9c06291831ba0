// The browser program (7.1, last row) in a real Chromium: a page of another origin, attached to a world by the module that the
// world serves. What the vendors' own SDKs get, what each API of the platform gets when it is refused, workers, and a page
// whose policy allows nothing but the world.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { launchChromium } from './opened-world.ts';
import { CHROMIUM } from './readable.ts';
import { openTabStage, type TabStage } from './tab-stage.ts';

const skip = CHROMIUM === undefined ? 'no Chromium is installed' : false;

type Stage = TabStage & { readonly browser: Browser };

async function openStage(t: Test): Promise<Stage> {
  const stage = await openTabStage(t);
  const to = `127.0.0.1:${stage.port}`;
  const browser = await launchChromium([
    `--host-resolver-rules=MAP *.test ${to}, MAP api.stripe.com ${to}, MAP api.openai.com ${to}`,
  ]);
  t.teardown(() => browser.close());
  return { ...stage, browser };
}

type Opened = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page said on its console, and what went wrong in it. */
  readonly said: string[];
};

async function open({ browser, page: origin }: Stage, path: string): Promise<Opened> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', message => said.push(message.text()));
  page.on('pageerror', error => said.push(error.message));
  await page.goto(`${origin}${path}`);
  await page.locator('html[data-ready]').waitFor();
  return { context, page, said };
}

/** A function body of the page's own. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects.
const run = (page: Page, body: string): Promise<any> => page.evaluate(`(async () => { ${body} })()`);

t.test('[7.1] the browser program', { skip, timeout: 120_000 }, async t => {
  const stage = await openStage(t);
  const { control, outside } = stage;

  // All of it under a strict policy: what is done there is done without one as well.
  const { context: strict, page, said } = await open(stage, '/strict');
  await t.test('[4.2] the vendors’ own SDKs are answered by the twins', async t => {
    t.strictSame(await run(page, 'return attached'), {
      world: 'acme/shop',
      vendors: ['acme', 'openai', 'stripe'],
    });
    const chat = await run(
      page,
      `const openai = new sdks.OpenAI({ apiKey: 'sk-x', dangerouslyAllowBrowser: true });
         const ask = { model: 'gpt-5', messages: [{ role: 'user', content: 'hi' }] };
         const said = await openai.chat.completions.create(ask);
         let streamed = '';
         for await (const part of await openai.chat.completions.create({ ...ask, stream: true }))
           streamed += part.choices[0]?.delta?.content ?? '';
         return [said.choices[0].message.content, streamed];`,
    );
    t.strictSame(chat, ['Hello from the world.', 'Hello from the world.']);
    const paid = await run(
      page,
      `const stripe = new sdks.Stripe('sk_test_x', { httpClient: sdks.Stripe.createFetchHttpClient() });
         const customer = await stripe.customers.create({ email: 'ada@example.com' });
         const missing = await stripe.customers.retrieve('cus_none').catch(error => error.code);
         return [customer.email, missing];`,
    );
    t.strictSame(paid, ['ada@example.com', 'resource_missing']);
    const socket = await run(
      page,
      `const rt = new sdks.OpenAIRealtimeWebSocket({ model: 'gpt-realtime', dangerouslyAllowBrowser: true },
           new sdks.OpenAI({ apiKey: 'sk-x', dangerouslyAllowBrowser: true }));
         const type = await new Promise((resolve, reject) => { rt.on('event', ({ type }) => resolve(type)); rt.on('error', reject); });
         const { url, protocol } = rt.socket;
         rt.close();
         return [type, new URL(url).host, protocol, rt.socket instanceof WebSocket];`,
    );
    t.strictSame(socket, ['session.created', 'api.openai.com', 'realtime', true]);
    const bare = await run(
      page,
      `const socket = new WebSocket('wss://api.openai.com/v1/realtime?model=gpt-realtime');
         const { data } = await new Promise((resolve, reject) => { socket.onmessage = resolve; socket.onclose = reject; });
         const { protocol } = socket;
         socket.close();
         return [JSON.parse(data).type, protocol];`,
    );
    t.strictSame(bare, ['session.created', ''], 'one that offers no protocol has none');
    t.strictSame(outside, [], 'nothing went to the vendors');
    t.strictSame(
      said.filter(line => !/status of 404/.test(line)),
      [],
    );
  });

  await t.test('[4.2] XHR, EventSource and beacons are the twins’ too', async t => {
    const xhr = await run(
      page,
      `const asked = new XMLHttpRequest();
       asked.open('POST', 'https://api.stripe.com/v1/customers');
       asked.setRequestHeader('authorization', 'Bearer sk_test_x');
       asked.setRequestHeader('content-type', 'application/x-www-form-urlencoded');
       asked.withCredentials = true;
       await new Promise((resolve, reject) => { asked.onload = resolve; asked.onerror = reject; asked.send('name=Xhr'); });
       return [asked.status, JSON.parse(asked.responseText).name, asked.responseURL];`,
    );
    t.strictSame(xhr, [200, 'Xhr', 'https://api.stripe.com/v1/customers']);
    const seen = await run(
      page,
      `const me = await (await fetch('https://app.acme.test/api/me')).json();
       const docs = await (await fetch('https://docs.acme.test/start')).text();
       return [me.host ?? null, docs.includes('How to.')];`,
    );
    t.equal(seen[1], true, 'each of the vendor’s hosts is itself');
    const moved = await run(
      page,
      `const near = await fetch('https://app.acme.test/to/near');
       const home = await fetch('https://app.acme.test/to/home').then(answer => answer.text());
       const away = await fetch('https://app.acme.test/to/away').catch(error => error.name);
       return [near.status, home.includes('Nobody'), away];`,
    );
    t.strictSame(moved, [200, true, 'TypeError'], 'a redirect stays in the world, or ends');
    const beaten = await run(
      page,
      "return navigator.sendBeacon('https://app.acme.test/api/notes', new Blob(['{\"text\":\"beacon\"}'], { type: 'application/json' }));",
    );
    t.equal(beaten, true);
    const events = await run(
      page,
      `const source = new EventSource('${control.baseUrl}/-/acme/shop/events');
       await new Promise((resolve, reject) => { source.onopen = resolve; source.onerror = reject; });
       source.close();
       const none = new EventSource('https://api.stripe.com/v1/customers');
       const { error } = await new Promise(resolve => { none.onerror = resolve; });
       return [source.readyState, none.readyState, error.message];`,
    );
    t.match(events, [2, 2, /^https:\/\/api.stripe.com\/v1\/customers answers 200 \(application\/json\)/]);
    const own = await run(
      page,
      `const clock = await (await fetch('${control.baseUrl}/-/acme/shop/clock')).json();
       return [typeof clock.at, (await (await fetch('/own')).json()).own];`,
    );
    t.strictSame(
      own,
      ['string', true],
      'the world’s own paths carry its key, and the page’s own origin is let be',
    );
    t.strictSame(outside, []);
  });

  await t.test('[7.1] a refused host, by each API, in the words of the tab', async t => {
    const words =
      'checkout.js may not reach closed.test: the network of this tab is closed unless granted by the world the tab is attached to or the page that embeds it. ' +
      `Add https://closed.test to runtime.network.egress in .wrld/world.json of acme/shop: ${control.baseUrl}/reference/refusals#not-granted`;
    const told = await run(
      page,
      `const once = (target, type) => new Promise(resolve => target.addEventListener(type, resolve, { once: true }));
       const fetched = await fetch('https://closed.test/x?secret').catch(error => error);
       const xhr = new XMLHttpRequest();
       xhr.open('GET', 'https://closed.test/x');
       xhr.send();
       await once(xhr, 'error');
       const sync = (() => { const asked = new XMLHttpRequest(); asked.open('GET', 'https://closed.test/', false);
         try { asked.send(); } catch (error) { return error.name; } })();
       const socket = new WebSocket('wss://closed.test/');
       const socketError = (await once(socket, 'error')).error.message;
       const { code } = await once(socket, 'close');
       const source = new EventSource('https://closed.test/');
       const sourceError = (await once(source, 'error')).error.message;
       const beacon = navigator.sendBeacon('https://closed.test/', 'x');
       return { fetched: [fetched.name, fetched.message, fetched.rule, 'worldRefusal' in fetched], xhr: [xhr.status, xhr.readyState],
         sync, socketError, code, ready: [socket.readyState, source.readyState], sourceError, beacon };`,
    );
    t.strictSame(told, {
      fetched: ['TypeError', words, 'not-granted', false],
      xhr: [0, 4],
      sync: 'NetworkError',
      socketError: words,
      code: 1006,
      ready: [3, 2],
      sourceError: words,
      beacon: false,
    });
    t.equal(said.filter(line => line.startsWith('wrld: checkout.js may not reach closed.test: ')).length, 6);
    const others = await run(
      page,
      `const why = (url, init) => fetch(url, init).then(() => 'let out', error => error.rule + ': ' + error.message);
       return [
         await why('http://granted.test/a'), await why('http://granted.test/write', { method: 'POST', body: 'x' }),
         await why('http://granted.test/other', { method: 'PUT', body: 'x' }), await why('http://part.test/v1/a'),
         await why('http://part.test/v2'), await why('http://part.test/v1/..%2fadmin'), await why('https://granted.test/'),
         await new Promise(resolve => { new WebSocket('ws://granted.test/').onerror = ({ error }) => resolve(error.rule); }),
       ];`,
    );
    t.match(others, [
      'let out',
      'let out',
      /^not-granted: .* Add http:\/\/granted.test to runtime.network.writes /,
      'let out',
      /^not-granted: /,
      /^invalid: .*#invalid$/,
      /^not-granted: checkout.js may not reach granted.test: /,
      'inspected-transport',
    ]);
    t.strictSame(outside.splice(0), ['GET granted.test/a', 'POST granted.test/write', 'GET part.test/v1/a']);
  });

  await t.test('[7.2 undeclared] what a program does not declare is its own to mend', async t => {
    const { context, page } = await open(stage, '/declared');
    const told = await run(
      page,
      `const why = url => fetch(url).then(() => 'let out', error => error.worldRefusal ?? error.message);
       return [await why('https://api.openai.com/v1/models'), await why('http://granted.test/a'), await why('https://other.test/a?b')];`,
    );
    const { [2]: record } = told;
    t.strictSame(told.slice(0, 2), ['let out', 'let out']);
    t.match(record, {
      kind: 'wrld-world-refusal',
      version: 1,
      capability: 'network.egress',
      target: 'https://other.test/a',
      missing: 'declaration',
      rule: 'undeclared',
      reason: /^checkout.js may not reach other.test: /,
      declaredBy: { capability: 'network.egress', file: 'checkout.json', line: 3 },
      see: `${control.baseUrl}/reference/refusals#undeclared`,
    });
    outside.length = 0;
    await context.close();
  });

  for (const [kind, script] of [
    ['classic', '/worker.js'],
    ['module', '/module.js'],
  ])
    await t.test(`[7.1] a ${kind} worker, and the one that it starts, under a strict policy`, async t => {
      const told = await run(
        page,
        `const worker = new Worker('${script}', { type: '${kind}' });
         worker.postMessage({ urls: ['https://api.stripe.com/v1/customers?limit=1', '/own', 'https://closed.test/'], nested: true });
         return new Promise((resolve, reject) => {
           worker.onmessage = ({ data }) => resolve(data);
           worker.onerror = ({ message }) => reject(new Error(message));
         });`,
      ).catch(error => t.fail(`${error.message}\n${said.join('\n')}`));
      const seen = [
        { object: 'list' },
        { own: true },
        /^checkout.js may not reach closed.test: the network of this tab is closed/,
      ];
      t.match(told, { own: seen, inner: seen, more: kind === 'classic' ? '/worker.js' : null });
      t.strictSame(outside, []);
    });
  await strict.close();

  await t.test('[5.2] whom the world does not let in stays closed', async t => {
    const { context, page } = await open(stage, '/wrong');
    t.match(
      await run(page, 'return why'),
      /^checkout.js is not attached to http:.*\/acme\/shop: This needs one of the world’s tokens/,
    );
    t.match(
      await run(page, "return fetch('http://granted.test/').catch(error => error.message)"),
      /has not said yet what it grants/,
    );
    t.strictSame(outside, []);
    await context.close();
  });
});
