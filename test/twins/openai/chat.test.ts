// Chat completions by the vendor's own SDK: whole, streamed, with tools, with structure, kept.
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import t from 'tap';
import { z } from 'zod';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const hello = { model: 'gpt-5', messages: [{ role: 'user', content: 'Say hello to Ada.' }] } as const;
const asked = { ...hello, messages: [...hello.messages] };
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { type: 'string', enum: ['c', 'f'] },
        days: { type: 'integer', minimum: 2 },
      },
      required: ['city', 'unit', 'days'],
    },
  },
} as const;

t.test('a plain completion answers, is the same twice, and is one entry of the log', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const {
    data: completion,
    request_id,
    response,
  } = await openai.chat.completions.create(asked).withResponse();
  t.match(completion, {
    id: /^chatcmpl-\w{29}$/,
    object: 'chat.completion',
    created: Date.parse('2026-01-15T12:00:00Z') / 1000,
    model: 'gpt-5',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: 'You said: Say hello to Ada.', refusal: null },
      },
    ],
  });
  t.equal(
    completion.usage!.total_tokens,
    completion.usage!.prompt_tokens + completion.usage!.completion_tokens,
  );
  t.match(request_id, /^req_[0-9a-f]{32}$/);
  t.equal(response.headers.get('x-ratelimit-limit-requests'), '10000');
  t.equal(
    (await openai.chat.completions.create(asked)).choices[0]!.message.content,
    'You said: Say hello to Ada.',
  );
  const { entries } = (await made.world.log('openai', 0))!;
  t.same(
    entries.map(({ kind }) => kind),
    ['completion.created', 'completion.created'],
  );
  t.match(entries[0]!.changes[0], {
    after: {
      endpoint: 'chat.completions',
      model: 'gpt-5',
      request: { messages: 1, lastUser: 'Say hello to Ada.' },
      answer: { text: 'You said: Say hello to Ada.', finish: 'stop' },
    },
  });
});

t.test('the SDK’s own stream helper puts a stream together to the same completion', async t => {
  await using made = await openLlmWorld('openai');
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  const stream = sdk(made).chat.completions.stream({ ...asked, stream_options: { include_usage: true } });
  stream.on('chunk', chunk => chunks.push(chunk));
  const whole = await stream.finalChatCompletion();
  t.equal(whole.choices[0]!.message.content, 'You said: Say hello to Ada.');
  t.equal(whole.choices[0]!.finish_reason, 'stop');
  t.same(chunks[0]!.choices[0]!.delta, { role: 'assistant', content: '', refusal: null });
  t.ok(chunks.length > 6, 'word by word');
  t.same(chunks.at(-1)!.choices, [], 'the usage has a chunk of its own');
  t.match(chunks.at(-1)!.usage, { prompt_tokens: Number, completion_tokens: Number });
  t.equal(chunks[0]!.usage, null);
  t.equal(new Set(chunks.map(({ id }) => id)).size, 1);
  const plain: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await sdk(made).chat.completions.create({ ...asked, stream: true }))
    plain.push(chunk);
  t.notOk(
    plain.some(chunk => 'usage' in chunk),
    'no usage unless it is asked for',
  );
});

t.test('n choices, stop sequences, the end of what was allowed, log probabilities', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const two = await openai.chat.completions.create({ ...asked, n: 2 });
  t.same(
    two.choices.map(({ index }) => index),
    [0, 1],
  );
  const stopped = await openai.chat.completions.create({ ...asked, stop: ['hello'] });
  t.match(stopped.choices[0], { finish_reason: 'stop', message: { content: 'You said: Say ' } });
  const cut = await openai.chat.completions.create({ ...asked, max_completion_tokens: 2 });
  t.match(cut.choices[0], { finish_reason: 'length', message: { content: 'You said' } });
  const logged = await openai.chat.completions.create({ ...asked, logprobs: true });
  t.equal(
    logged.choices[0]!.logprobs!.content!.map(({ token }) => token).join(''),
    'You said: Say hello to Ada.',
  );
  const streamed = await openai.chat.completions.stream({ ...asked, n: 2 }).finalChatCompletion();
  t.equal(streamed.choices.length, 2);
});

