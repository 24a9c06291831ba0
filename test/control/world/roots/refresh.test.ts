// Passes over a root that a test plays: stored page by page, gone on with after a crash, kept to the vendor's limits, and ended
// by what is no answer with a word for whoever looks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Alarms } from '../../../../control/ports/alarms.ts';
import { EPOCH, type NoteWorld, type NoteWorldOptions, openNoteWorld } from '../../../kit/note-world.ts';
import {
  answer,
  type NotePage,
  type NoteVendor,
  noteVendor,
  put,
  ROOT,
  reset,
  rootedNote,
  type Said,
} from '../../../kit/rooted-note.ts';

type HeldAlarms = Alarms & { at: number | null; ring(): void };

/** An alarm that goes off when the test says so. */
function heldAlarms(): HeldAlarms {
  let wake = (): void => {};
  const held: HeldAlarms = {
    at: null,
    set: at => {
      held.at = at;
    },
    onWake: whoever => {
      wake = whoever;
    },
    ring: () => {
      held.at = null;
      wake();
    },
  };
  return held;
}

const open = (vendor: NoteVendor, more: NoteWorldOptions = {}): Promise<NoteWorld> =>
  openNoteWorld({ twins: { note: rootedNote() }, vendors: { asks: vendor }, ...more });

/** A pass, from its beginning to its end. */
async function pass({ world }: NoteWorld): Promise<void> {
  const begun = await world.roots.refresh('note', { force: true });
  if (!begun.ok || !begun.started) throw new Error('no pass began');
  await world.roots.settled();
}

const notesOf = async (notes: NoteWorld): Promise<string[]> =>
  (await notes.ask('POST', '/list', { limit: 100, order: 'oldest' })).body.items.map(
    (note: { text: string }) => note.text,
  );

t.test('[4.6] a page is one entry of the root’s, and one that changes nothing is none', async t => {
  const first: NotePage = {
    anew: true,
    put: [put('a', { text: 'A' }), put('b', { text: 'B' })],
    cursor: '1',
    more: true,
  };
  const vendor = noteVendor(after =>
    after === '' ? first : { put: [put('c', { text: 'C' })], cursor: 'end', whole: ['note'] },
  );
  await using notes = await open(vendor);
  await notes.world.roots.put('note', ROOT);
  t.match(await notes.world.twinStatus('note'), { dataOrigin: 'unrecorded', refresh: { lastAt: null } });
  await pass(notes);
  t.strictSame(await notesOf(notes), ['A', 'B', 'C']);
  const { entries } = (await notes.world.log('note', 0))!;
  t.strictSame(
    entries.map(({ kind, actor, changes }) => [kind, actor, changes.length]),
    [
      ['twin.refreshed', { type: 'root' }, 2],
      ['twin.refreshed', { type: 'root' }, 1],
    ],
  );
  t.match(await notes.world.twinStatus('note'), {
    dataOrigin: 'vendor-refresh',
    execution: { rootConnected: true, deploy: 'manual' },
    root: { url: 'https://notes.test' },
    refresh: { lastAt: new Date(EPOCH).toISOString(), progress: null, fault: null, conflicts: [] },
  });
  await pass(notes);
  t.equal((await notes.world.map())[0]!.position, 2);
  t.strictSame(vendor.asked, ['', '1', 'end'], 'the next pass begins where the last one ended');
});

t.test(
  '[4.6] what a pass over everything does not tell of is gone, unless it is the world’s own',
  async t => {
    const all = (...ids: string[]): Said => ({
      anew: true,
      put: ids.map(id => put(id, { text: id })),
      cursor: 'end',
      whole: ['note'],
    });
    const vendor = noteVendor((_after, nth) => (nth === 0 ? all('a', 'b', 'c') : all('b')));
    await using notes = await open(vendor);
    await notes.world.roots.put('note', ROOT);
    await notes.ask('PUT', '/notes/own', { text: 'own' });
    await pass(notes);
    await notes.ask('PUT', '/notes/c', { text: 'changed here' });
    await pass(notes);
    t.strictSame(await notesOf(notes), ['own', 'b', 'changed here']);
    t.match(notes.world.roots.standing('note').conflicts, [
      { type: 'note', id: 'c', field: '', base: { text: 'c' }, ours: { text: 'changed here' }, theirs: null },
    ]);
    t.match(await notes.world.roots.resolve('note', 'theirs'), { ok: true, resolved: 1 });
    t.strictSame(await notesOf(notes), ['own', 'b']);
  },
);

