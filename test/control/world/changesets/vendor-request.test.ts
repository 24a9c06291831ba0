// An action as its vendor is asked for it (3): ids exchanged wherever a text may name one, and nothing else.
import t from 'tap';
import type { Action } from '../../../../control/world/changesets/changeset.ts';
import { vendorRequest } from '../../../../control/world/changesets/vendor-request.ts';
import { noteDeploys } from '../../../kit/note-vendor.ts';

const aliases = new Map([['file-here', 'file-real']]);
const asked = (request: Partial<Action['request']>, bytes: string | null = null) =>
  vendorRequest(
    {
      ...{ actionId: 'a1', service: 'note', kind: 'create', target: null, entries: [], dependsOn: [] },
      request: { method: 'POST', path: ['/v1/files/file-here'], ...request },
    },
    bytes === null ? null : new TextEncoder().encode(bytes),
    { deploys: noteDeploys('once'), aliases },
  );
const textOf = ({ body }: ReturnType<typeof asked>): string =>
  body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);

t.test('[3] in the path, the query, headers and a body that is JSON or a form, be it ever so long', t => {
  const headers = { 'content-type': 'application/json', 'x-of': 'file-here', 'idempotency-key': 'app' };
  const request = asked({ query: ['of=file-here'], headers, body: ['{"of":"file-here"}'] });
  t.strictSame(request, {
    method: 'POST',
    path: '/v1/files/file-real?of=file-real',
    headers: [
      ['content-type', 'application/json'],
      ['x-of', 'file-real'],
    ],
    body: '{"of":"file-real"}',
  });
  t.equal(textOf(asked({ headers }, '{"of":"file-here"}')), '{"of":"file-real"}');
  t.end();
});

t.test('[3] what a form sends as files goes as it came, with its boundary', t => {
  const type = 'multipart/form-data; boundary=file-here';
  const headers = { 'content-type': type };
  const body = '--file-here\r\n\r\nfile-here\r\n--file-here--\r\n';
  for (const request of [asked({ headers, body: [body] }), asked({ headers }, body)]) {
    t.equal(textOf(request), body);
    t.strictSame(request.headers, [['content-type', type]]);
    t.equal(request.path, '/v1/files/file-real');
  }
  t.end();
});
