import t from 'tap';
import type { TimelineEntry, TimelineQuery } from '../../../../control/world/log/timeline.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const TWINS = { a: noteTwin({ vendor: 'a' }), b: noteTwin({ vendor: 'b' }), c: noteTwin({ vendor: 'c' }) };
const trace = (n: number) => ({
  traceId: String(n).padStart(32, '0'),
  spanId: '1'.repeat(16),
  parentId: null,
});

const filled = async (): Promise<NoteWorld> => {
  const at = await openNoteWorld({ twins: TWINS });
  for (let n = 0; n < 40; n++) {
    // Several entries share an instant, so that the order within one is seen.
    if (n % 5 === 0) at.wall.at += 1000;
    const vendor = ['b', 'a', 'c'][n % 3]!;
    await at.ask(
      'PUT',
      '/notes/n',
      { n },
      { vendor, trace: trace(n % 4), caller: n % 2 ? 'token' : 'key:ci' },
    );
  }
  return at;
};

const names = (entries: readonly TimelineEntry[]) =>
  entries.map(({ twin, position }) => `${twin}:${position}`);

const everyPage = async ({ world }: NoteWorld, query: TimelineQuery, between?: () => Promise<unknown>) => {
  const seen: TimelineEntry[] = [];
  for (let before: string | undefined, pages = 0; pages < 100; pages++) {
    const page = await world.timeline({ ...query, ...(before === undefined ? {} : { before }) });
    if (!page.ok) throw new Error(page.message);
    seen.push(...page.entries);
    if (page.next === null) return seen;
    before = page.next;
    await between?.();
  }
  throw new Error('paging does not end');
};

t.test('[4.9] newest first by instant, then twin, then position; with its caller', async t => {
  await using at = await filled();
  const seen = await everyPage(at, {});
  const logs = await Promise.all(
    at.world.vendors.map(async vendor => (await at.world.log(vendor, 0))!.entries),
  );
  const sorted = logs
    .flat()
    .sort(
      (x, y) =>
        y.occurredAt.localeCompare(x.occurredAt) || y.twin.localeCompare(x.twin) || y.position - x.position,
    );
  t.strictSame(
    seen.map(({ entry }) => entry),
    sorted,
  );
  t.equal(seen[0]!.caller, seen[0]!.entry.caller);
});

t.test('[4.9] pages of any size show each entry once, also while entries are appended', async t => {
  await using at = await filled();
  const whole = names(await everyPage(at, { limit: 200 }));
  t.equal(whole.length, 40);
  for (const limit of [1, 3, 7, 39, 40]) {
    const append = () => at.ask('PUT', '/notes/late', { at: limit }, { vendor: 'a' });
    const seen = names(await everyPage(at, { limit }, append));
    t.equal(new Set(seen).size, seen.length, `${limit}: none twice`);
    t.strictSame(
      seen.filter(name => whole.includes(name)),
      whole,
      `${limit}: none lost`,
    );
  }
});

t.test('[4.9] `twin` and `trace` are the timeline filtered, with any cursor', async t => {
  await using at = await filled();
  const whole = await everyPage(at, {});
  for (const limit of [1, 4, 50]) {
    for (const twin of ['a', 'b', 'c', undefined]) {
      for (const traceId of [trace(1).traceId, undefined]) {
        const query = { limit, ...(twin ? { twin } : {}), ...(traceId ? { trace: traceId } : {}) };
        const wanted = whole.filter(
          ({ entry }) => (!twin || entry.twin === twin) && (!traceId || entry.trace?.traceId === traceId),
        );
        t.strictSame(names(await everyPage(at, query)), names(wanted), JSON.stringify(query));
      }
    }
  }
  // A cursor of the whole timeline, used with a filter.
  for (const limit of [3, 11, 12, 13]) {
    const page = await at.world.timeline({ limit });
    if (!page.ok || page.next === null) throw new Error('a page has a next');
    for (const twin of ['a', 'b', 'c']) {
      const rest = await at.world.timeline({ twin, before: page.next, limit: 100 });
      const wanted = whole.slice(limit).filter(({ entry }) => entry.twin === twin);
      t.strictSame(rest.ok && names(rest.entries), names(wanted));
    }
  }
  t.match(await at.world.timeline({ trace: 'f'.repeat(32) }), { ok: true, entries: [], next: null });
});

t.test('a cursor that is none of ours is said to be one; limits are kept', async t => {
  await using at = await filled();
  for (const before of ['', '!', 'AAAA', btoa('1:a'), btoa('x:a:1'), btoa("1:a' OR 1:1"), 'x'.repeat(500)]) {
    t.match(await at.world.timeline({ before }), { ok: false, why: 'bad-cursor' }, JSON.stringify(before));
  }
  const page = await at.world.timeline({ limit: -3 });
  t.equal(page.ok && page.entries.length, 1);
  for (let n = 0; n < 170; n++) await at.ask('PUT', '/notes/n', { more: n });
  const most = await at.world.timeline({ limit: 1_000_000 });
  t.equal(most.ok && most.entries.length, 200);
  const usual = await at.world.timeline({});
  t.equal(usual.ok && usual.entries.length, 50);
});

t.test('a page reads its own entries and no more of the log', async t => {
  await using at = await filled();
  const { all } = at.sql;
  const plans: string[] = [];
  Object.assign(at.sql, {
    all: (text: string, ...values: (string | number)[]) => {
      if (text.startsWith('SELECT at, twin, pos FROM entry')) {
        const steps = all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values);
        plans.push(steps.map(({ detail }) => detail).join('; '));
      }
      return all(text, ...values);
    },
  });
  for (const query of [{}, { twin: 'a' }, { trace: trace(1).traceId }]) await at.world.timeline(query);
  t.match(plans[0], /SEARCH entry USING COVERING INDEX entry_time \(\(at,twin,pos\)<\(\?,\?,\?\)\)/);
  t.match(plans[1], /SEARCH entry USING COVERING INDEX entry_cut \(twin=\? AND \(at,pos\)<\(\?,\?\)\)/);
  t.match(plans[2], /SEARCH entry USING COVERING INDEX entry_trace \(trace=\? AND \(at,twin,pos\)</);
  for (const each of plans) t.notMatch(each, /SCAN|TEMP B-TREE/);
});
