// Named keys (2.10, 4.8): what opens the world for one program or one person and can be taken back alone. The
// store keeps a key's SHA-256, and who made it.
import type { WallClock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Entropy } from '../../ports/entropy.ts';
import { KEY_NAME_CHARS_MAX, KEY_USE_WRITE_MS, KEYS_MAX, PERSON_CHARS_MAX } from '../limits.ts';
import { base62 } from '../store/identifier.ts';
import { formatInstant } from '../store/instant.ts';
import type { Secret } from './secret.ts';
import type { Sessions } from './session.ts';
import { mintToken, type TokenScope } from './token.ts';

const ID_CHARS = 16;

/** 2.10; instants are ISO 8601, wall time. */
export type KeyRecord = {
  readonly id: string;
  readonly name: string;
  readonly scope: TokenScope;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  /** The subject of the person it is for. */
  readonly for: string | null;
  /** The name that attribution uses for that person. */
  readonly person: string | null;
  /** The caller that made it. */
  readonly createdBy: string;
};

export type NewKey = {
  readonly name: string;
  readonly scope: TokenScope;
  readonly for: string | null;
  readonly forName: string | null;
  /** Milliseconds since 1970, wall time. */
  readonly expires: number | null;
  /** Removes the key of that name for that person first. */
  readonly replace: boolean;
};

export type Maker = { readonly caller: string; readonly person: string | null };

export type KeyResult =
  | { readonly ok: true; readonly id: string; readonly secret: Secret }
  | {
      readonly ok: false;
      readonly why: 'bad-name' | 'bad-person' | 'bad-expiry' | 'name-taken' | 'too-many-keys';
      readonly message: string;
    };

/** A key that opens the world right now. */
export type StandingKey = {
  readonly id: string;
  readonly scope: TokenScope;
  /** `key:<name>`, `key:<name> for:<person>`. */
  readonly caller: string;
  readonly for: string | null;
  readonly expires: number | null;
};

type Row = {
  readonly id: string;
  readonly name: string;
  readonly scope: TokenScope;
  readonly subject: string | null;
  readonly person: string | null;
  readonly created_by: string;
  readonly created: number;
  readonly used: number | null;
  readonly expires: number | null;
};

const COLUMNS = 'id, name, scope, subject, person, created_by, created, used, expires';

/** The opener of the sessions that a key opened (session.ts). */
export const openerOf = (id: string): string => `key ${id}`;

export class Keys {
  readonly #sql: DurableSql;
  readonly #entropy: Entropy;
  readonly #digest: Digest;
  readonly #wall: WallClock;
  readonly #sessions: Sessions;
  /** Uses that are newer than the store knows, by key. */
  readonly #used = new Map<string, number>();

  constructor(parts: {
    sql: DurableSql;
    entropy: Entropy;
    digest: Digest;
    wall: WallClock;
    sessions: Sessions;
  }) {
    this.#sql = parts.sql;
    this.#entropy = parts.entropy;
    this.#digest = parts.digest;
    this.#wall = parts.wall;
    this.#sessions = parts.sessions;
  }

  /** Whose key it is; this is a use of it. Found by its hash, so the time taken tells nothing of a guess. */
  find(secret: string): StandingKey | null {
    const hash = this.#digest.sha256(secret);
    const row = this.#sql.get<Row>(`SELECT ${COLUMNS} FROM apikey WHERE hash = ?`, hash);
    const now = this.#wall.now();
    if (row === undefined || hasExpired(row, now)) return null;
    this.#touch(row, now);
    const { id, scope, expires } = row;
    return { id, scope, caller: callerOf(row), for: row.subject, expires };
  }

