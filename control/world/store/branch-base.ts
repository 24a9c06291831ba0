// Where a branch leaves its parent (storage.md, Branches): the parent's name, the instant, and the position of each
// twin there, and which of them were copied from there already. A world that is no branch has a base too, at which there
// is nothing.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Sql } from '../../ports/sql.ts';
import { migrate } from './schema.ts';

export type Origin = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly at: Instant;
  /** How many branches had left it before (`cutDue`). */
  readonly cuts: number;
};

export class BranchBase {
  /** Null for a world that is no branch. */
  readonly origin: Origin | null;
  readonly #sql: Pick<Sql, 'all' | 'get' | 'run'>;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #copied: Set<string>;
  #dueCopied: boolean;

  constructor(sql: Pick<Sql, 'all' | 'get' | 'run'>) {
    this.#sql = sql;
    const stored = sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'origin'")?.v;
    this.origin = stored === undefined ? null : (JSON.parse(stored) as Origin);
    const rows = sql.all<{ twin: string; pos: number; hydrated: number }>(
      'SELECT twin, pos, hydrated FROM base',
    );
    this.#positions = new Map(rows.map(({ twin, pos }) => [twin, pos]));
    this.#copied = new Set(rows.filter(({ hydrated }) => hydrated === 1).map(({ twin }) => twin));
    this.#dueCopied =
      this.origin === null || sql.get('SELECT v FROM meta WHERE k = ?', DUE_COPIED) !== undefined;
  }

  /** No entry of this world's own is of an earlier instant; 0 for a world that is no branch. */
  get at(): Instant {
    return this.origin?.at ?? 0;
  }

  /** The twins that had a history there. */
  get twins(): readonly string[] {
    return [...this.#positions.keys()];
  }

  /** Of the newest entry that is the parent's; this world's own follow it. */
  position(twin: string): number {
    return this.#positions.get(twin) ?? 0;
  }

  /** Whether the twin's state at the base is in this store; one without a history there has no state either. */
  isCopied(twin: string): boolean {
    return this.#copied.has(twin) || this.position(twin) === 0;
  }

  /** Whether the tables count it among their own, be it that this may still be lost. */
  isTallied(twin: string): boolean {
    const found = this.#sql.get('SELECT 1 AS found FROM base WHERE twin = ? AND hydrated = 1', twin);
    return found !== undefined || this.isCopied(twin);
  }

  /** Whether what the twins waited for at the base is in this store. */
  get isDueCopied(): boolean {
    return this.#dueCopied;
  }

  /** Inside the transaction that ends the copy; `noteCopied` once that lasts. */
  markCopied(twin: string): void {
    this.#sql.run('UPDATE base SET hydrated = 1 WHERE twin = ?', twin);
  }

  noteCopied(twin: string): void {
    this.#copied.add(twin);
  }

  /** As `markCopied`. */
  markDueCopied(): void {
    this.#sql.run("INSERT INTO meta(k, v) VALUES (?, '')", DUE_COPIED);
  }

  noteDueCopied(): void {
    this.#dueCopied = true;
  }
}

const DUE_COPIED = 'due-copied';

/** An id that a record had before its vendor gave it another, and the entry that says so. */
export type AliasRow = {
  readonly twin: string;
  readonly old: string;
  readonly now: string;
  readonly pos: number;
};

/** Those that records have where each twin is at a position. */
export const aliasesUpTo = (
  sql: Pick<Sql, 'all'>,
  positions: ReadonlyMap<string, number>,
): readonly AliasRow[] =>
  sql
    .all<AliasRow>('SELECT twin, old, new AS now, pos FROM alias')
    .filter(({ twin, pos }) => pos <= (positions.get(twin) ?? 0));

/** What the work of a branch is held against, as the work of its parent is. */
export type Review = {
  /** JSON; null where there are none. */
  readonly rules: string | null;
  readonly checks: readonly { readonly name: string; readonly source: string }[];
};

export const reviewOf = (sql: Pick<Sql, 'all' | 'get'>): Review => ({
  rules: sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'rules'")?.v ?? null,
  checks: sql.all<{ name: string; source: string }>('SELECT name, source FROM world_check'),
});

/** What makes a new store the store of a branch; on disk before it returns. */
export const writeBase = (
  sql: DurableSql,
  {
    origin,
    positions,
    frozenAt,
    aliases = [],
    review = { rules: null, checks: [] },
  }: {
    readonly origin: Origin;
    readonly positions: ReadonlyMap<string, number>;
    /** Null: the branch follows the wall clock. */
    readonly frozenAt: Instant | null;
    readonly aliases?: readonly AliasRow[];
    readonly review?: Review;
  },
): void => {
  migrate(sql);
  sql.durable(() => {
    sql.run("INSERT INTO meta(k, v) VALUES ('origin', ?)", JSON.stringify(origin));
    if (frozenAt !== null) sql.run("INSERT INTO meta(k, v) VALUES ('clock', ?)", String(frozenAt));
    for (const [twin, position] of positions)
      sql.run('INSERT INTO base(twin, pos) VALUES (?, ?)', twin, position);
    for (const { twin, old, now, pos } of aliases)
      sql.run('INSERT INTO alias(twin, old, new, pos) VALUES (?, ?, ?, ?)', twin, old, now, pos);
    if (review.rules !== null) sql.run("INSERT INTO meta(k, v) VALUES ('rules', ?)", review.rules);
    for (const { name, source } of review.checks)
      sql.run('INSERT INTO world_check(name, source) VALUES (?, ?)', name, source);
  });
};
