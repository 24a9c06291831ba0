// The handlers file of a twin, and its two own endpoints.
import t from 'tap';
import { checkHandlers, type Handlers, parseHandlers } from '../../../twins/kit/handlers.ts';
import { UNMATCHED_MAX } from '../../../twins/kit/limits.ts';
import { KEY, openStripeWorld, type StripeWorld } from '../../kit/stripe-world.ts';

const own = { via: 'url' } as const;

function handlers(value: Omit<Handlers, 'version'>): Handlers {
  const checked = checkHandlers({ version: 1, ...value });
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  return checked.handlers;
}

const scenarioOf = async (
  made: StripeWorld,
): Promise<StripeWorld extends never ? never : Awaited<ReturnType<StripeWorld['ask']>>['body']> =>
  (await made.ask('GET', '/twin/scenario', own)).body;

t.test('[4.1] /twin and /twin/scenario, on the twin’s own URL only', async t => {
  await using made = await openStripeWorld();
  const twin = await made.ask('GET', '/twin', own);
  t.match(twin, {
    status: 200,
    body: { kind: 'wrld-twin', vendor: 'stripe', protocol: 'http', root: false, screens: [] },
  });
  t.same(twin.body.matchers, ['method', 'path', 'query', 'header', 'body', 'exact', 'all', 'any', 'not']);
  t.match(await scenarioOf(made), { vendor: 'stripe', handlers: [], unmatched: [], unmatchedTotal: 0 });
  t.equal((await made.ask('POST', '/twin', own)).status, 405);
  t.equal((await made.ask('GET', '/twin')).status, 404, 'at the vendor’s host the path is the vendor’s');
});

t.test('[2.3] a handler overrides any operation; the first match wins and is counted', async t => {
  await using made = await openStripeWorld({
    handlers: handlers({
      defaults: { delayMs: 5 },
      handlers: [
        {
          id: 'declined',
          match: {
            method: 'POST',
            path: '/v1/payment_intents',
            body: { amount: 4000, metadata: { vip: 'yes' } },
          },
          reply: { error: { status: 402, type: 'card_error', code: 'card_declined', message: 'Not today.' } },
        },
        {
          id: 'refunds',
          match: { path: '/v1/refunds/*' },
          reply: { json: { id: 're_1', object: 'refund' }, headers: { 'Request-Id': 'req_h' } },
        },
        { id: 'later', match: { path: '/v1/refunds/re_2' }, reply: { text: 'never' } },
      ],
    }),
  });
  const { stripe } = made;
  await t.rejects(stripe.paymentIntents.create({ amount: 4000, currency: 'usd', metadata: { vip: 'yes' } }), {
    type: 'StripeCardError',
    code: 'card_declined',
    message: 'Not today.',
  });
  t.equal(
    (await stripe.paymentIntents.create({ amount: 4000, currency: 'usd' })).status,
    'requires_payment_method',
  );
  const refund = await stripe.refunds.retrieve('re_2');
  t.equal(refund.id, 're_1');
  t.equal(refund.lastResponse.requestId, 'req_h');
  const scenario = await scenarioOf(made);
  t.same(
    scenario.handlers.map(({ id, index, matched }: { id: string; index: number; matched: number }) => [
      id,
      index,
      matched,
    ]),
    [
      ['declined', 0, 1],
      ['refunds', 1, 1],
      ['later', 2, 0],
    ],
  );
  t.match(scenario.handlers[0].lastMatchedAt, /^2026-01-15T12:00:00/);
  t.equal(scenario.handlers[2].lastMatchedAt, null);
  t.match(scenario.hash, /^[0-9a-f]{16}$/);
});

