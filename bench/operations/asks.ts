// The ten most used operations of each HTTP twin, as an SDK asks them. Those that name a record ask for another one
// each time, so that no answer is one that was just read.

export type Ask = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** A form, as Stripe's SDKs send it, or JSON. */
  readonly form?: string;
  readonly json?: object;
  /** One of the vendor's other hosts. */
  readonly at?: string;
};

/** In an ask: eight digits that are others each time it is sent (client/main.ts), so that an update changes something. */
export const EACH = '########';

/** What a seeded store says can be asked for, by kind; some of it of every part of the store. */
export type Known = { readonly [kind: string]: readonly string[] };

export type Operation = { readonly name: string; readonly asks: (known: Known) => readonly Ask[] };

/** Requests that differ in what they make and not in what they name. */
const VARIED = 50;
const varied = (ask: (n: number) => Ask): readonly Ask[] => Array.from({ length: VARIED }, (_, n) => ask(n));
const each = (kind: string, ask: (id: string, n: number) => Ask): Operation['asks'] => {
  return known => (known[kind] ?? []).map(ask);
};

const PAYING = 'payment_method=pm_card_visa&confirm=true&automatic_payment_methods[enabled]=true';

const onDashboard = (path: string): Ask => ({ method: 'GET', path, at: 'dashboard.stripe.com' });

export const STRIPE: readonly Operation[] = [
  {
    name: 'customers.create',
    asks: () =>
      varied(n => ({
        method: 'POST',
        path: '/v1/customers',
        form: `name=Bench+${n}&email=made${EACH}%40example.com`,
      })),
  },
  {
    name: 'customers.retrieve',
    asks: each('customer', id => ({ method: 'GET', path: `/v1/customers/${id}` })),
  },
  {
    name: 'customers.update',
    asks: each('customer', id => ({
      method: 'POST',
      path: `/v1/customers/${id}`,
      form: `description=seen+${EACH}`,
    })),
  },
  {
    name: 'customers.list, a page from anywhere',
    asks: each('customer', id => ({ method: 'GET', path: `/v1/customers?limit=10&starting_after=${id}` })),
  },
  {
    name: 'customers.list by email',
    asks: each('email', email => ({
      method: 'GET',
      path: `/v1/customers?limit=10&email=${email}%40example.com`,
    })),
  },
  {
    name: 'customers.search by metadata',
    asks: each('order', order => ({
      method: 'GET',
      path: `/v1/customers/search?query=${encodeURIComponent(`metadata['order']:'${order}'`)}`,
    })),
  },
  {
    name: 'paymentIntents.create, confirmed',
    asks: each('customer', (id, n) => ({
      method: 'POST',
      path: '/v1/payment_intents',
      form: `amount=${2000 + n}&currency=usd&customer=${id}&${PAYING}&return_url=https%3A%2F%2Fexample.com`,
    })),
  },
  {
    name: 'paymentIntents.list of a customer',
    asks: each('customer', id => ({ method: 'GET', path: `/v1/payment_intents?limit=10&customer=${id}` })),
  },
  {
    name: 'subscriptions.create',
    asks: known =>
      (known['customer'] ?? []).map(id => ({
        method: 'POST',
        path: '/v1/subscriptions',
        form: `customer=${id}&items[0][price]=${known['price']?.[0]}&payment_behavior=default_incomplete`,
      })),
  },
  {
    name: 'checkout.sessions.create',
    asks: known =>
      varied(n => ({
        method: 'POST',
        path: '/v1/checkout/sessions',
        form: `mode=subscription&success_url=https%3A%2F%2Fexample.com&line_items[0][price]=${known['price']?.[0]}&line_items[0][quantity]=${n + 1}`,
      })),
  },
  {
    name: 'dashboard: customers, a page from anywhere',
    asks: each('customer', id => onDashboard(`/test/customers?starting_after=${id}`)),
  },
  {
    name: 'dashboard: payments of a customer',
    asks: each('customer', id => onDashboard(`/test/payments?customer=${id}`)),
  },
];

const MODEL = 'gpt-5';
const asked = (n: number): string => `What is ${n} and ${n}?`;
const chat = (n: number): object => ({
  model: MODEL,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: asked(n) },
  ],
});

