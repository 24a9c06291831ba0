// What became of each record over a run of entries: its first state and its last, and nothing of what was between.
import { REPORT_RECORDS_MAX } from '../limits.ts';
import type { Change, Entry } from '../log/entry.ts';
import { type FieldChanges, fieldChanges, nameOf } from './fields.ts';

/** `passed`: made and ended in between. */
export type Fate = 'created' | 'changed' | 'ended' | 'passed';

export type RecordChange = FieldChanges & {
  readonly type: string;
  readonly id: string;
  /** What people know it by. */
  readonly name: string | null;
  readonly fate: Fate;
  /** Whether a client's request did any of it; the rest is the vendor's own doing, such as a renewal. */
  readonly asked: boolean;
  /** Ids of the first entry and of the last, and how many there are. */
  readonly first: string;
  readonly last: string;
  readonly entries: number;
};

export type RecordChanges = {
  readonly records: readonly RecordChange[];
  /** How many more were touched. */
  readonly recordsLeft: number;
  /** Records that tell of others, such as events: how many were made. */
  readonly told: readonly { readonly type: string; readonly count: number }[];
};

type Touched = {
  readonly type: string;
  readonly id: string;
  readonly before: unknown;
  after: unknown;
  asked: boolean;
  readonly first: string;
  last: string;
  entries: number;
};

export class RecordFates {
  readonly #twins = new Map<string, Map<string, Touched>>();
  readonly #left = new Map<string, Set<string>>();
  readonly #told = new Map<string, Map<string, number>>();
  readonly #tells: (twin: string, type: string) => boolean;
  #count = 0;

  /** `tells`: whether records of a type only tell of others. */
  constructor(tells: (twin: string, type: string) => boolean) {
    this.#tells = tells;
  }

  add({ twin, id, actor, changes }: Entry): void {
    for (const change of changes) {
      if (change.op !== 'put' && change.op !== 'delete') continue;
      if (this.#tells(twin, change.type)) this.#tell(twin, change);
      else this.#touch(twin, change, { entry: id, asked: actor.type === 'client' });
    }
  }

  of(twin: string): RecordChanges {
    const records = [...(this.#twins.get(twin)?.values() ?? [])]
      .map(recordChange)
      // Those that are as they were say nothing.
      .filter(({ fate, fields }) => fate !== 'changed' || fields.length > 0);
    const told = [...(this.#told.get(twin) ?? [])].map(([type, count]) => ({ type, count }));
    return { records, recordsLeft: this.#left.get(twin)?.size ?? 0, told };
  }

  #tell(twin: string, { op, type, before }: Change): void {
    if (op !== 'put' || before !== undefined) return;
    const told = of(this.#told, twin, () => new Map<string, number>());
    told.set(type, (told.get(type) ?? 0) + 1);
  }

  #touch(
    twin: string,
    { type, id, before, after }: Change,
    { entry, asked }: { readonly entry: string; readonly asked: boolean },
  ): void {
    const key = `${type} ${id}`;
    const touched = of(this.#twins, twin, () => new Map<string, Touched>());
    const known = touched.get(key);
    if (known !== undefined) {
      known.after = after;
      known.last = entry;
      known.entries += 1;
      known.asked ||= asked;
      return;
    }
    if (this.#count === REPORT_RECORDS_MAX) {
      of(this.#left, twin, () => new Set<string>()).add(key);
      return;
    }
    this.#count += 1;
    touched.set(key, { type, id, before, after, asked, first: entry, last: entry, entries: 1 });
  }
}

const recordChange = ({ type, id, before, after, asked, first, last, entries }: Touched): RecordChange => {
  const fate = fateOf(before, after);
  const name = nameOf(after) ?? nameOf(before);
  return { type, id, name, fate, asked, first, last, entries, ...fieldChanges(before, after) };
};

const fateOf = (before: unknown, after: unknown): Fate => {
  if (after === undefined || isStub(after)) return before === undefined ? 'passed' : 'ended';
  return before === undefined ? 'created' : 'changed';
};

/** What is left of a record where its vendor goes on naming what was deleted. */
const isStub = (body: unknown): boolean => (body as { readonly deleted?: unknown } | null)?.deleted === true;

const of = <T>(map: Map<string, T>, key: string, make: () => T): T => {
  let held = map.get(key);
  if (held === undefined) map.set(key, (held = make()));
  return held;
};
