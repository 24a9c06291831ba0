// Large bytes that a host has on another machine: what a call puts is there before its answer leaves, and what a call
// needs is fetched while the world goes on.
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { BLOB_INLINE_BYTES_MAX, ROW_BODY_BYTES_MAX } from '../../../../control/world/limits.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { within } from '../../../kit/deadline.ts';
import { farBlobs } from '../../../kit/far-blobs.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const sha = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');
const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, n) => n % 251);
const LARGE = bytesOf(2 * ROW_BODY_BYTES_MAX + 17);
const partsOf = ({ sql }: NoteWorld): number =>
  sql.get<{ n: number }>('SELECT count(*) AS n FROM blob_part')!.n;
const ended = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  for (let n = 0; n < 20; n++) await turn();
  return done;
};

t.test('an answer waits until the host has the bytes, which can be read meanwhile', async t => {
  const far = farBlobs();
  await using at = await openNoteWorld({ hostBlobs: far.blobs });
  far.hold(true);
  const put = at.ask('PUT', '/files/f', undefined, { body: LARGE });
  const told: unknown[] = [];
  at.world.news.follow(news => told.push(news));
  t.notOk(await ended(put));
  t.same([told, far.kept.size, partsOf(at)], [[], 0, 3], 'nobody hears of it; its bytes are in three rows');
  const read = at.ask('GET', `/files/${sha(LARGE)}`);
  t.notOk(await ended(read));
  far.hold(false);
  t.equal((await put).status, 200);
  t.equal((await read).status, 200);
  t.notOk(far.asked.includes('get'), 'from the rows');
  t.same([far.kept.size, partsOf(at), told.length], [1, 0, 1], 'the rows are let go of');
});

t.test('a world that ends before the host has them puts them again', async t => {
  const file = `${t.testdir()}/world.db`;
  const kept = new Map<string, Uint8Array>();
  {
    const far = farBlobs(kept);
    await using at = await openNoteWorld({ file, hostBlobs: far.blobs });
    far.fail(true);
    t.equal(
      (await at.ask('PUT', '/files/f', undefined, { body: LARGE })).status,
      200,
      'they are safe in rows',
    );
    t.equal(partsOf(at), 3);
    far.fail(false);
    t.equal((await at.ask('GET', `/files/${sha(LARGE)}`)).status, 200);
    t.notOk(far.asked.includes('get'));
  }
  await using at = await openNoteWorld({ file, hostBlobs: farBlobs(kept).blobs });
  await within(
    'the host to have them',
    (async () => {
      while (partsOf(at) > 0) await turn();
    })(),
  );
  t.same([[...kept.keys()], partsOf(at)], [[sha(LARGE)], 0]);
  t.equal((await at.ask('GET', `/files/${sha(LARGE)}`)).status, 200);
});

t.test('what a rolled back call gave the host is gone at the next start, and nothing else is', async t => {
  const file = `${t.testdir()}/world.db`;
  const far = farBlobs();
  {
    await using at = await openNoteWorld({ file, hostBlobs: far.blobs });
    await at.ask('PUT', '/files/f', undefined, { body: LARGE });
    const lost = bytesOf(BLOB_INLINE_BYTES_MAX + 1);
    t.equal((await at.ask('PUT', '/files/g', undefined, { body: lost, scope: 'read' })).status, 403);
  }
  await using at = await openNoteWorld({ file, hostBlobs: far.blobs });
  t.same([...far.kept.keys()], [sha(LARGE)]);
  t.equal((await at.ask('GET', `/files/${sha(LARGE)}`)).status, 200);
});

t.test('a call that needs bytes waits for them, is done once, and holds up nobody', async t => {
  const far = farBlobs();
  await using at = await openNoteWorld({ hostBlobs: far.blobs });
  const text = 'z'.repeat(ROW_BODY_BYTES_MAX + 1);
  await at.ask('PUT', '/notes/n', { text });
  await at.ask('PUT', '/notes/m', { text: `${text}m` });
  far.hold(true);
  const bulk = at.ask('POST', '/bulk', { puts: [['o', {}]], deletes: ['n', 'm'] });
  t.notOk(await ended(bulk));
  t.equal((await at.ask('PUT', '/notes/p', { short: true })).status, 200, 'another call goes through');
  far.hold(false);
  t.equal((await bulk).status, 200);
  const { entries } = (await at.world.log('note', 0))!;
  t.same(
    entries.map(({ position, changes }) => [position, changes.map(({ op, id }) => `${op} ${id}`)]),
    [
      [1, ['put n']],
      [2, ['put m']],
      [3, ['put p']],
      [4, ['put o', 'delete n', 'delete m']],
    ],
  );
  t.same((entries[3]!.changes[1]!.before as { text: string }).text, text, 'the log waits for bytes too');
  t.equal((await at.ask('GET', '/notes/n')).status, 404);
});

