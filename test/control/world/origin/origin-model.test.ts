// Invariants 15 and 16 of the store (storage.md) for a world and its origin: a pull without a conflict is the merge of three
// sides, one with a conflict leaves everything as it is, and what was pulled can be pushed.

import t from 'tap';
import { OriginFault } from '../../../../control/world/origin/origin-fault.ts';
import { mergeRecord } from '../../../../control/world/store/three-way.ts';
import type { RecordBody } from '../../../../twins/kit/tx.ts';
import { checkStore } from '../../../kit/log-fold.ts';
import type { NoteWorld } from '../../../kit/note-world.ts';
import { openOriginPair } from '../../../kit/origin-pair.ts';
import { fc } from '../../../kit/property.ts';

const IDS = ['a', 'b', 'c'];
const value = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.record({ x: fc.integer({ min: 0, max: 1 }) }));
const note = fc.record({ tag: value, done: value, more: value }, { requiredKeys: [] });
const write = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('put' as const), fc.constantFrom(...IDS), note) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant('delete' as const), fc.constantFrom(...IDS), fc.constant({})),
  },
);
const step = fc.oneof(
  { weight: 16, arbitrary: fc.record({ do: fc.constant('write' as const), own: fc.boolean(), write }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('pull' as const, 'push' as const) }) },
);

type State = { readonly [id: string]: RecordBody };

const states = async (notes: NoteWorld): Promise<State> => {
  const { items } = (await notes.ask('POST', '/list', { order: 'oldest', limit: 100 })).body;
  return Object.fromEntries((items as { id: string }[]).map(item => [item.id, item]));
};

/** The entries from the first on, folded. */
const folded = async ({ world }: NoteWorld): Promise<State> => {
  const state = new Map<string, RecordBody>();
  for (const { changes } of (await world.log('note', 0))!.entries)
    for (const { op, id, after } of changes)
      if (op === 'delete') state.delete(id);
      else if (op === 'put') state.set(id, after as RecordBody);
  return Object.fromEntries(state);
};

const whole = async ({ world, sql }: NoteWorld) => ({
  log: (await world.log('note', 0))!.entries,
  head: sql.all('SELECT type, id, pos, ord, body FROM head ORDER BY type, id'),
  idx: sql.all('SELECT * FROM idx ORDER BY type, name, value, ord'),
  tally: sql.all('SELECT * FROM tally WHERE records <> 0 ORDER BY type'),
  changesets: sql.all('SELECT * FROM changeset ORDER BY name'),
});

const merged = (base: State, ours: State, theirs: State): { state: State; conflicts: number } => {
  const state: { [id: string]: RecordBody } = {};
  let conflicts = 0;
  for (const id of IDS) {
    const merge = mergeRecord(base[id] ?? null, ours[id] ?? null, theirs[id] ?? null);
    conflicts += merge.conflicts.length;
    if (merge.merged !== null) state[id] = merge.merged;
  }
  return { state, conflicts };
};

t.test(
  '[storage.md 15, 16] pull merges three sides or changes nothing; what was pulled is pushed',
  async t => {
    let pulls = 0;
    let conflicts = 0;
    let pushes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 45, size: 'max' }), async steps => {
        await using pair = await openOriginPair();
        const own = pair.own.notes;
        const origin = pair.origin.notes;
        await pair.connect();
        // What both had when they last met.
        let base: State = {};
        let cuts = 0;
        for (const each of steps) {
          if (each.do === 'write') {
            const [op, id, body] = each.write;
            await (each.own ? own : origin).ask(op === 'put' ? 'PUT' : 'DELETE', `/notes/${id}`, body);
          } else if (each.do === 'cut')
            await own.world.changesets.cut({ message: 'm', name: `c${++cuts}`, by: 'token', owner: null });
          else {
            const [ours, theirs, before] = [await states(own), await states(origin), await whole(own)];
            const wanted = merged(base, ours, theirs);
            try {
              await own.world.pullOrigin();
              t.equal(wanted.conflicts, 0);
              t.strictSame(await states(own), { ...wanted.state });
              pulls += 1;
              base = theirs;
            } catch (error) {
              if (!(error instanceof OriginFault) || error.why !== 'conflict') throw error;
              t.equal(error.details.conflicts!.length, wanted.conflicts);
              t.strictSame(await whole(own), before);
              conflicts += 1;
              // Said to be theirs, so that the next of them is another.
              const resolve = error.details.conflicts!.map(({ twin, type, id, field }) => ({
                ...{ twin, type, id, field, take: 'theirs' as const },
              }));
              await own.world.pullOrigin(resolve);
              t.strictSame(await states(own), { ...wanted.state });
              base = theirs;
            }
            if (each.do === 'push') {
              pushes += (await own.world.origin.push()).length;
              // What is in no changeset stays here.
              base = await states(origin);
            }
          }
          t.strictSame(await folded(own), await states(own), 'the state is what the log says');
          const log = (await own.world.log('note', 0))!.entries;
          t.strictSame(
            log.map(({ position }) => position),
            log.map((_, n) => n + 1),
            'positions are dense',
          );
          const ats = own.sql.all<{ at: number }>("SELECT at FROM entry WHERE twin = 'note' ORDER BY pos");
          t.ok(
            ats.every(({ at }, n) => n === 0 || at >= ats[n - 1]!.at),
            'and in the order of their instants',
          );
        }
        await checkStore(own);
      }),
      { numRuns: 40 },
    );
    t.ok(
      pulls > 20 && conflicts > 10 && pushes > 5,
      `${pulls} pulls, ${conflicts} conflicts, ${pushes} pushes`,
    );
  },
);