t.test('a tool that must be called is called with arguments that fit its schema', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const fits = z.strictObject({ city: z.string().min(1), unit: z.enum(['c', 'f']), days: z.int().min(2) });
  for (const tool_choice of ['required', { type: 'function', function: { name: 'get_weather' } }] as const) {
    const { choices } = await openai.chat.completions.create({ ...asked, tools: [weather], tool_choice });
    const call = choices[0]!.message.tool_calls![0]!;
    t.equal(choices[0]!.finish_reason, 'tool_calls');
    t.equal(choices[0]!.message.content, null);
    t.match(call.id, /^call_\w{24}$/);
    t.ok(call.type === 'function' && fits.parse(JSON.parse(call.function.arguments)));
  }
  const free = await openai.chat.completions.create({ ...asked, tools: [weather] });
  t.equal(free.choices[0]!.message.tool_calls, undefined, 'left free, it is not called');
});

t.test('streamed tool calls: a header with its index, then fragments of arguments', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'two calls',
        match: { tool: { offered: 'get_weather' }, toolResult: false },
        reply: {
          text: 'Looking.',
          toolCalls: [
            { name: 'get_weather', arguments: { city: 'Paris', unit: 'c', days: 2 }, id: 'call_a' },
            { name: 'get_weather', arguments: { city: 'Oslo', unit: 'c', days: 3 } },
          ],
          stream: { chunkSize: 5 },
        },
      },
    ],
  });
  const deltas: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall[] = [];
  const stream = sdk(made).chat.completions.stream({ ...asked, tools: [weather] });
  stream.on('chunk', chunk => deltas.push(...(chunk.choices[0]?.delta.tool_calls ?? [])));
  const { choices } = await stream.finalChatCompletion();
  t.same(deltas[0], {
    index: 0,
    id: 'call_a',
    type: 'function',
    function: { name: 'get_weather', arguments: '' },
  });
  t.match(deltas[1], { index: 0, function: { arguments: '{"cit' } });
  t.notOk('id' in deltas[1]!);
  t.equal(choices[0]!.finish_reason, 'tool_calls');
  t.equal(choices[0]!.message.content, 'Looking.');
  const calls = choices[0]!.message.tool_calls!.map(
    call => call.type === 'function' && JSON.parse(call.function.arguments).city,
  );
  t.same(calls, ['Paris', 'Oslo']);
});

t.test('structured output: what a schema asks for, of the SDK’s own parse', async t => {
  await using made = await openLlmWorld('openai');
  const Event = z.object({
    name: z.string(),
    when: z.iso.datetime(),
    kind: z.enum(['talk', 'party']),
    guests: z.array(z.object({ email: z.email(), age: z.number().min(18).max(99) })).min(2),
    note: z.string().nullable(),
  });
  const parsed = await sdk(made).chat.completions.parse({
    ...asked,
    response_format: zodResponseFormat(Event, 'event'),
  });
  t.equal(parsed.choices[0]!.message.parsed!.guests.length, 2);
  const loose = await sdk(made).chat.completions.create({
    ...asked,
    messages: [{ role: 'user', content: 'Say hello in JSON.' }],
    response_format: { type: 'json_object' },
  });
  t.same(JSON.parse(loose.choices[0]!.message.content!), { answer: 'You said: Say hello in JSON.' });
});

