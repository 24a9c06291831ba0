// The same story of each vendor in every language: a program with that language's own SDK, unmodified, in a world
// (`wrld world run`). It tells what it saw, and here a second client, the vendor's SDK for JavaScript in this process
// or the world's own endpoints, looks whether that is so.
import { readFile, writeFile } from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import Stripe from 'stripe';
import type { Test } from 'tap';
import { openWorlds, type RunningUp, startUp, wrld } from '../kit/command-line.ts';

export type Language = {
  readonly name: string;
  /** The words that run its story of a vendor, or of where the world ends (`edges`). */
  readonly words: (story: string) => readonly string[];
  /** It has the story of an agent too (`agent`). */
  readonly agent?: true;
};

const CITY = 'Oslo, Norway, and its surroundings';
const OFFERED = { lastUser: { contains: 'weather' }, tool: { offered: 'get_weather' }, toolResult: false };
const HANDLERS = {
  version: 1,
  handlers: [
    {
      id: 'look it up',
      match: OFFERED,
      reply: { toolCalls: [{ name: 'get_weather', arguments: { city: CITY } }] },
    },
    {
      id: 'say it',
      match: { toolResult: { text: { contains: 'rain' } } },
      reply: { text: 'Take an umbrella.' },
    },
    {
      id: 'busy once',
      match: { lastUser: 'busy' },
      times: 1,
      reply: { error: { status: 429, type: 'rate_limit_error', message: 'Slow down.', retryAfter: 0 } },
    },
    {
      id: 'breaks off',
      match: { lastUser: 'a long story', stream: true },
      reply: {
        text: 'Once upon a time there was',
        error: { status: 500, type: 'api_error', message: 'It broke.' },
        stream: { cutAfterChunks: 3 },
      },
    },
  ],
};

/** A story's facts are JSON of any language. */
// biome-ignore lint/suspicious/noExplicitAny: each test says what it expects of them
type Facts = any;