  /** Oldest first. */
  list(): readonly KeyRecord[] {
    return this.#sql.all<Row>(`SELECT ${COLUMNS} FROM apikey ORDER BY created, id`).map(row => {
      const used = Math.max(this.#used.get(row.id) ?? 0, row.used ?? 0);
      return {
        id: row.id,
        name: row.name,
        scope: row.scope,
        createdAt: formatInstant(row.created),
        lastUsedAt: used === 0 ? null : formatInstant(used),
        expiresAt: row.expires === null ? null : formatInstant(row.expires),
        for: row.subject,
        person: row.person,
        createdBy: row.created_by,
      };
    });
  }

  make(key: NewKey, maker: Maker): KeyResult {
    const now = this.#wall.now();
    const wrong = fault(key, now);
    if (wrong !== null) return wrong;
    const person = key.for === null ? null : (key.forName ?? key.for);
    return this.#sql.durable(() => {
      const there = this.#sql.get<Row>(
        `SELECT ${COLUMNS} FROM apikey WHERE name = ? AND coalesce(subject, '') = ?`,
        key.name,
        key.for ?? '',
      );
      // One whose time is over opens nothing, so nothing is lost with it.
      if (there !== undefined && !key.replace && !hasExpired(there, now)) {
        const whom = person === null ? '' : ` for ${person}`;
        return refusal(
          'name-taken',
          `There is a key “${key.name}”${whom} already; \`replace\` removes it first.`,
        );
      }
      if (there !== undefined) this.#remove(there.id);
      const { n } = this.#sql.get<{ n: number }>('SELECT count(*) AS n FROM apikey')!;
      if (n >= KEYS_MAX)
        return refusal('too-many-keys', `The world has ${KEYS_MAX} keys, and takes no more.`);
      const id = `key_${base62(this.#entropy, ID_CHARS)}`;
      const secret = mintToken(this.#entropy, 'key');
      this.#sql.run(
        `INSERT INTO apikey(id, hash, name, scope, subject, person, created_by, maker, created, used, expires)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)`,
        id,
        this.#digest.sha256(secret.reveal()),
        key.name,
        key.scope,
        key.for,
        person,
        maker.caller,
        maker.person,
        now,
        key.expires,
      );
      return { ok: true, id, secret };
    });
  }

  /** Ends one key and the sessions it opened; false when there is no such key. */
  revoke(id: string): boolean {
    return this.#sql.durable(() => this.#remove(id));
  }

  /** Ends every key made by or for the person; how many there were. */
  revokePerson(subject: string): number {
    return this.#sql.durable(() => {
      const theirs = this.#sql.all<{ id: string }>(
        'SELECT id FROM apikey WHERE subject = ? OR maker = ?',
        subject,
        subject,
      );
      for (const { id } of theirs) this.#remove(id);
      return theirs.length;
    });
  }

  #remove(id: string): boolean {
    this.#sessions.endOpenedBy(openerOf(id));
    this.#used.delete(id);
    return this.#sql.run('DELETE FROM apikey WHERE id = ?', id) > 0;
  }

  #touch({ id, used }: Row, now: number): void {
    if (used !== null && now - used < KEY_USE_WRITE_MS && now >= used) {
      this.#used.set(id, now);
      return;
    }
    this.#sql.run('UPDATE apikey SET used = ? WHERE id = ?', now, id);
    this.#used.delete(id);
  }
}

function callerOf({ name, person }: Row): string {
  return person === null ? `key:${name}` : `key:${name} for:${person}`;
}

function hasExpired({ expires }: Row, now: number): boolean {
  return expires !== null && expires <= now;
}

function fault(key: NewKey, now: number): Extract<KeyResult, { ok: false }> | null {
  if (!isPlain(key.name, KEY_NAME_CHARS_MAX)) {
    return refusal('bad-name', `A key’s name is 1 to ${KEY_NAME_CHARS_MAX} visible characters.`);
  }
  // It would read as the person of another key in what the log records (4.8).
  if (/for:/i.test(key.name)) return refusal('bad-name', 'A key’s name does not hold “for:”.');
  for (const [field, text] of [
    ['for', key.for],
    ['forName', key.forName],
  ] as const) {
    if (text !== null && !isPlain(text, PERSON_CHARS_MAX))
      return refusal('bad-person', `\`${field}\` is 1 to ${PERSON_CHARS_MAX} visible characters.`);
  }
  if (key.forName !== null && key.for === null)
    return refusal('bad-person', '`forName` names the person of `for`; without it there is none.');
  if (key.expires !== null && key.expires <= now) return refusal('bad-expiry', '`expiresAt` is in the past.');
  return null;
}

/** Text that a log can show on one line as it is: no control or format characters, no space at either end. */
export function isPlain(text: string, charsMax: number): boolean {
  return (
    text.length > 0 && text.length <= charsMax && text.trim() === text && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)
  );
}

function refusal(
  why: Extract<KeyResult, { ok: false }>['why'],
  message: string,
): Extract<KeyResult, { ok: false }> {
  return { ok: false, why, message };
}
