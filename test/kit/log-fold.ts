// What a world's log says its state is, worked out from the entries alone, to hold against what it answers.
import type { Sql } from '../../control/ports/sql.ts';
import type { Entry } from '../../control/world/log/entry.ts';
import type { BlobStore } from '../../control/world/store/blob-store.ts';
import { unquoted } from '../../control/world/store/quotes.ts';
import type { World } from '../../control/world/world.ts';

/** A world and the store that it is in. */
export type Whole = {
  readonly world: World;
  readonly sql: Pick<Sql, 'all' | 'get'>;
  readonly blobs: Pick<BlobStore, 'get' | 'text'>;
  /** By type, for how long a record is part of the state, where that is not for ever. */
  readonly keptMs?: { readonly [type: string]: number };
};

export type State = ReadonlyMap<string, unknown>;

export const wholeLog = async (world: World, twin: string): Promise<readonly Entry[]> => {
  const entries: Entry[] = [];
  for (let after = 0; ; ) {
    const page = (await world.log(twin, after))!;
    entries.push(...page.entries);
    if (page.next === null) return entries;
    after = Number(page.next);
  }
};

/** The state after the entries; throws where an entry's `before` is not the state that it found. */
export const fold = (entries: readonly Entry[]): State => {
  const state = new Map<string, unknown>();
  for (const entry of entries) {
    for (const { op, type, id, before, after } of entry.changes) {
      if (op === 'blob') continue;
      const key = `${type}/${id}`;
      if (JSON.stringify(state.get(key)) !== JSON.stringify(before)) {
        throw new Error(`${entry.id}: ${key} was not what the entry says it was`);
      }
      // A record that is made again comes last in the order of creation, as in a Map.
      if (op === 'delete') state.delete(key);
      else state.set(key, after);
    }
  }
  return state;
};

/** By `type/id`, what was too old to be of the state when the last of the entries was made. */
export const overAt = (
  entries: readonly Entry[],
  keptMs: NonNullable<Whole['keptMs']>,
): ReadonlySet<string> => {
  const made = new Map<string, number>();
  const now = Date.parse(entries.at(-1)?.occurredAt ?? '');
  for (const { occurredAt, changes } of entries)
    for (const { op, type, id } of changes)
      if (op === 'put' && type in keptMs && !made.has(`${type}/${id}`))
        made.set(`${type}/${id}`, Date.parse(occurredAt) + keptMs[type]!);
  return new Set([...made].filter(([, until]) => until < now).map(([key]) => key));
};

/** Throws with what is wrong when the store is not what its log tells (storage.md, invariants 1 to 3). */
export const checkStore = async ({ world, sql, blobs, keptMs = {} }: Whole): Promise<void> => {
  for (const twin of world.vendors) {
    const entries = await wholeLog(world, twin);
    entries.forEach((entry, n) => {
      if (entry.position !== n + 1)
        throw new Error(`${twin}: position ${entry.position} where ${n + 1} was due`);
      if (n > 0 && entry.occurredAt < entries[n - 1]!.occurredAt)
        throw new Error(`${entry.id} goes back in time`);
    });
    for (const { op, id } of entries.flatMap(({ changes }) => changes)) {
      // Throws when it is not whole.
      if (op === 'blob' && blobs.get(id) === undefined)
        throw new Error(`${twin}: the blob ${id} is not there`);
    }
    const state = fold(entries);
    const told = entries.flatMap(({ position, changes }) =>
      changes.flatMap(({ op, type, id, after = null }) =>
        op === 'blob' ? [] : [{ position, key: `${type}/${id} ${position}`, body: JSON.stringify(after) }],
      ),
    );
    const versions = new Map(told.map(({ key, body }) => [key, body]));
    // What a row quotes is what the log tells of that version.
    const whole = (row: string) =>
      unquoted(JSON.parse(blobs.text(row)), (type, id, pos) => {
        const quoted = versions.get(`${type}/${id} ${pos}`);
        if (quoted === undefined) throw new Error(`${twin}: no entry tells of ${type}/${id} ${pos}`);
        return quoted;
      });
    const rows = sql.all<{ type: string; id: string; ord: number; body: string }>(
      'SELECT type, id, ord, body FROM head WHERE twin = ? ORDER BY ord',
      twin,
    );
    const head = rows.map(({ type, id, body }) => [`${type}/${id}`, whole(body)]);
    // Of the parent's, a branch has what was of its state.
    const base = sql.get<{ pos: number }>('SELECT pos FROM base WHERE twin = ?', twin)?.pos ?? 0;
    const left = overAt(entries.slice(0, base), keptMs);
    const wanted = [...state].filter(([key]) => !left.has(key));
    same(`${twin}: head is the fold of the log, in order of creation`, head, wanted);
    // What was written over, then what stands: together every version that the log tells of.
    const kept = sql.all<{ key: string; body: string | null }>(
      `SELECT type || '/' || id || ' ' || pos AS key, body FROM ver WHERE twin = ?1
       UNION ALL SELECT type || '/' || id || ' ' || pos, body FROM head WHERE twin = ?1 ORDER BY key`,
      twin,
    );
    // Of the parent's, a branch has what stands and what it wrote over itself.
    const known = new Map(
      kept.map(({ key, body }) => [key, body === null ? 'null' : JSON.stringify(whole(body))]),
    );
    if (known.size < kept.length) throw new Error(`${twin}: a version is kept twice`);
    same(
      `${twin}: every version is kept`,
      told.flatMap(({ key, position }) => (position > base || known.has(key) ? [[key, known.get(key)]] : [])),
      told.flatMap(({ key, position, body }) => (position > base || known.has(key) ? [[key, body]] : [])),
    );
    same(
      `${twin}: and none besides`,
      [...known.keys()].filter(key => !told.some(each => each.key === key)),
      [],
    );
    const ended = sql.all<{ key: string }>(
      "SELECT type || '/' || id || ' ' || pos AS key FROM gone WHERE twin = ? ORDER BY key",
      twin,
    );
    same(
      `${twin}: what ended is known`,
      ended.map(({ key }) => key),
      told.flatMap(({ key, position, body }) => (position > base && body === 'null' ? [key] : [])).sort(),
    );
    const over = overAt(entries, keptMs);
    const found = rows.filter(({ type, id }) => !over.has(`${type}/${id}`));
    const counted = [...Map.groupBy(found, ({ type }) => type)].map(([type, group]) => ({
      type,
      count: group.length,
    }));
    const { resources } = (await world.map()).find(each => each.twin === twin)!;
    same(
      `${twin}: the counts`,
      resources,
      counted.sort((a, b) => a.type.localeCompare(b.type)),
    );
  }
};

const same = (what: string, found: unknown, wanted: unknown): void => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}:\n  found  ${a}\n  wanted ${b}`);
};
