// What people open the world's page for, each with the clicks that it takes (docs/page.md): in a real Chromium, over a world
// in which a shop has worked. Run by `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { inaccessible, looksRight } from './accessible.ts';
import { faultsOf, type OpenedWorld, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM } from './readable.ts';

const skip = CHROMIUM === undefined ? 'no Chromium is installed' : false;

/** The customer Ada with a subscription, and a webhook endpoint where nobody listens. */
async function openShop(world: OpenedWorld): Promise<void> {
  const { ask, stripe } = world;
  await ask('clock', 'PUT', { at: '2027-01-01T00:00:00Z' });
  const product = await stripe('/v1/products', { name: 'Gold' });
  const price = await stripe('/v1/prices', {
    product: product['id'],
    unit_amount: '1900',
    currency: 'eur',
    'recurring[interval]': 'month',
  });
  const customer = await stripe('/v1/customers', {
    name: 'Ada Lovelace',
    email: 'ada@b.test',
    payment_method: 'pm_card_visa',
    'invoice_settings[default_payment_method]': 'pm_card_visa',
  });
  await stripe('/v1/webhook_endpoints', {
    url: 'http://127.0.0.1:9/hook',
    'enabled_events[]': 'invoice.paid',
  });
  await stripe('/v1/subscriptions', { customer: customer['id'], 'items[0][price]': price['id'] });
}

const HANDLERS = {
  version: 1,
  handlers: [
    {
      id: 'weather',
      match: { lastUser: { contains: 'weather' }, toolResult: false },
      reply: { toolCalls: [{ name: 'forecast', arguments: { city: 'Oslo' }, id: 'call_1' }] },
    },
    { id: 'rain', match: { toolResult: true }, reply: { text: 'Take an umbrella.' } },
  ],
};
/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const HOSTILE = '<img src=x onerror="document.title=1">\u0007\u202e';

/** A model that is asked for the weather, calls a tool, and answers; then one that nothing waits for. */
async function askModel(world: OpenedWorld): Promise<void> {
  const post = async (messages: readonly object[], stream = false): Promise<void> => {
    const answer = await fetch(`${world.control.worldUrl}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-twins-key': world.control.token, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5', messages, stream }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.text();
  };
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'forecast', arguments: '{"city":"Oslo"}' },
  };
  const question = {
    role: 'user',
    content: [
      { type: 'text', text: `What will the weather be? ${HOSTILE}` },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ],
  };
  const asked = [{ role: 'system', content: 'Be brief.' }, question];
  await post(asked, true);
  await post([
    ...asked,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: `{"rain":true,"log":"${'x'.repeat(1024 * 1024)}"}` },
  ]);
  await post([{ role: 'user', content: 'Hello' }]);
}

/** A GET in the manner of any client of a proxy. */
function throughProxy(proxy: string, url: string): Promise<{ status: number | undefined; refused: unknown }> {
  const { hostname, port, username, password } = new URL(proxy);
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const headers = {
    host: new URL(url).host,
    // A world for this machine alone asks for none.
    ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` }),
  };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: url, headers, agent: false }, answer => {
      answer.resume();
      resolve({ status: answer.statusCode, refused: answer.headers['x-wrld-world-refusal'] });
    })
      .on('error', reject)
      .end();
  });
}

