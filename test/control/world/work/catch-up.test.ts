// A catch-up beside requests: who asks is told at once, the past stays open, and it goes on by itself.
import t from 'tap';
import type { Alarms } from '../../../../control/ports/alarms.ts';
import type { Durability } from '../../../../control/ports/durability.ts';
import {
  DUE_EVENTS_PER_TURN_MAX,
  DUE_MS_PER_TURN_MAX,
  OTHERS_MS_PER_SHARED_DUE_MS,
  SHARED_DUE_MS_PER_TURN_MAX,
} from '../../../../control/world/limits.ts';
import { turn } from '../../../../control/world/store/turn.ts';
import { nextTurn } from '../../../../control/world/work/catch-up.ts';
import { DueEvents, type DueEventsParts } from '../../../../control/world/work/due-events.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { within } from '../../../kit/deadline.ts';
import { EPOCH, type NoteWorld, type NoteWorldOptions, openNoteWorld } from '../../../kit/note-world.ts';

const at = (seconds: number): string => new Date(EPOCH + seconds * 1000).toISOString();
const tip = async ({ world }: NoteWorld): Promise<number> => (await world.map())[0]!.position;
/** As `tip`, of this very moment: also what does not last yet. */
const written = ({ sql }: NoteWorld): number => sql.get<{ n: number }>('SELECT count(*) AS n FROM entry')!.n;

/** A world whose clock stands, with so many events to come, one a second. */
const worldToCome = async (events: number, options: NoteWorldOptions = {}): Promise<NoteWorld> => {
  const notes = await openNoteWorld(options);
  await notes.world.setClock(at(0));
  await notes.ask('POST', '/due/d', { at: EPOCH + 1000, payload: { times: events, every: 1000 } });
  return notes;
};

/** Resolves when the catch-up has gone on for longer than a request waits for it. */
const untilLate = async (notes: NoteWorld): Promise<void> => {
  while ((await notes.ask('GET', '/notes/d')).status !== 503);
};

t.test('[3] who asks a twin meanwhile is told at once, and makes nobody’s events happen', async t => {
  await using notes = await worldToCome(2000);
  const moving = notes.world.advanceClock('1h');
  await untilLate(notes);
  for (let n = 0; n < 20; n++) {
    const before = written(notes);
    const asked = await notes.ask('PUT', '/notes/a', {});
    // No turn of the event loop has passed: the answer waited for nothing.
    t.equal(written(notes), before);
    t.match(asked, { status: 503, headers: { 'retry-after': '1' }, body: { note_error: 'catching_up' } });
  }
  t.match(await moving, { ok: true, clock: { at: at(3600) } });
  t.equal((await notes.ask('PUT', '/notes/a', {})).status, 200);
  t.equal(await tip(notes), 2001);
});

t.test('[3] a request that finds a little due lets it happen and is answered', async t => {
  await using notes = await worldToCome(0);
  for (let n = 0; n < DUE_EVENTS_PER_TURN_MAX + 20; n++)
    await notes.ask('POST', `/due/d${n}`, { at: EPOCH, payload: {} });
  t.equal((await notes.ask('GET', '/notes/d0')).status, 200);
});

t.test('[4.9] the clock tells how far it is, and says no more of it when it has arrived', async t => {
  await using notes = await worldToCome(1000);
  t.strictSame(await notes.world.clock(), { at: at(0), frozen: true });
  const moving = notes.world.advanceClock('1h');
  await untilLate(notes);
  const first = await notes.world.clock();
  t.match(first, { at: at(3600), frozen: true, catchingUp: { left: 1 } });
  const { done, at: reached } = first.catchingUp!;
  t.ok(done > 0 && done < 1000, String(done));
  t.ok(reached > at(0) && reached < at(1000), reached);
  const told = new Promise<string>(resolve => {
    notes.world.news.follow(({ kind }) => {
      if (kind === 'clock') resolve(kind);
    });
  });
  await moving;
  await within('those who look on to hear of its end', told);
  t.strictSame(await notes.world.clock(), { at: at(3600), frozen: true });
});

/** Of a store that has something to do by itself for as long as `resting` holds something. */
const resting = (rest: { resting: Promise<void> | null }): Durability => ({
  lasting: () => null,
  resting: () => rest.resting,
  onLost: () => {},
  durable: work => work(),
});

