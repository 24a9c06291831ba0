// A browser's sessions (2.11, 5.3): an opaque id in a cookie, never a token, of which the store keeps the SHA-256.
// They run out on the wall clock, never on the world's, which a user moves at will.
import type { WallClock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Entropy } from '../../ports/entropy.ts';
import { SESSIONS_PER_OPENER_MAX } from '../limits.ts';
import { base64url } from '../store/identifier.ts';
import { Secret } from './secret.ts';
import type { TokenScope } from './token.ts';

/** 256 bits; not of a token's form, so that neither is ever taken for the other (security 5, 6). */
const ID_BYTES = 32;
const ID_PREFIX = 'ses_';
const ID = /^ses_[A-Za-z0-9_-]{43}$/;

export type Session = {
  readonly scope: TokenScope;
  /** As the log names whoever it carries (4.9). */
  readonly caller: string;
  /** The subject of the person behind it; null where it was opened with a token or on this machine. */
  readonly person: string | null;
};

export type NewSession = Session & {
  /** What opened it: `token`, `token:read`, `local`, `key <id>`, `pass <issuer> <subject>`. */
  readonly opener: string;
  /** Milliseconds since 1970, wall time. */
  readonly expires: number;
};

export type Spent = {
  readonly issuer: string;
  readonly jti: string;
  /** Until when it must be remembered; milliseconds since 1970, wall time. */
  readonly until: number;
};

export class Sessions {
  readonly #sql: DurableSql;
  readonly #entropy: Entropy;
  readonly #digest: Digest;
  readonly #wall: WallClock;

  constructor(parts: { sql: DurableSql; entropy: Entropy; digest: Digest; wall: WallClock }) {
    this.#sql = parts.sql;
    this.#entropy = parts.entropy;
    this.#digest = parts.digest;
    this.#wall = parts.wall;
  }

  /** The id, told this once; on disk before it is returned. */
  open(session: NewSession): Secret {
    return this.#sql.durable(() => this.#insert(session));
  }

  /** As `open`, for a pass that is spent in the same transaction: null when it was spent already (5.3-7). */
  openOnce(session: NewSession, pass: Spent): Secret | null {
    const now = this.#wall.now();
    return this.#sql.durable(() => {
      this.#sql.run('DELETE FROM pass_used WHERE expires < ?', now);
      const spent = this.#sql.run(
        'INSERT INTO pass_used(issuer, jti, expires) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        pass.issuer,
        pass.jti,
        pass.until,
      );
      return spent === 0 ? null : this.#insert(session);
    });
  }

  /** Null for an id that is none of this world's, or whose time is over. */
  find(id: string): Session | null {
    if (!ID.test(id)) return null;
    const row = this.#sql.get<{ scope: TokenScope; caller: string; person: string | null; expires: number }>(
      'SELECT scope, caller, person, expires FROM session WHERE hash = ?',
      this.#digest.sha256(id),
    );
    if (row === undefined || row.expires <= this.#wall.now()) return null;
    return { scope: row.scope, caller: row.caller, person: row.person };
  }

  end(id: string): void {
    this.#sql.durable(() => this.#sql.run('DELETE FROM session WHERE hash = ?', this.#digest.sha256(id)));
  }

  /** Part of the caller's transaction. */
  endOpenedBy(opener: string): void {
    this.#sql.run('DELETE FROM session WHERE opener = ?', opener);
  }

  #insert({ scope, caller, person, opener, expires }: NewSession): Secret {
    const id = ID_PREFIX + base64url(this.#entropy.bytes(ID_BYTES));
    this.#sql.run('DELETE FROM session WHERE expires <= ?', this.#wall.now());
    // Whoever opens without end crowds out their own and nobody else's.
    this.#sql.run(
      `DELETE FROM session WHERE hash IN (
         SELECT hash FROM session WHERE opener = ? ORDER BY expires DESC LIMIT -1 OFFSET ?)`,
      opener,
      SESSIONS_PER_OPENER_MAX - 1,
    );
    this.#sql.run(
      'INSERT INTO session(hash, scope, opener, caller, person, expires) VALUES (?, ?, ?, ?, ?, ?)',
      this.#digest.sha256(id),
      scope,
      opener,
      caller,
      person,
      expires,
    );
    return new Secret(id);
  }
}
