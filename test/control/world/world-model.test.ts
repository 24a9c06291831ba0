// The invariants of a world (storage.md 1–6, 11, 12, 21) over random histories on a real store. A failure
// prints its seed and its shortest history.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Entropy } from '../../../control/ports/entropy.ts';
import { BLOB_INLINE_BYTES_MAX } from '../../../control/world/limits.ts';
import { checkStore, fold, wholeLog } from '../../kit/log-fold.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { EPOCH, type NoteWorld, openNoteWorld } from '../../kit/note-world.ts';
import { fc } from '../../kit/property.ts';

const VENDORS = ['a', 'b', 'c'];
const TWINS = Object.fromEntries(VENDORS.map(vendor => [vendor, noteTwin({ vendor })]));
const RUNS = 60;
const LARGE = 'l'.repeat(BLOB_INLINE_BYTES_MAX);

/** Random enough for ids, and the same in two worlds that do the same. */
const seeded = (): Entropy => {
  let drawn = 0;
  return {
    bytes: length => {
      const bytes = new Uint8Array(length);
      for (let n = 0; n < length; n += 32) {
        bytes.set(
          createHash('sha256')
            .update(String(drawn++))
            .digest()
            .subarray(0, length - n),
          n,
        );
      }
      return bytes;
    },
  };
};

const open = (wall = { at: EPOCH }) => openNoteWorld({ twins: TWINS, entropy: seeded(), wall });

type Step =
  | {
      readonly do: 'ask';
      readonly vendor: string;
      readonly method: string;
      readonly path: string;
      readonly body?: unknown;
    }
  | { readonly do: 'look'; readonly vendor: string; readonly scope: 'read' | 'write' }
  | { readonly do: 'wall'; readonly by: number }
  | { readonly do: 'set'; readonly to: number }
  | { readonly do: 'advance'; readonly by: string };

const vendor = fc.constantFrom(...VENDORS);
const id = fc.constantFrom('p', 'q', 'r', 's');
const note = fc.record({ tag: fc.constantFrom('x', 'y', null), done: fc.boolean(), n: fc.nat(3) });
const seconds = (max: number) => fc.nat(max).map(n => n * 1000);
const later = fc.record({ in: seconds(90), times: fc.integer({ min: 1, max: 3 }), every: seconds(40) });

const write: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(vendor, id, note)
    .map(([vendor, id, body]) => ({ do: 'ask', vendor, method: 'PUT', path: `/notes/${id}`, body }) as const),
  fc
    .tuple(vendor, id)
    .map(([vendor, id]) => ({ do: 'ask', vendor, method: 'DELETE', path: `/notes/${id}` }) as const),
  fc
    .tuple(vendor, fc.array(fc.tuple(id, note), { maxLength: 4 }), fc.array(id, { maxLength: 2 }))
    .map(
      ([vendor, puts, deletes]) =>
        ({ do: 'ask', vendor, method: 'POST', path: '/bulk', body: { puts, deletes } }) as const,
    ),
  fc
    .tuple(vendor, id, note)
    .map(([vendor, id]) => ({ do: 'ask', vendor, method: 'POST', path: '/throw', body: id }) as const),
  // Bytes of few kinds, so that equal ones meet: in the store, and in files.
  fc
    .tuple(vendor, id, fc.constantFrom('small', 'other', LARGE))
    .map(([vendor, id, body]) => ({ do: 'ask', vendor, method: 'PUT', path: `/files/${id}`, body }) as const),
);
const schedule: fc.Arbitrary<Step> = fc
  .tuple(vendor, id, later)
  .map(([vendor, id, { in: wait, times, every }]) => ({
    do: 'ask',
    vendor,
    method: 'POST',
    path: `/due/${id}`,
    body: { at: EPOCH + wait, payload: { times, every } },
  }));
const time: fc.Arbitrary<Step> = fc.oneof(
  // The wall clock may jump back: a machine's clock is set, the log's instants must not follow it.
  fc.integer({ min: -60, max: 60 }).map(n => ({ do: 'wall', by: n * 1000 }) as const),
  seconds(200).map(to => ({ do: 'set', to: EPOCH + to }) as const),
  fc.nat(60).map(n => ({ do: 'advance', by: `${n}s` }) as const),
);
const look: fc.Arbitrary<Step> = fc
  .tuple(vendor, fc.constantFrom('read' as const, 'write' as const))
  .map(([vendor, scope]) => ({ do: 'look', vendor, scope }));
const history = fc.array(
  fc.oneof({ weight: 5, arbitrary: write }, { weight: 2, arbitrary: schedule }, time, look),
  {
    maxLength: 40,
  },
);

