import t from 'tap';
import { openAlarms } from '../../../../control/node/alarms.ts';
import {
  COUNTS_WRITTEN_LINES,
  JOURNAL_BATCH_LINES,
  JOURNAL_BATCH_MS,
  JOURNAL_FOLLOWED_MS,
  JOURNAL_LINES_MAX,
  JOURNAL_MS_MAX,
  JOURNAL_SWEPT_LINES,
} from '../../../../control/world/limits.ts';
import { Newsroom } from '../../../../control/world/log/news.ts';
import { RequestCounts } from '../../../../control/world/requests/counts.ts';
import { Journal, type Line, linkOf, linkRow } from '../../../../control/world/requests/journal.ts';
import { routeOf } from '../../../../control/world/requests/route.ts';
import type { MountedTwin } from '../../../../twins/kit/twin.ts';
import { within } from '../../../kit/deadline.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { EPOCH, openNoteWorld } from '../../../kit/note-world.ts';

const HOUR_MS = 3_600_000;

t.test('a link’s row is told from a twin’s', async t => {
  t.equal(linkOf(linkRow('db')), 'db');
  t.equal(linkOf('stripe'), null);
});

t.test('[4.4] every request to a twin is in the report, with its route, class and time', async t => {
  const mounted = noteTwin();
  const twin: MountedTwin = {
    twin: mounted.twin,
    respond: (call, tx) => {
      if (call.path === '/cut') return { status: 0, headers: [], body: null, fault: 'reset' };
      const reply = mounted.respond(call, tx);
      if (call.path === '/nothing') return { ...reply, unmatched: true };
      return call.path.startsWith('/notes/') ? { ...reply, route: '/notes/{note}' } : reply;
    },
  };
  await using notes = await openNoteWorld({ twins: { note: twin, other: noteTwin({ vendor: 'other' }) } });
  for (const [method, path, times] of [
    ['PUT', '/notes/a', 3],
    ['PUT', '/notes/b', 2],
    ['GET', '/notes/a', 2],
    ['GET', '/notes/none', 1],
    ['GET', '/nothing', 1],
    ['POST', '/throw', 1],
    ['POST', '/cut', 1],
  ] as const) {
    for (let time = 0; time < times; time++) await notes.ask(method, path, method === 'GET' ? undefined : {});
  }
  await notes.ask('PUT', '/notes/x', {}, { vendor: 'other', scope: 'read' });
  const report = await notes.world.requests(24);
  t.match(report, {
    from: '2026-01-30T00:00:00.000Z',
    to: '2026-01-31T00:00:00.000Z',
    hours: 24,
    links: [],
    journalFailures: 0,
  });
  t.same(
    report.twins.map(({ name, requests, status, unmatched }) => ({ name, requests, status, unmatched })),
    [
      { name: 'note', requests: 11, status: { '2xx': 7, '3xx': 0, '4xx': 2, '5xx': 2 }, unmatched: 1 },
      { name: 'other', requests: 1, status: { '2xx': 0, '3xx': 0, '4xx': 1, '5xx': 0 }, unmatched: 0 },
    ],
    'what a handler cuts counts as 5xx, and what the world refuses in a twin’s place is there too',
  );
  t.same(
    report.twins[0]?.routes.map(({ route, requests, errors }) => [route, requests, errors]),
    [
      ['PUT /notes/{note}', 5, 0],
      ['GET /notes/{note}', 3, 1],
      ['GET /nothing', 1, 1],
      ['POST /cut', 1, 1],
      ['POST /throw', 1, 1],
    ],
  );
  for (const { p50, p95 } of [
    ...report.twins.map(({ ms }) => ms),
    ...report.twins.flatMap(({ routes }) => routes),
  ])
    t.ok(p50 > 0 && p95 >= p50 && p95 < 60_000, 'milliseconds');

  notes.wall.at += 25 * HOUR_MS;
  t.same((await notes.world.requests(24)).twins, [], 'older than the period');
  t.equal((await notes.world.requests(26)).twins.length, 2);
});

t.test('[6-3] a line carries the span of the entry that its request caused', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', {});
  await notes.world.requests(1);
  const entry = (await notes.world.log('note', 0))?.entries[0];
  const line = notes.sql.get('SELECT name, caller, trace, span FROM journal');
  t.same(line, { name: 'note', caller: 'token', trace: entry?.trace?.traceId, span: entry?.trace?.spanId });
});

