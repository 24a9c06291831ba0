// The changesets of a world (2.6, 4.4, 4.5): cut, listed, verified and approved. A changeset is rows that name its entries;
// its body is read from the log whenever it is asked for, and so is its hash.
import type { WallClock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Entropy } from '../../ports/entropy.ts';
import type { Sql } from '../../ports/sql.ts';
import { CHANGESET_PAGE_ENTRIES, PERSON_CHARS_MAX } from '../limits.ts';
import { type Cursor, ENTRY_COLUMNS, type Entry, type EntryRow } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { hex } from '../store/identifier.ts';
import { formatInstant } from '../store/instant.ts';
import type { Threshold } from '../store/threshold.ts';
import { turn } from '../store/turn.ts';
import { Actions } from './actions.ts';
import { bodyHash } from './body-hash.ts';
import type { Action, Approval, ChangesetBody, Verification } from './changeset.ts';
import {
  type Cut,
  type CutResult,
  type Head,
  markCut,
  messageFault,
  nameFault,
  summaryOf,
  uncut,
} from './cut.ts';
import { type ChangesetRules, type Readiness, readinessOf } from './readiness.ts';
import { readRules, writeRules } from './rules.ts';

/** 2.6, without the body. */
export type ChangesetRecord = Omit<ChangesetBody, 'changes' | 'actions'> & {
  readonly kind: 'wrld-changeset';
  readonly version: 1;
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly entries: number;
  readonly contentHash: string;
  readonly currentHash: string;
  readonly owner: string | null;
  readonly cutBy: string;
  readonly pushedBy: string | null;
  readonly verification: Verification | null;
  readonly approvals: readonly Approval[];
  readonly readiness: Readiness;
  readonly deployed: readonly Receipt[];
};

/** One action's, as a deploy left it (3). */
export type Receipt = {
  readonly service: string;
  readonly actionId: string;
  readonly status: 'deployed' | 'landed' | 'refused' | 'failed' | 'skipped';
  readonly at: string;
  readonly externalId?: string;
  readonly url?: string;
  readonly reason?: string;
};

export type Signing = { readonly person: string; readonly via: string; readonly note?: string | undefined };

export type ApproveResult =
  | { readonly ok: true; readonly changeset: ChangesetRecord }
  | {
      readonly ok: false;
      readonly why: 'no-such-changeset' | 'hash-changed' | 'bad-person' | 'bad-note';
      readonly message: string;
    };

type Parts = {
  readonly world: string;
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly log: EntryLog;
  readonly digest: Digest;
  readonly entropy: Entropy;
  readonly wall: WallClock;
  readonly threshold: Threshold;
};

type Row = {
  readonly name: string;
  readonly body: string;
  readonly hash: string;
  readonly owner: string | null;
  readonly cut_by: string;
  readonly pushed_by: string | null;
  readonly verification: string | null;
};

const COLUMNS = 'name, body, hash, owner, cut_by, pushed_by, verification';
const NAME_BYTES = 4;

export class Changesets {
  readonly #parts: Parts;
  /** Of bodies that were read since the world was opened: nobody else writes to the log. */
  readonly #hashes = new Map<string, Promise<string>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What was known may have been lost before it lasted. */
  forget(): void {
    this.#hashes.clear();
  }

