// The request that made an entry, whole in the log, and nothing in it that opens a door.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { digest } from '../../../../control/node/digest.ts';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import { ASKED_BODY_CHARS_MAX } from '../../../../control/world/limits.ts';
import { type Asked, askedText } from '../../../../control/world/log/asked.ts';
import { hex } from '../../../../control/world/store/identifier.ts';
import { stripeTwin } from '../../../../twins/stripe/twin.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { openNoteWorld } from '../../../kit/note-world.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const asked = (body: string | Uint8Array, more: Partial<Asked> = {}): Asked => ({
  method: 'POST',
  path: '/v1/customers',
  query: '',
  via: 'host',
  headers: FORM,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  ...more,
});

const kept: Uint8Array[] = [];
const blobs = {
  put: (bytes: Uint8Array) => {
    kept.push(bytes);
    return hex(digest.sha256(bytes));
  },
};
const members = (request: Asked, keeps = stripeTwin.keeps) => {
  const text = askedText(request, blobs, keeps);
  return text === null ? null : JSON.parse(`{${text.slice(1)}}`);
};

t.test('[2.6] what a request means is kept; who was let in by it is not', async t => {
  const headers = {
    ...FORM,
    authorization: 'Bearer sk_live_secret',
    cookie: 'wrld=secret',
    'x-twins-key': 'tok_secret',
    'idempotency-key': 'once',
    'stripe-version': '2026-10-28.endive',
    'stripe-account': 'acct_1',
    'user-agent': 'curl',
  };
  t.strictSame(members(asked('email=a%40b.c&name=A', { headers, query: 'expand[]=x' })), {
    query: 'expand[]=x',
    headers: {
      'content-type': FORM['content-type'],
      'idempotency-key': 'once',
      'stripe-version': '2026-10-28.endive',
      'stripe-account': 'acct_1',
    },
    body: 'email=a%40b.c&name=A',
  });
});

t.test('[2.6] a body of one byte is kept, and a query alone', async t => {
  t.match(members(asked('1')), { body: '1' });
  t.strictSame(members(asked('', { query: 'a=1', headers: {} })), { query: 'a=1' });
  t.equal(members(asked('', { headers: {} })), null);
});

t.test('[2.6] a secret is hidden wherever it stands in the form', async t => {
  const keeps = { headers: [], secrets: /^key$/ };
  for (const [form, told] of [
    ['key=1', 'key=hidden'],
    ['a=1&key=2', 'a=1&key=hidden'],
    ['a=1&key=2&b=3&key=4&', 'a=1&key=hidden&b=3&key=hidden&'],
    ['&key=2', '&key=hidden'],
    ['a&key=2', 'a&key=hidden'],
    ['key&keys=1', 'key&keys=1'],
  ] as const)
    t.equal(members(asked(form), keeps).body, told, form);
});

t.test('[2.6] secrets in a form or a query read hidden, however their names are escaped', async t => {
  const form =
    'key=sk_live_1&card[number]=4242424242424242&card%5Bcvc%5D=123&name=key&keys=k&payment_method_data%5Bcard%5D%5Bnumber%5D=1&bad%zz=1';
  const { query, body } = members(asked(form, { query: 'key=pk_live_2&limit=3' }));
  t.equal(query, 'key=hidden&limit=3');
  t.equal(
    body,
    'key=hidden&card[number]=hidden&card%5Bcvc%5D=hidden&name=key&keys=k&payment_method_data%5Bcard%5D%5Bnumber%5D=hidden&bad%zz=1',
  );
});

t.test('a body that is no text, or long, lies among the blobs, once', async t => {
  const bytes = Uint8Array.of(0x89, 0x50, 0xff, 0);
  t.match(members(asked(bytes)).blob, { sha256: hex(digest.sha256(bytes)), bytes: 4 });
  const long = `a=${'x'.repeat(ASKED_BODY_CHARS_MAX)}`;
  const { body, blob } = members(asked(long));
  t.equal(body, undefined);
  t.equal(blob.bytes, long.length);
  t.equal(kept.length, 2);
});

t.test('nothing is kept of what says nothing more, nor of a wire that is not HTTP', async t => {
  t.equal(members(asked('', { headers: {} })), null);
  t.equal(members(asked('MAIL FROM', { via: 'stream' })), null);
});

t.test(
  '[4.4] an entry tells of it, after a restart and in a branch; one from before knows its path',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'wrld-asked-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'world.db');
    const headers = { 'content-type': 'application/json', authorization: 'Bearer secret' };
    {
      await using at = await openNoteWorld({ file });
      await at.ask('PUT', '/notes/a', { n: 1 }, { headers, query: 'quietly=1' });
      await at.ask('PUT', '/notes/b', { n: 2 }, { headers });
    }
    {
      const sql = openSqlite(file);
      sql.run('UPDATE entry SET asked = NULL WHERE pos = 2');
      sql.close();
    }
    await using at = await openNoteWorld({ file });
    await using branch = await branchOff(at);
    for (const { world } of [at, branch]) {
      const [first, second] = (await world.log('note', 0))!.entries;
      t.strictSame(first?.request, {
        method: 'PUT',
        path: '/notes/a',
        query: 'quietly=1',
        headers: { 'content-type': 'application/json' },
        body: '{"n":1}',
      });
      t.strictSame(second?.request, { method: 'PUT', path: '/notes/b' });
      t.notMatch(JSON.stringify(first), 'secret');
    }
  },
);
