// What an app did at the Anthropic twin by Anthropic's own SDK, done at an Anthropic that knows nothing of it: a world that is
// served by another process.
import Anthropic, { toFile } from '@anthropic-ai/sdk';
import t from 'tap';
import { openLlmVendor } from '../../../kit/llm-vendor.ts';

const MODEL = 'claude-opus-4-6';
const asking = (content: string) => ({
  model: MODEL,
  max_tokens: 16,
  messages: [{ role: 'user' as const, content }],
});

t.test('[3] what stays at Anthropic is done there, and the app goes on with its ids', async t => {
  await using vendor = await openLlmVendor('anthropic', token => [['Authorization', `Bearer ${token}`]]);
  const { here, there, sent } = vendor;
  const app = new Anthropic({ apiKey: 'sk-ant-app', fetch: here.fetch, maxRetries: 0 });
  const real = new Anthropic({ authToken: there.token, baseURL: there.url, maxRetries: 0 });
  const notes = await app.beta.files.upload({
    file: await toFile(Buffer.from('# Notes\r\n\u{1f980}\n'), 'notes.txt', { type: 'text/plain' }),
  });
  // Longer than what stands in a row of the log, so that the file's id is found in its bytes.
  const long = 'word '.repeat(20_000);
  const batch = await app.beta.messages.batches.create({
    betas: ['files-api-2025-04-14'],
    requests: [
      {
        custom_id: 'a',
        params: {
          ...asking(long),
          messages: [
            {
              role: 'user',
              content: [
                { type: 'document', source: { type: 'file', file_id: notes.id } },
                { type: 'text', text: long },
              ],
            },
          ],
        },
      },
    ],
  });
  const stopped = await app.messages.batches.create({ requests: [{ custom_id: 'b', params: asking('hi') }] });
  await app.messages.batches.cancel(stopped.id);
  await app.messages.create(asking('hi'));
  await here.advance('2m');
  const receipts = await vendor.deploy('first');
  t.match(
    receipts.map(({ status, reason }) => (reason === undefined ? status : `${status}: ${reason}`)),
    [
      ...['deployed', 'deployed', 'deployed', 'deployed'],
      /^skipped: a model answered it here: asked again, Anthropic would charge/,
    ],
  );
  const [realFile, realBatch, realStopped] = receipts.map(({ externalId }) => externalId!);
  await t.test('with its bytes and its own headers, and the file’s id in a long body', async t => {
    t.match(Object.fromEntries(sent[0]!.headers), {
      'anthropic-version': /^20/,
      'content-type': /^multipart\/form-data; ?boundary=/,
    });
    t.match(Object.fromEntries(sent[1]!.headers), { 'anthropic-beta': /files-api-2025-04-14/ });
    t.equal((await real.beta.files.retrieveMetadata(realFile!)).filename, 'notes.txt');
    t.match(await real.messages.batches.retrieve(realBatch!), { processing_status: 'in_progress' });
    const body = new TextDecoder().decode(sent[1]!.body as Uint8Array);
    t.match(body, `"file_id":"${realFile}"`);
    t.notMatch(body, notes.id);
    t.match((await real.messages.batches.retrieve(realStopped!)).cancel_initiated_at, /^2/);
  });
  await t.test('the app’s old ids name what the vendor has', async t => {
    t.equal((await app.beta.files.retrieveMetadata(notes.id)).id, realFile);
    t.match(await app.messages.batches.retrieve(batch.id), {
      id: realBatch,
      processing_status: 'ended',
      request_counts: { succeeded: 1 },
    });
    t.equal((await app.messages.batches.retrieve(stopped.id)).id, realStopped);
  });
  await t.test(
    'a deletion whose answer was lost is looked up; a refusal is in the vendor’s words',
    async t => {
      await app.beta.files.delete(notes.id);
      await app.messages.batches.delete(batch.id);
      vendor.onAnswer = (request, answered) =>
        request.method === 'DELETE' && request.path.startsWith('/v1/files')
          ? { ok: false, why: 'no-answer', message: 'it broke off', sent: true }
          : answered;
      const asked = sent.length;
      const later = await vendor.deploy('second');
      t.match(later, [
        { status: 'deployed' },
        { status: 'refused', reason: /cannot be deleted while it is in progress/ },
      ]);
      t.strictSame(
        sent.slice(asked).map(({ method, path }) => `${method} ${path.split('?')[0]}`),
        [
          `DELETE /v1/files/${realFile}`,
          `GET /v1/files/${realFile}`,
          `DELETE /v1/messages/batches/${realBatch}`,
        ],
      );
    },
  );
});