t.test('[2.3] replies in turn: times, repeat-last, cycle, next', async t => {
  const replies = [{ json: { n: 1 } }, { json: { n: 2 } }];
  const match = (path: string): { path: string } => ({ path });
  await using made = await openStripeWorld({
    handlers: handlers({
      handlers: [
        { id: 'once', match: match('/v1/a'), times: 1, reply: { json: { n: 0 } } },
        { id: 'last', match: match('/v1/a'), replies },
        // biome-ignore lint/suspicious/noThenProperty: the file's own word
        { id: 'cycle', match: match('/v1/b'), replies, then: 'cycle' },
        // biome-ignore lint/suspicious/noThenProperty: the file's own word
        { id: 'next', match: match('/v1/c'), replies, then: 'next' },
        { id: 'after', match: match('/v1/c'), reply: { json: { n: 9 } } },
      ],
    }),
  });
  const series = async (path: string): Promise<number[]> => {
    const seen: number[] = [];
    for (let n = 0; n < 5; n += 1) seen.push((await made.ask('GET', path)).body.n);
    return seen;
  };
  t.same(await series('/v1/a'), [0, 1, 2, 2, 2]);
  t.same(await series('/v1/b'), [1, 2, 1, 2, 1]);
  t.same(await series('/v1/c'), [1, 2, 9, 9, 9]);
});

t.test('[2.3] counted by key when the file says so', async t => {
  await using made = await openStripeWorld({
    handlers: handlers({
      scope: 'key',
      handlers: [{ id: 'x', match: { path: '/v1/a' }, times: 1, reply: { json: { ok: true } } }],
    }),
  });
  const ask = async (key: string): Promise<number> =>
    (await made.ask('GET', '/v1/a', { headers: { authorization: `Bearer ${key}` } })).status;
  t.same([await ask('sk_test_1'), await ask('sk_test_1'), await ask('sk_test_2')], [200, 404, 200]);
});

t.test('[2.3] every matcher', async t => {
  const fits = async (
    match: Handlers['handlers'][number]['match'],
    request: Parameters<StripeWorld['ask']>,
  ): Promise<boolean> => {
    await using made = await openStripeWorld({
      handlers: handlers({ handlers: [{ id: 'x', match, reply: { status: 299 } }] }),
    });
    return (await made.ask(...request)).status === 299;
  };
  const get: Parameters<StripeWorld['ask']> = ['GET', '/v1/customers/cus_1?limit=3'];
  const post: Parameters<StripeWorld['ask']> = [
    'POST',
    '/v1/x',
    { form: 'items[0][price]=p&items[1][price]=q&n=3&flag=true' },
  ];
  const table: readonly [
    string,
    Handlers['handlers'][number]['match'],
    Parameters<StripeWorld['ask']>,
    boolean,
  ][] = [
    ['nothing matches all', {}, get, true],
    ['method', { method: 'GET' }, get, true],
    ['another method', { method: 'POST' }, get, false],
    ['path template', { path: '/v1/customers/{id}' }, get, true],
    ['one segment only', { path: '/v1/*' }, get, false],
    ['path regex', { path: { regex: '^/v1/cust' } }, get, true],
    ['query', { query: { limit: '3' } }, get, true],
    ['query that is absent', { query: { limit: '3', page: { contains: '' } } }, get, false],
    ['header, in any case', { header: { Authorization: { contains: 'sk_test' } } }, get, true],
    ['containsAll', { path: { containsAll: ['v1', 'cus_'] } }, get, true],
    ['regex flags', { method: { regex: '^get$', flags: 'i' } }, get, true],
    ['form as a tree', { body: { items: [{ price: 'p' }, { price: 'q' }] } }, post, true],
    ['fewer elements fit', { body: { items: [{ price: 'p' }] } }, post, true],
    ['a form’s numbers and booleans are text', { body: { n: 3, flag: true } }, post, true],
    ['another value', { body: { n: 4 } }, post, false],
    ['a body that is not there', { body: {} }, get, false],
    ['all', { all: [{ method: 'GET' }, { path: '/v1/customers/*' }] }, get, true],
    ['any', { any: [{ method: 'POST' }, { method: 'GET' }] }, get, true],
    ['none of any', { any: [{ method: 'POST' }] }, get, false],
    ['not', { not: { method: 'POST' } }, get, true],
    ['not what fits', { not: { method: 'GET' } }, get, false],
  ];
  for (const [what, match, request, wanted] of table) t.equal(await fits(match, request), wanted, what);
});