const take = async (at: NoteWorld, step: Step): Promise<unknown> => {
  switch (step.do) {
    case 'ask':
      return at.ask(step.method, step.path, step.body, { vendor: step.vendor });
    case 'look':
      return at.ask('GET', '/notes/p', undefined, { vendor: step.vendor, scope: step.scope });
    case 'wall':
      at.wall.at += step.by;
      return undefined;
    case 'set':
      return at.world.setClock(new Date(step.to).toISOString());
    case 'advance':
      return at.world.advanceClock(step.by);
  }
};

const holds = (what: string, property: fc.IAsyncPropertyWithHooks<never>, runs = RUNS) =>
  t.test(what, async t => {
    const details = await fc.check(property as fc.IAsyncProperty<unknown>, { numRuns: runs });
    if (details.failed) t.fail(fc.defaultReportMessage(details) ?? 'failed');
    else t.equal(details.numRuns, runs);
  });

const everything = async ({ world }: NoteWorld) =>
  Promise.all(VENDORS.map(vendor => wholeLog(world, vendor)));

/** Every byte of every table but the journal of requests: how long each took is never the same. */
const bytes = ({ sql }: NoteWorld): string => {
  const tables = sql.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'journal' ORDER BY name",
  );
  const rows = tables.map(({ name }) => sql.all(`SELECT * FROM ${name}`));
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
};

holds(
  'invariants 1–3: state is the fold of the log, positions are dense, time never goes back in the order of appending',
  fc.asyncProperty(history, async steps => {
    await using at = await open();
    let newest = '';
    const seen = VENDORS.map(() => 0);
    for (const step of steps) {
      await take(at, step);
      const logs = await everything(at);
      const fresh = logs.flatMap((log, n) => log.slice(seen[n]!));
      logs.forEach((log, n) => {
        seen[n] = log.length;
      });
      const instants = fresh.map(({ occurredAt }) => occurredAt).sort();
      if (instants.length > 0 && instants[0]! < newest)
        throw new Error(`appended at ${instants[0]} after ${newest}`);
      newest = instants.at(-1) ?? newest;
    }
    await checkStore(at);
  }) as never,
);

holds(
  'invariants 4, 5: the timeline is the sorted union of the logs, each entry once for any page size',
  fc.asyncProperty(history, fc.integer({ min: 1, max: 6 }), fc.option(vendor), async (steps, limit, twin) => {
    await using at = await open();
    for (const step of steps) await take(at, step);
    const union = (await everything(at)).flat().filter(entry => twin === null || entry.twin === twin);
    union.sort(
      (x, y) =>
        y.occurredAt.localeCompare(x.occurredAt) || y.twin.localeCompare(x.twin) || y.position - x.position,
    );
    const paged: string[] = [];
    for (let before: string | null = null; ; ) {
      const page = await at.world.timeline({
        limit,
        ...(before === null ? {} : { before }),
        ...(twin === null ? {} : { twin }),
      });
      if (!page.ok) throw new Error(page.message);
      paged.push(...page.entries.map(({ entry }) => entry.id));
      if (page.next === null) break;
      before = page.next;
    }
    if (paged.join() !== union.map(({ id }) => id).join())
      throw new Error(`${paged} is not ${union.map(({ id }) => id)}`);
  }) as never,
);

holds(
  'invariants 6, 21: looking changes nothing, and a reader’s look only what the system does',
  fc.asyncProperty(history, vendor, async (steps, vendor) => {
    await using at = await open();
    for (const step of steps) await take(at, step);
    const lengths = (await everything(at)).map(log => log.length);
    await at.ask('GET', '/notes/p', undefined, { vendor, scope: 'read' });
    await at.ask('GET', '/writes', undefined, { vendor, scope: 'read' });
    await at.ask('PUT', '/notes/p', { n: 99 }, { vendor, scope: 'read' });
    const caught = (await everything(at)).flatMap((log, n) => log.slice(lengths[n]));
    if (caught.some(({ actor }) => actor.type !== 'system')) throw new Error('a reader wrote');
    const before = bytes(at);
    for (const vendor of VENDORS) {
      await at.ask('GET', '/notes/p', undefined, { vendor });
      await at.ask('POST', '/list', { limit: 3, where: { tag: 'x' } }, { vendor });
      await at.world.log(vendor, 0);
      await at.world.twinStatus(vendor);
    }
    await at.world.timeline({});
    await at.world.map();
    await at.world.clock();
    if (bytes(at) !== before) throw new Error('looking changed the store');
  }) as never,
);