  get rules(): ChangesetRules {
    return readRules(this.#parts.sql);
  }

  async setRules(rules: ChangesetRules): Promise<void> {
    const { sql, threshold } = this.#parts;
    sql.transaction(() => writeRules(sql, rules));
    await threshold.waiting();
  }

  /** All that no changeset has becomes one. */
  async cut({ message, name, by, owner }: Cut): Promise<CutResult> {
    const { sql, wall, log, entropy, threshold } = this.#parts;
    const { summary = false } = this.rules;
    const fault = (name === undefined ? null : nameFault(name)) ?? messageFault(message, summary);
    if (fault !== null) return fault;
    const called = name ?? `change-${hex(entropy.bytes(NAME_BYTES))}`;
    if (this.#row(called) !== undefined)
      return { ok: false, why: 'name-taken', message: `There is a changeset ${called} already.` };
    const twins = uncut(sql);
    if (twins.length === 0)
      return {
        ok: false,
        why: 'nothing-to-cut',
        message: 'Every change of this world is in a changeset already.',
      };
    const said = message === undefined || message.trim() === '' ? summaryOf(sql) : message;
    const head: Head = {
      message: said,
      twins: Object.fromEntries(twins.map(({ twin, base }) => [twin, base])),
      at: formatInstant(wall.now()),
    };
    sql.transaction(() => {
      markCut(sql, called);
      sql.run(
        "INSERT INTO changeset(name, body, hash, owner, cut_by, landed) VALUES (?, ?, '', ?, ?, ?)",
        called,
        JSON.stringify(head),
        owner,
        by,
        wall.now(),
      );
    });
    log.forgetLines();
    await threshold.waiting();
    // What is cut short here is gone on with by whoever asks for it next.
    await this.#settleHash(called);
    await threshold.waiting();
    return { ok: true, name: called };
  }

  /** Newest first. */
  async list(): Promise<readonly ChangesetRecord[]> {
    const { sql } = this.#parts;
    const rows = sql.all<Row>(`SELECT ${COLUMNS} FROM changeset ORDER BY landed DESC, name`);
    const records: ChangesetRecord[] = [];
    for (const row of rows) records.push(await this.#record(row));
    return records;
  }

  async get(name: string): Promise<ChangesetRecord | null> {
    const row = this.#row(name);
    return row === undefined ? null : await this.#record(row);
  }

  /** Its actions and its entries, page by page, in the order of the log. */
  async *body(
    name: string,
  ): AsyncGenerator<{ readonly entries: readonly Entry[]; readonly actions: readonly Action[] }> {
    const actions = new Actions();
    for await (const entries of this.#pages(name)) {
      const made = entries.map(entry => actions.of(entry)).filter(action => action !== null);
      yield { entries, actions: made };
    }
  }

  async approve(name: string, { person, via, note }: Signing): Promise<ApproveResult> {
    const { sql, wall, threshold } = this.#parts;
    if (person === '' || person.length > PERSON_CHARS_MAX)
      return {
        ok: false,
        why: 'bad-person',
        message: `\`as\` is a name of 1 to ${PERSON_CHARS_MAX} characters.`,
      };
    const found = await this.get(name);
    if (found === null)
      return { ok: false, why: 'no-such-changeset', message: `There is no changeset ${name}.` };
    const { contentHash, currentHash } = found;
    if (contentHash !== currentHash)
      return {
        ok: false,
        why: 'hash-changed',
        message:
          'The changeset was changed outside of the world since it was cut; what it says now was nobody’s to sign.',
      };
    sql.transaction(() =>
      sql.run(
        `INSERT INTO approval(name, hash, person, via, note, at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT(name, hash, person) DO UPDATE SET via = excluded.via, note = excluded.note, at = excluded.at`,
        name,
        currentHash,
        person,
        via,
        note ?? null,
        wall.now(),
      ),
    );
    await threshold.waiting();
    return { ok: true, changeset: (await this.get(name))! };
  }

  /** Of a file or a long body that an entry names. */
  async bytes(sha256: string): Promise<Uint8Array> {
    const { blobs } = this.#parts;
    return (await blobs.reading(() => blobs.get(sha256))) ?? new Uint8Array();
  }

  /** What the checks said of it. */
  async setVerification(name: string, verification: Verification): Promise<void> {
    const { sql, threshold } = this.#parts;
    sql.transaction(() =>
      sql.run('UPDATE changeset SET verification = ? WHERE name = ?', JSON.stringify(verification), name),
    );
    await threshold.waiting();
  }

  #row(name: string): Row | undefined {
    return this.#parts.sql.get<Row>(`SELECT ${COLUMNS} FROM changeset WHERE name = ?`, name);
  }

  async #record(row: Row): Promise<ChangesetRecord> {
    const { sql } = this.#parts;
    const { name, owner, cut_by: cutBy, pushed_by: pushedBy } = row;
    const { message, at } = JSON.parse(row.body) as Head;
    const contentHash = row.hash === '' ? await this.#settleHash(name) : row.hash;
    const currentHash = await this.#hashOf(name);
    const verification = row.verification === null ? null : (JSON.parse(row.verification) as Verification);
    const approvals = this.#approvals(name);
    const { n: entries } = sql.get<{ n: number }>(
      'SELECT count(*) AS n FROM entry WHERE changeset = ?',
      name,
    )!;
    const standing = { contentHash, currentHash, verification, approvals, owner };
    return {
      kind: 'wrld-changeset',
      version: 1,
      name,
      message,
      base: this.#base(row),
      at,
      entries,
      contentHash,
      currentHash,
      owner,
      cutBy,
      pushedBy,
      verification,
      approvals,
      readiness: readinessOf(standing, this.rules),
      deployed: [],
    };
  }

  #base({ body }: Pick<Row, 'body'>): ChangesetBody['base'] {
    return { world: this.#parts.world, twins: (JSON.parse(body) as Head).twins };
  }

  #approvals(name: string): readonly Approval[] {
    const rows = this.#parts.sql.all<{
      hash: string;
      person: string;
      via: string;
      note: string | null;
      at: number;
    }>('SELECT hash, person, via, note, at FROM approval WHERE name = ? ORDER BY at, person', name);
    return rows.map(({ note, at, ...signed }) => ({
      ...signed,
      ...(note === null ? {} : { note }),
      at: formatInstant(at),
    }));
  }

  /** Kept with the changeset: what it was when it was cut. */
  async #settleHash(name: string): Promise<string> {
    const { sql } = this.#parts;
    const hash = await this.#hashOf(name);
    sql.transaction(() => sql.run("UPDATE changeset SET hash = ? WHERE name = ? AND hash = ''", hash, name));
    return hash;
  }

  #hashOf(name: string): Promise<string> {
    let hash = this.#hashes.get(name);
    if (hash === undefined) {
      hash = this.#hash(name);
      this.#hashes.set(name, hash);
      hash.catch(() => this.#hashes.delete(name));
    }
    return hash;
  }

  async #hash(name: string): Promise<string> {
    const row = this.#row(name)!;
    const { message } = JSON.parse(row.body) as Head;
    const pages = () => this.#pages(name);
    return bodyHash(this.#parts.digest.hasher(), { name, message, base: this.#base(row), pages });
  }

  async *#pages(name: string): AsyncGenerator<readonly Entry[]> {
    const { sql, log, blobs } = this.#parts;
    for (let after: Cursor = { at: -1, twin: '', pos: 0 }; ; ) {
      const { at, twin, pos } = after;
      const rows = sql.all<EntryRow>(
        `SELECT ${ENTRY_COLUMNS} FROM entry WHERE changeset = ? AND (at, twin, pos) > (?, ?, ?)
         ORDER BY at, twin, pos LIMIT ?`,
        name,
        at,
        twin,
        pos,
        CHANGESET_PAGE_ENTRIES,
      );
      if (rows.length === 0) return;
      const { lines } = await blobs.reading(() => log.lines(rows, rows.length));
      yield lines.map(({ json }) => JSON.parse(json) as Entry);
      after = lines.at(-1)!;
      await turn();
    }
  }
}
