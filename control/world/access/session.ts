// A browser's sessions (2.11, 5.3): an opaque id in a cookie, never a token, of which the store keeps the SHA-256.
// They run out on the wall clock, never on the world's, which a user moves at will.
import type { WallClock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Entropy } from '../../ports/entropy.ts';
import { SESSIONS_PER_OPENER_MAX, SITE_SESSIONS_PER_OPENER_MAX } from '../limits.ts';
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

/** What a session at a site is opened with (4.3). */
export type SiteOpening = NewSession & {
  /** The label of the copy: the session is one there and nowhere else. */
  readonly site: string;
  /** Of the session it comes of, and ends with; null where a credential opened it. */
  readonly parent: Uint8Array | null;
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

  /**
   * At a site. Null where `presented`, of this site and of the same session, is as good: two tabs that open a site at once
   * would else end each other's on the way in.
   */
  openAt({ site, parent, ...session }: SiteOpening, presented: string | null): Secret | null {
    const { opener, scope, expires } = session;
    const known = this.#sql.get(
      'SELECT 1 FROM session WHERE hash = ? AND site = ? AND parent IS ? AND opener = ? AND scope = ? AND expires >= ?',
      ...[this.#digest.sha256(presented ?? ''), site, parent, opener, scope, expires],
    );
    return known === undefined ? this.#sql.durable(() => this.#insert(session, site, parent)) : null;
  }

  /** What a site is opened with by whom the session carries; null for one that is none, or is a site's itself. */
  openingOf(id: string): Omit<SiteOpening, 'site'> | null {
    const hash = this.#digest.sha256(id);
    const found = this.find(id);
    const row = this.#sql.get<{ opener: string; expires: number }>(
      'SELECT opener, expires FROM session WHERE hash = ?',
      hash,
    );
    return found === null || row === undefined ? null : { ...found, ...row, parent: hash };
  }

  /** Null for an id that is none of this world's, or of another place of it, or whose time is over. `site`: its label. */
  find(id: string, site: string | null = null): Session | null {
    if (!ID.test(id)) return null;
    const row = this.#sql.get<{ scope: TokenScope; caller: string; person: string | null; expires: number }>(
      `SELECT scope, caller, person, expires FROM session WHERE hash = ? AND site IS ?
         AND (parent IS NULL OR EXISTS (SELECT 1 FROM session AS own WHERE own.hash = session.parent))`,
      this.#digest.sha256(id),
      site,
    );
    if (row === undefined || row.expires <= this.#wall.now()) return null;
    return { scope: row.scope, caller: row.caller, person: row.person };
  }

  /** With those at sites that came of it. */
  end(id: string): void {
    const hash = this.#digest.sha256(id);
    this.#sql.durable(() => this.#sql.run('DELETE FROM session WHERE hash = ? OR parent = ?', hash, hash));
  }

  /** Part of the caller's transaction. */
  endOpenedBy(opener: string): void {
    this.#sql.run('DELETE FROM session WHERE opener = ?', opener);
  }

  #insert(
    { scope, caller, person, opener, expires }: NewSession,
    site: string | null = null,
    parent: Uint8Array | null = null,
  ): Secret {
    const id = ID_PREFIX + base64url(this.#entropy.bytes(ID_BYTES));
    this.#sql.run('DELETE FROM session WHERE expires <= ?', this.#wall.now());
    // Whoever opens without end crowds out their own and nobody else's; a board of many sites crowds out no page.
    this.#sql.run(
      `DELETE FROM session WHERE hash IN (
         SELECT hash FROM session WHERE opener = ? AND (site IS NULL) = ? ORDER BY expires DESC LIMIT -1 OFFSET +?)`,
      opener,
      site === null ? 1 : 0,
      (site === null ? SESSIONS_PER_OPENER_MAX : SITE_SESSIONS_PER_OPENER_MAX) - 1,
    );
    this.#sql.run(
      'INSERT INTO session(hash, scope, opener, caller, person, expires, site, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      this.#digest.sha256(id),
      scope,
      opener,
      caller,
      person,
      expires,
      site,
      parent,
    );
    return new Secret(id);
  }
}
