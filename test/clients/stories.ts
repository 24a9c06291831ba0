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
  /** The words that run its story of a vendor. */
  readonly words: (vendor: string) => readonly string[];
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
  const story = async (vendor: string): Promise<Facts> => {
    const ended = await wrld(folder, 'world', 'run', '--', ...language.words(vendor));
    if (ended.code !== 0) throw new Error(`the story of ${vendor} ended with ${ended.code}: ${ended.err}`);
    return JSON.parse(ended.out);
  };

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
      expanded: { email: 'ada@example.com', product: 'Plan' },
    });
    const stripe = new Stripe('sk_test_second', { httpClient: Stripe.createFetchHttpClient() });
    t.match(await stripe.subscriptions.retrieve(told.subscription), {
      status: 'active',
      customer: told.customer,
      latest_invoice: told.renewal.id,
    });
    t.equal(told.expanded.invoice, told.renewal.id);
    t.match(await stripe.invoices.retrieve(told.webhook.invoice), { status: 'paid', amount_paid: 1500 });
    t.equal((await stripe.events.retrieve(told.webhook.id)).type, 'invoice.paid');
    t.equal((await stripe.customers.list({ limit: 100 })).data.length, 26);
    const { entries } = await look('log/stripe');
    const made = entries.filter(({ kind }: Facts) => kind === 'product.created');
    t.equal(made.length, 2, 'the replay and the conflict appended nothing');
    t.ok(
      entries
        .filter(({ actor }: Facts) => actor.type === 'client')
        .every(({ caller, trace }: Facts) => caller && trace.traceId),
      'each write names its caller and its trace',
    );
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
    });
    t.strictSame(JSON.parse(told.tool.arguments), { city: CITY });
    const openai = new OpenAI({ apiKey: 'sk-second' });
    t.equal((await openai.responses.retrieve(told.response)).output_text, told.text);
    t.equal((await openai.responses.retrieve(told.follow)).previous_response_id, told.response);
    t.match(await openai.files.retrieve(told.file), { filename: 'notes.txt', bytes: 8 });
    t.strictSame(await matched('openai'), [1, 1, 1, 1]);
  });

  await t.test(`anthropic, in ${language.name}`, async t => {
    const told = await story('anthropic');
    t.match(told, {
      text: 'You said: hello you',
      tool: { name: 'get_weather', input: { city: CITY }, pieces: true, stop: 'tool_use' },
      told: 'Take an umbrella.',
      tokens: true,
      status: ['in_progress', 'ended'],
      results: { one: 'You said: one', two: 'You said: two' },
      busy: 'You said: busy',
      heard: 'Once upon a',
      broke: 'It broke.',
      missing: 404,
    });
    const anthropic = new Anthropic({ apiKey: 'sk-ant-second' });
    t.match(await anthropic.messages.batches.retrieve(told.batch), {
      processing_status: 'ended',
      request_counts: { succeeded: 2, errored: 0 },
    });
    t.strictSame(await matched('anthropic'), [1, 1, 1, 1]);
  });

  await t.test(`[7] nothing of it was for anybody but the twins, in ${language.name}`, async t => {
    t.strictSame((await look('refusals')).refusals, []);
  });

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
