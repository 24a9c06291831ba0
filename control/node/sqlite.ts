// node:sqlite as the world's `Sql` and `Durability`. Transactions are NORMAL (a crash of the process loses nothing that
// was acknowledged; a power cut may lose the last moments) and committed in groups (docs/decisions/0009); `durable` ones
// are on disk before they return.
import { closeSync, existsSync, fchmodSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Durability } from '../ports/durability.ts';
import type { Sql, SqlRow, SqlValue } from '../ports/sql.ts';
import { diskFault } from '../world/store/fault.ts';
import { newerSchema, SCHEMA_VERSION, StoreError, schemaVersion } from '../world/store/schema.ts';
import { CommitGroup, type Elsewhere } from './commit-group.ts';
import { syncFile } from './files.ts';
import { PREPARED_STATEMENTS_MAX, STORE_CHECKED_BYTES_MAX } from './limits.ts';
import { LogHead } from './log-head.ts';

const MAGIC = 'SQLite format 3\0';
const BUSY_WAIT_MS = 2000;
const PAGE_CACHE_KIB = 16_384;
/** 32 MB of log between checkpoints: at SQLite's own 1,000 pages they took a third of the time of every write. */
const CHECKPOINT_PAGES = 8000;

export type SqliteFile = Sql &
  Durability &
  Disposable & {
    /** `durable`, with the tables of another store, which nobody else has open, under the name `source`. */
    durableBeside<T>(file: string, work: () => T): T;
    /**
     * Resolves when everything that was done is on the disk, as after `durable`, but who waits does not hold up others.
     * Rejects as `lasting`.
     */
    onDisk(): Promise<void>;
    /** Called after every commit. */
    onCommit(listener: () => void): void;
    /** What is in the write-ahead log goes into the file, unless somebody reads there. */
    checkpoint(): void;
    /**
     * From here on that is another connection's to do, and nothing is done by the way of commits. Null: as it was.
     */
    checkpointElsewhere(elsewhere: Elsewhere | null): void;
    /** Whether the write-ahead log is known to be empty, on the disk too (log-head.ts). */
    logEmptied(is: boolean): void;
    /** It is about to be removed: nothing of it is waited for any more. */
    forsake(): void;
    /** Harmless the second time. */
    close(): void;
  };

export type Waits = {
  /** Nothing of it is waited for, be it `durable`: who opened it syncs the file after its closing. */
  readonly unwaited?: boolean;
  /** As `logEmptied` of a store that is open. */
  readonly emptyLog?: boolean;
};

/**
 * Opens the store at `file`, which is made when it is missing; `:memory:` is one that dies with it.
 * Throws `StoreError` for a file that is damaged, is no database, or was written by a newer version; such a
 * file is left byte for byte as it was.
 */
export const openSqlite = (file: string, waits: Waits = {}): SqliteFile => {
  if (file !== ':memory:') probe(file);
  const database = withStoreErrors(file, () => {
    if (file !== ':memory:') closeToOthers(file);
    const opened = new DatabaseSync(file, { timeout: BUSY_WAIT_MS });
    opened.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${waits.unwaited ? 'OFF' : 'NORMAL'}; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${PAGE_CACHE_KIB}`,
    );
    return opened;
  });
  return adapt(database, file, waits);
};

class Prepared {
  readonly #database: DatabaseSync;
  readonly #byText = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  of(text: string): StatementSync {
    let statement = this.#byText.get(text);
    if (statement === undefined) {
      if (this.#byText.size >= PREPARED_STATEMENTS_MAX) this.#byText.clear();
      statement = this.#database.prepare(text);
      this.#byText.set(text, statement);
    }
    return statement;
  }

  clear(): void {
    this.#byText.clear();
  }
}

const adapt = (database: DatabaseSync, file: string, waits: Waits): SqliteFile => {
  let { unwaited = false } = waits;
  const statements = new Prepared(database);
  const statementOf = (text: string): StatementSync => statements.of(text);
  const head = new LogHead(database, file, CHECKPOINT_PAGES);
  head.emptied(waits.emptyLog ?? false);
  const group = new CommitGroup(database, statementOf, head);
  const durable = <T>(work: () => T): T => {
    group.end();
    return unwaited ? group.alone(work) : durably(database, () => group.alone(work));
  };
  const close = (): void => {
    if (!database.isOpen) return;
    try {
      group.end();
    } finally {
      statements.clear();
      database.close();
    }
  };
  return {
    all: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) => {
      try {
        if (group.working && !reads(text)) group.write();
        return statementOf(text).all(...values) as unknown as T[];
      } catch (error) {
        throw atWork(file, error);
      }
    },
    get: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) => {
      try {
        if (group.working && !reads(text)) group.write();
        return statementOf(text).get(...values) as unknown as T | undefined;
      } catch (error) {
        throw atWork(file, error);
      }
    },
    run: (text, ...values) => {
      // Outside of a transaction a statement lasts when it returns.
      const isMember = group.working;
      try {
        if (isMember) group.write();
        else group.end();
        const { changes } = statementOf(text).run(...values);
        if (!isMember) group.committed();
        return Number(changes);
      } catch (error) {
        throw atWork(file, error);
      }
    },
    transaction: work => {
      try {
        return group.run(work);
      } catch (error) {
        throw atWork(file, error);
      }
    },
    lasting: () => group.lasting,
    resting: () => group.elsewhere?.resting() ?? null,
    onLost: listener => void group.listeners.push(listener),
    durable,
    onDisk: async () => {
      await group.lasting;
      await syncFile(`${file}-wal`, 'datasync');
    },
    durableBeside: (other, work) => {
      group.end();
      database.prepare('ATTACH ? AS source').run(other);
      try {
        return durable(work);
      } finally {
        // A statement that names it would hold it.
        statements.clear();
        database.exec('DETACH source');
      }
    },
    onCommit: listener => {
      group.committed = listener;
    },
    checkpoint: () => checkpoint(database, group),
    checkpointElsewhere: elsewhere => {
      group.elsewhere = elsewhere;
      if (database.isOpen) head.checkpointPages = elsewhere === null ? CHECKPOINT_PAGES : 0;
    },
    logEmptied: is => head.emptied(is),
    forsake: () => {
      unwaited = true;
      head.emptied(false);
      try {
        group.end();
      } catch {
        // What is lost was about to be removed, and whoever waited for it is told.
      }
      database.exec('PRAGMA synchronous = OFF');
    },
    close,
    [Symbol.dispose]: close,
  };
};

const durably = <T>(database: DatabaseSync, work: () => T): T => {
  database.exec('PRAGMA synchronous = FULL');
  try {
    return work();
  } finally {
    database.exec('PRAGMA synchronous = NORMAL');
  }
};

/** Whoever reads is not waited for. */
const checkpoint = (database: DatabaseSync, group: CommitGroup): void => {
  group.end();
  database.exec('PRAGMA busy_timeout = 0');
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_WAIT_MS}`);
  }
};

