// Prompt caching as `usage` tells of it, by the vendor's own SDK and the world's clock.
import Anthropic from '@anthropic-ai/sdk';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): Anthropic =>
  new Anthropic({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });

const MODEL = 'claude-sonnet-4-5';
/** Some 2,000 tokens. */
const BOOK = 'It was the best of times, it was the worst. '.repeat(180);
type Marked = { readonly ttl?: '5m' | '1h'; readonly book?: string; readonly model?: string };

async function read(made: LlmWorld, question: string, { ttl, book = BOOK, model = MODEL }: Marked = {}) {
  const { usage } = await sdk(made).messages.create({
    model,
    max_tokens: 50,
    system: [{ type: 'text', text: book, cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } }],
    messages: [{ role: 'user', content: question }],
  });
  return usage;
}

t.test(
  '[4.9 clock] a prefix is written, read within its five minutes from its last use, and gone after',
  async t => {
    await using made = await openLlmWorld('anthropic');
    const first = await read(made, 'Who?');
    t.ok(first.cache_creation_input_tokens! > 1024 && first.input_tokens > 0);
    t.equal(first.cache_read_input_tokens, 0);
    t.same(first.cache_creation, {
      ephemeral_5m_input_tokens: first.cache_creation_input_tokens,
      ephemeral_1h_input_tokens: 0,
    });
    for (const question of ['Where?', 'When?']) {
      await made.advance('4m');
      const usage = await read(made, question);
      t.ok(usage.cache_read_input_tokens! > 1024, question);
      t.equal(usage.cache_creation_input_tokens, 0);
    }
    await made.advance('5m');
    t.match(await read(made, 'Why?'), { cache_read_input_tokens: 0 }, 'five minutes after its last use');
    t.same([...new Set(await made.kinds())], ['message.created'], 'the log tells of messages alone');
  },
);

t.test('an hour is an hour; another text, another model and a prefix too short are not cached', async t => {
  await using made = await openLlmWorld('anthropic');
  const hour = await read(made, 'Who?', { ttl: '1h' });
  t.equal(hour.cache_creation?.ephemeral_1h_input_tokens, hour.cache_creation_input_tokens);
  await made.advance('59m');
  t.ok((await read(made, 'Who?', { ttl: '1h' })).cache_read_input_tokens! > 1024);
  t.match(await read(made, 'Who?', { book: `${BOOK}!` }), { cache_read_input_tokens: 0 });
  const none = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  t.match(await read(made, 'Who?', { model: 'claude-opus-4-5' }), none, 'it caches from 4,096 tokens on');
  t.match(await read(made, 'Who?', { book: 'Short.' }), none);
});

t.test('a conversation that grows: what was said before is read, what is new is written', async t => {
  await using made = await openLlmWorld('anthropic');
  const messages: Anthropic.MessageParam[] = [];
  const say = async (content: string) => {
    messages.push({ role: 'user', content });
    const stream = sdk(made).messages.stream({
      model: MODEL,
      max_tokens: 50,
      cache_control: { type: 'ephemeral' },
      system: BOOK,
      messages,
    });
    const { content: answer, usage } = await stream.finalMessage();
    messages.push({ role: 'assistant', content: answer });
    return usage;
  };
  const first = await say('Who?');
  const second = await say('And where was that, and when, and for how long?');
  t.ok(second.cache_read_input_tokens! >= first.cache_creation_input_tokens! - 2, 'but for rounding');
  t.ok(second.cache_creation_input_tokens! > 0 && second.cache_creation_input_tokens! < 200);
});

t.test('[2.3] what a handler says was cached is what is told; what is refused is not remembered', async t => {
  await using made = await openLlmWorld('anthropic', {
    handlers: [
      {
        id: 'said',
        match: { lastUser: 'handled' },
        reply: { text: 'x', usage: { input: 7, cached: 1000 } },
      },
    ],
  });
  t.match(await read(made, 'handled'), {
    input_tokens: 7,
    cache_read_input_tokens: 1000,
    cache_creation_input_tokens: 0,
  });
  await t.rejects(read(made, ''), { message: /^400/, status: 400 });
  t.match(await read(made, 'Who?'), { cache_read_input_tokens: 0 });
});
