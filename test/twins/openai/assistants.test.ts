// Assistants, threads, messages, runs and their steps by the vendor's own SDK, and with plain requests.
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const ADD = {
  type: 'function',
  function: {
    name: 'add',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
} as const;
const RAW = { headers: { authorization: 'Bearer sk-test', 'openai-beta': 'assistants=v2' } };

t.test('assistants and threads are made, listed, changed and deleted', async t => {
  await using made = await openLlmWorld('openai');
  const { assistants, threads } = sdk(made).beta;
  const first = await assistants.create({ model: 'gpt-4o', name: 'Ada', tools: [ADD], metadata: { a: 'b' } });
  t.match(first, {
    id: /^asst_\w{24}$/,
    object: 'assistant',
    name: 'Ada',
    instructions: null,
    tools: [ADD],
    temperature: 1,
    top_p: 1,
    response_format: 'auto',
  });
  const second = await assistants.create({ model: 'gpt-5', instructions: 'Be kind.' });
  const other = sdk(made).beta;
  t.same(
    (await other.assistants.list({ limit: 1 })).data.map(({ id }) => id),
    [second.id],
  );
  const seen: string[] = [];
  for await (const { id } of other.assistants.list({ limit: 1, order: 'asc' })) seen.push(id);
  t.same(seen, [first.id, second.id]);
  const changed = await assistants.update(first.id, { name: 'Bob', tools: [] });
  t.match(changed, { name: 'Bob', tools: [], model: 'gpt-4o', metadata: { a: 'b' } });
  t.same(await other.assistants.retrieve(first.id), changed);
  t.same(await assistants.delete(first.id), { id: first.id, object: 'assistant.deleted', deleted: true });
  await t.rejects(assistants.retrieve(first.id), {
    status: 404,
    message: `404 No assistant found with id '${first.id}'.`,
  });
  const thread = await threads.create({
    messages: [{ role: 'user', content: 'Hi' }],
    metadata: { of: 'me' },
  });
  t.match(thread, { id: /^thread_\w{24}$/, object: 'thread', metadata: { of: 'me' }, tool_resources: {} });
  const message = await threads.messages.create(thread.id, { role: 'user', content: 'And you?' });
  t.match(message, {
    id: /^msg_/,
    object: 'thread.message',
    content: [{ type: 'text', text: { value: 'And you?', annotations: [] } }],
    run_id: null,
    status: 'completed',
  });
  t.equal((await threads.messages.list(thread.id)).data[0]!.id, message.id, 'the newest first');
  const noted = { thread_id: thread.id, metadata: { read: 'yes' } };
  t.same((await threads.messages.update(message.id, noted)).metadata, { read: 'yes' });
  await threads.messages.delete(message.id, { thread_id: thread.id });
  t.equal((await threads.messages.list(thread.id)).data.length, 1);
  t.same((await threads.update(thread.id, { metadata: { of: 'you' } })).metadata, { of: 'you' });
  t.same(await threads.delete(thread.id), { id: thread.id, object: 'thread.deleted', deleted: true });
  await t.rejects(threads.messages.list(thread.id), { status: 404, message: /No thread found with id/ });
});

t.test(
  '[4.9 clock] a run is queued, and has answered a moment later; its steps and usage are told',
  async t => {
    await using made = await openLlmWorld('openai');
    const { assistants, threads } = sdk(made).beta;
    const assistant = await assistants.create({ model: 'gpt-4o', instructions: 'Be kind.' });
    const thread = await threads.create({ messages: [{ role: 'user', content: 'Hi' }] });
    const queued = await threads.runs.create(thread.id, {
      assistant_id: assistant.id,
      additional_instructions: 'Be short.',
      additional_messages: [{ role: 'user', content: 'Hello?' }],
    });
    t.match(queued, {
      id: /^run_/,
      object: 'thread.run',
      status: 'queued',
      instructions: 'Be kind. Be short.',
      usage: null,
      model: 'gpt-4o',
    });
    t.notOk(Object.keys(queued).some(name => name.startsWith('$')));
    await t.rejects(threads.messages.create(thread.id, { role: 'user', content: 'x' }), {
      status: 400,
      message: `400 Can't add messages to ${thread.id} while a run ${queued.id} is active.`,
    });
    await t.rejects(threads.runs.create(thread.id, { assistant_id: assistant.id }), {
      message: `400 Thread ${thread.id} already has an active run ${queued.id}.`,
    });
    await made.advance('1s');
    const run = await threads.runs.poll(queued.id, { thread_id: thread.id });
    t.match(run, {
      status: 'completed',
      usage: { prompt_tokens: Number, completion_tokens: Number },
      last_error: null,
    });
    t.equal(run.usage!.total_tokens, run.usage!.prompt_tokens + run.usage!.completion_tokens);
    const { data } = await sdk(made).beta.threads.messages.list(thread.id, { run_id: run.id });
    t.match(data, [
      {
        role: 'assistant',
        run_id: run.id,
        assistant_id: assistant.id,
        content: [{ type: 'text', text: { value: 'You said: Hello?', annotations: [] } }],
      },
    ]);
    const steps = await threads.runs.steps.list(run.id, { thread_id: thread.id });
    t.match(steps.data, [
      {
        id: /^step_/,
        type: 'message_creation',
        status: 'completed',
        step_details: { message_creation: { message_id: data[0]!.id } },
        usage: run.usage,
      },
    ]);
    const [step] = steps.data;
    t.same(await threads.runs.steps.retrieve(step!.id, { thread_id: thread.id, run_id: run.id }), step);
    await t.rejects(threads.runs.cancel(run.id, { thread_id: thread.id }), {
      message: "400 Cannot cancel run with status 'completed'.",
    });
    const again = await threads.runs.create(thread.id, { assistant_id: assistant.id });
    t.equal((await threads.runs.cancel(again.id, { thread_id: thread.id })).status, 'cancelling');
    await made.advance('1s');
    t.match(await threads.runs.retrieve(again.id, { thread_id: thread.id }), {
      status: 'cancelled',
      cancelled_at: Number,
    });
    t.same(
      (await threads.runs.list(thread.id)).data.map(({ id }) => id),
      [again.id, run.id],
    );
    t.same((await made.kinds()).slice(-4), [
      'thread.run.completed',
      'thread.run.created',
      'thread.run.cancelling',
      'thread.run.cancelled',
    ]);
  },
);

t.test(
  '[2.3] a run waits for its functions, goes on with what they answered, and expires without',
  async t => {
    await using made = await openLlmWorld('openai', {
      handlers: [
        {
          id: 'ask',
          match: { endpoint: 'threads.runs', tool: { offered: 'add' }, toolResult: false },
          reply: { toolCalls: [{ name: 'add', arguments: { a: 1, b: 2 } }] },
        },
        { id: 'tell', match: { toolResult: { name: 'add', text: '3' } }, reply: { text: 'It is three.' } },
      ],
    });
    const { assistants, threads } = sdk(made).beta;
    const assistant = await assistants.create({ model: 'gpt-4o', tools: [ADD] });
    const body: OpenAI.Beta.ThreadCreateAndRunParamsNonStreaming = {
      assistant_id: assistant.id,
      thread: { messages: [{ role: 'user', content: '1 + 2?' }] },
    };
    const queued = await threads.createAndRun(body);
    await made.advance('1s');
    const at = { thread_id: queued.thread_id };
    const waiting = await threads.runs.retrieve(queued.id, at);
    t.equal(waiting.status, 'requires_action');
    const [call] = waiting.required_action!.submit_tool_outputs.tool_calls;
    t.match(call, { id: /^call_/, type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } });
    const submit = (id: string) =>
      threads.runs.submitToolOutputs(queued.id, { ...at, tool_outputs: [{ tool_call_id: id, output: '3' }] });
    await t.rejects(submit('call_x'), {
      status: 400,
      message: `400 Expected tool outputs for call_ids ['${call!.id}'], got ['call_x']`,
    });
    t.match(await submit(call!.id), { status: 'queued', required_action: null });
    await t.rejects(submit(call!.id), { message: '400 Runs in status "queued" do not accept tool outputs.' });
    await made.advance('1s');
    const done = await threads.runs.retrieve(queued.id, at);
    const steps = (await threads.runs.steps.list(queued.id, { ...at, order: 'asc' })).data;
    t.match(steps, [
      {
        type: 'tool_calls',
        status: 'completed',
        step_details: { tool_calls: [{ id: call!.id, function: { name: 'add', output: '3' } }] },
      },
      { type: 'message_creation', status: 'completed' },
    ]);
    t.equal(
      done.usage!.total_tokens,
      steps.reduce((sum, { usage }) => sum + usage!.total_tokens, 0),
    );
    const { data } = await threads.messages.list(queued.thread_id);
    t.match(data[0]!.content, [{ text: { value: 'It is three.' } }]);
    const left = await threads.createAndRun(body);
    await made.advance('10m');
    const expired = await threads.runs.retrieve(left.id, { thread_id: left.thread_id });
    t.equal(expired.status, 'expired');
    const scenario = await made.scenario();
    t.same(
      scenario.handlers.map(({ id, matched }: { id: string; matched: number }) => [id, matched]),
      [
        ['ask', 2],
        ['tell', 1],
      ],
    );
  },
);

