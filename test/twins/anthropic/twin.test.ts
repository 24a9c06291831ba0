// The Anthropic twin by the vendor's own SDK: messages whole and streamed, tools, thinking, counts, batches, models.
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import t from 'tap';
import { z } from 'zod';
import { anthropicCoverage } from '../../../scripts/llm-coverage.ts';
import { anthropicTwin } from '../../../twins/anthropic/twin.ts';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld, more: object = {}): Anthropic =>
  new Anthropic({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0, ...more });
const asked = {
  model: 'claude-opus-4-5',
  max_tokens: 200,
  messages: [{ role: 'user' as const, content: 'Say hello.' }],
};
const weather: Anthropic.Tool = {
  name: 'get_weather',
  description: 'the weather',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 3 } },
    required: ['city', 'days'],
  },
};

t.test('a message answers, with the vendor’s headers, and is one entry of the log', async t => {
  await using made = await openLlmWorld('anthropic');
  const {
    data: message,
    request_id,
    response,
  } = await sdk(made)
    .messages.create({ ...asked, system: 'Be kind.' })
    .withResponse();
  t.match(message, {
    id: /^msg_01\w{22}$/,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-5',
    content: [{ type: 'text', text: 'You said: Say hello.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: Number, output_tokens: Number, service_tier: 'standard' },
  });
  t.notOk('citations' in message.content[0]!, 'said only of an answer that has some');
  t.match(request_id, /^req_01\w{22}$/);
  t.equal(response.headers.get('anthropic-ratelimit-requests-limit'), '4000');
  const { entries } = (await made.world.log('anthropic', 0))!;
  t.same(
    entries.map(({ kind }) => kind),
    ['message.created'],
  );
  t.match(entries[0]!.changes[0], {
    after: {
      request: { lastUser: 'Say hello.', system: 'Be kind.' },
      answer: { text: 'You said: Say hello.' },
    },
  });
  await t.resolves(
    sdk(made, { apiKey: null, authToken: 'tok_w_x' }).messages.create(asked),
    'Bearer is as good',
  );
});

t.test('the SDK’s own stream helper puts events together to the same message', async t => {
  await using made = await openLlmWorld('anthropic', {
    handlers: [
      {
        id: 'all',
        match: {},
        reply: {
          reasoning: 'Let me think about it.',
          text: 'I will look.',
          toolCalls: [
            { name: 'get_weather', arguments: { city: 'Oslo', days: 3 } },
            { name: 'get_weather', arguments: { city: 'Rome', days: 4 }, id: 'toolu_x' },
          ],
          stream: { chunkSize: 4 },
        },
      },
    ],
  });
  const events: Anthropic.MessageStreamEvent[] = [];
  const stream = sdk(made).messages.stream({ ...asked, tools: [weather] });
  stream.on('streamEvent', event => events.push(event));
  const message = await stream.finalMessage();
  t.match(message, {
    content: [
      { type: 'thinking', thinking: 'Let me think about it.', signature: String },
      { type: 'text', text: 'I will look.' },
      { type: 'tool_use', name: 'get_weather', input: { city: 'Oslo', days: 3 }, id: /^toolu_01/ },
      { type: 'tool_use', input: { city: 'Rome', days: 4 }, id: 'toolu_x' },
    ],
    stop_reason: 'tool_use',
  });
  t.same(
    events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]),
    [
      'message_start',
      ...Array.from({ length: 4 }, () => [
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
      ]).flat(),
      'message_delta',
      'message_stop',
    ],
  );
  t.ok(events.some(event => event.type === 'content_block_delta' && event.delta.type === 'signature_delta'));
  const raw = await (
    await made.fetch('https://api.anthropic.com/v1/messages', {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...asked, stream: true }),
    })
  ).text();
  t.match(raw, /^event: message_start\ndata: \{"type":"message_start"/);
  t.match(raw, /"content":\[\],"stop_reason":null/);
  t.match(raw, /event: ping\ndata: \{"type":"ping"\}\n\n/);
});

