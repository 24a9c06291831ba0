// The OpenAI twin's other operations by the vendor's own SDK: embeddings, moderations, models, files, batches.
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { openaiCoverage } from '../../../scripts/llm-coverage.ts';
import { openaiTwin } from '../../../twins/openai/twin.ts';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });

t.test('embeddings: unit vectors, the same for the same text, near for texts that share words', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const embed = async (...input: string[]): Promise<number[][]> =>
    (await openai.embeddings.create({ model: 'text-embedding-3-small', input })).data.map(
      ({ embedding }) => embedding,
    );
  const [cat, dog, cats] = await embed('the cat sat on the mat', 'quarterly revenue grew', 'a cat on a mat');
  const dot = (a: number[], b: number[]): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  t.equal(cat!.length, 1536);
  t.ok(Math.abs(dot(cat!, cat!) - 1) < 1e-4);
  t.ok(dot(cat!, cats!) > 0.3 && dot(cat!, cats!) > dot(cat!, dog!) + 0.2);
  t.same((await embed('the cat sat on the mat'))[0], cat);
  const small = await openai.embeddings.create({
    model: 'text-embedding-3-large',
    input: 'x',
    dimensions: 8,
    encoding_format: 'float',
  });
  t.equal(small.data[0]!.embedding.length, 8);
  t.match(small.usage, { prompt_tokens: 1, total_tokens: 1 });
  await t.rejects(openai.embeddings.create({ model: 'text-embedding-3-small', input: '' }), {
    message: /^400/,
    status: 400,
  });
  t.same(await made.kinds(), [], 'it changes nothing');
});

t.test('many embeddings are made as they are sent: the same bytes, and none of them held', async t => {
  await using made = await openLlmWorld('openai');
  const input = Array.from({ length: 40 }, (_, n) => `text number ${n}`);
  const ask = async (inputs: readonly string[], encoding_format: string) => {
    const body = JSON.stringify({ model: 'text-embedding-3-small', input: inputs, encoding_format });
    const reply = await made.fetch('https://api.openai.com/v1/embeddings', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body,
    });
    return { type: reply.headers.get('content-type'), text: await reply.text() };
  };
  for (const format of ['float', 'base64']) {
    const many = await ask(input, format);
    t.equal(many.type, 'application/json');
    const parsed = JSON.parse(many.text);
    t.equal(many.text, `${JSON.stringify(parsed, null, 2)}\n`, 'spaced as the vendor spaces it');
    t.match(parsed, { object: 'list', data: { length: 40 }, usage: { prompt_tokens: Number } });
    const one = JSON.parse((await ask([input[39]!], format)).text);
    t.same(parsed.data[39], { ...one.data[0], index: 39 });
  }
});

t.test('[2.3] a handler gives vectors', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'each',
        match: { endpoint: 'embeddings', input: { contains: 'two' } },
        reply: {
          embedding: [
            [1, 0],
            [0, 1],
          ],
        },
      },
      {
        id: 'one',
        match: { endpoint: 'embeddings' },
        reply: { embedding: [0.5, 0.25], usage: { input: 7 } },
      },
    ],
  });
  const openai = sdk(made);
  const each = await openai.embeddings.create({ model: 'm', input: ['one', 'two'] });
  t.same(
    each.data.map(({ embedding }) => embedding),
    [
      [1, 0],
      [0, 1],
    ],
  );
  const one = await openai.embeddings.create({ model: 'm', input: ['a', 'b'] });
  t.same(
    one.data.map(({ embedding }) => embedding),
    [
      [0.5, 0.25],
      [0.5, 0.25],
    ],
  );
  t.equal(one.usage.prompt_tokens, 7);
});

t.test('moderations and models', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const { results } = await openai.moderations.create({ input: ['I will kill you', 'What a day'] });
  t.same(
    results.map(({ flagged }) => flagged),
    [true, false],
  );
  t.match(results[0], { categories: { violence: true, sexual: false }, category_scores: { violence: 0.95 } });
  const models = await openai.models.list();
  t.ok(models.data.some(({ id }) => id === 'gpt-5'));
  t.match(await openai.models.retrieve('gpt-5'), { id: 'gpt-5', object: 'model' });
  await t.rejects(openai.models.retrieve('gpt-nothing'), {
    message: /^404/,
    status: 404,
    code: 'model_not_found',
  });
});

