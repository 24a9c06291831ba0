// What an app did at the OpenAI twin by OpenAI's own SDK, done at an OpenAI that knows nothing of it: a world that is served by
// another process.
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { openLlmVendor } from '../../../kit/llm-vendor.ts';

const bearer = (token: string) => [['Authorization', `Bearer ${token}`]] as const;

const clientsOf = ({ here, there }: Awaited<ReturnType<typeof openLlmVendor>>) => {
  const maxRetries = 0;
  const app = new OpenAI({
    ...{ apiKey: 'sk-app', organization: 'org-shop', maxRetries },
    fetch: here.fetch,
  });
  const real = new OpenAI({ apiKey: there.token, baseURL: `${there.url}/v1`, maxRetries });
  return { app, real };
};

const LINE = {
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hi' }] },
};
/** No text, and too long to stand in a row of the log. */
const BYTES = Uint8Array.from({ length: 100_000 }, (_, n) => (n * 31) % 256);

t.test('[3] what stays at OpenAI is done there, and the app goes on with its ids', async t => {
  await using vendor = await openLlmVendor('openai', bearer);
  const { app, real } = clientsOf(vendor);
  const first = await app.files.create({
    file: await toFile(Buffer.from('one'), 'one.md'),
    purpose: 'user_data',
  });
  const notes = await app.files.create({
    // A file is nobody's to change: an id in it stays what it is.
    file: await toFile(Buffer.from(`# Notes\r\n\r\nof ${first.id}\u{1f980}\n`), 'notes.md'),
    purpose: 'assistants',
  });
  const lines = await app.files.create({
    file: await toFile(Buffer.from(`${JSON.stringify(LINE)}\n`), 'lines.jsonl'),
    purpose: 'batch',
  });
  const large = await app.files.create({ file: await toFile(BYTES, 'large.txt'), purpose: 'assistants' });
  const store = await app.vectorStores.create({
    name: 'handbook',
    file_ids: [notes.id],
    metadata: { of: notes.id },
  });
  await app.vectorStores.files.create(store.id, { file_id: large.id, attributes: { about: 'all' } });
  const filled = await app.vectorStores.fileBatches.create(store.id, { file_ids: [first.id] });
  const talk = await app.conversations.create({ metadata: { about: store.id } });
  const said = await app.conversations.items.create(talk.id, {
    items: [
      { role: 'user', content: 'hello', type: 'message' },
      { role: 'user', content: 'again', type: 'message' },
    ],
  });
  const batch = await app.batches.create({
    input_file_id: lines.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  const upload = await app.uploads.create({
    bytes: BYTES.length + 3,
    filename: 'joined.txt',
    mime_type: 'text/plain',
    purpose: 'assistants',
  });
  const parts = [
    await app.uploads.parts.create(upload.id, { data: await toFile(BYTES, 'part') }),
    await app.uploads.parts.create(upload.id, { data: await toFile(Buffer.from('end'), 'part') }),
  ];
  const joined = await app.uploads.complete(upload.id, { part_ids: parts.map(({ id }) => id) });
  const answer = await app.responses.create({ model: 'gpt-5-mini', input: 'hi' });
  await app.responses.delete(answer.id);
  await app.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hi' }] });
  await vendor.here.advance('2m');
  const receipts = await vendor.deploy('first');
  const tells = receipts.map(({ status, reason }) =>
    reason === undefined ? status : `${status}: ${reason}`,
  );
  t.match(tells, [
    ...Array.from({ length: 14 }, () => 'deployed'),
    /^skipped: a model answered it here: asked again, OpenAI would charge/,
    /^skipped: a15, whose record it names, was skipped/,
    /^skipped: a model answered it here/,
  ]);
  t.equal(vendor.sent.length, 14, 'each was asked for once');
  await t.test('with its bytes, its boundary and its own headers', async t => {
    const sentFile = vendor.sent[1]!;
    const headers = Object.fromEntries(sentFile.headers);
    t.equal(headers['openai-organization'], 'org-shop');
    const boundary = /^multipart\/form-data; ?boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
    t.ok(String(sentFile.body).startsWith(`--${boundary}\r\n`));
    const [, realNotes, , realLarge] = receipts.map(({ externalId }) => externalId!);
    const content = async (id: string) => Buffer.from(await (await real.files.content(id)).arrayBuffer());
    t.equal((await content(realNotes!)).toString(), `# Notes\r\n\r\nof ${first.id}\u{1f980}\n`);
    t.ok((await content(realLarge!)).equals(BYTES));
    t.ok((await content(receipts[13]!.externalId!)).equals(Buffer.concat([BYTES, Buffer.from('end')])));
  });
  await t.test('receipts have the vendor’s ids and pages', async t => {
    const realStore = (await real.vectorStores.list()).data[0]!;
    t.match(receipts[4], {
      externalId: realStore.id,
      url: `https://platform.openai.com/storage/vector_stores/${realStore.id}`,
    });
    t.match(receipts[9]!.url, /^https:\/\/platform\.openai\.com\/batches\/batch_/);
    t.match(receipts[13]!.url, /^https:\/\/platform\.openai\.com\/storage\/files\/file-/);
    t.equal(realStore.file_counts.total, 3);
    t.equal(realStore.metadata?.['of'], receipts[1]!.externalId);
    const about = await real.vectorStores.files.retrieve(receipts[3]!.externalId!, {
      vector_store_id: realStore.id,
    });
    t.strictSame(about.attributes, { about: 'all' });
    t.equal((await real.batches.retrieve(receipts[9]!.externalId!)).input_file_id, receipts[2]!.externalId);
    const realTalk = await real.conversations.retrieve(receipts[7]!.externalId!);
    t.strictSame(realTalk.metadata, { about: realStore.id });
    const items = (await real.conversations.items.list(realTalk.id, { order: 'asc' })).data;
    t.strictSame(
      items.map(item => item.type === 'message' && item.content.map(part => 'text' in part && part.text)),
      [['hello'], ['again']],
    );
  });
  await t.test('the app’s old ids name what the vendor has', async t => {
    const held = await app.vectorStores.retrieve(store.id);
    t.equal(held.id, receipts[4]!.externalId);
    t.match(held, { status: 'completed', file_counts: { completed: 3 } });
    const files = (await app.vectorStores.files.list(store.id)).data.map(({ id }) => id);
    t.strictSame(files.toSorted(), [0, 1, 3].map(n => receipts[n]!.externalId!).toSorted());
    t.equal(
      (await app.vectorStores.files.retrieve(large.id, { vector_store_id: store.id })).id,
      receipts[3]!.externalId,
    );
    const filledNow = await app.vectorStores.fileBatches.retrieve(filled.id, { vector_store_id: store.id });
    t.equal(filledNow.id, receipts[6]!.externalId);
    t.equal((await app.files.retrieve(joined.file!.id)).id, receipts[13]!.externalId);
    t.equal((await app.batches.retrieve(batch.id)).status, 'completed', 'its work went on here');
    const [one, two] = (await app.conversations.items.list(talk.id, { order: 'asc' })).data;
    t.strictSame(
      [one!.id, two!.id],
      (await real.conversations.items.list(receipts[7]!.externalId!, { order: 'asc' })).data.map(
        ({ id }) => id,
      ),
    );
    t.equal(
      (await app.conversations.items.retrieve(said.data[1]!.id!, { conversation_id: talk.id })).id,
      two!.id,
    );
  });
  await t.test('what the app changes and deletes by them is changed and deleted there', async t => {
    await real.files.delete(receipts[0]!.externalId!);
    await app.vectorStores.update(store.id, { name: 'manual' });
    await app.vectorStores.files.update(large.id, {
      vector_store_id: store.id,
      attributes: { about: 'some' },
    });
    await app.conversations.items.delete(said.data[0]!.id!, { conversation_id: talk.id });
    await app.vectorStores.search(store.id, { query: 'notes' });
    await app.files.delete(first.id);
    await app.vectorStores.files.delete(notes.id, { vector_store_id: store.id });
    await app.files.delete(notes.id);
    const later = await vendor.deploy('second');
    t.match(
      later.map(({ status, reason }) => (reason === undefined ? status : `${status}: ${reason}`)),
      [
        ...['deployed', 'deployed', 'deployed', 'skipped: a search leaves nothing at OpenAI'],
        `refused: No such File object: ${receipts[0]!.externalId}`,
        ...['deployed', 'deployed'],
      ],
    );
    const realStore = await real.vectorStores.retrieve(receipts[4]!.externalId!);
    t.equal(realStore.name, 'manual');
    t.equal((await real.conversations.items.list(receipts[7]!.externalId!)).data.length, 1);
    await t.rejects(real.files.retrieve(receipts[1]!.externalId!), /^404|404/);
    const about = await real.vectorStores.files.retrieve(receipts[3]!.externalId!, {
      vector_store_id: realStore.id,
    });
    t.strictSame(about.attributes, { about: 'some' });
  });
  await t.test('[storage invariant 17] what was made is found when its answer was lost', async t => {
    const shelf = await app.vectorStores.create({ name: 'shelf', metadata: { of: 'me' } });
    await app.conversations.create({});
    const asked = vendor.sent.length;
    vendor.onAnswer = (request, answered) =>
      request.method === 'POST'
        ? { ok: false, why: 'no-answer', message: 'it broke off', sent: true }
        : answered;
    const lost = await vendor.deploy('third');
    t.match(lost, [{ status: 'deployed' }, { status: 'failed', reason: 'outcome unknown: it broke off' }]);
    t.strictSame(
      vendor.sent.slice(asked).map(({ method, path }) => `${method} ${path}`),
      ['POST /v1/vector_stores', 'GET /v1/vector_stores?limit=100', 'POST /v1/conversations'],
    );
    const shelves = (await real.vectorStores.list()).data.filter(store => store.name === 'shelf');
    t.strictSame(
      shelves.map(({ id }) => id),
      [lost[0]!.externalId],
    );
    t.equal((await app.vectorStores.retrieve(shelf.id)).id, lost[0]!.externalId);
  });
});
