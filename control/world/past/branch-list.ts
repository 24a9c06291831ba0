// The branches of one world, as its own store knows them: the row here and the branch's base are all that a branch
// is made of (storage.md). The row is what makes it one: what has none is the rest of a making or a removal that
// did not end.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Entropy } from '../../ports/entropy.ts';
import type { Sql } from '../../ports/sql.ts';
import { parseWorldName } from '../config/world-name.ts';
import { BRANCH_LABEL_CHARS_MAX, WORLD_NAME_CHARS_MAX } from '../limits.ts';
import { hex } from '../store/identifier.ts';

export type BranchRow = {
  /** `<org>/<world>`. */
  readonly world: string;
  /** Where it leaves this world; the world's own time. */
  readonly at: Instant;
  /** Wall time, as `expires`. */
  readonly created: number;
  readonly expires: number | null;
  /** Where it leaves each twin; absent where it was made by a program that did not keep that. */
  readonly positions?: ReadonlyMap<string, number>;
};

export class BranchList {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Oldest first. */
  all(): readonly BranchRow[] {
    return this.#sql
      .all<Omit<BranchRow, 'positions'>>(
        'SELECT world, at, created, expires FROM child ORDER BY created, world',
      )
      .map(row => ({ ...row }));
  }

  has(world: string): boolean {
    return this.#sql.get('SELECT 1 AS found FROM child WHERE world = ?', world) !== undefined;
  }

  get size(): number {
    return this.#sql.get<{ n: number }>('SELECT count(*) AS n FROM child')!.n;
  }

  /** Lasts as a transaction does, as `remove`. */
  add({ world, at, created, expires, positions }: BranchRow): void {
    this.#sql.transaction(() =>
      this.#sql.run(
        'INSERT INTO child(world, at, created, expires, positions) VALUES (?, ?, ?, ?, ?)',
        world,
        at,
        created,
        expires,
        positions === undefined ? null : JSON.stringify(Object.fromEntries(positions)),
      ),
    );
  }

  remove(world: string): void {
    this.#sql.transaction(() => this.#sql.run('DELETE FROM child WHERE world = ?', world));
  }
}

/** 7.3: a world that has branches is not removed, since they read their past in it. */
export const mayRemove = (sql: Sql): boolean => new BranchList(sql).size === 0;

export type BranchName =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly message: string };

/** Bytes of the random end of a name: `<world>-<label>-<4 hex>`, without a label `<world>-<8 hex>`. */
const LABELLED_BYTES = 2;
const BARE_BYTES = 4;

/**
 * A name that `taken` has not got. `stem` is the name of the world that the line of branches began with, whichever of
 * them is left: names do not grow with depth. A stem that leaves no room for the rest is cut, so that every name fits
 * into one label of a host.
 */
export const branchName = (
  stem: string,
  label: string | undefined,
  { entropy, taken }: { readonly entropy: Entropy; readonly taken: (name: string) => boolean },
): BranchName => {
  if (label !== undefined && (label.length > BRANCH_LABEL_CHARS_MAX || !LABEL.test(label))) {
    const message = `A label is 1 to ${BRANCH_LABEL_CHARS_MAX} lower-case letters, digits and single hyphens, and begins and ends with a letter or digit.`;
    return { ok: false, message };
  }
  for (;;) {
    const random = hex(entropy.bytes(label === undefined ? BARE_BYTES : LABELLED_BYTES));
    const end = `-${label === undefined ? '' : `${label}-`}${random}`;
    // The slash between org and world does not count.
    const name = `${stem.slice(0, WORLD_NAME_CHARS_MAX + 1 - end.length).replace(/-+$/, '')}${end}`;
    const parsed = parseWorldName(name);
    if (!parsed.ok) return { ok: false, message: `The branch would be named ${name}, ${parsed.why}.` };
    if (!taken(name)) return { ok: true, name };
  }
};

const LABEL = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
