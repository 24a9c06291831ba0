// How far the history of this world is the origin's (2.13): by twin the last position that both have, what was fetched
// beyond it, and which changesets went there. Whatever is after that position is this world's own.
import type { DurableSql } from '../../ports/durability.ts';
import type { Entry } from '../log/entry.ts';

export type Named = {
  /** `https://<host>/<org>/<world>` */
  readonly url: string;
  /** When it was last asked; ISO 8601, wall time. Null: never. */
  readonly asOf: string | null;
  /** It was named once, and is asked no more; the history is still its own. */
  readonly off: boolean;
};

export type Share = {
  readonly twin: string;
  readonly pos: number;
  /** Of the origin's entry there (remote-entry.ts); empty at 0. */
  readonly print: string;
  /** How far the origin was. */
  readonly head: number;
};

const KEY = 'shared-with';

export class SharedHistory {
  readonly #sql: DurableSql;

  constructor(sql: DurableSql) {
    this.#sql = sql;
  }

  get named(): Named | null {
    const kept = this.#sql.get<{ v: string }>('SELECT v FROM meta WHERE k = ?', KEY)?.v;
    return kept === undefined ? null : (JSON.parse(kept) as Named);
  }

  /** Inside a transaction, as all that changes something. */
  name(named: Named): void {
    this.#sql.run(
      'INSERT INTO meta(k, v) VALUES (?, ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v',
      KEY,
      JSON.stringify(named),
    );
  }

  /** Of every twin that shares some. */
  get shares(): readonly Share[] {
    return this.#sql
      .all<Share>('SELECT twin, pos, print, head FROM shared ORDER BY twin')
      .map(row => ({ ...row }));
  }

  share(twin: string): Share {
    const row = this.#sql.get<Share>('SELECT twin, pos, print, head FROM shared WHERE twin = ?', twin);
    return row === undefined ? { twin, pos: 0, print: '', head: 0 } : { ...row };
  }

  put({ twin, pos, print, head }: Share): void {
    this.#sql.run(
      `INSERT INTO shared(twin, pos, print, head) VALUES (?, ?, ?, ?)
       ON CONFLICT(twin) DO UPDATE SET pos = excluded.pos, print = excluded.print, head = excluded.head`,
      twin,
      pos,
      print,
      Math.max(head, pos),
    );
  }

  /** How far was fetched; the shared position where nothing was. */
  fetched(twin: string): number {
    const row = this.#sql.get<{ pos: number | null }>(
      'SELECT max(pos) AS pos FROM shared_next WHERE twin = ?',
      twin,
    );
    return row?.pos ?? this.share(twin).pos;
  }

  keep(entries: readonly Entry[]): void {
    for (const entry of entries)
      this.#sql.run(
        'INSERT OR REPLACE INTO shared_next(twin, pos, entry) VALUES (?, ?, ?)',
        entry.twin,
        entry.position,
        JSON.stringify(entry),
      );
  }

  /** Of what was fetched, the first after a position. */
  next(twin: string, after: number, limit: number): readonly Entry[] {
    return this.#sql
      .all<{ entry: string }>(
        'SELECT entry FROM shared_next WHERE twin = ? AND pos > ? ORDER BY pos LIMIT +?',
        twin,
        after,
        limit,
      )
      .map(({ entry }) => JSON.parse(entry) as Entry);
  }

  /** What is part of this world is kept no more. */
  drop(twin: string, upTo: number = Number.MAX_SAFE_INTEGER): void {
    this.#sql.run('DELETE FROM shared_next WHERE twin = ? AND pos <= ?', twin, upTo);
  }

  /** Changesets that went to the origin, or may have. */
  get sent(): ReadonlyMap<string, 'sending' | 'sent'> {
    const rows = this.#sql.all<{ name: string; state: 'sending' | 'sent' }>(
      'SELECT name, state FROM sent_changeset',
    );
    return new Map(rows.map(({ name, state }) => [name, state]));
  }

  mark(name: string, state: 'sending' | 'sent' | null): void {
    if (state === null) this.#sql.run('DELETE FROM sent_changeset WHERE name = ?', name);
    else
      this.#sql.run(
        'INSERT INTO sent_changeset(name, state) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET state = excluded.state',
        name,
        state,
      );
  }
}
