// The roots of a world's twins (2.8), and what the world tells of each: kept in its store, and known by heart, since every
// call of a vendor's API asks whether there is one. A world without any pays a look at an empty map.
import type { Sql } from '../../ports/sql.ts';
import { formatInstant } from '../store/instant.ts';
import { forgetCopy, readRefresh } from './refresh-row.ts';
import type { Root } from './root.ts';

type Known = { readonly root: Root; observedAt: string | null };

/** Of a store that may be closed: by twin, as JSON; null where none is set. */
export function rootsText(sql: Pick<Sql, 'all'>): string | null {
  const rows = sql.all<{ twin: string; config: string }>('SELECT twin, config FROM root ORDER BY twin');
  if (rows.length === 0) return null;
  return JSON.stringify(Object.fromEntries(rows.map(({ twin, config }) => [twin, JSON.parse(config)])));
}

export class Roots {
  readonly #sql: Sql;
  /** Null until the store is asked. */
  #known: Map<string, Known> | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** What was known may have been lost before it lasted. */
  forget(): void {
    this.#known = null;
  }

  get twins(): readonly string[] {
    return [...this.#all.keys()];
  }

  get(twin: string): Root | null {
    return this.#all.get(twin)?.root ?? null;
  }

  /** When the last pass over it ended, ISO 8601; null for a twin without a root, and before the first has (5.5). */
  observedAt(twin: string): string | null {
    const known = this.#all;
    return known.size === 0 ? null : (known.get(twin)?.observedAt ?? null);
  }

  /** Inside a transaction. */
  set(twin: string, root: Root | null): void {
    const before = this.get(twin);
    if (root?.url !== before?.url) forgetCopy(this.#sql, twin);
    if (root === null) this.#sql.run('DELETE FROM root WHERE twin = ?', twin);
    else
      this.#sql.run(
        'INSERT INTO root(twin, config) VALUES (?, ?) ON CONFLICT(twin) DO UPDATE SET config = excluded.config',
        twin,
        JSON.stringify(root),
      );
    this.#sql.run("DELETE FROM timer WHERE kind = 'refresh' AND key = ?", twin);
    this.#known = null;
  }

  /** A pass over it has ended. */
  noteObserved(twin: string, at: number): void {
    const known = this.#all.get(twin);
    if (known !== undefined) known.observedAt = formatInstant(at);
  }

  get #all(): Map<string, Known> {
    this.#known ??= this.#read();
    return this.#known;
  }

  #read(): Map<string, Known> {
    const rows = this.#sql.all<{ twin: string; config: string }>(
      'SELECT twin, config FROM root ORDER BY twin',
    );
    return new Map(
      rows.map(({ twin, config }) => {
        const root = JSON.parse(config) as Root;
        const { observed, url } = readRefresh(this.#sql, twin);
        const known = observed !== null && url === root.url;
        return [twin, { root, observedAt: known ? formatInstant(observed) : null }];
      }),
    );
  }
}