t.test('an event that needs bytes is not dropped: whoever asks waits for it', async t => {
  const far = farBlobs();
  const twin = noteTwin();
  await using at = await openNoteWorld({
    hostBlobs: far.blobs,
    twins: {
      note: {
        ...twin,
        twin: {
          ...twin.twin,
          due: (event, tx) => {
            const { text } = tx.get<{ text: string }>('note', 'n')!;
            tx.put('note', event.key, { id: event.key, length: text.length });
          },
        },
      },
    },
  });
  const text = 'z'.repeat(ROW_BODY_BYTES_MAX + 1);
  await at.ask('PUT', '/notes/n', { text });
  await at.ask('POST', '/due/k', { at: at.wall.at + 1000, payload: {} });
  far.hold(true);
  at.wall.at += 2000;
  const asked = at.ask('GET', '/notes/k');
  t.notOk(await ended(asked));
  far.hold(false);
  t.match(await asked, { status: 200, body: { length: text.length } });
  t.same(
    at.logged.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('a twin that catches what it should have let through is undone and asked again', async t => {
  const far = farBlobs();
  const { twin } = noteTwin();
  const careless: typeof twin = {
    ...twin,
    respond: (call, tx) => {
      if (call.path !== '/careless') return twin.respond(call, tx);
      let found = 'nothing';
      try {
        found = String(tx.blob(sha(LARGE))?.length);
      } catch {}
      tx.put('note', 'seen', { id: 'seen', found });
      return { status: 200, headers: [], body: JSON.stringify({ found }) };
    },
  };
  await using at = await openNoteWorld({
    hostBlobs: far.blobs,
    twins: { note: { twin: careless, respond: careless.respond } },
  });
  await at.ask('PUT', '/files/f', undefined, { body: LARGE });
  t.same((await at.ask('POST', '/careless')).body, { found: String(LARGE.length) });
  t.equal((await at.world.log('note', 1))!.entries.length, 1);
});

t.test('bytes that cannot be fetched now fail the call, and it may be asked again', async t => {
  const far = farBlobs();
  await using at = await openNoteWorld({ hostBlobs: far.blobs });
  await at.ask('PUT', '/files/f', undefined, { body: LARGE });
  far.fail(true);
  t.match(await at.ask('GET', `/files/${sha(LARGE)}`), {
    status: 503,
    body: { note_error: 'blob_unreachable' },
  });
  far.fail(false);
  t.equal((await at.ask('GET', `/files/${sha(LARGE)}`)).status, 200);
  far.kept.clear();
  t.match(await at.ask('GET', `/files/${sha(LARGE)}`), { status: 500, body: { note_error: 'blob_missing' } });
});

t.test('webhooks, checkpoints and branches wait for bytes as calls do', async t => {
  const far = farBlobs();
  await using at = await openNoteWorld({ hostBlobs: far.blobs });
  const text = 'y'.repeat(ROW_BODY_BYTES_MAX + 1);
  await at.ask('PUT', '/hooks/h', { url: 'https://hook.test/', secret: 's' });
  await at.ask('PUT', '/notes/a', { text, tag: 'long' });
  await within('the webhook', at.world.settled());
  t.equal(JSON.parse(at.sent[0]!.body).text, text);
  t.equal(at.discarded(), 1, 'its answer is let go of');
  const checkpoint = await at.world.past.checkpoint('note', null);
  if (checkpoint?.ok !== true) throw new Error('no checkpoint');
  let size = 0;
  for await (const bytes of checkpoint.body) size += bytes.length;
  t.equal(size, checkpoint.bytes);
  await using child = await branchOff(at);
  t.equal((await child.ask('GET', '/notes/a')).body.text, text, 'the parent’s bytes');
  t.equal((await child.ask('POST', '/list', { limit: 5, where: { tag: 'long' } })).status, 200);
});
