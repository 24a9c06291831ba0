// Anthropic's files by the vendor's own SDK: uploaded, listed by today's pages and the first beta's, named in messages.
import Anthropic, { toFile } from '@anthropic-ai/sdk';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): Anthropic =>
  new Anthropic({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const upload = async (made: LlmWorld, name: string, type: string, text = 'Ada lives in Oslo.') =>
  sdk(made).files.upload({ file: await toFile(new TextEncoder().encode(text), name, { type }) });

t.test(
  'a file is kept, described to a second client, listed by pages and deleted; it is not downloaded',
  async t => {
    await using made = await openLlmWorld('anthropic');
    const file = await upload(made, 'a/b/notes.txt', 'text/plain');
    t.match(file, {
      id: /^file_011C\w{20}$/,
      type: 'file',
      filename: 'notes.txt',
      mime_type: 'text/plain',
      size_bytes: 18,
      downloadable: false,
      expires_at: null,
    });
    t.same(await sdk(made).files.retrieveMetadata(file.id), file);
    for (const name of ['2.txt', '3.txt']) await upload(made, name, 'text/plain');
    const names = async (list: AsyncIterable<{ filename: string }>) => {
      const seen: string[] = [];
      for await (const { filename } of list) seen.push(filename);
      return seen;
    };
    t.same(await names(sdk(made).files.list({ limit: 2 })), ['3.txt', '2.txt', 'notes.txt']);
    const betas = ['files-api-2025-04-14'];
    t.same(await names(sdk(made).beta.files.list({ limit: 2, betas })), ['3.txt', '2.txt', 'notes.txt']);
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'anthropic-beta': betas[0]! };
    const first = await made.ask('GET', '/v1/files?limit=1', undefined, { headers });
    t.match(first.body, { has_more: true, first_id: String, last_id: first.body.first_id });
    const next = await made.ask('GET', `/v1/files?after_id=${first.body.last_id}`, undefined, { headers });
    t.equal(next.body.data.length, 2);
    await t.rejects(sdk(made).files.download(file.id), {
      message: /^400/,
      status: 400,
      errorCode: 'file_not_downloadable',
    });
    t.same(await sdk(made).files.delete(file.id), { id: file.id, type: 'file_deleted' });
    await t.rejects(sdk(made).files.retrieveMetadata(file.id), {
      message: /^404/,
      status: 404,
      type: 'not_found_error',
    });
  },
);

t.test('a message names a file: its text is read, and its kind must be one that the block takes', async t => {
  await using made = await openLlmWorld('anthropic', {
    handlers: [
      { id: 'ada', match: { input: { contains: 'Ada lives in Oslo' } }, reply: { text: 'In Oslo.' } },
    ],
  });
  const notes = await upload(made, 'notes.txt', 'text/plain');
  const picture = await upload(made, 'a.png', 'image/png');
  const ask = (type: 'document' | 'image', file_id: string) =>
    sdk(made).messages.create({
      model: 'claude-sonnet-4-5',
      max_tokens: 50,
      messages: [
        {
          role: 'user',
          content: [
            { type, source: { type: 'file', file_id } },
            { type: 'text', text: 'Where does Ada live?' },
          ],
        },
      ],
    });
  t.match(await ask('document', notes.id), { content: [{ text: 'In Oslo.' }] });
  t.match(await ask('image', picture.id), { content: [{ text: /^You said/ }] });
  const before = (await made.kinds()).length;
  await t.rejects(ask('image', notes.id), { status: 400, message: /text\/plain/ });
  await t.rejects(ask('document', 'file_no'), { status: 404, message: /File not found: file_no/ });
  t.equal((await made.kinds()).length, before);
});

t.test('[4.9 clock] a file whose time is over; uploads that are refused', async t => {
  await using made = await openLlmWorld('anthropic');
  const file = await toFile(new Uint8Array([1]), 'a.bin');
  const short = await sdk(made).files.upload({ file, expires_in_seconds: 3600 });
  t.equal(Date.parse(short.expires_at!) - Date.parse(short.created_at), 3_600_000);
  await made.advance('1h');
  await t.rejects(sdk(made).files.download(short.id), {
    message: /^404/,
    status: 404,
    errorCode: 'file_expired',
  });
  await t.rejects(sdk(made).files.upload({ file, expires_in_seconds: 60 }), { status: 400, message: /3600/ });
  await t.rejects(upload(made, 'a?.txt', 'text/plain'), { status: 400, message: /Invalid filename/ });
  await t.rejects(upload(made, 'a.txt', 'text/plain', ''), { message: /^400/, status: 400 });
  t.equal((await made.kinds()).filter(kind => kind === 'file.created').length, 1);
});