t.test('[2.3] a streamed run tells every event in its order, and the SDK puts them together', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'ask',
        match: { toolResult: false, tool: { offered: 'add' } },
        reply: { toolCalls: [{ name: 'add', arguments: { a: 1, b: 2 } }] },
      },
      { id: 'tell', match: { toolResult: true }, reply: { text: 'It is three.' } },
    ],
  });
  const { assistants, threads } = sdk(made).beta;
  const assistant = await assistants.create({ model: 'gpt-4o', tools: [ADD] });
  const first = threads.createAndRunStream({
    assistant_id: assistant.id,
    thread: { messages: [{ role: 'user', content: '1 + 2?' }] },
  });
  const told: string[] = [];
  first.on('event', ({ event }) => told.push(event));
  const waiting = await first.finalRun();
  const once = (all: readonly string[]) => all.filter((each, at) => each !== all[at - 1]);
  t.same(once(told), [
    'thread.created',
    'thread.run.created',
    'thread.run.queued',
    'thread.run.in_progress',
    'thread.run.step.created',
    'thread.run.step.in_progress',
    'thread.run.step.delta',
    'thread.run.requires_action',
  ]);
  const [step] = await first.finalRunSteps();
  t.match(step!.step_details, { tool_calls: [{ function: { name: 'add', arguments: '{"a":1,"b":2}' } }] });
  const [call] = waiting.required_action!.submit_tool_outputs.tool_calls;
  const second = threads.runs.submitToolOutputsStream(waiting.id, {
    thread_id: waiting.thread_id,
    tool_outputs: [{ tool_call_id: call!.id, output: '3' }],
  });
  const events: string[] = [];
  let text = '';
  second.on('event', ({ event }) => events.push(event));
  second.on('textDelta', ({ value }) => {
    text += value ?? '';
  });
  const run = await second.finalRun();
  t.equal(text, 'It is three.');
  t.match(await second.finalMessages(), [{ status: 'completed', content: [{ text: { value: text } }] }]);
  t.same(once(events), [
    'thread.run.step.completed',
    'thread.run.queued',
    'thread.run.in_progress',
    'thread.run.step.created',
    'thread.run.step.in_progress',
    'thread.message.created',
    'thread.message.in_progress',
    'thread.message.delta',
    'thread.message.completed',
    'thread.run.step.completed',
    'thread.run.completed',
  ]);
  t.same(await sdk(made).beta.threads.runs.retrieve(run.id, { thread_id: run.thread_id }), run);
  t.equal(made.open(), 0);
});

