// Tools of a response that run at OpenAI, by the vendor's own SDK: items of their own, with their events, kept and told again.
import OpenAI from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
type Event = OpenAI.Responses.ResponseStreamEvent;
const model = 'gpt-4.1';

async function told(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
const typesOf = (events: readonly Event[]): string[] =>
  events.map(({ type }) => type.replace('response.', '')).filter(type => !type.startsWith('output_text'));

t.test('a picture is drawn for who asks for one, and for who must have one', async t => {
  await using made = await openLlmWorld('openai');
  const { responses } = sdk(made);
  const tools: OpenAI.Responses.Tool[] = [
    { type: 'image_generation', size: '1536x1024', quality: 'low', partial_images: 2 },
  ];
  const drawn = await responses.create({ model, input: 'Draw a hat', tools });
  const [call] = drawn.output;
  t.match(call, { id: /^ig_/, type: 'image_generation_call', status: 'completed', size: '1536x1024' });
  const { result } = call as OpenAI.Responses.ResponseOutputItem.ImageGenerationCall;
  t.equal(Buffer.from(result!, 'base64').subarray(1, 4).toString(), 'PNG');
  t.same((await responses.retrieve(drawn.id)).output, drawn.output);
  const plain = await responses.create({ model, input: 'Hello', tools });
  t.same(
    plain.output.map(({ type }) => type),
    ['message'],
  );
  const must = { model, input: 'Hello', tools, tool_choice: { type: 'image_generation' as const } };
  const events = await told(await responses.create({ ...must, stream: true }));
  t.same(typesOf(events).slice(0, 9), [
    'created',
    'in_progress',
    'output_item.added',
    'image_generation_call.in_progress',
    'image_generation_call.generating',
    'image_generation_call.partial_image',
    'image_generation_call.partial_image',
    'image_generation_call.completed',
    'output_item.done',
  ]);
  t.match(events[6], { partial_image_index: 1, partial_image_b64: /^iVBOR/ });
  await t.rejects(responses.create({ ...must, tools: [{ type: 'web_search' }] }), {
    status: 400,
    param: 'tool_choice',
    message: "400 Tool choice 'image_generation' not found in 'tools' parameter.",
  });
});

t.test(
  'the web is searched for what is asked; a handler says what was found, and the answer cites it',
  async t => {
    await using made = await openLlmWorld('openai', {
      handlers: [
        {
          id: 'news',
          match: { lastUser: 'news' },
          reply: {
            text: 'Hats are back.',
            toolCalls: [
              {
                name: 'web_search',
                arguments: { query: 'hats', sources: [{ url: 'https://hats.example/a', title: 'Hats' }] },
              },
            ],
          },
        },
      ],
    });
    const { responses } = sdk(made);
    const tools: OpenAI.Responses.Tool[] = [{ type: 'web_search_preview' }];
    const usual = await responses.create({ model, input: 'what is new?', tools });
    t.match(usual.output, [
      { type: 'web_search_call', action: { type: 'search', query: 'what is new?', sources: undefined } },
      { type: 'message', content: [{ annotations: [] }] },
    ]);
    const cited = await responses.create({
      model,
      input: 'news',
      tools: [{ type: 'web_search' }],
      include: ['web_search_call.action.sources'],
    });
    t.match(cited.output, [
      { id: /^ws_/, action: { query: 'hats', sources: [{ type: 'url', url: 'https://hats.example/a' }] } },
      {
        type: 'message',
        content: [
          {
            text: 'Hats are back.',
            annotations: [
              {
                type: 'url_citation',
                url: 'https://hats.example/a',
                title: 'Hats',
                start_index: 0,
                end_index: 14,
              },
            ],
          },
        ],
      },
    ]);
    const events = await told(await responses.create({ model, input: 'news', tools, stream: true }));
    t.ok(typesOf(events).includes('web_search_call.searching'));
  },
);

t.test('code was run where a handler says so', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'sum',
        match: { lastUser: 'sum' },
        reply: {
          text: 'Three.',
          toolCalls: [{ name: 'code_interpreter', arguments: { code: 'print(1 + 2)', logs: '3\n' } }],
        },
      },
    ],
  });
  const { responses } = sdk(made);
  const tools: OpenAI.Responses.Tool[] = [{ type: 'code_interpreter', container: { type: 'auto' } }];
  const include: OpenAI.Responses.ResponseIncludable[] = ['code_interpreter_call.outputs'];
  const ran = await responses.create({ model, input: 'sum', tools, include });
  t.match(ran.output, [
    { id: /^ci_/, code: 'print(1 + 2)', container_id: /^cntr_/, outputs: [{ type: 'logs', logs: '3\n' }] },
    { type: 'message', content: [{ text: 'Three.' }] },
  ]);
  const events = await told(await responses.create({ model, input: 'sum', tools, stream: true }));
  const code = events.flatMap(event =>
    event.type === 'response.code_interpreter_call_code.delta' ? [event.delta] : [],
  );
  t.equal(code.join(''), 'print(1 + 2)');
  const none = await responses.create({ model, input: 'something else', tools });
  t.same(
    none.output.map(({ type }) => type),
    ['message'],
  );
});

t.test('a response that is kept is told again, from the event that its client had last', async t => {
  await using made = await openLlmWorld('openai');
  const { responses } = sdk(made);
  const first = await told(
    await responses.create({ model, input: 'Hello you', background: true, stream: true }),
  );
  const { response } = first[0] as OpenAI.Responses.ResponseCreatedEvent;
  const again = await told(await responses.retrieve(response.id, { stream: true }));
  t.same(
    again.map(({ type }) => type),
    first.map(({ type }) => type),
  );
  t.match(again.at(-1), { type: 'response.completed', response: { output: first.at(-1) ? Array : [] } });
  const rest = await told(await responses.retrieve(response.id, { stream: true, starting_after: 3 }));
  t.match(rest[0], { sequence_number: 4 });
  t.equal(rest.length, first.length - 4);
  await t.rejects(responses.retrieve(response.id, { stream: true, starting_after: -7 }), {
    status: 400,
    message: /'starting_after'/,
  });
  const queued = await responses.create({ model, input: 'Hello you', background: true });
  const begun = await told(await responses.retrieve(queued.id, { stream: true }));
  t.same(
    begun.map(({ type }) => type),
    ['response.created', 'response.in_progress', 'response.queued'],
  );
});
