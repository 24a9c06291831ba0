// Tools that take a text as it is, by the vendor's own SDK: called with `input`, in chats and responses, whole and streamed.
import OpenAI from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const INPUT = 'SELECT name FROM hats WHERE warm;';
const handlers = {
  handlers: [
    {
      id: 'both',
      match: { lastUser: 'both', toolResult: false },
      reply: {
        toolCalls: [
          { name: 'query', arguments: INPUT },
          { name: 'add', arguments: { a: 1 } },
        ],
      },
    },
    { id: 'end', match: { toolResult: { name: 'query', text: 'a hat' } }, reply: { text: 'Warm.' } },
  ],
};
const parameters = { type: 'object', properties: { a: { type: 'number' } } };
const CHAT = {
  model: 'gpt-5',
  tools: [
    { type: 'custom', custom: { name: 'query', description: 'SQL' } },
    { type: 'function', function: { name: 'add', parameters } },
  ],
} satisfies Partial<OpenAI.ChatCompletionCreateParams>;
const RESPONSE = {
  model: 'gpt-5',
  tools: [
    { type: 'custom', name: 'query', description: 'SQL' },
    { type: 'function', name: 'add', parameters, strict: false },
  ],
} satisfies Partial<OpenAI.Responses.ResponseCreateParams>;

t.test('a chat calls it with its text, and is told what came of it', async t => {
  await using made = await openLlmWorld('openai', handlers);
  const { completions } = sdk(made).chat;
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'both' }];
  const { choices } = await completions.create({ ...CHAT, messages });
  const { message } = choices[0]!;
  t.match(message.tool_calls, [
    { type: 'custom', custom: { name: 'query', input: INPUT }, function: undefined },
    { type: 'function', function: { name: 'add', arguments: '{"a":1}' }, custom: undefined },
  ]);
  const pieces: unknown[] = [];
  for await (const chunk of await completions.create({ ...CHAT, messages, stream: true }))
    pieces.push(...(chunk.choices[0]?.delta.tool_calls ?? []));
  t.match(pieces.slice(0, 2), [
    { index: 0, id: /^call_/, type: 'custom', custom: { name: 'query', input: '' } },
    { index: 0, custom: { input: INPUT.slice(0, 16) } },
  ]);
  const [query, add] = message.tool_calls!;
  const ended = await completions.create({
    ...CHAT,
    messages: [
      ...messages,
      message,
      { role: 'tool', tool_call_id: add!.id, content: '1' },
      { role: 'tool', tool_call_id: query!.id, content: 'a hat' },
    ],
  });
  t.equal(ended.choices[0]!.message.content, 'Warm.');
  const chosen = await completions.create({
    ...CHAT,
    messages: [{ role: 'user', content: 'hats' }],
    tool_choice: { type: 'custom', custom: { name: 'query' } },
  });
  t.match(chosen.choices[0]!.message.tool_calls, [{ custom: { input: 'hats' } }], 'where it must be called');
});

t.test('a response calls it likewise', async t => {
  await using made = await openLlmWorld('openai', handlers);
  const { responses } = sdk(made);
  const first = await responses.create({ ...RESPONSE, input: 'both' });
  t.match(first.output, [
    { id: /^ctc_/, type: 'custom_tool_call', name: 'query', input: INPUT, arguments: undefined },
    { id: /^fc_/, type: 'function_call', name: 'add' },
  ]);
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await responses.create({ ...RESPONSE, input: 'both', stream: true }))
    events.push(event);
  const told = events.filter(({ type }) => type.startsWith('response.custom_tool_call_input'));
  t.match(told.at(-1), { type: 'response.custom_tool_call_input.done', input: INPUT });
  const whole = told.flatMap(event => ('delta' in event ? [event.delta] : []));
  t.ok(whole.length > 1 && whole.join('') === INPUT);
  const call = first.output.find(({ type }) => type === 'custom_tool_call');
  const other = first.output.find(({ type }) => type === 'function_call');
  const idOf = (item: unknown): string => (item as { call_id: string }).call_id;
  const ended = await responses.create({
    ...RESPONSE,
    previous_response_id: first.id,
    input: [
      { type: 'function_call_output', call_id: idOf(other), output: '1' },
      { type: 'custom_tool_call_output', call_id: idOf(call), output: 'a hat' },
    ],
  });
  t.equal(ended.output_text, 'Warm.');
  const chosen = await responses.create({
    ...RESPONSE,
    input: 'hats',
    tool_choice: { type: 'custom', name: 'query' },
  });
  t.match(chosen.output, [{ type: 'custom_tool_call', input: 'hats' }]);
});
