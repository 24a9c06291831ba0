// What a changeset makes of each record of a twin, from its first entry to its last.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { ChangesetBody } from './changeset.ts';

export type NetChange = {
  readonly type: string;
  readonly id: string;
  /** Null: there was none, or is none any more. */
  readonly before: RecordBody | null;
  readonly after: RecordBody | null;
};

/** By type and id, in the order in which they are touched first. */
export const netChanges = (
  changes: ChangesetBody['changes'],
  twin: string,
): ReadonlyMap<string, NetChange> => {
  const net = new Map<string, NetChange>();
  for (const { entry } of changes) {
    if (entry.twin !== twin) continue;
    for (const { op, type, id, before, after } of entry.changes) {
      if (op !== 'put' && op !== 'delete') continue;
      const key = `${type} ${id}`;
      const first = net.get(key);
      net.set(key, {
        type,
        id,
        before: first === undefined ? ((before ?? null) as RecordBody | null) : first.before,
        after: (after ?? null) as RecordBody | null,
      });
    }
  }
  return net;
};