t.test('lines are written in batches, on closing, and news is told of them', async t => {
  await using notes = await openNoteWorld();
  const { sql, world } = notes;
  const written = (): number => sql.get<{ lines: number }>('SELECT count(*) AS lines FROM journal')!.lines;
  const told: string[] = [];
  world.news.follow(({ kind }) => told.push(kind));
  for (let n = 1; n < JOURNAL_BATCH_LINES; n++) await notes.ask('GET', '/notes/a');
  t.same([written(), told], [0, []], 'nothing is written while a batch is not full');
  await notes.ask('GET', '/notes/a');
  // News is of what lasts.
  await world.settled();
  t.same([written(), told], [JOURNAL_BATCH_LINES, ['requests']]);
  await notes.ask('GET', '/notes/a');
  await within(
    'a batch',
    new Promise<void>(resolve => world.news.follow(({ kind }) => kind === 'requests' && resolve())),
  );
  t.equal(written(), JOURNAL_BATCH_LINES + 1, 'what waits is written soon');
  await notes.ask('GET', '/notes/a');
  await world.close();
  t.equal(written(), JOURNAL_BATCH_LINES + 2, 'a world that closes loses none');
});

t.test('a batch is waited for longer where nobody follows the world', async t => {
  const set: (number | null)[] = [];
  const alarms = { set: (at: number | null) => void set.push(at), onWake: () => {} };
  await using notes = await openNoteWorld({ alarms });
  const waits = async (): Promise<unknown> => {
    await notes.world.requests(1);
    await notes.ask('GET', '/notes/a');
    return set.at(-1);
  };
  t.equal(await waits(), notes.wall.at + JOURNAL_BATCH_MS);
  const leave = notes.world.news.follow(() => {});
  t.equal(await waits(), notes.wall.at + JOURNAL_FOLLOWED_MS, 'who follows is told of them then');
  leave();
  t.equal(await waits(), notes.wall.at + JOURNAL_BATCH_MS);
});

t.test('[4.4] journalFailures counts the lines that failed to be kept', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('GET', '/notes/a');
  notes.sql.run('ALTER TABLE journal RENAME TO away');
  await notes.ask('PUT', '/notes/a', {});
  t.equal((await notes.ask('GET', '/notes/a')).status, 200, 'a request does not fail with its line');
  await t.rejects(notes.world.requests(1), 'there is nothing to report from');
  notes.sql.run('ALTER TABLE away RENAME TO journal');
  await notes.ask('GET', '/notes/a');
  t.match(await notes.world.requests(1), { journalFailures: 3, twins: [{ requests: 1 }] });
  t.match(
    notes.logged.filter(({ level }) => level === 'error'),
    [{ fields: { lines: 3 } }],
  );
});

t.test('lines that nobody waits for hold nobody up: they are written when the store has time', async t => {
  await using notes = await openNoteWorld();
  const { sql, wall } = notes;
  const processLog = { debug() {}, info() {}, warn() {}, error() {} };
  let resting: PromiseWithResolvers<void> | null = Promise.withResolvers();
  let wake = (): void => {};
  const journal = new Journal({
    sql,
    durability: { resting: () => resting?.promise ?? null },
    wall: { now: () => wall.at },
    alarms: {
      set: () => {},
      onWake: whoever => {
        wake = whoever;
      },
    },
    processLog,
    news: new Newsroom({ once: tell => tell() }),
    counts: new RequestCounts(sql),
  });
  const written = (): number => sql.get<{ n: number }>('SELECT count(*) AS n FROM journal')!.n;
  const before = written();
  journal.add(line(wall.at));
  wake();
  for (let n = 1; n < JOURNAL_BATCH_LINES + 1; n++) journal.add(line(wall.at));
  t.equal(written(), before, 'neither the alarm nor a full batch waits for a store that is busy by itself');
  t.equal(journal.waiting.length, JOURNAL_BATCH_LINES + 1);
  const rest = resting;
  resting = null;
  rest.resolve();
  await rest.promise;
  t.equal(written(), before + JOURNAL_BATCH_LINES + 1);
  resting = Promise.withResolvers();
  journal.add(line(wall.at));
  journal.close();
  t.equal(written(), before + JOURNAL_BATCH_LINES + 2, 'who closes waits for nothing');
});

