// Turns what is answered today into what was answered before: each object by the changes of its name, newest first, then
// what is inside it. What nothing changes is the same value again, and only fields are entered that lead to an object
// which has changes.
import type { RecordBody } from '../../kit/tx.ts';
import { keptOf, type Older } from '../api/older.ts';
import { type View, type Viewer, viewById } from '../api/view.ts';
import type { RecordName } from '../records.ts';
import type { Before, Shown, Turning } from './change.ts';
import type { Ways } from './ways.ts';

export type Changes = {
  readonly before: ReadonlyMap<string, readonly Before[]>;
  readonly ways: Ways;
};

export function turn(by: Viewer, changes: Changes, view: View): View {
  return new Turn(by, changes).view(view);
}

/** One answer: what several of its objects refer to is read and turned once. */
class Turn implements Turning {
  readonly records: Viewer['records'];
  readonly tx: Viewer['tx'];
  /** Where views are turned in place: those that are made here are then kept with their records as well. */
  readonly older?: Older;
  readonly #changes: Changes;
  /** What was asked for last of a view: what is inside an object names the object. */
  #last: { readonly type: string; readonly record: RecordBody | null } = { type: '', record: null };
  readonly #found = new Map<string, View | null>();
  /** What may stand in several places, as it is turned; null where it is not yet. */
  readonly #shared = new Map<View, View | null>();

  constructor({ records, tx, older }: Viewer, changes: Changes) {
    this.records = records;
    this.tx = tx;
    if (older !== undefined) this.older = older;
    this.#changes = changes;
  }

  kept<T extends RecordBody>(type: RecordName, view: View): T | undefined {
    const held = keptOf<T>(view);
    if (held === undefined) return this.tx.get<T>(type, String(view['id']));
    this.#last = { type, record: held };
    return held;
  }

  record(type: RecordName, id: string): RecordBody | undefined {
    const { type: last, record } = this.#last;
    return last === type && record?.['id'] === id ? record : this.tx.get(type, id);
  }

  found(type: RecordName, id: unknown): View | null {
    if (typeof id !== 'string') return null;
    const key = `${type} ${id}`;
    const held = this.#found.get(key);
    if (held !== undefined) return held;
    const view = viewById(this, type, id) ?? null;
    this.#found.set(key, view);
    if (view !== null) this.#shared.set(view, null);
    return view;
  }

  view(view: View): View {
    const { object } = view;
    // An event is in its own version already.
    if (object === 'event') return view;
    // A hash without a name is in its object alone.
    if (object === undefined) return this.#inside(view, object, null);
    const shared = this.#shared.get(view);
    if (shared !== undefined && shared !== null) return shared;
    const own = typeof object === 'string' && !isStub(view) ? this.#changes.before.get(object) : undefined;
    if (own === undefined && shared === undefined) return this.#inside(view, object, null);
    const turned = this.#inside(view, object, own === undefined ? null : this.#changed(view, own));
    // What was turned in place must not be turned again.
    if (shared === null || turned === view) this.#shared.set(view, turned);
    return turned;
  }

  #changed(view: View, own: readonly Before[]): Shown {
    const next = this.#own(view);
    for (const change of own) change(next, this);
    return next;
  }

  /** The view itself where it was made for this answer, and a copy of what others may hold. */
  #own(view: View): Shown {
    if (this.older !== undefined && keptOf(view) !== undefined) return view;
    return { ...view };
  }

  /** What is inside an object, which is `changed` where it has changes itself. */
  #inside(view: View, object: unknown, changed: Shown | null): View {
    let next = changed;
    const now: View = next ?? view;
    for (const name of this.#changes.ways.inside(object) ?? Object.keys(now)) {
      const held = now[name];
      if (typeof held !== 'object' || held === null || name === 'metadata') continue;
      const turned = Array.isArray(held) ? this.#list(held) : this.view(held as View);
      if (turned === held) continue;
      next ??= this.#own(view);
      next[name] = turned;
    }
    return next ?? view;
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    let next: unknown[] | null = null;
    for (let at = 0; at < list.length; at += 1) {
      const held = list[at];
      if (typeof held !== 'object' || held === null) continue;
      const turned = this.view(held as View);
      if (turned === held) continue;
      next ??= [...list];
      next[at] = turned;
    }
    return next ?? list;
  }
}

/** What is left of a deleted object has nothing to turn; a discount stays whole. */
function isStub({ object, deleted }: View): boolean {
  return deleted === true && object !== 'discount';
}
