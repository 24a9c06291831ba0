// Turns what is answered today into what was answered before: each object by the changes of its name, newest first, then
// what is inside it. What nothing changes is the same value again, and only fields are entered that lead to an object
// which has changes.
import type { RecordBody } from '../../kit/tx.ts';
import { keptOf } from '../api/older.ts';
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
  readonly #changes: Changes;
  readonly #found = new Map<string, View | null>();
  readonly #shared = new Map<View, View>();

  constructor({ records, tx }: Viewer, changes: Changes) {
    this.records = records;
    this.tx = tx;
    this.#changes = changes;
  }

  kept<T extends RecordBody>(type: RecordName, view: View): T | undefined {
    return keptOf<T>(view) ?? this.tx.get<T>(type, String(view['id']));
  }

  found(type: RecordName, id: unknown): View | null {
    if (typeof id !== 'string') return null;
    const key = `${type} ${id}`;
    const held = this.#found.get(key);
    if (held !== undefined) return held;
    const view = viewById(this, type, id) ?? null;
    this.#found.set(key, view);
    if (view !== null) this.#shared.set(view, view);
    return view;
  }

  view(view: View): View {
    const { object } = view;
    // An event is in its own version already.
    if (object === 'event') return view;
    const shared = this.#shared.get(view);
    if (shared !== undefined && shared !== view) return shared;
    const turned = this.#turned(view, object);
    if (shared !== undefined) this.#shared.set(view, turned);
    return turned;
  }

  #turned(view: View, object: unknown): View {
    const { before, ways } = this.#changes;
    let next: Shown | null = null;
    const own = typeof object === 'string' && !isStub(view) ? before.get(object) : undefined;
    if (own !== undefined) {
      next = { ...view };
      for (const change of own) change(next, this);
    }
    const now: View = next ?? view;
    for (const name of ways.inside(object) ?? Object.keys(now)) {
      const held = now[name];
      if (typeof held !== 'object' || held === null || name === 'metadata') continue;
      const turned = Array.isArray(held) ? this.#list(held) : this.view(held as View);
      if (turned === held) continue;
      next ??= { ...view };
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