t.test('[4.4] the journal keeps a month, and so many lines, of which none goes uncounted', async t => {
  await using notes = await openNoteWorld();
  const { sql, wall } = notes;
  const processLog = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => wall.at };
  const news = new Newsroom({ once: tell => tell() });
  const counts = new RequestCounts(sql);
  const durability = { resting: () => null };
  const alarms = openAlarms(clock);
  const journal = new Journal({ sql, durability, wall: clock, alarms, processLog, news, counts });
  const oldest = (): number => sql.get<{ id: number }>('SELECT min(id) AS id FROM journal')!.id;
  const another = (): void => {
    journal.add(line(wall.at));
    journal.flush();
  };
  fill(sql, JOURNAL_SWEPT_LINES + 10, EPOCH);
  wall.at = EPOCH + JOURNAL_MS_MAX + 1;
  another();
  t.equal(oldest(), 1, 'what the store has not counted yet stays');
  fill(sql, COUNTS_WRITTEN_LINES, wall.at);
  while (!counts.catchUp(wall.at));
  another();
  t.equal(oldest(), JOURNAL_SWEPT_LINES + 1, 'a batch clears so much and no more');
  another();
  t.equal(oldest(), JOURNAL_SWEPT_LINES + 11, 'and the next the rest');

  fill(sql, JOURNAL_LINES_MAX, wall.at - HOUR_MS / 2);
  while (!counts.catchUp(wall.at));
  for (let n = 0; n < 3; n++) another();
  t.equal(sql.get<{ lines: number }>('SELECT count(*) AS lines FROM journal')!.lines, JOURNAL_LINES_MAX);
  const whole = counts.read(wall.at - HOUR_MS).get('note');
  t.equal(whole?.all.requests, JOURNAL_LINES_MAX + COUNTS_WRITTEN_LINES + 6, 'also those that went');
  journal.close();
  journal.add(line(wall.at));
  t.equal(journal.failures, 1, 'a line that comes after the end is not kept');
});

t.test('[4.4] a wall clock that goes back takes no line from the report', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', {});
  notes.wall.at += 3 * 24 * HOUR_MS;
  await notes.ask('PUT', '/notes/b', {});
  notes.wall.at -= 3 * 24 * HOUR_MS;
  await notes.ask('PUT', '/notes/c', {});
  t.match(await notes.world.requests(24), { to: '2026-01-31T00:00:00.000Z', twins: [{ requests: 3 }] });
});

t.test('a route is the template, or is guessed from the path', t => {
  for (const [path, expected] of [
    ['/v1/customers', '/v1/customers'],
    ['/v1/customers/cus_P9xQ1aZ', '/v1/customers/{id}'],
    ['/v1/payment_intents', '/v1/payment_intents'],
    ['/v1/payment_intents/pi_3Nabc/confirm', '/v1/payment_intents/{id}/confirm'],
    ['/repos/acme/shop/issues/12', '/repos/acme/shop/issues/{id}'],
    ['/drive/v3/files/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms', '/drive/v3/files/{id}'],
    ['/x/6f1e5b8e-6b1e-4d5e-9d0e-0a1b2c3d4e5f', '/x/{id}'],
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/api/chat.postMessage', '/api/chat.postMessage'],
    ['/', '/'],
  ]) {
    t.equal(routeOf('GET', path!, undefined), `GET ${expected}`);
  }
  t.equal(
    routeOf('POST', '/v1/customers/cus_1', '/v1/customers/{customer}'),
    'POST /v1/customers/{customer}',
  );
  t.equal(routeOf('GET', `/${'a'.repeat(5000)}`, undefined).length, 200, 'no longer than a line may be');
  t.end();
});

function line(at: number): Line {
  return {
    at,
    name: 'note',
    method: 'GET',
    path: '/x',
    route: undefined,
    status: 200,
    ms: 1,
    unmatched: false,
    caller: null,
    trace: 'a'.repeat(32),
    span: 'b'.repeat(16),
    answered: null,
  };
}

type Store = Awaited<ReturnType<typeof openNoteWorld>>['sql'];

function fill(sql: Store, lines: number, at: number): void {
  sql.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO journal(at, name, route, status, us, unmatched) SELECT ?, 'note', 'GET /x', 200, 1000, 0 FROM n`,
    lines,
    at,
  );
}
