// Vector stores by the vendor's own SDK: files read by the world's clock, searched, expired; the tool of responses; uploads.
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const keep = async (made: LlmWorld, name: string, text: string): Promise<string> =>
  (
    await sdk(made).files.create({
      file: await toFile(new TextEncoder().encode(text), name),
      purpose: 'assistants',
    })
  ).id;

const FOX = 'The fox could not reach the grapes and called them sour.';
const REVENUE = 'Quarterly revenue grew by nine percent in the north.';

t.test(
  '[4.9 clock] files are read a moment later, searched by words and attributes, and taken out',
  async t => {
    await using made = await openLlmWorld('openai');
    const openai = sdk(made);
    const fox = await keep(made, 'fox.txt', FOX);
    const store = await openai.vectorStores.create({ name: 'tales', file_ids: [fox] });
    t.match(store, { id: /^vs_/, status: 'in_progress', file_counts: { in_progress: 1, total: 1 } });
    await made.advance('1s');
    t.match(await openai.vectorStores.retrieve(store.id), {
      status: 'completed',
      file_counts: { completed: 1, total: 1 },
      usage_bytes: FOX.length,
    });
    const revenue = await keep(made, 'revenue.md', REVENUE);
    const added = await openai.vectorStores.files.create(store.id, {
      file_id: revenue,
      attributes: { year: 2025 },
    });
    t.match(added, { id: revenue, status: 'in_progress', vector_store_id: store.id });
    await made.advance('1s');
    const found = await openai.vectorStores.search(store.id, { query: 'sour grapes' });
    t.match(found.data[0], { file_id: fox, filename: 'fox.txt', content: [{ type: 'text', text: FOX }] });
    t.ok(found.data[0]!.score > found.data[1]!.score);
    const filtered = await openai.vectorStores.search(store.id, {
      query: 'sour grapes',
      filters: { type: 'and', filters: [{ type: 'gte', key: 'year', value: 2025 }] },
    });
    t.same(
      filtered.data.map(({ file_id }) => file_id),
      [revenue],
    );
    const one = await openai.vectorStores.search(store.id, { query: 'grapes', max_num_results: 1 });
    t.equal(one.data.length, 1);
    t.same((await openai.vectorStores.files.content(fox, { vector_store_id: store.id })).data, [
      { type: 'text', text: FOX },
    ]);
    const updated = await openai.vectorStores.files.update(fox, {
      vector_store_id: store.id,
      attributes: { year: 1990 },
    });
    t.same(updated.attributes, { year: 1990 });
    const seen: string[] = [];
    for await (const { id } of openai.vectorStores.files.list(store.id, { limit: 1, order: 'asc' }))
      seen.push(id);
    t.same(seen, [fox, revenue]);
    await openai.vectorStores.files.delete(fox, { vector_store_id: store.id });
    await openai.files.delete(revenue);
    t.match(await openai.vectorStores.retrieve(store.id), { file_counts: { total: 0 }, usage_bytes: 0 });
    t.match(await openai.vectorStores.delete(store.id), { id: store.id, deleted: true });
    await t.rejects(openai.vectorStores.retrieve(store.id), { message: /^404/, status: 404 });
  },
);

t.test('[4.9 clock] batches: read whole, told apart by status, cancelled', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const store = await openai.vectorStores.create({});
  const file_ids = [
    await keep(made, 'a.txt', FOX),
    await keep(made, 'b.exe', 'MZ'),
    await keep(made, 'c.txt', ''),
  ];
  const batch = await openai.vectorStores.fileBatches.create(store.id, { file_ids });
  t.match(batch, { status: 'in_progress', file_counts: { in_progress: 3, total: 3 } });
  await made.advance('1s');
  const at = { vector_store_id: store.id };
  t.match(await openai.vectorStores.fileBatches.poll(store.id, batch.id), {
    status: 'completed',
    file_counts: { completed: 1, failed: 2, in_progress: 0 },
  });
  const failed = await openai.vectorStores.fileBatches.listFiles(batch.id, {
    ...at,
    filter: 'failed',
    order: 'asc',
  });
  t.same(
    failed.data.map(({ last_error }) => last_error?.code),
    ['unsupported_file', 'invalid_file'],
  );
  const other = await openai.vectorStores.fileBatches.create(store.id, {
    files: [{ file_id: file_ids[0]!, attributes: { again: true } }],
  });
  t.match(await openai.vectorStores.fileBatches.cancel(other.id, at), {
    status: 'cancelled',
    file_counts: { cancelled: 1, in_progress: 0 },
  });
  t.match(await openai.vectorStores.retrieve(store.id), {
    status: 'completed',
    file_counts: { completed: 0, failed: 2, cancelled: 1, total: 3 },
  });
});

