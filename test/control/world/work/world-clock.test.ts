// The world's clock, what falls due by it, and the texts both are written in.
import t from 'tap';
import { parseDuration } from '../../../../control/world/store/duration.ts';
import { formatInstant, parseInstant } from '../../../../control/world/store/instant.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { EPOCH, type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const history = async ({ world }: NoteWorld, twin = 'note') =>
  (await world.log(twin, 0))!.entries.map(({ occurredAt, kind }) => `${occurredAt.slice(11, 19)} ${kind}`);

t.test('[4.9] an instant is ISO 8601 with its offset, and nothing that only looks like it', async t => {
  const table: [text: unknown, at: number | null][] = [
    ['2026-01-31T00:00:00Z', EPOCH],
    ['2026-01-31T00:00Z', EPOCH],
    ['2026-01-31T00:00:00.5Z', EPOCH + 500],
    ['2026-01-31T00:00:00.123456789Z', EPOCH + 123],
    ['2026-01-31T01:30:00+01:30', EPOCH],
    ['2026-01-30T19:00:00-05:00', EPOCH],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
    ['2026-02-29T00:00:00Z', null],
    ['2026-04-31T00:00:00Z', null],
    ['2026-01-31T24:00:00Z', null],
    ['2026-01-31T23:59:60Z', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-01-31T00:00:00', null],
    ['2026-01-31', null],
    ['2026-01-31 00:00:00Z', null],
    ['2026-1-31T00:00:00Z', null],
    ['2026-01-31T00:00:00+24:00', null],
    ['2026-01-31T00:00:00z ', null],
    ['1969-12-31T23:59:59Z', null],
    ['0000-01-01T00:00:00Z', null],
    ['+010000-01-01T00:00:00Z', null],
    ['tomorrow', null],
    ['', null],
    [1_769_817_600_000, null],
    [null, null],
  ];
  for (const [text, at] of table) t.equal(parseInstant(text), at, String(text));
  t.equal(formatInstant(EPOCH), '2026-01-31T00:00:00.000Z');
});

t.test('[8] a duration is an integer and one of s, m, h, d', async t => {
  const table: [text: unknown, millis: number | null][] = [
    ['1s', 1000],
    ['90m', 5_400_000],
    ['36h', 129_600_000],
    ['31d', 2_678_400_000],
    ['0s', 0],
    ['007s', 7000],
    ['1.5h', null],
    ['-1d', null],
    ['+1d', null],
    ['1 d', null],
    ['1w', null],
    ['1M', null],
    ['1D', null],
    ['d', null],
    ['1', null],
    ['1d ', null],
    ['1e3s', null],
    ['999999999999999d', null],
    [`${'9'.repeat(30)}s`, null],
    [60, null],
  ];
  for (const [text, millis] of table) t.equal(parseDuration(text), millis, String(text));
});

t.test(
  '[3] the clock is the wall clock until it is set, then it stands, and it never moves back',
  async t => {
    await using at = await openNoteWorld();
    t.strictSame(await at.world.clock(), { at: '2026-01-31T00:00:00.000Z', frozen: false });
    t.match(await at.world.advanceClock('1d'), { ok: false, why: 'clock-unset' });
    at.wall.at += 10_000;
    await at.ask('PUT', '/notes/a', {});
    at.wall.at -= 60_000;
    t.equal(
      (await at.world.clock()).at,
      '2026-01-31T00:00:10.000Z',
      'not before the newest entry, whatever the wall says',
    );
    t.match(await at.world.setClock('2026-01-31T00:00:09.999Z'), { ok: false, why: 'would-move-back' });
    t.match(await at.world.setClock('soon'), { ok: false, why: 'not-an-instant' });
    t.strictSame(await at.world.setClock('2026-01-31T00:00:10Z'), {
      ok: true,
      clock: { at: '2026-01-31T00:00:10.000Z', frozen: true },
    });
    at.wall.at += 3_600_000;
    t.equal((await at.world.clock()).at, '2026-01-31T00:00:10.000Z');
    t.match(await at.world.setClock('2026-01-31T00:00:09Z'), { ok: false, why: 'would-move-back' });
    t.match(await at.world.advanceClock('1 week'), { ok: false, why: 'not-a-duration' });
    t.match(
      await at.world.advanceClock('3000000d'),
      { ok: false, why: 'not-a-duration' },
      'past the last instant',
    );
    t.match(await at.world.advanceClock('1d'), { ok: true, clock: { at: '2026-02-01T00:00:10.000Z' } });
    t.match(await at.world.advanceClock('0s'), { ok: true, clock: { at: '2026-02-01T00:00:10.000Z' } });
    t.match(await at.world.setClock('2026-02-01T00:00:10Z'), { ok: true }, 'to where it stands');
    t.match(await at.world.setClock('2026-02-01T00:00:09Z'), { ok: false, why: 'would-move-back' });
  },
);

t.test('[2.13] a clock that is not set never falls, and comes back to a wall that went back', async t => {
  await using at = await openNoteWorld();
  const shown = async (): Promise<number> => Date.parse((await at.world.clock()).at) - EPOCH;
  at.wall.at += 60_000;
  t.equal(await shown(), 60_000);
  at.wall.at -= 50_000;
  t.equal(await shown(), 60_000, 'what was shown is the least, though nothing was written');
  at.wall.at += 20_000;
  t.equal(await shown(), 70_000, 'it goes on at half the pace');
  await at.ask('POST', '/due/d', { at: EPOCH + 75_000 });
  at.wall.at += 10_000;
  t.equal((await at.ask('GET', '/notes/d')).status, 200, 'and what is due comes');
  t.equal(await shown(), 75_000);
  at.wall.at += 20_000;
  t.equal(await shown(), 85_000);
  at.wall.at += 25_001;
  t.equal(await shown(), 85_001, 'until the wall has caught up');
});

t.test(
  '[4.9] what falls due happens at its own instant, in one order over all twins, before any answer',
  async t => {
    const twins = { a: noteTwin({ vendor: 'a' }), b: noteTwin({ vendor: 'b' }) };
    await using at = await openNoteWorld({ twins });
    const due = (vendor: string, key: string, seconds: number, payload = {}) =>
      at.ask('POST', `/due/${key}`, { at: EPOCH + seconds * 1000, payload }, { vendor });
    await due('b', 'one', 10);
    await due('a', 'two', 20, { times: 3, every: 10_000 });
    await due('b', 'three', 20);
    await due('a', 'gone', 15);
    await at.ask('DELETE', '/due/gone', undefined, { vendor: 'a' });
    await due('b', 'later', 100);
    await due('b', 'later', 35);
    at.wall.at += 60_000;
    // b is asked, and a's past is written all the same.
    t.equal((await at.ask('GET', '/notes/one', undefined, { vendor: 'b' })).body.at, EPOCH + 10_000);
    const page = await at.world.timeline({});
    t.strictSame(
      page.ok &&
        page.entries.map(
          ({ twin, entry }) => `${twin} ${entry.occurredAt.slice(17, 19)} ${entry.changes[0]!.id}`,
        ),
      ['a 40 two', 'b 35 later', 'a 30 two', 'b 20 three', 'a 20 two', 'b 10 one'],
    );
    t.equal((await at.world.log('a', 0))!.entries[1]!.cause, 'a:1', 'caused by the entry that scheduled it');
  },
);

t.test('[3] setting and moving the clock let what is due happen before they answer', async t => {
  await using at = await openNoteWorld();
  await at.ask('POST', '/due/d', { at: EPOCH + 3_600_000, payload: { times: 5, every: 3_600_000 } });
  await at.world.setClock('2026-01-31T01:30:00Z');
  t.strictSame(await history(at), ['01:00:00 note.created']);
  await at.world.advanceClock('3h');
  t.equal((await history(at)).length, 4);
  await at.ask('POST', '/due/past', { at: EPOCH });
  await at.ask('GET', '/notes/past');
  t.equal(
    (await history(at)).at(-1),
    '04:00:00 note.created',
    'an event for the past happens behind the newest',
  );
});

t.test('other requests are answered while the clock is moved through many events', async t => {
  await using at = await openNoteWorld();
  await at.world.setClock('2026-01-31T00:00:00Z');
  await at.ask('POST', '/due/d', { at: EPOCH + 1000, payload: { times: 1000, every: 1000 } });
  let moved = false;
  const moving = at.world.advanceClock('1h').then(result => {
    moved = true;
    return result;
  });
  t.equal((await at.ask('GET', '/notes/d')).status, 503);
  t.notOk(moved, 'answered before the clock had arrived');
  const [one, other] = await Promise.all([moving, at.world.advanceClock('1h')]);
  t.match(one, { ok: true, clock: { at: '2026-01-31T01:00:00.000Z' } });
  t.match(other, { ok: true, clock: { at: '2026-01-31T02:00:00.000Z' } });
  t.equal(at.sql.get<{ n: number }>('SELECT count(*) AS n FROM entry')!.n, 1000);
});

t.test('a due event that fails is logged and dropped, and holds up nobody', async t => {
  await using at = await openNoteWorld();
  await at.ask('POST', '/due/bad', { at: EPOCH + 1000, payload: { throw: true } });
  await at.ask('POST', '/due/good', { at: EPOCH + 2000 });
  at.wall.at += 5000;
  t.equal((await at.ask('GET', '/notes/good')).status, 200);
  t.match(at.logged, [{ level: 'error', fields: { twin: 'note' } }]);
  t.equal(at.sql.get<{ n: number }>('SELECT count(*) AS n FROM due')!.n, 0);
});

t.test('[storage 12] a due event waits while the store cannot write, and happens when it can', async t => {
  let sql: NoteWorld['sql'] | null = null;
  await using at = await openNoteWorld({
    prepare: prepared => {
      sql = prepared;
    },
  });
  await at.ask('POST', '/due/d', { at: EPOCH + 1000 });
  sql!.run('PRAGMA query_only = 1');
  at.wall.at += 2000;
  const { status, body } = await at.ask('GET', '/notes/d');
  t.match({ status, body }, { status: 500, body: { note_error: 'store_failed' } });
  t.notOk(
    at.logged.some(({ message }) => message.includes('dropped')),
    'it is no failure of the twin',
  );
  sql!.run('PRAGMA query_only = 0');
  t.match((await at.ask('GET', '/notes/d')).body, { tag: 'due' });
  t.strictSame(await history(at), ['00:00:01 note.created']);
});

t.test('a world on the wall clock wakes by itself when something falls due', async t => {
  const wall = { at: Date.now() };
  await using at = await openNoteWorld({ wall });
  const happened = new Promise<void>(resolve => {
    const transaction = at.sql.transaction;
    Object.assign(at.sql, {
      transaction: (work: () => unknown) => {
        const result = transaction(work);
        if (at.sql.get('SELECT 1 FROM entry') !== undefined) resolve();
        return result;
      },
    });
  });
  await at.ask('POST', '/due/d', { at: wall.at + 50 });
  wall.at += 50;
  // The world's own timer is no reason to keep a process alive; a test that waits for it is.
  const alive = setInterval(() => undefined, 1000);
  await happened;
  clearInterval(alive);
  t.strictSame((await at.world.log('note', 0))!.entries[0]!.actor, { type: 'system' });
});

t.test(
  'the clock, what is due and what waits survive a reopen; an absent twin’s events wait for it',
  async t => {
    const file = `${t.testdir()}/world.db`;
    const twins = { a: noteTwin({ vendor: 'a' }), b: noteTwin({ vendor: 'b' }) };
    {
      await using at = await openNoteWorld({ file, twins });
      await at.world.setClock('2026-02-01T00:00:00Z');
      for (const vendor of ['a', 'b'])
        await at.ask('POST', '/due/d', { at: EPOCH + 2 * 86_400_000 }, { vendor });
    }
    {
      await using at = await openNoteWorld({ file, twins: { b: twins.b } });
      t.strictSame(await at.world.clock(), { at: '2026-02-01T00:00:00.000Z', frozen: true });
      await at.world.advanceClock('7d');
      t.equal((await history(at, 'b')).length, 1);
    }
    await using at = await openNoteWorld({ file, twins });
    t.equal((await at.ask('GET', '/notes/d', undefined, { vendor: 'a' })).status, 200);
    const page = await at.world.timeline({});
    t.strictSame(page.ok && page.entries.map(({ twin, position }) => [twin, position]), [
      ['b', 1],
      ['a', 1],
    ]);
  },
);
