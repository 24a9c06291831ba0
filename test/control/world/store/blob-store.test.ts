import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { openBlobs } from '../../../../control/node/blobs.ts';
import {
  BLOB_INLINE_BYTES_MAX,
  RECORD_BODY_BYTES_MAX,
  REQUEST_BODY_BYTES_MAX,
  ROW_BODY_BYTES_MAX,
} from '../../../../control/world/limits.ts';
import { checkStore } from '../../../kit/log-fold.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const sha = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
const fileOf = (store: string, name: string): string => join(dirname(store), 'blobs', name.slice(0, 2), name);
const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, n) => n % 253);
const rows = ({ sql }: NoteWorld) =>
  sql.all<{ size: number; inline: number | null }>('SELECT size, length(inline) AS inline FROM blob');

/** The status, and the SHA-256 of the bytes that came. */
const fetched = async ({ world }: NoteWorld, name: string) => {
  const reply = await world.call('note', {
    method: 'GET',
    host: 'note.test',
    via: 'host',
    path: `/files/${name}`,
    query: '',
    headers: {},
    body: new Uint8Array(),
    caller: null,
    scope: 'write',
    trace: { traceId: '0'.repeat(32), spanId: '0'.repeat(16), parentId: null },
  });
  return { status: reply.status, sha256: reply.body instanceof Uint8Array ? sha(reply.body) : null };
};

t.test(
  '[storage blobs] bytes are kept under their SHA-256: small ones in the store, larger ones in files',
  async t => {
    const file = `${t.testdir()}/world.db`;
    const names: string[] = [];
    {
      await using at = await openNoteWorld({ file });
      for (const length of [0, BLOB_INLINE_BYTES_MAX, BLOB_INLINE_BYTES_MAX + 1]) {
        const body = bytesOf(length);
        const { body: answer } = await at.ask('PUT', `/files/f${length}`, undefined, { body });
        t.equal(answer.file, sha(body));
        t.equal(existsSync(fileOf(file, answer.file)), length > BLOB_INLINE_BYTES_MAX);
        names.push(answer.file);
      }
      t.strictSame(
        rows(at)
          .map(({ size, inline }) => [size, inline])
          .sort((a, b) => a[0]! - b[0]!),
        [
          [0, 0],
          [BLOB_INLINE_BYTES_MAX, BLOB_INLINE_BYTES_MAX],
          [BLOB_INLINE_BYTES_MAX + 1, null],
        ],
      );
      const again = await at.ask('PUT', '/files/again', undefined, { body: bytesOf(0) });
      t.equal(again.body.file, names[0]);
      t.equal(rows(at).length, 3, 'equal bytes are kept once');
      const { entries } = (await at.world.log('note', 0))!;
      t.strictSame(entries[2]!.changes[1], { op: 'blob', type: 'blob', id: names[2] }, 'the entry says so');
      t.equal(entries[2]!.kind, 'note.created');
      await checkStore(at);
    }
    await using at = await openNoteWorld({ file });
    for (const name of names) t.strictSame(await fetched(at, name), { status: 200, sha256: name });
    t.equal((await fetched(at, 'e'.repeat(64))).status, 404, 'nobody kept that');
    t.equal((await fetched(at, 'not a name')).status, 404);
  },
);

t.test(
  '[8, storage] a record holds what a request of 4 MB can carry, and reads, lists and logs as any other',
  async t => {
    const file = `${t.testdir()}/world.db`;
    const large = 'x'.repeat(REQUEST_BODY_BYTES_MAX - 100);
    {
      await using at = await openNoteWorld({ file });
      await at.ask('PUT', '/notes/a', { tag: 'big', text: large });
      await at.ask('PUT', '/notes/a', { tag: 'big', text: `${large}!` });
      await at.ask('PUT', '/notes/b', { tag: 'big', text: 'small' });
      t.ok(at.sql.all<{ n: number }>('SELECT length(body) AS n FROM ver').every(({ n }) => n < 100));
      // And the requests that they came in.
      t.equal(rows(at).length, 4);
      t.ok(rows(at).every(({ inline }) => inline === null));
    }
    await using at = await openNoteWorld({ file });
    const { body } = await at.ask('GET', '/notes/a');
    t.equal(body.text, `${large}!`);
    const listed = await at.ask('POST', '/list', { limit: 5, where: { tag: 'big' } });
    t.strictSame(
      listed.body.items.map((note: { id: string; text: string }) => [note.id, note.text.length]),
      [
        ['b', 5],
        ['a', large.length + 1],
      ],
    );
    const second = (await at.world.log('note', 1))!.entries[0]!.changes[0] as unknown as {
      before: { text: string };
      after: { text: string };
    };
    t.equal(second.before.text, large);
    t.equal(second.after.text, `${large}!`);
    await at.ask('PUT', '/notes/a', { tag: 'big', text: 'small again' });
    t.equal((await at.ask('GET', '/notes/a')).body.text, 'small again');
    const controls = '\u0001'.repeat(REQUEST_BODY_BYTES_MAX);
    t.ok(JSON.stringify({ text: controls }).length < RECORD_BODY_BYTES_MAX, 'whatever its bytes are');
  },
);