t.test(
  'tools that must be called, stop sequences, the end of what was allowed, thinking, structure',
  async t => {
    await using made = await openLlmWorld('anthropic');
    const anthropic = sdk(made);
    for (const tool_choice of [{ type: 'any' }, { type: 'tool', name: 'get_weather' }] as const) {
      const { content, stop_reason } = await anthropic.messages.create({
        ...asked,
        tools: [weather],
        tool_choice,
      });
      t.match(content, [{ type: 'tool_use', name: 'get_weather', input: { city: 'city', days: 3 } }]);
      t.equal(stop_reason, 'tool_use');
    }
    t.match(await anthropic.messages.create({ ...asked, stop_sequences: ['hello'] }), {
      content: [{ text: 'You said: Say ' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'hello',
    });
    t.match(await anthropic.messages.create({ ...asked, max_tokens: 2 }), {
      content: [{ text: 'You said' }],
      stop_reason: 'max_tokens',
    });
    const thought = await anthropic.messages.create({
      ...asked,
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
    });
    t.same(
      thought.content.map(({ type }) => type),
      ['thinking', 'text'],
    );
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    };
    const structured = await anthropic.messages.create({
      ...asked,
      output_config: { format: { type: 'json_schema', schema } },
    });
    t.match(structured.content, [{ type: 'text', text: '{"n":1}' }]);
  },
);

t.test('an agent loop: a tool is called, its result is read, the answer ends it', async t => {
  await using made = await openLlmWorld('anthropic', {
    handlers: [
      {
        id: 'call',
        match: { toolResult: false, tool: { offered: 'get_weather' } },
        reply: { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
      },
      {
        id: 'answer',
        match: { toolResult: { name: 'get_weather', text: { contains: 'rain' } }, turn: 2 },
        reply: { text: 'Umbrella.' },
      },
    ],
  });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather?' }];
  for (let turn = 0; turn < 5; turn += 1) {
    const message = await sdk(made).messages.create({ ...asked, messages, tools: [weather] });
    messages.push({ role: 'assistant', content: message.content });
    if (message.stop_reason !== 'tool_use') break;
    const results = message.content.flatMap((block): Anthropic.ToolResultBlockParam[] =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result', tool_use_id: block.id, content: [{ type: 'text', text: 'rain' }] }]
        : [],
    );
    messages.push({ role: 'user', content: results });
  }
  t.equal(messages.length, 4);
  t.match(messages[3]!.content, [{ type: 'text', text: 'Umbrella.' }]);
});

t.test('pictures and documents are taken, and counted', async t => {
  await using made = await openLlmWorld('anthropic');
  const anthropic = sdk(made);
  const messages: Anthropic.MessageParam[] = [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'The plan.' } },
        { type: 'text', text: 'What is it?' },
      ],
    },
  ];
  const { content } = await anthropic.messages.create({ ...asked, messages });
  t.match(content, [{ text: 'You said: The plan.\nWhat is it?' }]);
  const { input_tokens } = await anthropic.messages.countTokens({ model: 'claude-opus-4-5', messages });
  t.ok(input_tokens > 3_000);
  t.ok((await anthropic.messages.countTokens({ model: 'm', messages: asked.messages })).input_tokens < 20);
});

t.test(
  '[4.9 clock] a long batch is worked through in slices; what is left of one that is canceled is not asked',
  async t => {
    await using made = await openLlmWorld('anthropic');
    const anthropic = sdk(made);
    const requests = Array.from({ length: 600 }, (_, n) => ({
      custom_id: `c${n}`,
      params: { ...asked, messages: [{ role: 'user' as const, content: 'Hello?' }] },
    }));
    const whole = await anthropic.messages.batches.create({ requests });
    const stopped = await anthropic.messages.batches.create({ requests });
    await made.advance('21s');
    await anthropic.messages.batches.cancel(stopped.id);
    t.match(await anthropic.messages.batches.retrieve(whole.id), {
      processing_status: 'in_progress',
      request_counts: { processing: 600, succeeded: 0 },
    });
    await made.advance('2m');
    t.match((await anthropic.messages.batches.retrieve(whole.id)).request_counts, {
      processing: 0,
      succeeded: 600,
    });
    t.match((await anthropic.messages.batches.retrieve(stopped.id)).request_counts, {
      processing: 0,
      succeeded: 250,
      canceled: 350,
    });
    const ids: string[] = [];
    for await (const { custom_id } of await anthropic.messages.batches.results(whole.id)) ids.push(custom_id);
    t.same(
      ids,
      requests.map(({ custom_id }) => custom_id),
      'each once, in order',
    );
  },
);

