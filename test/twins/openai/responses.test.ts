// Responses and conversations by the vendor's own SDK.
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import t from 'tap';
import { z } from 'zod';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const tool = {
  type: 'function',
  name: 'add',
  strict: true,
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
} as const;

t.test('a response answers, and a second client reads it, its input, and deletes it', async t => {
  await using made = await openLlmWorld('openai');
  const response = await sdk(made).responses.create({
    model: 'gpt-5',
    input: 'Hi',
    instructions: 'Be kind.',
    metadata: { a: 'b' },
  });
  t.match(response, {
    id: /^resp_[0-9a-f]{48}$/,
    object: 'response',
    status: 'completed',
    output_text: 'You said: Hi',
    instructions: 'Be kind.',
    output: [
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', annotations: [] }],
      },
    ],
    usage: { input_tokens: Number, input_tokens_details: { cached_tokens: 0 }, total_tokens: Number },
    text: { format: { type: 'text' } },
  });
  const other = sdk(made);
  const held = await other.responses.retrieve(response.id);
  t.same(held.output, response.output);
  t.same(held.metadata, { a: 'b' });
  t.notOk(Object.keys(held).some(name => name.startsWith('$')));
  t.match((await other.responses.inputItems.list(response.id)).data, [
    { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
  ]);
  t.same(await made.kinds(), ['response.created']);
  await other.responses.delete(response.id);
  await t.rejects(other.responses.retrieve(response.id), { message: /^404/, status: 404 });
  await sdk(made).responses.create({ model: 'gpt-5', input: 'Hi', store: false });
  t.same((await made.kinds()).at(-1), 'completion.created', 'one that is not stored is told in short');
});

t.test('the stream tells every event in its order, numbered', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'all',
        match: {},
        reply: {
          reasoning: 'I think.',
          text: 'Hello you.',
          toolCalls: [{ name: 'add', arguments: { a: 1, b: 2 } }],
        },
      },
    ],
  });
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await sdk(made).responses.create({
    model: 'gpt-5',
    input: 'Hi',
    tools: [tool],
    stream: true,
  })) {
    events.push(event);
  }
  t.same(
    events.map(event => event.sequence_number),
    events.map((_, index) => index),
  );
  t.same(
    events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]),
    [
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ],
  );
  const last = events.at(-1)!;
  t.ok(last.type === 'response.completed' && last.response.output.length === 3);
  const helper = sdk(made).responses.stream({ model: 'gpt-5', input: 'Hi', tools: [tool] });
  const whole = await helper.finalResponse();
  t.equal(whole.output_text, 'Hello you.');
  t.match(whole.output.at(-1), {
    type: 'function_call',
    name: 'add',
    arguments: '{"a":1,"b":2}',
    call_id: /^call_/,
  });
});

t.test('structure, tools that must be called, and what was allowed', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const Point = z.object({ x: z.number(), label: z.string() });
  const parsed = await openai.responses.parse({
    model: 'gpt-5',
    input: 'Hi',
    text: { format: zodTextFormat(Point, 'point') },
  });
  t.same(parsed.output_parsed, { x: 1, label: 'label' });
  const called = await openai.responses.create({
    model: 'gpt-5',
    input: 'Hi',
    tools: [tool],
    tool_choice: 'required',
  });
  t.match(called.output, [{ type: 'function_call', name: 'add', arguments: '{"a":1,"b":1}' }]);
  const input = 'Tell me how the story of the fox and the grapes goes on from here.';
  const cut = await openai.responses.create({ model: 'gpt-5', input, max_output_tokens: 16 });
  t.match(cut, {
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output_text: `You said: ${input}`.slice(0, 64),
  });
  const { input_tokens } = await openai.responses.inputTokens.count({ model: 'gpt-5', input });
  t.equal(input_tokens, cut.usage!.input_tokens);
  await t.rejects(
    openai.responses.create({
      model: 'gpt-5',
      input: 'Hi',
      tools: [tool],
      tool_choice: { type: 'function', name: 'no' },
    }),
    { message: /^400/, status: 400, param: 'tool_choice' },
  );
  await t.rejects(openai.responses.create({ model: 'gpt-5', input: 'Hi', previous_response_id: 'resp_no' }), {
    message: /^400/,
    status: 400,
    code: 'previous_response_not_found',
  });
});

