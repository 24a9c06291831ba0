// What the twin knows of deploying to OpenAI (3): what is asked of it, what an answer says, and what can be looked up when an
// answer was lost.
import t from 'tap';
import type { Lookup, VendorAnswer, VendorRequest } from '../../../../twins/kit/real-vendor.ts';
import { OPERATIONS } from '../../../../twins/openai/operations.ts';
import { openaiDeploys } from '../../../../twins/openai/real/deploy.ts';
import { MARK } from '../../../../twins/openai/real/mark.ts';

const answer = (body: unknown, status = 200): VendorAnswer => ({
  status,
  headers: [],
  body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});
const request = (method: string, path: string, body: unknown = null): VendorRequest => ({
  method,
  path,
  headers: [
    ['content-type', 'application/json'],
    ['openai-project', 'proj_1'],
  ],
  body: body === null ? null : JSON.stringify(body),
});
const lookupOf = (asked: VendorRequest): Lookup => openaiDeploys.lookup!(asked)!;

t.test('[3] every operation that writes is asked of OpenAI, or says why it is not', t => {
  const reasons = new Map<string, string[]>();
  for (const { method, path } of OPERATIONS.filter(({ method }) => method !== 'GET')) {
    const reason = openaiDeploys.unable({ method, path }) ?? 'asked';
    reasons.set(reason, [...(reasons.get(reason) ?? []), `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`]);
  }
  const named = (begins: string) =>
    [...reasons].find(([reason]) => reason.startsWith(begins))?.[1]?.toSorted();
  t.strictSame(named('a model answered'), [
    'POST /v1/audio/speech',
    'POST /v1/audio/transcriptions',
    'POST /v1/audio/translations',
    'POST /v1/chat/completions',
    'POST /v1/completions',
    'POST /v1/embeddings',
    'POST /v1/images/edits',
    'POST /v1/images/generations',
    'POST /v1/images/variations',
    'POST /v1/moderations',
    'POST /v1/responses',
    'POST /v1/responses/compact',
    'POST /v1/threads/runs',
    'POST /v1/threads/{}/runs',
    'POST /v1/threads/{}/runs/{}',
    'POST /v1/threads/{}/runs/{}/cancel',
    'POST /v1/threads/{}/runs/{}/submit_tool_outputs',
  ]);
  t.strictSame(named('it counts'), ['POST /v1/responses/input_tokens']);
  t.strictSame(named('a search'), ['POST /v1/vector_stores/{}/search']);
  t.strictSame(named('a realtime'), ['POST /v1/realtime/client_secrets']);
  t.strictSame(named('asked'), [
    'DELETE /v1/assistants/{}',
    'DELETE /v1/chat/completions/{}',
    'DELETE /v1/containers/{}',
    'DELETE /v1/containers/{}/files/{}',
    'DELETE /v1/conversations/{}',
    'DELETE /v1/conversations/{}/items/{}',
    'DELETE /v1/files/{}',
    'DELETE /v1/models/{}',
    'DELETE /v1/responses/{}',
    'DELETE /v1/threads/{}',
    'DELETE /v1/threads/{}/messages/{}',
    'DELETE /v1/vector_stores/{}',
    'DELETE /v1/vector_stores/{}/files/{}',
    'POST /v1/assistants',
    'POST /v1/assistants/{}',
    'POST /v1/batches',
    'POST /v1/batches/{}/cancel',
    'POST /v1/chat/completions/{}',
    'POST /v1/conversations',
    'POST /v1/conversations/{}',
    'POST /v1/conversations/{}/items',
    'POST /v1/files',
    'POST /v1/responses/{}/cancel',
    'POST /v1/threads',
    'POST /v1/threads/{}',
    'POST /v1/threads/{}/messages',
    'POST /v1/threads/{}/messages/{}',
    'POST /v1/uploads',
    'POST /v1/uploads/{}/cancel',
    'POST /v1/uploads/{}/complete',
    'POST /v1/uploads/{}/parts',
    'POST /v1/vector_stores',
    'POST /v1/vector_stores/{}',
    'POST /v1/vector_stores/{}/file_batches',
    'POST /v1/vector_stores/{}/file_batches/{}/cancel',
    'POST /v1/vector_stores/{}/files',
    'POST /v1/vector_stores/{}/files/{}',
  ]);
  t.strictSame(named('trained again'), [
    'POST /v1/fine_tuning/jobs',
    'POST /v1/fine_tuning/jobs/{}/cancel',
    'POST /v1/fine_tuning/jobs/{}/pause',
    'POST /v1/fine_tuning/jobs/{}/resume',
  ]);
  t.strictSame(named('a container'), ['POST /v1/containers', 'POST /v1/containers/{}/files']);
  t.equal(reasons.size, 7);
  t.end();
});

