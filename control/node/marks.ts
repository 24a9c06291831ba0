// What a world knows of its store outside of the store: whose it is and how far its logs went. A file that is empty, cut
// short or an old copy looks whole to SQLite; held against these it does not. They are written when what they tell of is
// on disk, so that they never tell of more than a power cut leaves.

import type { Tips } from '../world/store/tips.ts';
import { readIfThere, writeWhole } from './files.ts';

export type Marks = {
  /** The store's own name (`meta`, `store`). */
  readonly store: string;
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly schema: number;
  /** By twin. */
  readonly positions: Tips;
};

/** Null when there are none; a file that is none of ours says nothing either. */
export async function readMarks(path: string): Promise<Marks | null> {
  const text = await readIfThere(path);
  if (text === null) return null;
  try {
    const { store, at, schema, positions } = JSON.parse(text) as Marks;
    const whole =
      typeof store === 'string' &&
      typeof at === 'string' &&
      Number.isInteger(schema) &&
      typeof positions === 'object' &&
      positions !== null;
    return whole ? { store, at, schema, positions } : null;
  } catch {
    return null;
  }
}

export function writeMarks(path: string, marks: Marks): Promise<void> {
  return writeWhole(path, `${JSON.stringify(marks, null, 2)}\n`);
}

/** What a store lacks of what its marks tell, in words; null when it lacks nothing. */
export function lackOf(marks: Marks, found: Pick<Marks, 'store' | 'schema' | 'positions'>): string | null {
  if (found.store !== marks.store) return 'is another store than the one this world had';
  if (found.schema < marks.schema)
    return `has schema version ${found.schema}; it had ${marks.schema} already, so it is an old copy`;
  const short = Object.entries(marks.positions)
    .filter(([twin, position]) => (found.positions[twin] ?? 0) < position)
    .map(([twin, position]) => `${twin} ends at ${found.positions[twin] ?? 0} of ${position}`);
  return short.length === 0 ? null : `lacks what was written (${short.join(', ')})`;
}