export const OPENAI: readonly Operation[] = [
  {
    name: 'chat.completions.create',
    asks: () => varied(n => ({ method: 'POST', path: '/v1/chat/completions', json: chat(n) })),
  },
  {
    name: 'chat.completions.create, streamed',
    asks: () =>
      varied(n => ({ method: 'POST', path: '/v1/chat/completions', json: { ...chat(n), stream: true } })),
  },
  {
    name: 'responses.create, stored',
    asks: () =>
      varied(n => ({ method: 'POST', path: '/v1/responses', json: { model: MODEL, input: asked(n) } })),
  },
  {
    name: 'responses.create after another',
    asks: each('response', (id, n) => ({
      method: 'POST',
      path: '/v1/responses',
      json: { model: MODEL, input: asked(n), previous_response_id: id },
    })),
  },
  {
    name: 'responses.retrieve',
    asks: each('response', id => ({ method: 'GET', path: `/v1/responses/${id}` })),
  },
  {
    name: 'chat.completions.list, a page from anywhere',
    asks: each('chat_completion', id => ({
      method: 'GET',
      path: `/v1/chat/completions?limit=20&after=${id}`,
    })),
  },
  {
    name: 'embeddings.create',
    asks: () =>
      varied(n => ({
        method: 'POST',
        path: '/v1/embeddings',
        json: { model: 'text-embedding-3-small', input: asked(n) },
      })),
  },
  {
    name: 'moderations.create',
    asks: () => varied(n => ({ method: 'POST', path: '/v1/moderations', json: { input: asked(n) } })),
  },
  { name: 'models.list', asks: () => [{ method: 'GET', path: '/v1/models' }] },
  {
    name: 'conversations.create',
    asks: () =>
      varied(n => ({
        method: 'POST',
        path: '/v1/conversations',
        json: { items: [{ type: 'message', role: 'user', content: asked(n) }] },
      })),
  },
];

const CLAUDE = 'claude-sonnet-4-5';
const message = (n: number): object => ({
  model: CLAUDE,
  max_tokens: 256,
  system: 'Be brief.',
  messages: [{ role: 'user', content: asked(n) }],
});
const TOOLS = [{ name: 'add', input_schema: { type: 'object', properties: { a: { type: 'number' } } } }];

export const ANTHROPIC: readonly Operation[] = [
  {
    name: 'messages.create',
    asks: () => varied(n => ({ method: 'POST', path: '/v1/messages', json: message(n) })),
  },
  {
    name: 'messages.create, streamed',
    asks: () =>
      varied(n => ({ method: 'POST', path: '/v1/messages', json: { ...message(n), stream: true } })),
  },
  {
    name: 'messages.create with tools',
    asks: () =>
      varied(n => ({ method: 'POST', path: '/v1/messages', json: { ...message(n), tools: TOOLS } })),
  },
  {
    name: 'messages.countTokens',
    asks: () =>
      varied(n => ({
        method: 'POST',
        path: '/v1/messages/count_tokens',
        json: { model: CLAUDE, messages: [{ role: 'user', content: asked(n) }] },
      })),
  },
  { name: 'models.list', asks: () => [{ method: 'GET', path: '/v1/models' }] },
  { name: 'models.retrieve', asks: () => [{ method: 'GET', path: `/v1/models/${CLAUDE}` }] },
  {
    name: 'messages.batches.create',
    asks: () =>
      varied(n => ({
        method: 'POST',
        path: '/v1/messages/batches',
        json: { requests: [{ custom_id: `a${n}`, params: message(n) }] },
      })),
  },
  {
    name: 'messages.batches.retrieve',
    asks: each('message_batch', id => ({ method: 'GET', path: `/v1/messages/batches/${id}` })),
  },
  {
    name: 'messages.batches.list, a page from anywhere',
    asks: each('message_batch', id => ({
      method: 'GET',
      path: `/v1/messages/batches?limit=20&after_id=${id}`,
    })),
  },
  {
    name: 'messages.batches.results',
    asks: each('message_batch', id => ({ method: 'GET', path: `/v1/messages/batches/${id}/results` })),
  },
];

const own = (name: string, path: string): Operation => ({
  name,
  asks: () => [{ method: 'GET', path: `/-/bench/world/${path}` }],
});

/** The world's own, as its page and the command line ask them. */
export const ENDPOINTS: readonly Operation[] = [
  own('clock', 'clock'),
  own('map', 'map'),
  own('twins', 'twins'),
  own('timeline, 50 entries', 'timeline?limit=50'),
  own('requests of an hour', 'requests?hours=1'),
];

/** Everything a vendor wants of a request besides what is asked. */
const HEADERS: readonly string[] = ['User-Agent: bench', 'Accept: */*', 'anthropic-version: 2023-06-01'];

/** An ask as bytes, latin1. `prefix` comes in front of its path. */
export function bytesOf(
  ask: Ask,
  {
    host,
    prefix,
    headers,
    key,
  }: {
    readonly host: string;
    readonly prefix: string;
    readonly headers: readonly string[];
    readonly key: string;
  },
): string {
  const body = ask.form ?? (ask.json === undefined ? '' : JSON.stringify(ask.json));
  const type = ask.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  return [
    `${ask.method} ${prefix}${ask.path} HTTP/1.1`,
    `Host: ${host}`,
    ...HEADERS,
    `Authorization: Bearer ${key}`,
    ...headers,
    ...(ask.at === undefined ? [] : [`x-wrld-vendor-host: ${ask.at}`]),
    ...(ask.method === 'GET' ? [] : [`Content-Type: ${type}`, `Content-Length: ${body.length}`]),
    '',
    body,
  ].join('\r\n');
}