/** One world for all of them; nothing of it leaves, for the world is a sandbox. */
export async function tellStories(t: Test, language: Language): Promise<void> {
  const worlds = await openWorlds();
  t.teardown(worlds.remove);
  const llm = { colocate: { scenarioPath: 'llm.json' } };
  const folder = await worlds.make('stories', {
    services: {
      stripe: { twin: 'stripe' },
      openai: { twin: 'openai', ...llm },
      anthropic: { twin: 'anthropic', ...llm },
    },
  });
  await writeFile(join(folder, 'llm.json'), JSON.stringify(HANDLERS));
  await using world = await startUp(folder, '--sandbox');
  const look = await secondClient(t, folder, world);
  const run = async (...words: readonly string[]): Promise<Facts> => {
    const ended = await wrld(folder, 'world', 'run', ...words);
    if (ended.code !== 0) throw new Error(`${words.join(' ')} ended with ${ended.code}: ${ended.err}`);
    return JSON.parse(ended.out);
  };
  const story = (vendor: string): Promise<Facts> => run('--', ...language.words(vendor));
  let customer = '';
  /** What the stories left, by its path under a world's address. */
  const left: string[] = [];

  await t.test(`stripe, in ${language.name}`, async t => {
    const told = await story('stripe');
    t.match(told, {
      renewal: { status: 'paid', reason: 'subscription_cycle', paid: 1500 },
      webhook: { type: 'invoice.paid', forged: 'refused' },
      replayed: true,
      conflict: 'idempotency_error',
      paged: 26,
      declined: { status: 402, code: 'card_declined', declineCode: 'generic_decline' },
      missing: { status: 404, code: 'resource_missing', param: 'id' },
      phone: '+4712345678',
      expanded: { email: 'ada@example.com', product: 'Plan' },
    });
    ({ customer } = told);
    const stripe = second();
    t.match(await stripe.subscriptions.retrieve(told.subscription), {
      status: 'active',
      customer: told.customer,
      latest_invoice: told.renewal.id,
    });
    t.equal(told.expanded.invoice, told.renewal.id);
    t.match(await stripe.invoices.retrieve(told.webhook.invoice), { status: 'paid', amount_paid: 1500 });
    t.equal((await stripe.events.retrieve(told.webhook.id)).type, 'invoice.paid');
    t.equal((await stripe.customers.list({ limit: 100 })).data.length, 26);
    const made = await writes(t, 'stripe');
    t.equal(made('POST', '/v1/products').length, 2, 'the replay and the conflict appended nothing');
    t.equal(made('POST', '/v1/customers').length, 26, 'each write is one entry');
    const { unmatchedTotal } = await look('stripe/twin/scenario', 'vendor');
    t.equal(unmatchedTotal, 0, 'nothing was asked that no twin models');
  });

  await t.test(`openai, in ${language.name}`, async t => {
    const told = await story('openai');
    t.match(told, {
      chat: 'You said: hello you',
      tool: { name: 'get_weather', pieces: true, usage: true },
      told: 'Take an umbrella.',
      text: 'You said: keep this',
      streamed: 'You said: in pieces please',
      embedding: { length: 1536, same: true, other: false },
      content: 'one\ntwo\n',
      busy: 'You said: busy',
      heard: 'Once upon a',
      broke: 'It broke.',
      missing: 404,
      kept: { listed: [told.kept.ids[0], told.kept.ids[2]], metadata: { read: 'yes' } },
    });
    t.strictSame(JSON.parse(told.tool.arguments), { city: CITY });
    const openai = new OpenAI({ apiKey: 'sk-second' });
    t.equal((await openai.responses.retrieve(told.response)).output_text, told.text);
    t.equal((await openai.responses.retrieve(told.follow)).previous_response_id, told.response);
    t.strictSame(
      (await openai.chat.completions.list({ limit: 10 })).data.map(({ id }) => id),
      told.kept.listed,
    );
    left.push(`openai/v1/files/${told.file}`, `openai/v1/responses/${told.response}`);
    t.match(await openai.files.retrieve(told.file), { filename: 'notes.txt', bytes: 8 });
    t.strictSame(await matched('openai'), [1, 1, 1, 1]);
    const made = await writes(t, 'openai');
    t.equal(made('POST', '/v1/files').length, 1);
    t.equal(made('POST', `/v1/chat/completions/${told.kept.ids[0]}`).length, 1);
    t.equal(made('DELETE', `/v1/chat/completions/${told.kept.ids[1]}`).length, 1);
  });

  await t.test(`anthropic, in ${language.name}`, async t => {
    const told = await story('anthropic');
    t.match(told, {
      text: 'You said: hello you',
      tool: { name: 'get_weather', input: { city: CITY }, pieces: true, stop: 'tool_use' },
      told: 'Take an umbrella.',
      tokens: true,
      status: ['in_progress', 'ended'],
      listed: true,
      results: { one: 'You said: one', two: 'You said: two' },
      busy: 'You said: busy',
      heard: 'Once upon a',
      broke: 'It broke.',
      missing: 404,
    });
    const anthropic = new Anthropic({ apiKey: 'sk-ant-second' });
    left.push(`anthropic/v1/messages/batches/${told.batch}`);
    t.match(await anthropic.messages.batches.retrieve(told.batch), {
      processing_status: 'ended',
      request_counts: { succeeded: 2, errored: 0 },
    });
    t.strictSame(await matched('anthropic'), [1, 1, 1, 1]);
    t.equal((await writes(t, 'anthropic'))('POST', '/v1/messages/batches').length, 2);
  });

  if (language.agent === true) {
    await t.test(`an agent loop, in ${language.name}`, async t => {
      const whole = { text: 'Take an umbrella.', steps: 2, cities: [CITY] };
      t.strictSame(await story('agent'), { openai: whole, anthropic: whole });
    });
  }

  await t.test(`[7] nothing of it was for anybody but the twins, in ${language.name}`, async t => {
    t.strictSame((await look('refusals')).refusals, []);
  });

  await t.test(`[2.12] a branch has the state and goes its own way, in ${language.name}`, async t => {
    const stripe = second();
    const before = (await look('log/stripe')).entries.length;
    const made = await wrld(folder, 'world', 'branch', 'make', '--json');
    const { name, token } = JSON.parse(made.out);
    const branch = name.split('/')[1];
    const told = await run('--branch', branch, '--', ...language.words('edges'), customer, 'Of the branch');
    t.match(told, { before: 'Ada', after: 'Of the branch' });
    t.equal(((await stripe.customers.retrieve(customer)) as Stripe.Customer).name, 'Ada');
    t.equal((await look('log/stripe')).entries.length, before, 'nothing of it is in this world’s log');
    t.match(
      told.unknown,
      { status: 404, type: 'invalid_request_error' },
      'the twin says that there is no such path',
    );
    t.match(
      told.stray,
      { missing: 'grant', rule: 'sealed', words: /api\.nobody\.example/ },
      '[7.1] an answer or an error, by what the language has',
    );
    const { refusals } = await look('refusals');
    const targets = new Set(refusals.map(({ record }: Facts) => record.target));
    t.strictSame([...targets], ['https://api.nobody.example/v1/things'], 'and nothing else was refused');
    for (const path of left) {
      const headers = { authorization: 'Bearer sk', 'anthropic-version': '2023-06-01', 'x-twins-key': token };
      const answer = await fetch(`${world.up.baseUrl}/${name}/${path}`, { headers });
      t.match(await answer.json(), { id: path.split('/').at(-1) }, path);
    }
  });

  /** What the clients wrote: each of it one entry with its caller and its trace, and no read left one. */
  async function writes(
    t: Test,
    vendor: string,
  ): Promise<(method: string, path: string) => readonly Facts[]> {
    const { entries } = await look(`log/${vendor}`);
    const asked: Facts[] = entries.filter(({ actor }: Facts) => actor.type === 'client');
    t.ok(asked.every(({ caller, trace, request }) => caller && trace.traceId && request.method !== 'GET'));
    t.equal(new Set(asked.map(({ trace }) => trace.spanId)).size, asked.length, 'no two are of one request');
    return (method, path) =>
      asked.filter(({ request }) => request.method === method && request.path === path);
  }

  function second(): Stripe {
    return new Stripe('sk_test_second', { httpClient: Stripe.createFetchHttpClient() });
  }

  /** How often each handler answered. */
  async function matched(vendor: string): Promise<readonly number[]> {
    const { handlers } = await look(`${vendor}/twin/scenario`, 'vendor');
    return handlers.map(({ matched }: Facts) => matched);
  }
}

/** Puts this process into the world as well, and reads the world's own endpoints. */
async function secondClient(
  t: Test,
  folder: string,
  { up }: RunningUp,
): Promise<(path: string, of?: 'vendor') => Promise<Facts>> {
  const restore = setGlobalProxyFromEnv({ https_proxy: up.proxyUrl });
  t.teardown(restore);
  setDefaultCACertificates([await readFile(up.caFile, 'utf8')]);
  const [token = ''] = (await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n');
  const { origin, pathname } = new URL(up.worldUrl);
  return async (path, of) => {
    const place = of === 'vendor' ? up.worldUrl : `${origin}/-${pathname}`;
    const answer = await fetch(`${place}/${path}`, {
      headers: { 'x-wrld-token': token, 'x-twins-key': token },
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}