t.test('[4.9 clock] a store expires so many days after it was last used', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const store = await openai.vectorStores.create({ expires_after: { anchor: 'last_active_at', days: 1 } });
  t.equal(store.expires_at, store.last_active_at! + 86_400);
  await made.advance('20h');
  await openai.vectorStores.search(store.id, { query: 'x' });
  await made.advance('20h');
  t.equal((await openai.vectorStores.retrieve(store.id)).status, 'completed');
  await made.advance('5h');
  t.equal((await openai.vectorStores.retrieve(store.id)).status, 'expired');
  await t.rejects(openai.vectorStores.search(store.id, { query: 'x' }), { status: 400, message: /expired/ });
});

t.test('the tool of responses: what was found is an item, is cited, and streams', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const fox = await keep(made, 'fox.txt', FOX);
  const store = await openai.vectorStores.create({ file_ids: [fox] });
  await made.advance('1s');
  const asked = {
    model: 'gpt-5',
    input: 'What did the fox call the grapes?',
    tools: [{ type: 'file_search' as const, vector_store_ids: [store.id] }],
    include: ['file_search_call.results' as const],
  };
  const response = await openai.responses.create(asked);
  t.match(response.output, [
    {
      type: 'file_search_call',
      status: 'completed',
      queries: [asked.input],
      results: [{ file_id: fox, text: FOX }],
    },
    {
      type: 'message',
      content: [{ text: FOX, annotations: [{ type: 'file_citation', file_id: fox, index: FOX.length }] }],
    },
  ]);
  const types: string[] = [];
  const stream = openai.responses.stream(asked);
  for await (const { type } of stream) types.push(type);
  t.same(
    types.filter(type => type.includes('file_search') || type.includes('annotation')),
    [
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
      'response.output_text.annotation.added',
    ],
  );
  t.match((await stream.finalResponse()).output_text, FOX);
  const before = (await made.kinds()).length;
  const gone = { ...asked, tools: [{ type: 'file_search' as const, vector_store_ids: ['vs_no'] }] };
  await t.rejects(openai.responses.create(gone), { status: 404, message: /vs_no/ });
  t.equal((await made.kinds()).length, before);
});

t.test('[4.9 clock] an upload in parts becomes a file in the order that is said, or nothing', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const upload = { filename: 'tale.txt', purpose: 'assistants', mime_type: 'text/plain' } as const;
  const begun = await openai.uploads.create({ ...upload, bytes: 6 });
  t.match(begun, { id: /^upload_/, status: 'pending', expires_at: begun.created_at + 3600 });
  const part = async (text: string): Promise<string> =>
    (
      await openai.uploads.parts.create(begun.id, {
        data: await toFile(new TextEncoder().encode(text), 'part'),
      })
    ).id;
  const [second, first] = [await part('def'), await part('abc')];
  await t.rejects(openai.uploads.complete(begun.id, { part_ids: [first] }), { message: /^400/, status: 400 });
  const done = await openai.uploads.complete(begun.id, { part_ids: [first, second] });
  t.match(done, { status: 'completed', file: { object: 'file', bytes: 6, filename: 'tale.txt' } });
  t.equal(await (await openai.files.content(done.file!.id)).text(), 'abcdef');
  await t.rejects(openai.uploads.cancel(begun.id), { status: 400, message: /completed/ });
  const other = await openai.uploads.create({ ...upload, bytes: 6 });
  t.equal((await openai.uploads.cancel(other.id)).status, 'cancelled');
  const late = await openai.uploads.create({ ...upload, bytes: 6 });
  await made.advance('1h');
  await t.rejects(openai.uploads.complete(late.id, { part_ids: ['part_x'] }), {
    status: 400,
    message: /expired/,
  });
});