t.test('[storage] a long answer to remember and a long webhook go the same way', async t => {
  const text = 'y'.repeat(ROW_BODY_BYTES_MAX + 1);
  await using at = await openNoteWorld();
  await at.ask('PUT', '/hooks/h', { url: 'https://hook.test/', secret: 's' });
  await at.ask('PUT', '/notes/a', { text });
  await at.world.settled();
  t.equal(JSON.parse(at.sent[0]!.body).text, text);
});

t.test('[storage] a record that looks like the name of a blob is a record like any other', async t => {
  await using at = await openNoteWorld();
  await at.ask('PUT', `/files/f`, undefined, { body: new TextEncoder().encode('{"secret":1}') });
  const seat = `{"$blob":"${sha('{"secret":1}')}"}`;
  at.sql.run("UPDATE head SET body = body WHERE id = 'f'");
  // The note twin writes its id first, so the look-alike goes through the store's own door.
  const { BlobStore } = await import('../../../../control/world/store/blob-store.ts');
  const { digest } = await import('../../../../control/node/digest.ts');
  const store = new BlobStore({ sql: at.sql, blobs: openBlobs(t.testdir()), digest });
  const stored = store.rowText(seat);
  t.not(stored, seat);
  t.equal(store.text(stored), seat);
});

t.test(
  '[storage blobs] a missing or a damaged file is said to be, and never read as something else',
  async t => {
    const file = `${t.testdir()}/world.db`;
    await using at = await openNoteWorld({ file });
    const body = bytesOf(BLOB_INLINE_BYTES_MAX + 9);
    const name = sha(body);
    await at.ask('PUT', '/files/f', undefined, { body });
    const text = 'z'.repeat(ROW_BODY_BYTES_MAX);
    await at.ask('PUT', '/notes/n', { text });
    writeFileSync(
      fileOf(file, name),
      Uint8Array.from(body, byte => byte ^ 1),
    );
    t.match(await at.ask('GET', `/files/${name}`), {
      status: 500,
      body: { note_error: 'blob_damaged', message: new RegExp(`${name} is damaged`) },
    });
    writeFileSync(fileOf(file, name), body.subarray(1));
    t.match(await at.ask('GET', `/files/${name}`), { body: { note_error: 'blob_damaged' } });
    rmSync(fileOf(file, name));
    t.match(await at.ask('GET', `/files/${name}`), { status: 500, body: { note_error: 'blob_missing' } });
    rmSync(fileOf(file, sha(JSON.stringify({ id: 'n', text }))));
    t.match(await at.ask('GET', '/notes/n'), { status: 500, body: { note_error: 'blob_missing' } });
    await t.rejects(at.world.log('note', 0), { name: 'BlobError', code: 'missing' });
    t.equal((await at.ask('GET', '/notes/f')).status, 200, 'the rest is as it was');
  },
);

t.test(
  '[storage blobs] what a call that failed had put is gone at the next start, and nothing else is',
  async t => {
    const file = `${t.testdir()}/world.db`;
    const kept = bytesOf(BLOB_INLINE_BYTES_MAX + 1);
    {
      await using at = await openNoteWorld({ file });
      await at.ask('PUT', '/files/f', undefined, { body: kept });
      const lost = bytesOf(BLOB_INLINE_BYTES_MAX + 2);
      const reply = await at.ask('PUT', '/files/f', undefined, { body: lost, scope: 'read' });
      t.equal(reply.status, 403);
      openBlobs(join(dirname(file), 'blobs')).put(sha(lost), lost);
      t.ok(existsSync(fileOf(file, sha(lost))));
    }
    await using at = await openNoteWorld({ file });
    t.strictSame(
      readdirSync(join(dirname(file), 'blobs'), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => entry.name),
      [sha(kept)],
    );
    t.strictSame(await fetched(at, sha(kept)), { status: 200, sha256: sha(kept) });
  },
);