t.test('[3] an answer tells the id and the page where people look at it', t => {
  const done = (body: unknown) => openaiDeploys.done(request('POST', '/v1/files'), answer(body));
  t.match(done({ id: 'file-1', object: 'file' }), {
    id: 'file-1',
    url: 'https://platform.openai.com/storage/files/file-1',
  });
  t.match(done({ id: 'upload_1', object: 'upload', file: { id: 'file-2', object: 'file' } }), {
    id: 'file-2',
    url: 'https://platform.openai.com/storage/files/file-2',
    object: { id: 'upload_1' },
  });
  t.equal(done({ id: 'upload_1', object: 'upload', file: null }).id, 'upload_1');
  t.match(done({ object: 'list', data: [{ id: 'msg_1' }, { id: 'msg_2' }] }), {
    listed: [
      { type: 'conversation_item', id: 'msg_1' },
      { type: 'conversation_item', id: 'msg_2' },
    ],
  });
  t.equal(done({ object: 'list', data: [{ id: 'msg_1' }] }).id, 'msg_1');
  for (const gone of [
    { id: 'file-1', object: 'file', deleted: true },
    { id: 'vs_1', object: 'vector_store.deleted', deleted: true },
    { id: 'x', object: 'constructor' },
  ])
    t.notOk('url' in done(gone));
  for (const body of ['<html>', '[]', '{"id":"file-', '']) t.throws(() => done(body));
  t.end();
});

t.test('[2.6] a refusal is in OpenAI’s own words', t => {
  t.equal(openaiDeploys.refusal(answer({ error: { message: 'No such file' } }, 404)), 'No such file');
  for (const body of ['<html>', '{}', '{"error":"x"}']) t.equal(openaiDeploys.refusal(answer(body, 400)), '');
  t.end();
});

t.test('[3] what was made with metadata is found by its mark in a list', t => {
  const asked = request('POST', '/v1/vector_stores', { name: 'a', metadata: { of: 'me' } });
  const lookup = lookupOf(asked);
  t.strictSame(JSON.parse(String(lookup.mark!(asked, 'wrld-1').body)), {
    name: 'a',
    metadata: { of: 'me', [MARK]: 'wrld-1' },
  });
  t.strictSame(lookup.ask(asked, 'wrld-1'), {
    method: 'GET',
    path: '/v1/vector_stores?limit=100',
    headers: [['openai-project', 'proj_1']],
    body: null,
  });
  const since = Date.UTC(2026, 0, 31);
  const store = (id: string, mark: string, at = since) => ({
    ...{ id, object: 'vector_store', created_at: at / 1000 },
    metadata: { [MARK]: mark },
  });
  const found = (body: unknown, status = 200) =>
    lookup.found(answer(body, status), { reference: 'wrld-1', since });
  t.match(found({ data: [store('vs_2', 'wrld-2'), store('vs_1', 'wrld-1')], has_more: true }), {
    id: 'vs_1',
  });
  t.equal(found({ data: [store('vs_2', 'wrld-2')], has_more: false }), null);
  t.equal(found({ data: [], has_more: false }), null);
  t.equal(found({ data: [store('vs_2', 'wrld-2', since - 3_600_000)], has_more: true }), null);
  t.equal(
    found({ data: [store('vs_2', 'wrld-2')], has_more: true }),
    'unknown',
    'it may be on the next page',
  );
  t.throws(() => found({ error: { message: 'busy' } }, 500));
  t.throws(() => found('{}'));
  for (const listed of ['/v1/batches', '/v1/assistants'])
    t.type(openaiDeploys.lookup!(request('POST', listed, {})), 'object');
  const full = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`k${n}`, 'v']));
  for (const other of [
    request('POST', '/v1/vector_stores', { metadata: full }),
    request('POST', '/v1/vector_stores', []),
    request('POST', '/v1/conversations', {}),
    request('POST', '/v1/threads', {}),
    request('POST', '/v1/files', {}),
    request('POST', '/v1/vector_stores/vs_1', {}),
    request('POST', '/v1/uploads/upload_1/cancel'),
  ])
    t.equal(openaiDeploys.lookup!(other), null, other.path);
  t.end();
});

t.test('[3] what was ended or cancelled is looked up at its own address', t => {
  const of = { reference: 'wrld-1', since: 0 };
  for (const path of [
    '/v1/files/file-1',
    '/v1/vector_stores/vs_1',
    '/v1/vector_stores/vs_1/files/file-1',
    '/v1/conversations/conv_1/items/msg_1',
    '/v1/assistants/asst_1',
    '/v1/threads/thread_1/messages/msg_1',
    '/v1/chat/completions/chatcmpl-1',
    '/v1/responses/resp_1',
  ]) {
    const lookup = lookupOf(request('DELETE', path));
    t.match(lookup.ask(request('DELETE', path), ''), { method: 'GET', path });
    t.strictSame(lookup.found(answer({ error: { message: 'no' } }, 404), of), {}, path);
    t.equal(lookup.found(answer({ id: 'x' }), of), null);
    t.throws(() => lookup.found(answer('<html>', 404), of), 'what is between says nothing of it');
    t.throws(() => lookup.found(answer({ error: {} }, 500), of));
  }
  const cancel = request('POST', '/v1/vector_stores/vs_1/file_batches/vsfb_1/cancel');
  const lookup = lookupOf(cancel);
  t.equal(lookup.ask(cancel, '').path, '/v1/vector_stores/vs_1/file_batches/vsfb_1');
  t.match(lookup.found(answer({ id: 'vsfb_1', status: 'cancelled' }), of), { id: 'vsfb_1' });
  t.equal(lookup.found(answer({ id: 'vsfb_1', status: 'in_progress' }), of), null);
  t.type(openaiDeploys.lookup!(request('POST', '/v1/batches/batch_1/cancel')), 'object');
  t.end();
});