t.test('[4.9 clock] a batch: in progress, then ended with results as lines', async t => {
  await using made = await openLlmWorld('anthropic', {
    handlers: [
      { id: 'one', match: { lastUser: 'one' }, reply: { text: 'ONE' } },
      {
        id: 'busy',
        match: { lastUser: 'fail' },
        reply: { error: { status: 529, type: 'overloaded_error', message: 'Busy' } },
      },
    ],
  });
  const anthropic = sdk(made);
  const request = (custom_id: string, content: string) => ({
    custom_id,
    params: { ...asked, messages: [{ role: 'user' as const, content }] },
  });
  const batch = await anthropic.messages.batches.create({
    requests: [request('a', 'one'), request('b', 'two'), request('c', 'fail')],
  });
  t.match(batch, {
    id: /^msgbatch_01/,
    processing_status: 'in_progress',
    request_counts: { processing: 3 },
    results_url: null,
  });
  await t.rejects(anthropic.messages.batches.results(batch.id));
  await t.rejects(anthropic.messages.batches.delete(batch.id), { message: /^400/, status: 400 });
  const stopped = await anthropic.messages.batches.create({ requests: [request('a', 'one')] });
  t.match(await anthropic.messages.batches.cancel(stopped.id), { processing_status: 'canceling' });
  await made.advance('5m');
  const other = sdk(made);
  t.match(await other.messages.batches.retrieve(batch.id), {
    processing_status: 'ended',
    request_counts: { processing: 0, succeeded: 2, errored: 1 },
    results_url: `https://api.anthropic.com/v1/messages/batches/${batch.id}/results`,
  });
  const results: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const result of await other.messages.batches.results(batch.id)) results.push(result);
  t.match(results, [
    { custom_id: 'a', result: { type: 'succeeded', message: { content: [{ text: 'ONE' }] } } },
    { custom_id: 'b', result: { type: 'succeeded', message: { content: [{ text: 'You said: two' }] } } },
    {
      custom_id: 'c',
      result: { type: 'errored', error: { type: 'error', error: { type: 'overloaded_error' } } },
    },
  ]);
  t.match(await other.messages.batches.retrieve(stopped.id), {
    processing_status: 'ended',
    request_counts: { canceled: 1 },
  });
  const listed: string[] = [];
  for await (const each of other.messages.batches.list({ limit: 1 })) listed.push(each.id);
  t.same(listed, [stopped.id, batch.id]);
  t.same(await made.kinds(), [
    'message_batch.created',
    'message_batch.created',
    'message_batch.updated',
    'message_batch.ended',
    'message_batch.ended',
  ]);
  t.match(await other.messages.batches.delete(batch.id), { type: 'message_batch_deleted' });
  await t.rejects(other.messages.batches.create({ requests: [] }), { message: /^400/, status: 400 });
  await t.rejects(other.messages.batches.create({ requests: [request('a', 'x'), request('a', 'y')] }), {
    message: /^400/,
    status: 400,
  });
});

t.test('models', async t => {
  await using made = await openLlmWorld('anthropic');
  const seen: string[] = [];
  for await (const model of sdk(made).models.list({ limit: 2 })) seen.push(model.id);
  t.ok(seen.length > 3 && new Set(seen).size === seen.length);
  t.match(await sdk(made).models.retrieve('claude-opus-4-5'), {
    id: 'claude-opus-4-5-20251101',
    type: 'model',
  });
  await t.rejects(sdk(made).models.retrieve('claude-nobody'), {
    message: /^404/,
    status: 404,
    type: 'not_found_error',
  });
});

t.test('what Anthropic would refuse is refused in its shape', async t => {
  await using made = await openLlmWorld('anthropic');
  const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  const refused = async (body: unknown, more: object = { headers }): Promise<unknown> => {
    const { status, body: answer } = await made.ask('POST', '/v1/messages', body, more);
    return { status, ...answer };
  };
  const user = { role: 'user', content: 'x' };
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'a', input: {} }] };
  const result = (id: string) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: 'y' }],
  });
  for (const [body, message] of [
    ['{', /not valid JSON/],
    [{}, /^model: Field required/],
    [{ model: 'm' }, /^messages: Field required/],
    [{ model: 'm', messages: [user] }, /^max_tokens: Field required/],
    [{ model: 'm', max_tokens: 1, messages: [] }, /at least one message/],
    [{ model: 'm', max_tokens: 1, messages: [{ role: 'boss', content: 'x' }] }, /Unexpected role "boss"/],
    [
      { model: 'm', max_tokens: 1, messages: [user, call, user] },
      /`tool_use` ids were found without `tool_result`/,
    ],
    [{ model: 'm', max_tokens: 1, messages: [user, call, result('toolu_2')] }, /unexpected `tool_use_id`/],
    [{ model: 'm', max_tokens: 1, messages: [user], tool_choice: { type: 'any' } }, /tool_choice/],
    [
      { model: 'm', max_tokens: 2000, messages: [user], thinking: { type: 'enabled', budget_tokens: 5 } },
      /greater than or equal to 1024/,
    ],
  ] as const) {
    t.match(
      await refused(body),
      { status: 400, type: 'error', error: { type: 'invalid_request_error', message }, request_id: /^req_/ },
      JSON.stringify(body),
    );
  }
  t.match(await refused({}, { headers: { 'anthropic-version': '2023-06-01' } }), {
    status: 401,
    error: { type: 'authentication_error' },
  });
  t.match(await refused({}, { headers: { 'x-api-key': 'k' } }), {
    status: 400,
    error: { message: /anthropic-version/ },
  });
  t.same(await made.kinds(), []);
  await t.rejects(sdk(made).get('/v1/skills'), { message: /^404/, status: 404, type: 'not_found_error' });
  t.match((await made.scenario()).unmatched[0], { path: '/v1/skills' });
});