t.test('[4.9] what it has passed can be read and branched meanwhile; what it has not says so', async t => {
  const store: { resting: Promise<void> | null } = { resting: null };
  await using notes = await worldToCome(2000, { ports: { durability: resting(store) } });
  const moving = notes.world.advanceClock('1h');
  await untilLate(notes);
  while (written(notes) < 10) await turn();
  const rested = Promise.withResolvers<void>();
  store.resting = rested.promise;
  const before = written(notes);
  t.ok(before < 2000, 'it is still under way');
  t.match(await notes.world.past.at(at(10)), { ok: true, views: { note: { position: 10 } } });
  t.match(await notes.world.past.at(at(3000)), { ok: false, why: 'catching-up' });
  t.match(await notes.world.past.at(at(3601)), { ok: false, why: 'not-yet' });
  t.match(await notes.world.past.cut(null, false), { ok: false, why: 'catching-up' });
  t.match(await notes.world.past.cut(at(3000), false), { ok: false, why: 'catching-up' });
  await using child = await branchOff(notes, { at: at(10) });
  t.equal((await child.ask('GET', '/notes/d')).status, 200);
  t.equal(await tip(child), 10);
  t.equal(written(notes), before, 'nothing more has happened');
  store.resting = null;
  rested.resolve();
  await moving;
  t.match(await notes.world.past.at(at(3000)), { ok: true, views: { note: { position: 2000 } } });
  t.match(await notes.world.past.cut(null, false), { ok: true });
});

/** Alarms in a test's hands. */
const openSteps = () => {
  let set: number | null = null;
  let wake = (): void => {};
  const alarms: Alarms = {
    set: at => {
      set = at;
    },
    onWake: work => {
      wake = work;
    },
  };
  return {
    alarms,
    /** Time goes on from alarm to alarm, those of the journal among them, until there is none. When something happened. */
    goOn: async (notes: NoteWorld): Promise<readonly number[]> => {
      const happened: number[] = [];
      while (set !== null) {
        const before = await tip(notes);
        notes.wall.at = Math.max(notes.wall.at, set);
        set = null;
        wake();
        await turn();
        if ((await tip(notes)) > before) happened.push(notes.wall.at - EPOCH);
      }
      return happened;
    },
  };
};

t.test('a world on the wall clock is woken for what falls due, one whose clock stands is not', async t => {
  const { alarms, goOn } = openSteps();
  await using notes = await openNoteWorld({ alarms });
  await notes.ask('POST', '/due/d', { at: EPOCH + 60_000, payload: { times: 2, every: 1000 } });
  t.strictSame(await goOn(notes), [60_000, 61_000], 'when it falls due, and nobody asks');
  await notes.ask('POST', '/due/e', { at: EPOCH + 120_000, payload: { times: 1, every: 1000 } });
  await notes.world.setClock(at(90));
  t.strictSame(await goOn(notes), [], 'a clock that stands does not arrive by itself');
});

t.test(
  '[3] a clock that was set in vain, for the disk lost it, is the wall’s again: the world wakes',
  async t => {
    const { alarms, goOn } = openSteps();
    const lost: (() => void)[] = [];
    const durability: Durability = {
      lasting: () => null,
      resting: () => null,
      onLost: listener => lost.push(listener),
      durable: work => work(),
    };
    await using notes = await openNoteWorld({ alarms, ports: { durability } });
    await notes.ask('POST', '/due/d', { at: EPOCH + 60_000, payload: { times: 1, every: 1000 } });
    await notes.world.setClock(at(30));
    notes.sql.run("DELETE FROM meta WHERE k = 'clock'");
    for (const listener of lost) listener();
    t.equal((await notes.world.clock()).frozen, false);
    t.strictSame(await goOn(notes), [60_000]);
  },
);

t.test('[storage] a catch-up waits while the store has something to do by itself', async t => {
  const store: { resting: Promise<void> | null } = { resting: null };
  await using notes = await worldToCome(200, { ports: { durability: resting(store) } });
  const before = await tip(notes);
  const rested = Promise.withResolvers<void>();
  store.resting = rested.promise;
  const moving = notes.world.advanceClock('1h');
  for (let n = 0; n < 10; n++) await turn();
  t.equal(await tip(notes), before, 'nothing happens meanwhile');
  store.resting = null;
  rested.resolve();
  t.match(await moving, { ok: true });
  t.equal(await tip(notes), before + 200);
});