t.test('[2.3] a run fails in the middle of its words, or is cut short, and says so', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'fails',
        match: { lastUser: 'fail' },
        reply: {
          text: 'one two three',
          stream: { cutAfterChunks: 2 },
          error: { status: 429, type: 'rate_limit_exceeded', message: 'Slow down.' },
        },
      },
      { id: 'long', match: { lastUser: 'long' }, reply: { text: 'one two', finish: 'length' } },
      { id: 'no', match: { lastUser: 'no' }, reply: { text: 'I will not.', finish: 'refusal' } },
    ],
  });
  const { assistants, threads } = sdk(made).beta;
  const { id: assistant_id } = await assistants.create({ model: 'gpt-4o' });
  const ask = async (content: string) => {
    const thread = await threads.create({ messages: [{ role: 'user', content }] });
    const run = await threads.runs.stream(thread.id, { assistant_id }).finalRun();
    const [message] = (await threads.messages.list(thread.id)).data;
    return { run, message };
  };
  t.match(await ask('fail'), {
    run: {
      status: 'failed',
      last_error: { code: 'rate_limit_exceeded', message: 'Slow down.' },
      failed_at: Number,
    },
    message: {
      status: 'incomplete',
      incomplete_details: { reason: 'run_failed' },
      content: [{ text: { value: 'one two' } }],
    },
  });
  t.match(await ask('long'), {
    run: { status: 'incomplete', incomplete_details: { reason: 'max_completion_tokens' } },
    message: { status: 'incomplete', incomplete_details: { reason: 'max_tokens' } },
  });
  t.match(await ask('no'), {
    run: { status: 'completed' },
    message: { content: [{ type: 'refusal', refusal: 'I will not.' }] },
  });
});

