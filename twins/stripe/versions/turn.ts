// Turns what is answered today into what was answered before: each object by the changes of its name, newest first, then
// what is inside it. What nothing changes is the same value again.
import type { View, Viewer } from '../api/view.ts';
import type { Before } from './change.ts';

type Changes = ReadonlyMap<string, readonly Before[]>;

export function turn(by: Viewer, changes: Changes, value: unknown): unknown {
  if (Array.isArray(value)) return turnList(by, changes, value);
  const view = value as View;
  const { object } = view;
  // An event is in its own version already.
  if (object === 'event') return view;
  let next: { [field: string]: unknown } | null = null;
  const own = typeof object === 'string' && !isStub(view) ? changes.get(object) : undefined;
  if (own !== undefined) {
    next = { ...view };
    for (const before of own) Object.assign(next, before(next, by));
  }
  const now: View = next ?? view;
  for (const name in now) {
    const held = now[name];
    // What callers put there is theirs, whatever it is called.
    if (typeof held !== 'object' || held === null || name === 'metadata') continue;
    const turned = turn(by, changes, held);
    if (turned === held) continue;
    next ??= { ...view };
    next[name] = turned;
  }
  return next ?? view;
}

/** What is left of a deleted object has nothing to turn; a discount stays whole. */
function isStub({ object, deleted }: View): boolean {
  return deleted === true && object !== 'discount';
}

function turnList(by: Viewer, changes: Changes, list: readonly unknown[]): readonly unknown[] {
  let next: unknown[] | null = null;
  for (let at = 0; at < list.length; at += 1) {
    const held = list[at];
    if (typeof held !== 'object' || held === null) continue;
    const turned = turn(by, changes, held);
    if (turned === held) continue;
    next ??= [...list];
    next[at] = turned;
  }
  return next ?? list;
}
