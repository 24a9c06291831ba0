// Branches over random histories on real stores (storage.md, invariants 6 to 10, 22). A failure prints its seed and
// its shortest history.
import { createHash } from 'node:crypto';
import t from 'tap';
import type { Entropy } from '../../../../control/ports/entropy.ts';
import type { Entry } from '../../../../control/world/log/entry.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { checkStore, fold, type State, wholeLog } from '../../../kit/log-fold.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { EPOCH, type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import { fc } from '../../../kit/property.ts';

const VENDORS = ['a', 'b', 'c'];
const TWINS = Object.fromEntries(VENDORS.map(vendor => [vendor, noteTwin({ vendor })]));
const RUNS = 40;

const seeded = (): Entropy => {
  let drawn = 0;
  return {
    bytes: length => createHash('sha512').update(String(drawn++)).digest().subarray(0, Math.min(length, 64)),
  };
};

const open = () => openNoteWorld({ twins: TWINS, entropy: seeded(), wall: { at: EPOCH } });

const branch = (parent: NoteWorld, at?: string) =>
  branchOff(parent, {
    twins: TWINS,
    entropy: seeded(),
    wall: { ...parent.wall },
    ...(at === undefined ? {} : { at }),
  });

type Step = (at: NoteWorld) => Promise<unknown>;

const vendor = fc.constantFrom(...VENDORS);
const id = fc.constantFrom('p', 'q', 'r', 's');
const note = fc.record({ tag: fc.constantFrom('x', 'y', null), n: fc.nat(3) });
const ask =
  (vendor: string, method: string, path: string, body?: unknown): Step =>
  at =>
    at.ask(method, path, body, { vendor });
const named = (name: string, step: Step): Step => Object.assign(step, { [fc.toStringMethod]: () => name });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(vendor, id, note)
      .map(([v, id, body]) =>
        named(`${v} put ${id} ${JSON.stringify(body)}`, ask(v, 'PUT', `/notes/${id}`, body)),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(vendor, id)
      .map(([v, id]) => named(`${v} delete ${id}`, ask(v, 'DELETE', `/notes/${id}`))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(vendor, fc.array(fc.tuple(id, note), { maxLength: 4 }), fc.array(id, { maxLength: 2 }))
      .map(([v, puts, deletes]) =>
        named(`${v} bulk ${JSON.stringify({ puts, deletes })}`, ask(v, 'POST', '/bulk', { puts, deletes })),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(vendor, id, fc.nat(90), fc.integer({ min: 1, max: 3 }), fc.nat(40))
      .map(([v, id, wait, times, every]) =>
        named(`${v} due ${id} in ${wait} times ${times} every ${every}`, async at =>
          ask(v, 'POST', `/due/${id}`, {
            at: Date.parse((await at.world.clock()).at) + wait * 1000,
            payload: { times, every: every * 1000 },
          })(at),
        ),
      ),
  },
  fc.nat(30).map(n =>
    named(`wall +${n}`, async at => {
      at.wall.at += n * 1000;
    }),
  ),
  fc
    .nat(30)
    .map(n =>
      named(`freeze +${n}`, async at =>
        at.world.setClock(new Date(Date.parse((await at.world.clock()).at) + n * 1000).toISOString()),
      ),
    ),
  fc.nat(30).map(n => named(`advance ${n}`, at => at.world.advanceClock(`${n}s`))),
);
const history = fc.array(step, { maxLength: 25 });

const holds = (what: string, property: fc.IAsyncPropertyWithHooks<never>) =>
  t.test(what, async t => {
    const details = await fc.check(property as fc.IAsyncProperty<unknown>, {
      numRuns: RUNS,
      includeErrorInReport: true,
    });
    if (details.failed) t.fail(fc.defaultReportMessage(details) ?? 'failed');
    else t.equal(details.numRuns, RUNS);
  });

const take = async (at: NoteWorld, steps: readonly Step[]): Promise<void> => {
  for (const step of steps) await step(at);
};

const logs = async ({ world }: NoteWorld): Promise<readonly (readonly Entry[])[]> =>
  Promise.all(VENDORS.map(vendor => wholeLog(world, vendor)));

const touchAll = (at: NoteWorld) =>
  Promise.all(VENDORS.map(vendor => at.ask('GET', '/notes/p', undefined, { vendor })));

/** The records of a twin at a position, as its checkpoint tells them. */
const state = async ({ world }: NoteWorld, twin: string, position: number | null = null): Promise<State> => {
  const taken = await world.past.checkpoint(twin, position);
  if (taken?.ok !== true) throw new Error('no checkpoint');
  const chunks: Uint8Array[] = [];
  for await (const chunk of taken.body) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  same('bytes as announced', whole.length, taken.bytes);
  const { records } = JSON.parse(whole.toString());
  return new Map(
    records.map(({ type, id, body }: { type: string; id: string; body: unknown }) => [`${type}/${id}`, body]),
  );
};

const bytes = ({ sql }: NoteWorld): string => {
  const tables = sql.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'journal' ORDER BY name",
  );
  return createHash('sha256')
    .update(JSON.stringify(tables.map(({ name }) => sql.all(`SELECT * FROM ${name}`))))
    .digest('hex');
};

const sorted = (map: State) => JSON.stringify([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

const same = (what: string, found: unknown, wanted: unknown): void => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}:\n  found  ${a}\n  wanted ${b}`);
};

const told = (entries: readonly Entry[]) =>
  entries.map(({ position, kind, occurredAt, changes }) => ({ position, kind, occurredAt, changes }));

holds(
  'invariant 1, read: a checkpoint at any position is the fold of the log up to it, and looking changes nothing (6)',
  fc.asyncProperty(history, fc.nat(30), async (steps, seed) => {
    await using at = await open();
    await take(at, steps);
    const [all] = [await logs(at)];
    const before = bytes(at);
    for (const [n, vendor] of VENDORS.entries()) {
      const position = seed % (all[n]!.length + 1);
      same(
        `${vendor}@${position}`,
        sorted(await state(at, vendor, position)),
        sorted(fold(all[n]!.slice(0, position))),
      );
    }
    await at.world.past.at(null);
    await at.world.past.diff();
    if (bytes(at) !== before) throw new Error('looking changed the store');
  }) as never,
);

holds(
  'invariants 7, 8, 10: a branch is the parent’s past and its own present; the diff leads from its base to its head',
  fc.asyncProperty(history, history, history, fc.boolean(), async (before, theirs, ours, past) => {
    await using parent = await open();
    await take(parent, before);
    const all = (await logs(parent)).flat();
    const instants = all.map(({ occurredAt }) => occurredAt).sort();
    const at = past ? instants[Math.floor(instants.length / 2)] : undefined;
    await using child = await branch(parent, at);
    const cut = (await child.world.clock()).at;
    const base = (await logs(parent)).map(log => log.filter(({ occurredAt }) => occurredAt <= cut));
    await take(parent, theirs);
    // What is due by now happens by itself sooner or later, whatever the branch does.
    await touchAll(parent);
    const parentsNow = JSON.stringify(await logs(parent));
    const bytesBefore = bytes(child);
    same('nothing is its own yet', (await logs(child)).map(told), base.map(told));
    for (const [n, vendor] of VENDORS.entries())
      same(`${vendor} at the base`, sorted(await state(child, vendor)), sorted(fold(base[n]!)));
    if (bytes(child) !== bytesBefore) throw new Error('looking at the past changed the branch');
    await take(child, ours);
    await touchAll(child);
    await checkStore(child);
    same('the parent is as it was', JSON.stringify(await logs(parent)), parentsNow);
    const diff = await child.world.past.diff();
    if (!diff.ok) throw new Error(diff.message);
    const { base: from, changes } = diff;
    same('its base', from, { id: 'acme/notes', at: cut });
    for (const [n, vendor] of VENDORS.entries()) {
      const own = changes.filter(({ twin }) => twin === vendor).map(({ entry }) => entry);
      same(
        'base and diff are the head',
        sorted(fold([...base[n]!, ...own])),
        sorted(await state(child, vendor)),
      );
    }
  }) as never,
);

holds(
  'invariant 8: in whatever order the twins are touched first, the branch does the same',
  fc.asyncProperty(history, history, async (before, ours) => {
    await using parent = await open();
    await take(parent, before);
    await using lazy = await branch(parent);
    await using eager = await branch(parent);
    for (const vendor of [...VENDORS].reverse()) await eager.ask('GET', '/notes/p', undefined, { vendor });
    await take(lazy, ours);
    await take(eager, ours);
    same('logs', (await logs(lazy)).map(told), (await logs(eager)).map(told));
    await touchAll(lazy);
    await touchAll(eager);
    for (const table of ['head', 'idx', 'ver', 'gone', 'due', 'due_past', 'tally']) {
      const rows = (at: NoteWorld) =>
        at.sql
          .all(`SELECT * FROM ${table}`)
          .map(row => JSON.stringify(row))
          .sort();
      same(table, rows(lazy), rows(eager));
    }
    for (const vendor of VENDORS)
      for (const query of [
        { limit: 9, where: { tag: 'x' } },
        { limit: 9, createdFrom: EPOCH + 20_000 },
      ])
        same(
          'lists',
          (await lazy.ask('POST', '/list', query, { vendor })).body,
          (await eager.ask('POST', '/list', query, { vendor })).body,
        );
  }) as never,
);

holds(
  'invariant 9: what waited at the base happens in the branch as in a world that went no further; so in its branches',
  fc.asyncProperty(history, history, fc.nat(90), fc.boolean(), async (before, after, by, early) => {
    await using parent = await open();
    await using flat = await open();
    await take(parent, before);
    await take(flat, before);
    const cut = (await parent.world.clock()).at;
    await flat.world.setClock(cut);
    let child: NoteWorld | null = early ? await branch(parent) : null;
    // A later instant for what comes next, or it would be of the cut itself.
    if (!early && (await parent.world.clock()).frozen) await parent.world.advanceClock('1s');
    else if (!early) parent.wall.at += 1000;
    await take(parent, after);
    child ??= await branch(parent, cut);
    await using _ = child;
    await using grandchild = await branch(child);
    for (const at of [flat, child, grandchild]) {
      await at.world.advanceClock(`${by}s`);
      await at.ask('PUT', '/notes/z', { n: 1 }, { vendor: 'b' });
    }
    const wanted = (await logs(flat)).map(told);
    same('branch', (await logs(child)).map(told), wanted);
    same('branch of a branch', (await logs(grandchild)).map(told), wanted);
    await touchAll(grandchild);
    await checkStore(grandchild);
    for (const vendor of VENDORS)
      for (const query of [
        { limit: 9 },
        { limit: 9, createdFrom: EPOCH + 15_000 },
        { limit: 9, createdBefore: EPOCH + 15_000 },
      ])
        same(
          `list of ${vendor} ${JSON.stringify(query)}`,
          (await grandchild.ask('POST', '/list', query, { vendor })).body,
          (await flat.ask('POST', '/list', query, { vendor })).body,
        );
  }) as never,
);

holds(
  'invariant 4 in a branch: the timeline is the sorted union over the base, each entry once for any page size',
  fc.asyncProperty(
    history,
    history,
    fc.integer({ min: 1, max: 5 }),
    fc.option(vendor),
    async (before, ours, limit, twin) => {
      await using parent = await open();
      await take(parent, before);
      await using child = await branch(parent);
      await take(parent, ours);
      await take(child, ours);
      const union = (await logs(child)).flat().filter(entry => twin === null || entry.twin === twin);
      union.sort(
        (x, y) =>
          y.occurredAt.localeCompare(x.occurredAt) || y.twin.localeCompare(x.twin) || y.position - x.position,
      );
      const trace = union[0]?.trace?.traceId;
      for (const narrowed of [{}, ...(trace === undefined ? [] : [{ trace }])]) {
        const paged: string[] = [];
        for (let before: string | undefined; ; ) {
          const page = await child.world.timeline({
            limit,
            ...narrowed,
            ...(before === undefined ? {} : { before }),
            ...(twin === null ? {} : { twin }),
          });
          if (!page.ok) throw new Error(page.message);
          paged.push(...page.entries.map(({ entry }) => entry.id));
          if (page.next === null) break;
          before = page.next;
        }
        const wanted =
          'trace' in narrowed ? union.filter(({ trace }) => trace?.traceId === narrowed.trace) : union;
        same(
          'pages',
          paged,
          wanted.map(({ id }) => id),
        );
      }
    },
  ) as never,
);