holds(
  'invariant 4: whoever pages while others append sees what was there once each, and nothing twice',
  fc.asyncProperty(history, history, fc.integer({ min: 1, max: 4 }), async (steps, more, limit) => {
    await using at = await open();
    for (const step of steps) await take(at, step);
    const there = (await everything(at)).flat().map(({ id }) => id);
    const paged: string[] = [];
    for (let before: string | null = null, n = 0; ; n++) {
      const page = await at.world.timeline(before === null ? { limit } : { limit, before });
      if (!page.ok) throw new Error(page.message);
      paged.push(...page.entries.map(({ entry }) => entry.id));
      if (page.next === null) break;
      before = page.next;
      const step = more[n];
      if (step !== undefined) await take(at, step);
    }
    if (new Set(paged).size !== paged.length) throw new Error('something came twice');
    const seen = new Set(paged);
    const missed = there.filter(id => !seen.has(id));
    if (missed.length > 0) throw new Error(`${missed} did not come`);
  }) as never,
);

holds(
  'invariant 25: a world that is opened again, whenever, is the one that was closed',
  fc.asyncProperty(history, history, async (steps, more) => {
    const folder = mkdtempSync(join(tmpdir(), 'wrld-model-'));
    const wall = { at: EPOCH };
    const options = { twins: TWINS, wall, file: join(folder, 'world.db') };
    try {
      await using whole = await openNoteWorld({ twins: TWINS, entropy: seeded(), wall: { at: EPOCH } });
      for (const part of [steps, more]) {
        await using at = await openNoteWorld({ ...options, entropy: seeded() });
        await checkStore(at);
        for (const step of part) {
          // A world that is closed remembers no wall clock: of one that fell meanwhile it knows by its log alone.
          const taken = step.do === 'wall' ? { ...step, by: Math.abs(step.by) } : step;
          await take(at, taken);
          await take(whole, taken);
        }
        await checkStore(at);
        const [one, two] = [JSON.stringify(await everything(at)), JSON.stringify(await everything(whole))];
        if (one !== two) throw new Error('they differ');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }) as never,
  20,
);

holds(
  'invariant 11: advancing by a and then b is advancing by a + b; the clock never moves back',
  fc.asyncProperty(history, fc.nat(60), fc.nat(60), async (steps, a, b) => {
    await using once = await open();
    await using twice = await open();
    for (const at of [once, twice]) {
      for (const step of steps) {
        const before = await at.world.clock();
        await take(at, step);
        if (before.frozen && (await at.world.clock()).at < before.at) throw new Error('the clock moved back');
      }
      await at.world.setClock((await at.world.clock()).at);
    }
    await once.world.advanceClock(`${a + b}s`);
    await twice.world.advanceClock(`${a}s`);
    await twice.world.advanceClock(`${b}s`);
    const [one, two] = [JSON.stringify(await everything(once)), JSON.stringify(await everything(twice))];
    if (one !== two || (await once.world.clock()).at !== (await twice.world.clock()).at)
      throw new Error('they differ');
  }) as never,
);

holds(
  'invariant 12: catching up is the same whichever twin is asked first, and once it is done there is no more of it',
  fc.asyncProperty(history, vendor, vendor, seconds(120), async (steps, first, other, by) => {
    await using one = await open();
    await using two = await open();
    for (const at of [one, two]) {
      for (const step of steps) await take(at, step);
      at.wall.at += by;
    }
    await one.ask('GET', '/notes/p', undefined, { vendor: first });
    await two.ask('GET', '/notes/q', undefined, { vendor: other });
    if (bytes(one) !== bytes(two)) throw new Error('they differ');
    for (const vendor of VENDORS) await two.ask('GET', '/notes/p', undefined, { vendor });
    if (bytes(one) !== bytes(two)) throw new Error('it was not done');
    await checkStore(one);
  }) as never,
);

t.test('the check itself notices a log that does not add up', async t => {
  await using at = await open();
  await at.ask('PUT', '/notes/p', { n: 1 });
  await at.ask('PUT', '/notes/p', { n: 2 });
  await checkStore(at);
  const entries = await wholeLog(at.world, 'a');
  t.throws(() => fold(entries.slice(1)), /a:2: note\/p was not what the entry says/);
  at.sql.run(`INSERT INTO ver VALUES ('a', 'note', 'p', 7, '{}')`);
  await t.rejects(checkStore(at), /and none besides/);
  at.sql.run('DELETE FROM ver WHERE pos = 7');
  at.sql.run('DELETE FROM tally');
  await t.rejects(checkStore(at), /the counts/);
  at.sql.run('DELETE FROM entry WHERE pos = 1');
  await t.rejects(checkStore(at), /position 2 where 1 was due/);
});