t.test(
  'files of a message are searched, cited and told of; code is what a handler says it printed',
  async t => {
    await using made = await openLlmWorld('openai', {
      handlers: [
        {
          id: 'code',
          match: { lastUser: { contains: 'compute' } },
          reply: {
            text: 'It is 4.',
            toolCalls: [{ name: 'code_interpreter', arguments: { input: 'print(2+2)', logs: '4' } }],
          },
        },
      ],
    });
    const openai = sdk(made);
    const { assistants, threads } = openai.beta;
    const words = 'The fox could not reach the grapes and called them sour.';
    const file = await openai.files.create({
      file: await toFile(new TextEncoder().encode(words), 'fox.txt'),
      purpose: 'assistants',
    });
    const assistant = await assistants.create({
      model: 'gpt-4o',
      tools: [{ type: 'file_search' }, { type: 'code_interpreter' }],
    });
    const attachments = [{ file_id: file.id, tools: [{ type: 'file_search' } as const] }];
    const thread = await threads.create({
      messages: [{ role: 'user', content: 'What of the grapes?', attachments }],
    });
    const [store] = thread.tool_resources!.file_search!.vector_store_ids!;
    t.match(await openai.vectorStores.retrieve(store!), {
      expires_after: { anchor: 'last_active_at', days: 7 },
    });
    await made.advance('1s');
    const run = await threads.runs.stream(thread.id, { assistant_id: assistant.id }).finalRun();
    const [message] = (await threads.messages.list(thread.id)).data;
    const [content] = message!.content;
    t.match(content, {
      type: 'text',
      text: { annotations: [{ type: 'file_citation', file_citation: { file_id: file.id } }] },
    });
    if (content?.type !== 'text') throw new Error('It is text.');
    const [annotation] = content.text.annotations;
    t.equal(content.text.value.slice(annotation!.start_index, annotation!.end_index), annotation!.text);
    const at = { thread_id: thread.id, order: 'asc' } as const;
    const [bare] = (await threads.runs.steps.list(run.id, at)).data;
    t.match(bare!.step_details, {
      tool_calls: [{ type: 'file_search', file_search: { results: [{ file_id: file.id }] } }],
    });
    t.notMatch(bare!.step_details, { tool_calls: [{ file_search: { results: [{ content: Array }] } }] });
    const include = ['step_details.tool_calls[*].file_search.results[*].content'] as const;
    const [whole] = (await threads.runs.steps.list(run.id, { ...at, include: [...include] })).data;
    t.match(whole!.step_details, {
      tool_calls: [{ file_search: { results: [{ content: [{ text: words }] }] } }],
    });
    await threads.messages.create(thread.id, { role: 'user', content: 'Now compute.' });
    const computed = threads.runs.stream(thread.id, { assistant_id: assistant.id });
    await computed.finalRun();
    t.match(
      (await computed.finalRunSteps()).map(({ step_details }) => step_details),
      [
        {
          tool_calls: [
            { type: 'file_search' },
            { type: 'code_interpreter', code_interpreter: { input: 'print(2+2)', outputs: [{ logs: '4' }] } },
          ],
        },
        { type: 'message_creation' },
      ],
    );
  },
);