t.test('[4.6] a pass that was cut off between two pages goes on there when the world opens', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-root-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'world.db');
  const page = (n: number): Said => ({
    ...(n === 0 ? { anew: true as const } : {}),
    put: [put(`n${n}`, { text: `N${n}` })],
    cursor: String(n + 1),
    more: n < 3,
  });
  const never = Promise.withResolvers<Said>();
  const stopped = Promise.withResolvers<void>();
  const first = noteVendor(after => {
    const n = Number(after || '0');
    if (n < 2) return page(n);
    stopped.resolve();
    return never.promise;
  });
  {
    await using notes = await open(first, { file });
    await notes.world.roots.put('note', ROOT);
    await notes.world.roots.refresh('note', { force: false });
    await stopped.promise;
    t.match(notes.world.roots.standing('note').progress, { done: 2 });
  }
  const second = noteVendor(after => page(Number(after)));
  await using notes = await open(second, { file });
  await notes.world.roots.settled();
  t.strictSame(second.asked, ['2', '3']);
  t.strictSame(await notesOf(notes), ['N0', 'N1', 'N2', 'N3']);
  t.not(notes.world.roots.standing('note').lastAt, null);
});

t.test(
  '[4.6] a store that cannot be read as the world opens is looked at again, and the pass goes on',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'wrld-root-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'world.db');
    const asked = Promise.withResolvers<void>();
    {
      await using notes = await open(
        noteVendor(() => {
          asked.resolve();
          return new Promise(() => {});
        }),
        { file },
      );
      await notes.world.roots.put('note', ROOT);
      await notes.world.roots.refresh('note', { force: false });
      await asked.promise;
    }
    // The roots themselves are read first: a world that cannot does not open.
    for (const [unreadable, before] of [
      ['FROM refresh', 1],
      ['min(at) AS at FROM timer', 0],
    ] as const) {
      const alarms = heldAlarms();
      const vendor = noteVendor(() => ({ cursor: 'x', more: true }));
      let failing = true;
      let reads = 0;
      const prepare: NonNullable<NoteWorldOptions['prepare']> = sql => {
        const { get } = sql;
        sql.get = (text, ...values) => {
          if (failing && text.includes(unreadable) && ++reads > before) throw new Error('disk I/O error');
          return get.call(sql, text, ...values) as never;
        };
      };
      await using notes = await open(vendor, { file, alarms, prepare });
      t.match(notes.logged, [{ level: 'error', message: /could not see what to refresh; it looks again/ }]);
      failing = false;
      notes.wall.at = alarms.at!;
      t.ok(notes.wall.at > EPOCH, 'not at once: the disk may need its time');
      alarms.ring();
      while (vendor.asked.length === 0) await new Promise(setImmediate);
    }
  },
);

t.test('[4.6] a pass goes on, once, while the root of another twin changes', async t => {
  const going = Promise.withResolvers<Said>();
  const vendor = noteVendor(() => going.promise);
  const twins = { note: rootedNote(), other: rootedNote() };
  await using notes = await openNoteWorld({ twins, vendors: { asks: vendor } });
  await notes.world.roots.put('note', ROOT);
  await notes.world.roots.refresh('note', { force: false });
  await notes.world.roots.put('other', ROOT);
  await notes.world.roots.put('other', null);
  t.match(await notes.world.roots.refresh('note', { force: true }), { ok: true, started: false });
  going.resolve({ cursor: 'x' });
  await notes.world.roots.settled();
  t.strictSame(vendor.asked, ['']);
});