t.test('runTools: the SDK’s agent loop, called and answered by turns', async t => {
  await using made = await openLlmWorld('openai', {
    scope: 'conversation',
    handlers: [
      {
        id: 'call',
        match: { toolResult: false },
        reply: { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
      },
      {
        id: 'answer',
        match: { toolResult: { name: 'get_weather', text: { contains: 'rain' } }, turn: 2 },
        reply: { text: 'Take an umbrella.' },
      },
    ],
  });
  const asked: unknown[] = [];
  const runner = sdk(made).chat.completions.runTools({
    model: 'gpt-5',
    messages: [{ role: 'user', content: 'Weather in Oslo?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'the weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
          parse: JSON.parse,
          function: (args: unknown) => {
            asked.push(args);
            return 'rain all day';
          },
        },
      },
    ],
  });
  t.equal(await runner.finalContent(), 'Take an umbrella.');
  t.same(asked, [{ city: 'Oslo' }]);
  const { handlers, unmatchedTotal } = await made.scenario();
  t.same(
    handlers.map(({ matched }: { matched: number }) => matched),
    [1, 1],
  );
  t.equal(unmatchedTotal, 0);
});

t.test('kept with `store`: a second client lists, reads, changes and deletes it', async t => {
  await using made = await openLlmWorld('openai');
  const [one, other] = [sdk(made), sdk(made)];
  const { id } = await one.chat.completions.create({ ...asked, store: true, metadata: { team: 'a' } });
  await one.chat.completions.create({ ...asked, store: true, metadata: { team: 'b' } });
  await one.chat.completions.create(asked);
  t.same(await made.kinds(), ['chat_completion.created', 'chat_completion.created', 'completion.created']);
  t.equal((await other.chat.completions.list()).data.length, 2);
  t.same(
    (await other.chat.completions.list({ metadata: { team: 'a' } })).data.map(held => held.id),
    [id],
  );
  t.equal((await other.chat.completions.list({ model: 'gpt-4o' })).data.length, 0);
  t.match(await other.chat.completions.retrieve(id), {
    id,
    metadata: { team: 'a' },
    choices: [{ finish_reason: 'stop' }],
  });
  t.match((await other.chat.completions.messages.list(id)).data, [
    { id: `${id}-0`, role: 'user', content: 'Say hello to Ada.' },
  ]);
  t.match(await other.chat.completions.update(id, { metadata: { team: 'c' } }), { metadata: { team: 'c' } });
  t.match(await other.chat.completions.delete(id), { id, deleted: true });
  await t.rejects(other.chat.completions.retrieve(id), { message: /^404/, status: 404 });
});

t.test('what OpenAI would refuse is refused in its shape', async t => {
  await using made = await openLlmWorld('openai');
  const refused = async (body: unknown, more = {}): Promise<unknown> => {
    const { status, body: answer } = await made.ask('POST', '/v1/chat/completions', body, more);
    return { status, ...answer.error };
  };
  const user = { role: 'user', content: 'x' };
  for (const [body, expected] of [
    ['{', { status: 400, type: 'invalid_request_error', message: /could not parse the JSON body/ }],
    [{}, { status: 400, param: 'model', code: 'missing_required_parameter' }],
    [{ model: 'm' }, { status: 400, param: 'messages' }],
    [
      { model: 'm', messages: [] },
      { status: 400, code: 'empty_array' },
    ],
    [
      { model: 'm', messages: [{ role: 'boss', content: 'x' }] },
      { status: 400, param: 'messages[0].role' },
    ],
    [
      { model: 'm', messages: [user, { role: 'tool', tool_call_id: 'call_x', content: '' }] },
      { status: 400, message: /must be a response to a preceding/ },
    ],
    [
      { model: 'm', messages: [user], tool_choice: 'required' },
      { status: 400, param: 'tool_choice' },
    ],
    [
      { model: 'm', messages: [user], n: 0 },
      { status: 400, param: 'n' },
    ],
  ] as const)
    t.match(await refused(body), expected, JSON.stringify(body));
  t.match(await refused({ model: 'm', messages: [user] }, { headers: {} }), {
    status: 401,
    message: /didn't provide an API key/,
  });
  t.same(await made.kinds(), [], 'nothing of it is in the log');
});