t.test('a turn has room for as long as it is given, and for one event at least', t => {
  const event = { twin: 'notes', key: 'd', at: 0, payload: '{}', cause: null };
  // A twin that is seated no more: its events are told to the deliveries alone.
  const events = new DueEvents({
    due: { first: () => event },
    clock: { now: () => 0 },
    seats: new Map(),
    deliveries: { retry: () => undefined },
    hydration: null,
  } as unknown as DueEventsParts);
  t.notOk(events.turn(-1));
  t.equal(events.happened, 1);
  t.notOk(events.turn(Number.POSITIVE_INFINITY));
  t.equal(events.happened, 1 + DUE_EVENTS_PER_TURN_MAX);
  t.end();
});

t.test(
  'a world that catches up has a small share of a processor that others run on, and all of it beside nobody',
  async t => {
    t.same(nextTurn(10, 0), { room: DUE_MS_PER_TURN_MAX, rest: 0 });
    t.same(nextTurn(10, DUE_MS_PER_TURN_MAX / 2), { room: DUE_MS_PER_TURN_MAX, rest: 0 });
    t.same(nextTurn(3, 6), {
      room: SHARED_DUE_MS_PER_TURN_MAX,
      rest: 3 * OTHERS_MS_PER_SHARED_DUE_MS - 6,
    });
    t.same(
      nextTurn(1, OTHERS_MS_PER_SHARED_DUE_MS),
      { room: SHARED_DUE_MS_PER_TURN_MAX, rest: 0 },
      'they had theirs already',
    );
    t.same(
      nextTurn(60_000, 20).rest,
      DUE_MS_PER_TURN_MAX * OTHERS_MS_PER_SHARED_DUE_MS - 20,
      'a disk that kept it waiting does so once',
    );
    // It is asked before and after each turn that others may have.
    let asked = 0;
    const processor = { spent: () => (asked++ % 2) * DUE_MS_PER_TURN_MAX };
    await using notes = await openNoteWorld({ ports: { processor } });
    await notes.world.setClock(at(0));
    await notes.ask('POST', '/due/d', { at: EPOCH + 1000, payload: { times: 200, every: 1000 } });
    const before = await tip(notes);
    t.match(await notes.world.advanceClock('1h'), { ok: true });
    t.equal(await tip(notes), before + 200);
    t.ok(asked > 1);
  },
);

t.test('a catch-up that a restart interrupts goes on by itself, whoever asks', async t => {
  const file = `${t.testdir()}/world.db`;
  {
    await using notes = await worldToCome(1000, { file });
    const moving = notes.world.advanceClock('1h');
    await untilLate(notes);
    await notes.world.close();
    t.match(await moving, { ok: true });
    t.ok((await notes.sql.get<{ n: number }>('SELECT count(*) AS n FROM entry')!.n) < 1000);
  }
  await using notes = await openNoteWorld({ file });
  t.match(await notes.world.clock(), { at: at(3600), catchingUp: { done: 0, left: 1 } });
  const arrived = new Promise<void>(resolve => {
    notes.world.news.follow(({ kind }) => {
      if (kind === 'clock') resolve();
    });
  });
  // The world's own timer is no reason to keep a process alive; a test that waits for it is.
  const alive = setInterval(() => undefined, 1000);
  await within('the world to arrive', arrived);
  clearInterval(alive);
  t.equal(await tip(notes), 1000);
});

t.test('a store that fails in the middle is told to who moved the clock, and taken up again', async t => {
  await using notes = await worldToCome(1000);
  const { transaction } = notes.sql;
  let left = 400;
  Object.assign(notes.sql, {
    transaction: (work: () => unknown) => {
      left -= 1;
      if (left === 0 || left === -1) throw new Error('the disk is full');
      return transaction(work);
    },
  });
  await t.rejects(notes.world.advanceClock('1h'), /the disk is full/);
  t.match(notes.logged.at(-1), { level: 'error', message: 'the world could not catch up' });
  const arrived = new Promise<void>(resolve => {
    notes.world.news.follow(({ kind }) => {
      if (kind === 'clock') resolve();
    });
  });
  const alive = setInterval(() => undefined, 1000);
  await within('the world to arrive', arrived);
  clearInterval(alive);
  t.notOk('catchingUp' in (await notes.world.clock()));
  t.equal(await tip(notes), 1000);
});