/** Statements that change nothing; an `INSERT … RETURNING` is asked for its row as they are. */
const reads = (text: string): boolean => text.startsWith('SELECT') || text.startsWith('WITH');

/** Looks at an existing file without the right to write, so that what we cannot use is not touched. */
const probe = (file: string): void => {
  if (!existsSync(file)) return;
  const size = statSync(file).size;
  if (size === 0) return;
  readSqlite(file, sql => {
    const found = schemaVersion(sql);
    if (found > SCHEMA_VERSION) throw newerSchema(found);
    const strangers = sql.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_master')?.n ?? 0;
    if (found === 0 && strangers > 0) {
      throw new StoreError('not-a-store', `${file} is a database of another program.`);
    }
    if (size > STORE_CHECKED_BYTES_MAX) return;
    const verdict = sql.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check;
    if (verdict !== 'ok') throw new StoreError('damaged', damageMessage(file, String(verdict)));
  });
};

/** What `work` reads of a store that may be damaged, and that it cannot change. Throws `StoreError`. */
export const readSqlite = <T>(file: string, work: (sql: Pick<Sql, 'all' | 'get'>) => T): T => {
  if (!startsWithMagic(file)) throw new StoreError('not-a-store', `${file} is not a SQLite database.`);
  return withStoreErrors(file, () => {
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_WAIT_MS });
    try {
      return work({
        all: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) =>
          database.prepare(text).all(...values) as unknown as T[],
        get: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) =>
          database.prepare(text).get(...values) as unknown as T | undefined,
      });
    } finally {
      database.close();
    }
  });
};

/** For this user alone, whoever may look into the folder; SQLite gives its log and its index the same mode. */
const closeToOthers = (file: string): void => {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
};

const startsWithMagic = (file: string): boolean => {
  const head = Buffer.alloc(MAGIC.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return head.toString('latin1') === MAGIC;
};

/** Turns what SQLite throws on opening into a `StoreError` a person can act on. */
const withStoreErrors = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError || !(error instanceof Error)) throw error;
    const code = (error as { errcode?: number }).errcode ?? 0;
    // The low byte is the primary code: 5 busy, 6 locked, 11 corrupt, 26 not a database.
    if ((code & 0xff) === 5 || (code & 0xff) === 6) {
      throw new StoreError('busy', `${file} is in use by another process.`);
    }
    if ((code & 0xff) === 11 || (code & 0xff) === 26) {
      throw new StoreError('damaged', damageMessage(file, error.message));
    }
    throw error;
  }
};

/**
 * What a statement of an open store throws, named where it is no bug: `damaged` is told with what helps, and after
 * `failed` (no room, no right, an error of the disk) the same may be tried again.
 */
const atWork = (file: string, error: unknown): unknown => {
  // A statement of the transaction told it already.
  if (error instanceof StoreError) return error;
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  if (code === 11 || code === 26) {
    const why = (error as Error).message.replace(/\s+/g, ' ');
    const helps = 'Stop the world, then: wrld world check, and wrld world restore';
    return new StoreError('damaged', `${file} is damaged (${why}). ${helps}.`);
  }
  if (!FAILURES.has(code)) return error;
  const why = diskFault(error) ?? (error as Error).message;
  return new StoreError('failed', `${file} cannot be used now: ${why}.`, code);
};

/** 5 busy, 6 locked, 7 out of memory, 8 read-only, 10 an error of the disk, 13 full, 14 cannot be opened. */
const FAILURES: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14]);

/** `why` comes from SQLite, some of it over several lines. */
const damageMessage = (file: string, why: string): string =>
  `${file} is damaged (${why.replace(/\s+/g, ' ')}). It was not changed.`;