t.test('errands at the world’s page', { skip, timeout: 280_000 }, async t => {
  const world = await openBrowserWorld(t, 'stripe', undefined, HANDLERS);
  const { browser, place, pictures } = world;
  await openShop(world);
  await askModel(world);
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 } });
  t.teardown(() => context.close());

  await t.test('[4.9] the timeline reads in words, and what hangs together stands together', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#timeline`);
    const line = page.locator('.timeline > li', {
      hasText: 'subscription for Ada Lovelace, EUR 19.00 a month',
    });
    await line.getByText('1 webhook, 1 failed').waitFor();
    t.equal(
      await page.locator('.timeline > li', { hasText: 'invoice.paid to' }).count(),
      0,
      'a webhook is no line of its own',
    );
    await line.getByText('1 webhook, 1 failed').press('Enter');
    await line.getByText('invoice.paid to http://127.0.0.1:9/hook').waitFor();
    await looksRight(t, page, 'timeline', pictures);
    await line.locator('summary').first().press('Enter');
    await line.getByRole('heading', { name: /^invoice .*for Ada Lovelace created/ }).waitFor();
    const besides = line.locator('summary', { hasText: /^Also .* × event/ });
    t.equal(await line.locator('h3', { hasText: 'event evt_' }).count(), 0, 'events are folded');
    await besides.press('Enter');
    await line.locator('h3', { hasText: 'event evt_' }).first().waitFor();
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.9] why was this customer charged: three clicks from the records', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#records`);
    await page.getByRole('link', { name: 'charge', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Customer' }).waitFor();
    await page.getByRole('link', { name: 'charge of EUR 19.00 for Ada Lovelace' }).click();
    await page.getByRole('heading', { name: 'charge of EUR 19.00 for Ada Lovelace' }).waitFor();
    await page.getByText('made by customer.subscription.created').waitFor();
    await page.getByText('made by customer.subscription.created').click();
    await page.locator('pre', { hasText: '"amount": 1900' }).waitFor();
    await looksRight(t, page, 'record', pictures);
    await page.getByText(/^GET https:\/\/api\.stripe\.com\/v1\/charges\/ch_/).click();
    await page.locator('.vendor-answer pre', { hasText: '"object": "charge"' }).waitFor();
    await looksRight(t, page, 'record-answer', pictures);
    await page.getByRole('link', { name: /^cus_/ }).first().click();
    await page.getByRole('heading', { name: 'customer Ada Lovelace' }).waitFor();
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.4] a webhook that failed is sent again: one click', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#webhooks?failed=true`);
    const line = page.locator('.lines > li', { hasText: 'invoice.paid: invoice' });
    await line.getByText(/^Send again$/).waitFor();
    await looksRight(t, page, 'webhooks', pictures);
    await line.getByRole('button', { name: /^Send again invoice\.paid/ }).click();
    await line.getByText('2 attempts').waitFor();
    await line.getByRole('link').click();
    await page.getByRole('heading', { name: /^invoice\.paid: invoice .* for Ada Lovelace/ }).waitFor();
    await page.locator('pre', { hasText: '"type": "invoice.paid"' }).waitFor();
    t.equal(
      await page.locator('.lines > li', { hasText: 'The signature holds.' }).count(),
      2,
      'by the endpoint’s secret',
    );
    t.notMatch(await page.locator('main').innerText(), /whsec_/);
    await looksRight(t, page, 'webhook', pictures);
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.4] as of an instant: the bar, the views, a branch from there', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await world.ask('clock', 'PUT', { at: '2027-01-03T00:00:00Z' });
    const product = await world.stripe('/v1/products', { name: 'Silver' });
    await page.goto(`${place}#records?twin=stripe&type=product`);
    await page.getByRole('link', { name: 'product Silver' }).waitFor();
    const bar = page.getByLabel('Instant to look at');
    // It is there once the history's beginning is known, and a key is pressed on nobody before.
    await bar.waitFor();
    await bar.press('Home');
    await page.getByText('As of 2027-01-01 00:00:00').waitFor();
    await page.getByRole('link', { name: 'product Gold' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'product Silver' }).count(), 0, 'it was not there then');
    t.match(page.url(), /at=2027-01-01T00/);
    await looksRight(t, page, 'past', pictures);
    await page.getByRole('link', { name: 'Timeline', exact: true }).click();
    await page.locator('.timeline > li', { hasText: 'product Gold' }).waitFor();
    t.equal(await page.locator('.timeline > li', { hasText: 'product Silver' }).count(), 0);
    await page.getByRole('button', { name: 'Branch from here' }).click();
    await page.locator('#notice', { hasText: 'The branch is made:' }).waitFor();
    t.match(await (await world.ask('branches')).json(), { branches: [{ at: '2027-01-01T00:00:00.000Z' }] });
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.locator('.timeline > li', { hasText: 'product Silver' }).waitFor();
    t.notMatch(page.url(), /at=/);
    t.equal(
      (await world.ask(`story/stripe/product/${product['id']}?at=2027-01-02T00:00:00Z`)).status,
      404,
      'by the endpoint too',
    );
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.9] what the model was asked: one click from the conversations', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#conversations`);
    const line = page.locator('.lines > li', { hasText: 'Take an umbrella.' });
    await line.getByText('1 earlier call').waitFor();
    t.equal(await page.locator('.lines > li').count(), 2, 'calls of one conversation stand together');
    await looksRight(t, page, 'conversations', pictures);
    await line.getByRole('link').first().click();
    const turns = page.locator('.turns > li');
    await turns.last().getByText('Take an umbrella.').waitFor();
    t.strictSame(await turns.locator('h3').allInnerTexts(), [
      'System',
      'User',
      'Model',
      'Tool',
      'Answer (stop)',
    ]);
    t.match(
      await turns.nth(1).innerText(),
      'weather be? <img src=x onerror="document.title=1">[U+0007][U+202E]',
    );
    await turns.nth(1).getByRole('img', { name: 'A picture that the model was shown' }).waitFor();
    t.match(await turns.nth(2).innerText(), /calls forecast[\s\S]*"city": "Oslo"/);
    const shown = async () => (await turns.nth(3).textContent())!.length;
    t.ok((await shown()) < 3_000, 'a megabyte is cut');
    await looksRight(t, page, 'conversation', pictures);
    await turns
      .nth(3)
      .getByRole('button', { name: /^Show all, 1,048,\d{3} characters/ })
      .press('Enter');
    t.ok((await shown()) > 1024 * 1024);
    t.not(await page.title(), '1');
    await page.getByRole('link', { name: 'rain', exact: true }).click();
    await page.getByRole('heading', { name: 'Scenario' }).waitFor();
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test('[4.9] what will happen on the first of next month: four clicks', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(place);
    await page.getByRole('link', { name: 'Ahead', exact: true }).click();
    await page
      .getByRole('link', { name: /subscription for Ada Lovelace/ })
      .first()
      .waitFor();
    const before = await (await world.ask('map')).json();
    await looksRight(t, page, 'ahead', pictures);
    await page.getByRole('button', { name: 'Try it in a branch' }).click();
    await page.getByRole('link', { name: /^acme\/shop-/ }).click();
    await page.getByRole('button', { name: 'Move the clock there' }).click();
    const renewed = page.locator('.timeline > li', { hasText: '2027-02-01 00:00:00' });
    await renewed.filter({ hasText: 'for Ada Lovelace' }).first().waitFor();
    await page.locator('#clock', { hasText: '2027-02-01 23:59:59' }).waitFor();
    t.strictSame(await (await world.ask('map')).json(), before, 'this world has not moved');
    t.strictSame(faults, []);
    await page.close();
  });

  await t.test(
    '[2.3] what no handler took, and a handler that does: the document is edited in place',
    async t => {
      const page = await context.newPage();
      const faults = faultsOf(page);
      await page.goto(`${place}#scenario?twin=openai`);
      await page.locator('.lines > li', { hasText: 'rain answered 1' }).waitFor();
      await page.getByText('the last message of the user does not contain “weather”').waitFor();
      await looksRight(t, page, 'scenario', pictures);
      await page.getByRole('button', { name: 'Edit the handlers' }).click();
      const text = page.getByLabel('Handlers, as JSON');
      const help = page.getByRole('region', { name: 'What may stand here' });
      await help.getByText('What a twin answers instead of its own answer').waitFor();
      await text.fill(JSON.stringify({ ...HANDLERS, handlers: [{ id: 'a', matches: {} }] }, null, 2));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('li', { hasText: 'Line 6 /handlers/0/matches: is not known here' }).waitFor();
      await looksRight(t, page, 'scenario-edit', pictures);
      await page.getByRole('button', { name: 'Line 6' }).click();
      await page.keyboard.type('"match": {}');
      t.match(await text.inputValue(), /"id": "a",\n"match": {}\n/, 'the line is there to be typed over');
      await page.keyboard.press('ArrowLeft');
      await help.getByText('The last message of the user’s.').waitFor();
      await text.fill('{');
      await text.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText(/JSON/).last().waitFor();
      const handler = { id: 'greets', match: { lastUser: 'Hello' }, reply: { text: 'Good day.' } };
      await text.fill(JSON.stringify({ version: 1, handlers: [handler] }, null, 2));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The handlers are in force from the next call on.').waitFor();
      await page.locator('.lines > li', { hasText: 'greets answered nothing yet' }).waitFor();
      t.match(await (await world.ask('twins/openai/scenario')).json(), { handlers: [handler] });
      t.strictSame(
        faults.filter(fault => !/status of 400/.test(fault)),
        [],
      );
      await page.close();
    },
  );

  await t.test('who reads only sees all of it, and no button that would fail', async t => {
    const { key } = (await (await world.ask('keys', 'POST', { name: 'guest', scope: 'read' })).json()) as {
      key: string;
    };
    const guest = await browser.newContext();
    const page = await guest.newPage();
    await page.goto(`${place}#key=${key}`);
    for (const [view, there] of [
      ['webhooks', 'invoice.paid: invoice'],
      ['conversations', 'Take an umbrella.'],
      ['scenario?twin=openai', 'greets'],
    ] as const) {
      await page.goto(`${place}#${view}`);
      await page.locator('main').getByText(there).first().waitFor();
      t.equal(await page.locator('main button:visible').count(), 0, view);
    }
    await page.goto(`${place}#webhooks?id=stripe:delivery:1`);
    await page.locator('.lines > li', { hasText: 'The signature holds. Stripe-Signature' }).first().waitFor();
    t.notMatch(await page.locator('main').innerText(), /v1=/, 'what it is signed with is for who may write');
    await guest.close();
  });

  await t.test('[2.1] the reference page has its landmarks', async t => {
    const page = await context.newPage();
    await page.goto(`${world.control.baseUrl}/reference/refusals`);
    await page.getByRole('main').getByRole('heading', { name: 'not-granted' }).waitFor();
    t.equal(await page.getByRole('navigation', { name: 'Rules' }).count(), 1);
    t.strictSame(await inaccessible(page), []);
    await page.close();
  });

  await t.test('[7.2 not-granted] what was refused passes after two clicks', async t => {
    const page = await context.newPage();
    const faults = faultsOf(page);
    const origin = createServer((_request, response) => response.end('rates'));
    await new Promise<void>(resolve => origin.listen(0, '127.0.0.1', resolve));
    t.teardown(() => origin.close());
    const { port } = origin.address() as AddressInfo;
    const get = () => throughProxy(world.control.proxyUrl, `http://rates.test:${port}/v1?key=1`);
    t.match(await get(), { status: 502, refused: 'grant' });
    await page.goto(`${place}#refusals`);
    await page.getByRole('button', { name: /^Grant this… http:\/\/rates\.test/ }).click();
    await page.locator('ins', { hasText: `"http://rates.test:${port}/v1"` }).waitFor();
    await looksRight(t, page, 'grant', pictures);
    await page.getByRole('button', { name: 'Write it to .wrld/world.json' }).click();
    await page.getByText('is granted; what asks for it again passes.').waitFor();
    t.match(await get(), { status: 200, refused: undefined });
    await page
      .getByRole('button', { name: /^Grant this… http:\/\/rates\.test/ })
      .first()
      .click();
    await page.getByText(/is listed in runtime\.network\.egress already/).waitFor();
    t.strictSame(
      faults.filter(text => !/status of 409/.test(text)),
      [],
    );
    await page.close();
  });
});