t.test('[2.2] the manifest counts what there is', t => {
  const { tiers, operations } = anthropicCoverage();
  const { coverage, models, endpointEnv } = anthropicTwin.manifest;
  t.same(coverage, { modelled: tiers.modelled, generic: 0, catalog: operations.length });
  t.equal(
    models.reduce((sum, { operations }) => sum + operations.length, 0),
    coverage.modelled,
  );
  t.same(endpointEnv, { ANTHROPIC_BASE_URL: '' });
  t.end();
});

t.test('the SDK’s tool runner and its parsing of structure', async t => {
  await using made = await openLlmWorld('anthropic', {
    handlers: [
      {
        id: 'call',
        match: { tool: { offered: 'add' }, turn: 1 },
        reply: { toolCalls: [{ name: 'add', arguments: { a: 2, b: 3 } }] },
      },
      { id: 'answer', match: { toolResult: { name: 'add', text: '5' } }, reply: { text: 'Five.' } },
    ],
  });
  const anthropic = sdk(made);
  const add = betaZodTool({
    name: 'add',
    description: 'adds',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => String(a + b),
  });
  const last = await anthropic.beta.messages.toolRunner({ ...asked, tools: [add] });
  t.match(last.content, [{ type: 'text', text: 'Five.' }]);
  const streamed = anthropic.beta.messages.toolRunner({ ...asked, tools: [add], stream: true });
  const heard: string[] = [];
  for await (const stream of streamed) heard.push((await stream.finalMessage()).stop_reason!);
  t.same(heard, ['tool_use', 'end_turn']);
  const Person = z.object({ name: z.string(), age: z.number().int().min(18) });
  const parsed = await anthropic.messages.parse({
    ...asked,
    output_config: { format: zodOutputFormat(Person) },
  });
  t.same(parsed.parsed_output, { name: 'name', age: 18 });
});

t.test('a thread that the server holds: only what is new is sent', async t => {
  await using made = await openLlmWorld('anthropic', {
    scope: 'conversation',
    handlers: [
      {
        id: 'second',
        match: { turn: 2, system: 'Be kind.', input: { contains: 'I am Ada' } },
        reply: { text: 'You are Ada.' },
      },
    ],
  });
  const anthropic = sdk(made);
  const thread = anthropic.beta.messages.thread({
    model: 'claude-opus-4-5',
    max_tokens: 50,
    system: 'Be kind.',
  });
  const first = await thread.send({ role: 'user', content: 'I am Ada.' });
  t.match((await thread.send({ role: 'user', content: 'Who am I?' })).content, [{ text: 'You are Ada.' }]);
  const next = { ...asked, thread: { type: 'continue', previous_message_id: first.id } } as const;
  await t.rejects(anthropic.beta.messages.create(next), {
    message: /continued before/,
    errorCode: 'thread_already_continued',
  });
  const gone = { ...asked, thread: { type: 'continue', previous_message_id: 'msg_no' } } as const;
  await t.rejects(anthropic.beta.messages.create(gone), { message: /^404/, errorCode: 'thread_not_found' });
});

t.test(
  '[2.1] what Claude Code asks beside the API at its start is not there, and nothing is refused',
  async t => {
    await using made = await openLlmWorld('anthropic');
    for (const path of ['/api/claude_code/settings', '/api/claude_code/policy_limits']) {
      const answer = await made.fetch(`https://api.anthropic.com${path}`, {
        headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      });
      t.equal(answer.status, 404, path);
      t.match(await answer.json(), { type: 'error', error: { type: 'not_found_error' } }, path);
    }
  },
);