t.test('files: kept byte for byte, listed, read by a second client, deleted', async t => {
  await using made = await openLlmWorld('openai');
  const bytes = new Uint8Array(70_000).map((_, at) => (at * 7) % 256);
  const file = await sdk(made).files.create({
    file: await toFile(bytes, 'odd "name".bin'),
    purpose: 'user_data',
  });
  t.match(file, {
    id: /^file-\w{22}$/,
    object: 'file',
    bytes: 70_000,
    filename: 'odd "name".bin',
    purpose: 'user_data',
    status: 'processed',
  });
  const other = sdk(made);
  t.same(new Uint8Array(await (await other.files.content(file.id)).arrayBuffer()), bytes);
  for (let n = 0; n < 3; n += 1)
    await other.files.create({ file: await toFile(new Uint8Array([n]), `${n}`), purpose: 'batch' });
  const seen: string[] = [];
  for await (const each of other.files.list({ purpose: 'batch', limit: 2, order: 'asc' }))
    seen.push(each.filename);
  t.same(seen, ['0', '1', '2']);
  t.match(await other.files.delete(file.id), { id: file.id, deleted: true });
  await t.rejects(other.files.retrieve(file.id), { message: /^404/, status: 404 });
  const soon = await other.files.create({
    file: await toFile(bytes, 'x'),
    purpose: 'user_data',
    expires_after: { anchor: 'created_at', seconds: 3600 },
  });
  await made.advance('2h');
  await t.rejects(other.files.retrieve(soon.id), { message: /^404/, status: 404 });
  t.match(
    await made.ask('POST', '/v1/files', '--x', {
      headers: { authorization: 'Bearer k', 'content-type': 'multipart/form-data; boundary=x' },
    }),
    { status: 400 },
  );
});

const line = (custom_id: string, content: string): string =>
  JSON.stringify({
    custom_id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gpt-5', messages: [{ role: 'user', content }] },
  });

t.test(
  '[4.9 clock] a batch: validating, in progress, completed, with its handlers asked line by line',
  async t => {
    await using made = await openLlmWorld('openai', {
      handlers: [
        {
          id: 'busy',
          match: { lastUser: 'fail' },
          reply: { error: { status: 429, type: 'rate_limit_exceeded', message: 'Later.' } },
        },
        { id: 'one', match: { lastUser: 'one' }, reply: { text: 'ONE' } },
      ],
    });
    const openai = sdk(made);
    const input = [line('a', 'one'), line('b', 'two'), line('c', 'fail')].join('\n');
    const file = await openai.files.create({
      file: await toFile(Buffer.from(input), 'in.jsonl'),
      purpose: 'batch',
    });
    const batch = await openai.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    t.match(batch, { status: 'validating', request_counts: { total: 0 } });
    await made.advance('15s');
    t.match(await openai.batches.retrieve(batch.id), {
      status: 'in_progress',
      model: 'gpt-5',
      request_counts: { total: 3, completed: 0 },
    });
    await made.advance('2m');
    const done = await openai.batches.retrieve(batch.id);
    t.match(done, {
      status: 'completed',
      request_counts: { total: 3, completed: 2, failed: 1 },
      usage: { input_tokens: Number },
    });
    const read = async (id: string): Promise<{ custom_id: string }[]> =>
      (await (await sdk(made).files.content(id)).text())
        .trim()
        .split('\n')
        .map(text => JSON.parse(text));
    t.match(await read(done.output_file_id!), [
      {
        custom_id: 'a',
        response: { status_code: 200, body: { choices: [{ message: { content: 'ONE' } }] } },
      },
      { custom_id: 'b', response: { body: { choices: [{ message: { content: 'You said: two' } }] } } },
    ]);
    t.match(await read(done.error_file_id!), [
      { custom_id: 'c', response: { status_code: 429, body: { error: { message: 'Later.' } } } },
    ]);
    t.same(await made.kinds(), ['file.created', 'batch.created', 'batch.in_progress', 'batch.completed']);
  },
);