t.test(
  'plain requests are answered alike, and refused in the vendor’s words with nothing stored',
  async t => {
    await using made = await openLlmWorld('openai');
    const ask = (method: string, path: string, body?: unknown) => made.ask(method, path, body, RAW);
    t.match(await made.ask('POST', '/v1/assistants', { model: 'gpt-4o' }), {
      status: 400,
      body: {
        error: {
          code: 'invalid_beta',
          type: 'invalid_request_error',
          message: /'OpenAI-Beta: assistants=v2'/,
        },
      },
    });
    const old = { headers: { ...RAW.headers, 'openai-beta': 'assistants=v1' } };
    t.match(await made.ask('GET', '/v1/threads/thread_1', undefined, old), {
      status: 400,
      body: { error: { code: 'invalid_beta' } },
    });
    const { body: assistant } = await ask('POST', '/v1/assistants', { model: 'gpt-4o' });
    const { body: thread } = await ask('POST', '/v1/threads');
    const before = (await made.kinds()).length;
    const messages = `/v1/threads/${thread.id}/messages`;
    const runs = `/v1/threads/${thread.id}/runs`;
    const of = { assistant_id: assistant.id };
    for (const [path, body, message] of [
      ['/v1/assistants', {}, "Missing required parameter: 'model'."],
      ['/v1/assistants', { model: 'x', a: 1 }, "Unknown parameter: 'a'."],
      [
        '/v1/assistants',
        { model: 'x', tools: [{ type: 'web' }] },
        "Invalid value: 'web'. Supported values are: 'code_interpreter', 'function', and 'file_search'.",
      ],
      [
        '/v1/assistants',
        { model: 'x', tools: [{ type: 'function' }] },
        "Missing required parameter: 'tools[0].function'.",
      ],
      [
        '/v1/assistants',
        { model: 'x', metadata: { a: 1 } },
        "Invalid type for 'metadata.a': expected a string, but got an integer instead.",
      ],
      [
        '/v1/assistants',
        { model: 'x', temperature: 3 },
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
      ],
      [
        messages,
        { role: 'system', content: 'x' },
        "Invalid value: 'system'. Supported values are: 'user', and 'assistant'.",
      ],
      [messages, { role: 'user' }, "Missing required parameter: 'content'."],
      [messages, { role: 'user', content: '' }, 'Message content must be non-empty.'],
      [
        messages,
        {
          role: 'user',
          content: 'x',
          attachments: [{ file_id: 'file-x', tools: [{ type: 'file_search' }] }],
        },
        'No such File object: file-x',
      ],
      [runs, {}, "Missing required parameter: 'assistant_id'."],
      [runs, { assistant_id: 'asst_x' }, "No assistant found with id 'asst_x'."],
      [
        runs,
        { ...of, tool_choice: { type: 'function', function: { name: 'x' } } },
        "Tool choice 'x' not found in 'tools' parameter.",
      ],
      [runs, { ...of, thread: {} }, "Unknown parameter: 'thread'."],
      ['/v1/threads/thread_x/runs', of, "No thread found with id 'thread_x'."],
      [
        '/v1/threads/runs',
        { ...of, thread: { messages: [{ role: 'user', content: [] }] } },
        'Message content must be non-empty.',
      ],
      [`${runs}/run_x/cancel`, undefined, "No run found with id 'run_x'."],
      [`${runs}/run_x/submit_tool_outputs`, {}, "No run found with id 'run_x'."],
    ] as const) {
      const { status, body: got } = await ask('POST', path, body);
      t.match([status, got.error.message], [message.startsWith('No ') ? 404 : 400, message], message);
    }
    t.equal((await made.kinds()).length, before);
    const { body: run } = await ask('POST', runs, {
      ...of,
      additional_messages: [{ role: 'user', content: 'Hi' }],
    });
    t.match(run, { object: 'thread.run', status: 'queued' });
    await ask('DELETE', `/v1/threads/${thread.id}`);
    await made.advance('1h');
    t.equal((await ask('GET', `${runs}/${run.id}`)).status, 404, 'nothing of it is done any more');
  },
);