t.test('[2.3] faults, delays and what goes with an error', async t => {
  await using made = await openStripeWorld({
    handlers: handlers({
      handlers: [
        { id: 'timeout', match: { path: '/v1/t' }, reply: { error: 'timeout' } },
        { id: 'reset', match: { path: '/v1/customers' }, reply: { error: 'reset' } },
        {
          id: 'limited',
          match: { path: '/v1/l' },
          reply: {
            error: {
              status: 429,
              type: 'invalid_request_error',
              code: 'rate_limit',
              message: 'Slow down.',
              retryAfter: 2,
            },
            delayMs: 7,
          },
        },
      ],
    }),
  });
  const raw = (path: string): ReturnType<typeof made.world.call> =>
    made.world.call('stripe', {
      method: 'GET',
      host: 'api.stripe.com',
      via: 'host',
      path,
      query: '',
      headers: { authorization: `Bearer ${KEY}` },
      body: new Uint8Array(),
      caller: null,
      scope: 'write',
      trace: { traceId: '0'.repeat(32), spanId: '1'.repeat(16), parentId: null },
    });
  t.equal((await raw('/v1/t')).fault, 'timeout');
  t.equal((await raw('/v1/customers')).fault, 'reset');
  await t.rejects(made.stripe.customers.list(), { message: /connection to Stripe/ });
  const limited = await raw('/v1/l');
  t.equal(limited.delayMs, 7);
  t.ok(limited.headers.some(([name, value]) => name === 'Retry-After' && value === '2'));
});

t.test(
  '[2.3] what nothing answers is noted, with the nearest handler, newest first, at most a hundred',
  async t => {
    await using made = await openStripeWorld({
      handlers: handlers({
        handlers: [
          { id: 'far', match: { method: 'GET', path: '/v1/y', header: { 'x-a': '1' } }, reply: {} },
          {
            id: 'near',
            match: { method: 'POST', path: '/v1/no_such_thing', body: { charge: 'ch_2' } },
            reply: {},
          },
        ],
      }),
    });
    await made.ask('POST', '/v1/no_such_thing', { form: 'charge=ch_1&amount=5' });
    const { unmatched, unmatchedTotal } = await scenarioOf(made);
    t.equal(unmatchedTotal, 1);
    t.match(unmatched[0], {
      method: 'POST',
      path: '/v1/no_such_thing',
      request: 'b7ad6b7169203331',
      features: ['body.charge', 'body.amount'],
      nearest: { id: 'near', failed: ['body.charge'] },
    });
    t.notMatch(JSON.stringify(unmatched), /ch_1/, 'names, never values');
    await made.stripe.customers.list();
    t.equal((await scenarioOf(made)).unmatchedTotal, 1, 'what the twin models is no miss');
    for (let n = 0; n < UNMATCHED_MAX + 5; n += 1) await made.ask('GET', `/v1/none/${n}`);
    const later = await scenarioOf(made);
    t.equal(later.unmatched.length, UNMATCHED_MAX);
    t.equal(later.unmatched[0].path, `/v1/none/${UNMATCHED_MAX + 4}`);
    t.equal(later.unmatchedTotal, UNMATCHED_MAX + 6);
  },
);

t.test('[2.3] unmatched: an error, or a reply, for what no handler takes', async t => {
  await using strict = await openStripeWorld({ handlers: handlers({ unmatched: 'error', handlers: [] }) });
  const refused = await strict.ask('GET', '/v1/customers');
  t.match(refused, { status: 404, body: { error: { code: 'wrld_unmatched_request' } } });
  t.equal((await scenarioOf(strict)).unmatchedTotal, 1);
  await using soft = await openStripeWorld({
    handlers: handlers({ unmatched: { json: { answered: 'by the file' } }, handlers: [] }),
  });
  t.same((await soft.ask('GET', '/v1/customers')).body, { answered: 'by the file' });
});