t.test('[4.6] it is throttled to `atMost`, unless it is forced, and never two at once', async t => {
  const going = Promise.withResolvers<Said>();
  const vendor = noteVendor((_after, nth) => (nth === 0 ? going.promise : { cursor: 'x' }));
  await using notes = await open(vendor);
  t.match(await notes.world.roots.refresh('note', { force: true }), { ok: false, why: 'no-root' });
  await notes.world.roots.put('note', ROOT);
  t.match(await notes.world.roots.refresh('note', { force: false }), { ok: true, started: true });
  t.match(await notes.world.roots.refresh('note', { force: true }), {
    ok: true,
    started: false,
    nextAt: null,
  });
  going.resolve({ cursor: 'x' });
  await notes.world.roots.settled();
  notes.wall.at += 59_000;
  t.match(await notes.world.roots.refresh('note', { force: false }), {
    ok: true,
    started: false,
    nextAt: new Date(EPOCH + 60_000).toISOString(),
  });
  t.match(await notes.world.roots.refresh('note', { force: true }), { ok: true, started: true });
  await notes.world.roots.settled();
  notes.wall.at += 60_000;
  t.match(await notes.world.roots.refresh('note', { force: false }), { ok: true, started: true });
  await notes.world.roots.settled();
});

t.test('[4.11-1] it is refreshed by its schedule, in wall time, whatever the world’s clock says', async t => {
  const alarms = heldAlarms();
  const vendor = noteVendor(() => ({ cursor: 'x' }));
  await using notes = await open(vendor, { alarms });
  await notes.world.setClock('2027-01-01T00:00:00Z');
  await notes.world.roots.put('note', { ...ROOT, refresh: { every: '15m', atMost: '0s' } });
  t.equal(alarms.at, EPOCH, 'the first pass is due at once');
  alarms.ring();
  await notes.world.roots.settled();
  t.equal(vendor.asked.length, 1);
  t.equal(notes.world.roots.standing('note').nextAt, new Date(EPOCH + 900_000).toISOString());
  notes.wall.at += 899_999;
  alarms.ring();
  await notes.world.roots.settled();
  t.equal(vendor.asked.length, 1, 'an alarm that comes early begins none');
  notes.wall.at += 1;
  alarms.ring();
  await notes.world.roots.settled();
  t.equal(vendor.asked.length, 2);
  await notes.world.roots.put('note', null);
  t.equal(notes.world.roots.standing('note').nextAt, null);
});

t.test('[4.6] the vendor’s limits are kept: Retry-After, else waits that double', async t => {
  const alarms = heldAlarms();
  const said: Said[] = [
    answer(429, '{}', [['Retry-After', '7']]),
    answer(500, 'oops'),
    reset,
    { put: [put('a', { text: 'A' })], cursor: 'x' },
  ];
  const vendor = noteVendor((_after, nth) => said[nth]!);
  await using notes = await open(vendor, { alarms });
  await notes.world.roots.put('note', ROOT);
  await notes.world.roots.refresh('note', { force: true });
  const waits: number[] = [];
  for (let n = 0; n < 3; n++) {
    // Until then it is set to take up a pass whose world was ended.
    while (alarms.at === null || alarms.at - notes.wall.at > 10_000) await new Promise(setImmediate);
    waits.push(alarms.at - notes.wall.at);
    notes.wall.at = alarms.at;
    alarms.ring();
  }
  await notes.world.roots.settled();
  t.strictSame(waits, [7000, 2000, 4000]);
  t.strictSame(await notesOf(notes), ['A']);
  t.equal(notes.world.roots.standing('note').fault, null);
});

