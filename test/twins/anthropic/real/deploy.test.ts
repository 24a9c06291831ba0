// What the twin knows of deploying to Anthropic (3).
import t from 'tap';
import { OPERATIONS } from '../../../../twins/anthropic/operations.ts';
import { adopt } from '../../../../twins/anthropic/real/adopt.ts';
import { anthropicDeploys } from '../../../../twins/anthropic/real/deploy.ts';
import type { VendorAnswer, VendorRequest } from '../../../../twins/kit/real-vendor.ts';

const answer = (body: unknown, status = 200): VendorAnswer => ({
  status,
  headers: [],
  body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});
const request = (method: string, path: string): VendorRequest => ({ method, path, headers: [], body: null });

t.test('[3] every operation that writes is asked of Anthropic, or says why it is not', t => {
  const asked = OPERATIONS.filter(({ method }) => method !== 'GET').map(({ method, path }) => [
    `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
    anthropicDeploys.unable({ method, path })?.split(' ').slice(0, 3).join(' ') ?? 'asked',
  ]);
  t.strictSame(Object.fromEntries(asked), {
    'POST /v1/messages': 'a model answered',
    'POST /v1/messages/count_tokens': 'it counts tokens,',
    'POST /v1/messages/batches': 'asked',
    'POST /v1/messages/batches/{}/cancel': 'asked',
    'DELETE /v1/messages/batches/{}': 'asked',
    'POST /v1/files': 'asked',
    'DELETE /v1/files/{}': 'asked',
  });
  t.end();
});

t.test('[3] an answer tells the id, and what the twin keeps of it', t => {
  const done = (body: unknown) => anthropicDeploys.done(request('POST', '/v1/files'), answer(body));
  t.equal(done({ id: 'file_1', type: 'file' }).id, 'file_1');
  for (const body of ['<html>', '[]', '{"id":', '']) t.throws(() => done(body));
  const refused = { type: 'error', error: { type: 'not_found_error', message: 'File not found: file_1' } };
  t.equal(anthropicDeploys.refusal(answer(refused, 404)), 'File not found: file_1');
  t.strictSame(
    adopt({ id: 'file_1', type: 'file' }).map(({ type, id }) => [type, id]),
    [['file', 'file_1']],
  );
  t.strictSame(adopt({ id: 'msgbatch_1', type: 'message_batch' }).length, 1);
  for (const other of [
    { id: 'file_1', type: 'file_deleted' },
    { type: 'file' },
    { id: 'msg_1', type: 'message' },
  ])
    t.strictSame(adopt(other), []);
  t.end();
});

t.test('[3] what was ended or cancelled is looked up; of a creation nobody knows', t => {
  const of = { reference: 'wrld-1', since: 0 };
  const lookupOf = (method: string, path: string) => anthropicDeploys.lookup!(request(method, path));
  for (const path of ['/v1/files/file_1?beta=true', '/v1/messages/batches/msgbatch_1']) {
    const lookup = lookupOf('DELETE', path)!;
    t.match(lookup.ask(request('DELETE', path), ''), { method: 'GET', path });
    t.strictSame(lookup.found(answer({ type: 'error', error: {} }, 404), of), {});
    t.equal(lookup.found(answer({ id: 'x' }), of), null);
  }
  const path = '/v1/messages/batches/msgbatch_1/cancel?beta=true';
  const lookup = lookupOf('POST', path)!;
  t.equal(lookup.ask(request('POST', path), '').path, '/v1/messages/batches/msgbatch_1?beta=true');
  t.match(lookup.found(answer({ id: 'b', processing_status: 'canceling' }), of), { id: 'b' });
  t.match(lookup.found(answer({ id: 'b', processing_status: 'ended', cancel_initiated_at: '2026' }), of), {
    id: 'b',
  });
  t.equal(lookup.found(answer({ id: 'b', processing_status: 'ended', cancel_initiated_at: null }), of), null);
  t.equal(lookupOf('POST', '/v1/messages/batches'), null);
  t.equal(lookupOf('POST', '/v1/files'), null);
  t.end();
});
