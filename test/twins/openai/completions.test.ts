// Legacy completions by the vendor's own SDK.
import OpenAI from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const MODEL = 'gpt-3.5-turbo-instruct';

t.test('prompts go on, each by itself, with n, echo and log probabilities', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const two = await openai.completions.create({ model: MODEL, prompt: ['a b', 'c'], n: 2, best_of: 3 });
  t.match(two, { id: /^cmpl-/, object: 'text_completion', model: MODEL });
  t.same(
    two.choices.map(({ index, text, finish_reason }) => [index, text, finish_reason]),
    [
      [0, 'You said: a b', 'stop'],
      [1, 'You said: a b', 'stop'],
      [2, 'You said: c', 'stop'],
      [3, 'You said: c', 'stop'],
    ],
  );
  t.equal(two.usage!.completion_tokens % 3, 0, 'the best of three is three');
  const [echoed] = (
    await openai.completions.create({ model: MODEL, prompt: 'One two', echo: true, logprobs: 1 })
  ).choices;
  t.equal(echoed!.text, 'One twoYou said: One two');
  t.equal(echoed!.logprobs!.tokens!.join(''), echoed!.text);
  t.equal(echoed!.logprobs!.token_logprobs![0], null);
  t.same(echoed!.logprobs!.text_offset!.slice(0, 2), [0, 3]);
  const long = await openai.completions.create({ model: MODEL, prompt: 'x'.repeat(200) });
  t.same(
    [long.choices[0]!.finish_reason, long.choices[0]!.text.length],
    ['length', 64],
    'sixteen tokens of four',
  );
});

t.test('[2.3] a stream is the same text; a handler says what is said', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      { id: 'go on', match: { endpoint: 'completions', lastUser: 'Once' }, reply: { text: ' upon a time' } },
    ],
  });
  const stream = await sdk(made).completions.create({
    model: MODEL,
    prompt: 'Once',
    echo: true,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = '';
  let usage: OpenAI.CompletionUsage | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.text ?? '';
    usage = chunk.usage ?? usage;
  }
  t.equal(text, 'Once upon a time');
  t.ok(usage!.total_tokens > 0);
  t.same(await made.kinds(), ['completion.created']);
});

t.test('what OpenAI refuses is refused in its words, and nothing is stored', async t => {
  await using made = await openLlmWorld('openai');
  for (const [body, expected] of [
    [{ prompt: 'x' }, { param: 'model' }],
    [{ model: MODEL, messages: [] }, { message: 'Unrecognized request argument supplied: messages' }],
    [
      { model: MODEL, prompt: { a: 1 } },
      { param: 'prompt', code: 'invalid_type' },
    ],
    [
      { model: MODEL, prompt: 'x', n: 3, best_of: 2 },
      { message: /you must set 'n' \(currently 3\) to be at most 'best_of'/ },
    ],
    [{ model: MODEL, prompt: 'x', logprobs: 6 }, { code: 'integer_above_max_value' }],
  ] as const) {
    const { status, body: answer } = await made.ask('POST', '/v1/completions', body);
    t.match({ status, ...answer.error }, { status: 400, ...expected }, JSON.stringify(body));
  }
  t.same(await made.kinds(), []);
});