t.test('[4.9 clock] a long batch is worked through in slices, and its file is there at its end', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  // Blank lines are no requests.
  const input = Array.from(
    { length: 600 },
    (_, n) => `${line(`c${n}`, `n${n}`)}\n${n % 7 === 0 ? '\n' : ''}`,
  );
  const file = await openai.files.create({
    file: await toFile(Buffer.from(input.join('')), 'in.jsonl'),
    purpose: 'batch',
  });
  const { id } = await openai.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  await made.advance('31s');
  t.match(await openai.batches.retrieve(id), {
    status: 'in_progress',
    request_counts: { total: 600, completed: 250 },
    output_file_id: null,
  });
  await made.advance('40s');
  const done = await openai.batches.retrieve(id);
  t.match(done, { status: 'completed', request_counts: { total: 600, completed: 600 } });
  const lines = (await (await sdk(made).files.content(done.output_file_id!)).text()).trim().split('\n');
  t.same(
    lines.map(text => JSON.parse(text).custom_id),
    Array.from({ length: 600 }, (_, n) => `c${n}`),
    'each once, in order',
  );
  t.same((await made.kinds()).slice(2), [
    'batch.in_progress',
    'batch.progressed',
    'batch.progressed',
    'batch.completed',
  ]);
});

t.test('a batch that cannot be read fails line by line; one is cancelled', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const start = async (text: string): Promise<string> => {
    const file = await openai.files.create({
      file: await toFile(Buffer.from(text), 'in.jsonl'),
      purpose: 'batch',
    });
    return (
      await openai.batches.create({
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      })
    ).id;
  };
  const bad = await start(
    ['{', line('a', 'x'), line('a', 'x'), line('b', 'x').replace('chat/completions', 'embeddings')].join(
      '\n',
    ),
  );
  const empty = await start('');
  const stopped = await start(line('a', 'x'));
  t.match(await openai.batches.cancel(stopped), { status: 'cancelling' });
  await made.advance('1h');
  const failed = await openai.batches.retrieve(bad);
  t.equal(failed.status, 'failed');
  t.same(
    failed.errors!.data!.map(({ code, line }) => [code, line]),
    [
      ['invalid_json_line', 1],
      ['duplicate_custom_id', 3],
      ['mismatched_url', 4],
    ],
  );
  t.match(await openai.batches.retrieve(empty), {
    status: 'failed',
    errors: { data: [{ code: 'empty_file' }] },
  });
  t.match(await openai.batches.retrieve(stopped), { status: 'cancelled', output_file_id: null });
  t.same(
    (await openai.batches.list()).data.map(({ id }) => id),
    [stopped, empty, bad],
  );
  await t.rejects(openai.batches.cancel(bad), { message: /^400/, status: 400 });
  await t.rejects(
    openai.batches.create({ input_file_id: 'file-no', endpoint: '/v1/responses', completion_window: '24h' }),
    { message: /^404/, status: 404 },
  );
});

t.test('what is not modelled says so in the vendor’s shape, with a near miss', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [{ id: 'jobs', match: { method: 'POST', path: '/v1/evals' }, reply: { json: { data: [] } } }],
  });
  await t.rejects(sdk(made).webhooks.eventTypes.list(), {
    message: /^404/,
    status: 404,
    code: 'wrld_unmodelled_operation',
  });
  const { unmatched } = await made.scenario();
  t.match(unmatched[0], { path: '/v1/webhook_event_types', nearest: { id: 'jobs' } });
  t.match(await made.ask('DELETE', '/v1/models'), { status: 405 });
  t.match(
    await made.ask('POST', '/v1/evals', {}),
    { status: 200, body: { data: [] } },
    'a handler answers it as it is',
  );
});

t.test('[2.2] the manifest counts what there is', t => {
  const { tiers, operations } = openaiCoverage();
  const { coverage, models, endpointEnv } = openaiTwin.manifest;
  t.same(coverage, { modelled: tiers.modelled, generic: 0, catalog: operations.length });
  t.equal(
    models.reduce((sum, { operations }) => sum + operations.length, 0),
    coverage.modelled,
  );
  t.same(endpointEnv, { OPENAI_BASE_URL: '/v1' });
  t.end();
});

t.test(
  '[8] a body that nests without end is no JSON that can be read, and nothing is kept of it',
  async t => {
    await using made = await openLlmWorld('openai');
    const deep = `${'{"properties":'.repeat(3000)}{}${'}'.repeat(3000)}`;
    const body = new TextEncoder().encode(
      `{"model":"gpt-5","store":true,"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":${deep}}}]}`,
    );
    const refused = await made.ask('POST', '/v1/chat/completions', undefined, { body });
    t.match(refused, { status: 400, body: { error: { type: 'invalid_request_error' } } });
    t.match(await made.ask('GET', '/v1/chat/completions'), { status: 200, body: { data: [] } });
  },
);
