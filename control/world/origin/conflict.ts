// A field that this world and its origin changed, each in its own way, and what a person says is to be of it.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { FieldConflict, Merge } from '../store/three-way.ts';

export type Place = { readonly twin: string; readonly type: string; readonly id: string };

export type Conflict = Place & FieldConflict;

export type Resolution = Place & {
  /** A JSON pointer, as the conflict has it; empty for the record whole. */
  readonly field: string;
  readonly take: 'ours' | 'theirs';
};

/** The merge as it is said to be, and what nobody said anything about. */
export const resolved = (
  { merged, conflicts }: Merge,
  ours: RecordBody | null,
  place: Place,
  resolutions: readonly Resolution[],
): { readonly merged: RecordBody | null; readonly left: readonly FieldConflict[] } => {
  const said = resolutions.filter(
    ({ twin, type, id }) => twin === place.twin && type === place.type && id === place.id,
  );
  let result = merged;
  const left: FieldConflict[] = [];
  for (const conflict of conflicts) {
    const take = said.findLast(({ field }) => field === conflict.field)?.take;
    if (take === undefined) left.push(conflict);
    // Theirs is what the merge has.
    else if (take === 'ours') result = conflict.field === '' ? ours : withField(result!, conflict);
  }
  return { merged: result, left };
};

const withField = (body: RecordBody, { field, ours }: FieldConflict): RecordBody => {
  const names = field
    .slice(1)
    .split('/')
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return put(body, names, ours) as RecordBody;
};

/** A copy with another value at a place; undefined takes the name away. */
const put = (value: unknown, [name, ...rest]: readonly string[], to: unknown): unknown => {
  if (name === undefined) return to;
  const members = Object.entries(value as RecordBody);
  const held = put((value as RecordBody)[name], rest, to);
  const changed = members.map(([each, was]) => [each, each === name ? held : was] as const);
  if (!members.some(([each]) => each === name)) changed.push([name, held]);
  return Object.fromEntries(changed.filter(([, each]) => each !== undefined));
};