t.test('[4.6] what ends a pass is told, and what was stored of it stays', async t => {
  const rows: readonly (readonly [string, Said, RegExp])[] = [
    [
      'a redirect',
      answer(302, '', [['Location', 'https://evil.test/x?key=1']]),
      /a redirect to https:\/\/evil\.test;/,
    ],
    [
      'a page',
      answer(200, '<html>', [['Content-Type', 'text/html; charset=utf-8']]),
      /6 bytes of text\/html that are no JSON/,
    ],
    ['half an answer', answer(200, '{"put":[{"type":"no'), /no JSON/],
    [
      'too much',
      { ok: false, why: 'too-large', message: 'It is longer than 16 MB.', sent: true },
      /answers too much: It is longer/,
    ],
    [
      'no credential',
      { ok: false, why: 'no-credential', message: 'none is sealed', sent: false },
      /cannot be asked: none is sealed/,
    ],
    ['a long wait', answer(429, '{}', [['Retry-After', '3600']]), /asked too often \(429\), asked 1 time/],
  ];
  for (const [what, said, why] of rows) {
    const vendor = noteVendor((_after, nth) =>
      nth === 0 ? { anew: true, put: [put('a', { text: 'A' })], cursor: '1', more: true } : said,
    );
    await using notes = await open(vendor);
    await notes.world.roots.put('note', ROOT);
    await pass(notes);
    const { fault, lastAt } = notes.world.roots.standing('note');
    t.match(fault, { at: new Date(EPOCH).toISOString(), message: why }, what);
    t.notMatch(fault!.message, /key=1/, 'it quotes no more than it must');
    t.equal(lastAt, null);
    t.strictSame(await notesOf(notes), ['A'], 'the page before stands');
    t.equal(notes.world.roots.observedAt('note'), null);
  }
});

t.test('[4.6] a root that fails is looked at again later and later, by its schedule', async t => {
  const alarms = heldAlarms();
  const vendor = noteVendor(() => answer(404, 'not here', [['Content-Type', 'text/plain']]));
  await using notes = await open(vendor, { alarms });
  await notes.world.roots.put('note', { ...ROOT, refresh: { every: '10s', atMost: '0s' } });
  const waits: number[] = [];
  for (let n = 0; n < 9; n++) {
    notes.wall.at = alarms.at!;
    alarms.ring();
    await notes.world.roots.settled();
    waits.push((alarms.at! - notes.wall.at) / 1000);
  }
  t.strictSame(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
});

t.test('[2.8] another root is copied from its beginning, and a pass over the one before ends', async t => {
  const never = Promise.withResolvers<Said>();
  const vendor = noteVendor((_after, nth) =>
    nth === 1 ? never.promise : { anew: true, cursor: `c${nth}`, more: nth === 0 },
  );
  await using notes = await open(vendor);
  await notes.world.roots.put('note', ROOT);
  await notes.world.roots.refresh('note', { force: true });
  while (vendor.asked.length < 2) await new Promise(setImmediate);
  await notes.world.roots.put('note', { ...ROOT, url: 'https://other.test' });
  t.match(notes.world.roots.standing('note'), { progress: null, lastAt: null });
  await pass(notes);
  t.strictSame(vendor.asked, ['', 'c0', '']);
});

t.test('[4.6] who asks the twin meanwhile waits for no page', async t => {
  const bulk = (from: number): Said => ({
    put: Array.from({ length: 1000 }, (_, n) => put(`n${from + n}`, { text: 'x'.repeat(100) })),
    cursor: String(from + 1000),
    more: from < 4000,
  });
  const vendor = noteVendor(after => bulk(Number(after || '0')));
  await using notes = await open(vendor);
  await notes.world.roots.put('note', ROOT);
  await notes.world.roots.refresh('note', { force: true });
  let asked = 0;
  for (let last = -1; notes.world.roots.standing('note').progress !== null; asked++) {
    t.equal((await notes.ask('GET', '/notes/none')).status, 404);
    const [{ position } = { position: 0 }] = await notes.world.map();
    if (position - last > 3) t.ok(last === -1, 'no more than a few of its entries between two requests');
    last = position;
    await new Promise(resolve => setTimeout(resolve, 0));
  }
  t.ok(asked > 10, `${asked} were answered meanwhile`);
  t.equal((await notes.world.map())[0]!.resources[0]!.count, 5000);
  t.equal((await notes.world.map())[0]!.position, 100, 'fifty records an entry');
});

t.test('[2.8] a branch has no root of its own', async t => {
  const vendor = noteVendor(() => ({ anew: true, put: [put('a', { text: 'A' })], cursor: 'x' }));
  await using notes = await open(vendor);
  await notes.world.roots.put('note', ROOT);
  await pass(notes);
  const { branchOff } = await import('../../../kit/branch-world.ts');
  await using branch = await branchOff(notes);
  t.equal(branch.world.roots.get('note'), null);
  t.equal(branch.world.roots.observedAt('note'), null);
  t.match((await branch.ask('GET', '/notes/a')).body, { text: 'A' });
});