t.test('what was said before is known, by response and by conversation', async t => {
  await using made = await openLlmWorld('openai', {
    scope: 'conversation',
    handlers: [
      {
        id: 'second',
        match: { turn: 2, input: { containsAll: ['My name is Ada', 'Who am I'] } },
        reply: { text: 'You are Ada.' },
      },
      { id: 'result', match: { toolResult: { name: 'add', text: '3' } }, reply: { text: 'It is three.' } },
    ],
  });
  const openai = sdk(made);
  const first = await openai.responses.create({ model: 'gpt-5', input: 'My name is Ada.' });
  const second = await openai.responses.create({
    model: 'gpt-5',
    input: 'Who am I?',
    previous_response_id: first.id,
  });
  t.equal(second.output_text, 'You are Ada.');
  const conversation = await openai.conversations.create({
    metadata: { topic: 'names' },
    items: [{ role: 'user', content: 'My name is Ada.' }],
  });
  await openai.responses.create({ model: 'gpt-5', input: 'Hello', conversation: conversation.id });
  const answer = await openai.responses.create({
    model: 'gpt-5',
    input: 'Who am I?',
    conversation: conversation.id,
  });
  t.equal(answer.output_text, 'You are Ada.');
  t.equal(answer.conversation!.id, conversation.id);
  const other = sdk(made);
  const items = await other.conversations.items.list(conversation.id, { order: 'asc' });
  t.same(
    items.data.map(item => item.type === 'message' && item.role),
    ['user', 'user', 'assistant', 'user', 'assistant'],
  );
  t.match(
    await other.conversations.items.retrieve(items.data[0]!.id!, { conversation_id: conversation.id }),
    { role: 'user' },
  );
  await other.conversations.items.delete(items.data[0]!.id!, { conversation_id: conversation.id });
  t.equal((await other.conversations.items.list(conversation.id)).data.length, 4);
  t.match(await other.conversations.update(conversation.id, { metadata: { topic: 'x' } }), {
    metadata: { topic: 'x' },
  });
  await other.conversations.delete(conversation.id);
  await t.rejects(other.conversations.retrieve(conversation.id), { message: /^404/, status: 404 });
  await t.rejects(openai.responses.create({ model: 'gpt-5', input: 'x', conversation: conversation.id }), {
    message: /^404/,
    status: 404,
  });
  const called = await openai.responses.create({
    model: 'gpt-5',
    input: '1 and 2',
    tools: [tool],
    tool_choice: 'required',
  });
  const call = called.output[0]!;
  const told = await openai.responses.create({
    model: 'gpt-5',
    previous_response_id: called.id,
    input: [
      {
        type: 'function_call_output',
        call_id: call.type === 'function_call' ? call.call_id : '',
        output: '3',
      },
    ],
  });
  t.equal(told.output_text, 'It is three.');
});

t.test('[4.9 clock] in the background, by the world’s clock', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const queued = await openai.responses.create({ model: 'gpt-5', input: 'Hi', background: true });
  t.match(queued, { status: 'queued', output: [], background: true });
  t.match(await openai.responses.retrieve(queued.id), { status: 'queued', output: [] });
  const stopped = await openai.responses.create({ model: 'gpt-5', input: 'Hi', background: true });
  t.match(await openai.responses.cancel(stopped.id), { status: 'cancelled' });
  await made.advance('1m');
  t.match(await openai.responses.retrieve(queued.id), {
    status: 'completed',
    output_text: 'You said: Hi',
    usage: { output_tokens: Number },
  });
  t.match(await openai.responses.retrieve(stopped.id), { status: 'cancelled', output: [] });
  t.equal((await made.kinds()).at(-1), 'response.completed');
});

t.test('a bulky input is kept beside its record', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const image_url = `data:image/png;base64,${'A'.repeat(1_500_000)}`;
  const response = await openai.responses.create({
    model: 'gpt-5',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url, detail: 'auto' },
        ],
      },
    ],
  });
  t.equal(response.output_text, 'You said: What is it?');
  const [item] = (await openai.responses.inputItems.list(response.id)).data;
  t.equal(JSON.stringify(item).includes(image_url), true);
});

t.test('items are named by their ids: said, called and read again, with the name of the tool', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'call',
        match: { tool: { offered: 'add' }, toolResult: false },
        reply: { text: 'I will add.', toolCalls: [{ name: 'add', arguments: { a: 1, b: 2 } }] },
      },
      { id: 'say', match: { toolResult: { name: 'add', text: '3' } }, reply: { text: 'Three.' } },
      { id: 'again', match: { input: { contains: 'I will add.' } }, reply: { text: 'You would add.' } },
    ],
  });
  const openai = sdk(made);
  const first = await openai.responses.create({ model: 'gpt-5', input: 'Add.', tools: [tool] });
  const [message, call] = first.output as [
    OpenAI.Responses.ResponseOutputMessage,
    OpenAI.Responses.ResponseFunctionToolCall,
  ];
  const references = [message, call].map(({ id }) => ({ type: 'item_reference' as const, id: id! }));
  const output = { type: 'function_call_output' as const, call_id: call.call_id, output: '3' };
  const second = await openai.responses.create({ model: 'gpt-5', input: [...references, output] });
  t.equal(second.output_text, 'Three.');
  const items = await openai.responses.inputItems.list(second.id, { order: 'asc' });
  t.same(
    items.data.map(({ type }) => type),
    ['message', 'function_call', 'function_call_output'],
    'a reference is what it names',
  );
  const conversation = await openai.conversations.create({
    items: [{ role: 'user', content: 'I will add.' }],
  });
  const [kept] = (await openai.conversations.items.list(conversation.id)).data;
  const third = await openai.responses.create({
    model: 'gpt-5',
    input: [
      { id: kept!.id! } as OpenAI.Responses.ResponseInputItem.ItemReference,
      { role: 'user', content: 'And?' },
    ],
  });
  t.equal(third.output_text, 'You would add.');
  const unkept = await openai.responses.create({ model: 'gpt-5', input: 'Hi', store: false });
  const before = (await made.kinds()).length;
  await t.rejects(
    openai.responses.create({
      model: 'gpt-5',
      input: [{ type: 'item_reference', id: unkept.output[0]!.id! }],
    }),
    { status: 404, param: 'input', message: /Items are not persisted when `store` is set to false/ },
  );
  t.equal((await made.kinds()).length, before);
});