t.test('[2.3] faults in a handlers file are named by pointer', async t => {
  const handler = { id: 'a', match: {}, reply: {} };
  // biome-ignore lint/suspicious/noThenProperty: the file's own word
  const stopping = { then: 'stop' };
  const table: readonly [unknown, string, RegExp][] = [
    [[], '', /must be an object/],
    [{ handlers: [] }, '', /version is missing/],
    [{ version: 2, handlers: [] }, '/version', /must be 1/],
    [{ version: 1, handlers: [], extra: 1 }, '/extra', /is not known here; there are .*handlers/],
    [{ version: 1, scope: 'conversation', handlers: [] }, '/scope', /generative/],
    [{ version: 1, handlers: [{ match: {}, reply: {} }] }, '/handlers/0', /id is missing/],
    [{ version: 1, handlers: [handler, handler] }, '/handlers/1/id', /second handler is called a/],
    [
      { version: 1, handlers: [{ ...handler, replies: [{}] }] },
      '/handlers/0',
      /exactly one of reply and replies/,
    ],
    [{ version: 1, handlers: [{ id: 'a', match: {}, replies: [] }] }, '/handlers/0/replies', /at least one/],
    [{ version: 1, handlers: [{ ...handler, times: 0 }] }, '/handlers/0/times', /integer from 1/],
    [{ version: 1, handlers: [{ ...handler, ...stopping }] }, '/handlers/0/then', /repeat-last, cycle, next/],
    [
      { version: 1, handlers: [{ ...handler, match: { model: 'x' } }] },
      '/handlers/0/match/model',
      /not known/,
    ],
    [
      { version: 1, handlers: [{ ...handler, match: { path: { regex: '(a' } } }] },
      '/handlers/0/match/path/regex',
      /unclosed/,
    ],
    [
      { version: 1, handlers: [{ ...handler, match: { path: { equals: 'a', contains: 'b' } } }] },
      '/handlers/0/match/path',
      /exactly one/,
    ],
    [
      { version: 1, handlers: [{ ...handler, match: { header: { 'a/b': 1 } } }] },
      '/handlers/0/match/header/a~1b',
      /must be an object/,
    ],
    [
      { version: 1, handlers: [{ ...handler, reply: { json: 1, text: 'x' } }] },
      '/handlers/0/reply',
      /json and text/,
    ],
    [
      { version: 1, handlers: [{ ...handler, reply: { toolCalls: [] } }] },
      '/handlers/0/reply/toolCalls',
      /not known/,
    ],
    [
      { version: 1, handlers: [{ ...handler, reply: { status: 99 } }] },
      '/handlers/0/reply/status',
      /from 200 to 599/,
    ],
    [
      { version: 1, handlers: [{ ...handler, reply: { headers: { a: 'b\r\nc: d' } } }] },
      '/handlers/0/reply/headers/a',
      /no header value/,
    ],
    [
      { version: 1, handlers: [{ ...handler, reply: { error: { status: 400 } } }] },
      '/handlers/0/reply/error',
      /type is missing/,
    ],
    [
      { version: 1, handlers: [{ ...handler, reply: { error: 'gone' } }] },
      '/handlers/0/reply/error',
      /timeout, reset/,
    ],
    [
      { version: 1, handlers: [{ ...handler, reply: { delayMs: -1 } }] },
      '/handlers/0/reply/delayMs',
      /integer/,
    ],
  ];
  for (const [value, pointer, message] of table) {
    const checked = parseHandlers(JSON.stringify(value));
    const fault = checked.ok ? undefined : checked.faults.find(held => held.pointer === pointer);
    t.match(fault?.message, message, `${pointer || '(whole)'} ${message}`);
  }
  t.match(parseHandlers('{'), { ok: false, faults: [{ pointer: '', message: /^not JSON/ }] });
  t.ok(parseHandlers(JSON.stringify({ version: 1, handlers: [handler] })).ok);
  let deep: object = {};
  for (let n = 0; n < 30; n += 1) deep = { not: deep };
  t.notOk(checkHandlers({ version: 1, handlers: [{ ...handler, match: deep }] }).ok);
});
