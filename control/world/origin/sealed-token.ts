// The token that opens the origin, sealed for the origin alone: the store by itself tells nobody of it.
import type { WallClock } from '../../ports/clock.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { SqlRow } from '../../ports/sql.ts';

/** Among the seals of a world; no vendor is called so. */
const REF = '~origin';

type Row = SqlRow & {
  readonly bound_to: string;
  readonly sealed_by: 'vault' | 'key';
  readonly wrapped: string;
  readonly iv: Uint8Array;
  readonly sealed: Uint8Array;
};

export type OpenedToken =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly why: 'none' | 'away' | 'unreadable' };

type Parts = { readonly world: string; readonly sql: DurableSql; readonly wall: WallClock };

export class SealedToken {
  readonly #sql: DurableSql;
  readonly #sealer: Sealer;
  readonly #wall: WallClock;
  readonly #reference: string;

  /** `world`: `<org>/<world>`. */
  constructor({ world, sql, wall }: Parts, sealer: Sealer) {
    this.#reference = `${world}/${REF}`;
    this.#sql = sql;
    this.#sealer = sealer;
    this.#wall = wall;
  }

  /** What keeps it, in the transaction of whoever names the origin; null while nobody seals. */
  async sealed(token: string, origin: string): Promise<(() => void) | null> {
    const result = await this.#sealer.seal(new TextEncoder().encode(token), {
      origin,
      reference: this.#reference,
    });
    if (!result.ok) return null;
    const { by, boundTo, wrapped, iv, ciphertext } = result.sealed;
    return () => {
      this.#sql.run(
        `INSERT INTO seal(ref, bound_to, sealed_by, wrapped, iv, sealed, rev, at) VALUES (?, ?, ?, ?, ?, ?, 1, ?)
         ON CONFLICT(ref) DO UPDATE SET bound_to = excluded.bound_to, sealed_by = excluded.sealed_by,
           wrapped = excluded.wrapped, iv = excluded.iv, sealed = excluded.sealed, rev = rev + 1, at = excluded.at`,
        REF,
        boundTo,
        by,
        wrapped,
        iv,
        ciphertext,
        this.#wall.now(),
      );
    };
  }

  async open(origin: string): Promise<OpenedToken> {
    const row = this.#sql.get<Row>(
      'SELECT bound_to, sealed_by, wrapped, iv, sealed FROM seal WHERE ref = ?',
      REF,
    );
    if (row === undefined) return { ok: false, why: 'none' };
    const { bound_to: boundTo, sealed_by: by, wrapped, iv, sealed: ciphertext } = row;
    const opened = await this.#sealer.open(
      { by, boundTo, wrapped, iv, ciphertext },
      { origin, reference: this.#reference },
    );
    return opened.ok ? { ok: true, token: new TextDecoder().decode(opened.plain) } : opened;
  }

  /** Inside a transaction. */
  remove(): void {
    this.#sql.run('DELETE FROM seal WHERE ref = ?', REF);
  }
}
