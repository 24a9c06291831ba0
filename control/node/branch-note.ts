// What a branch's folder says of it, so that a start need not open its store: whose branch it is, and how long. The row
// in its parent's store is what makes it a branch (branch-list.ts); that is looked at when the parent is open.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SqlRow, SqlValue } from '../ports/sql.ts';
import type { BranchRow } from '../world/past/branch-list.ts';
import type { Origin } from '../world/store/branch-base.ts';
import { writeWhole } from './files.ts';

export type BranchNote = {
  /** `<org>/<world>`. */
  readonly parent: string;
  readonly row: BranchRow;
};

const FILE = 'branch.json';

export const writeBranchNote = (store: string, note: BranchNote): Promise<void> =>
  writeWhole(join(store, FILE), `${JSON.stringify(note)}\n`);

/**
 * Null where the folder has none that can be read. Synchronous: a start reads a thousand, and a turn of the event loop
 * for each would take longer than the reading.
 */
export function readBranchNote(store: string): BranchNote | null {
  try {
    const { parent, row } = JSON.parse(readFileSync(join(store, FILE), 'utf8')) as Partial<BranchNote>;
    return typeof parent === 'string' && typeof row?.world === 'string' ? { parent, row } : null;
  } catch {
    return null;
  }
}

/** What the store of a branch that was made before there were notes says itself; null where it is no branch's. */
export function originIn(database: string): Origin | null {
  const stored = peek(database, sql => sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'origin'")?.v);
  return stored === null || stored === undefined ? null : (JSON.parse(stored) as Origin);
}

type Peeked = {
  get<T extends SqlRow = SqlRow>(text: string, ...values: readonly SqlValue[]): T | undefined;
  all<T extends SqlRow = SqlRow>(text: string, ...values: readonly SqlValue[]): T[];
  run(): never;
};

/** Reads a store that nobody has open. Null where it cannot be read so: it is damaged, or of another schema. */
export function peek<T>(file: string, look: (sql: Peeked) => T): T | null {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return look({
        get: <Row extends SqlRow>(text: string, ...values: readonly SqlValue[]) =>
          database.prepare(text).get(...values) as unknown as Row | undefined,
        all: <Row extends SqlRow>(text: string, ...values: readonly SqlValue[]) =>
          database.prepare(text).all(...values) as unknown as Row[],
        run: () => {
          throw new Error('A look changes nothing.');
        },
      });
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}
