// A machine's disk in memory: stores of real SQLite that outlive the process, whose transactions last when the schedule
// says so, and not before. What had not lasted is gone after a crash; a full disk takes it from a process that lives on.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Blobs } from '../../control/ports/blobs.ts';
import type { Durability } from '../../control/ports/durability.ts';
import type { Sql, SqlRow, SqlValue } from '../../control/ports/sql.ts';
import { memoryBlobs } from '../kit/memory-blobs.ts';
import type { Life } from './life.ts';

/** As many as the store of Node commits together (control/node/sqlite.ts). */
const GROUP_MEMBERS_MAX = 64;

/** One in so many finds the store at work by itself, in the same places each time that a schedule is driven. */
const RESTS_ONE_IN = 7;

/** There is no room, or the disk did not do what it was told once. */
export type StoreFault = 'full' | 'io';

/** SQLITE_FULL and SQLITE_IOERR. */
const CODES: { readonly [fault in StoreFault]: number } = { full: 13, io: 10 };

/** As node:sqlite throws it. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
  readonly errcode: number;

  constructor(fault: StoreFault) {
    super(fault === 'full' ? 'database or disk is full' : 'disk I/O error');
    this.errcode = CODES[fault];
  }
}

type Group = {
  members: number;
  readonly lasting: Promise<void>;
  readonly lasts: () => void;
  readonly lost: (error: Error) => void;
};

/** The newest position of each twin. */
export type Tips = ReadonlyMap<string, number>;

/** One world's store, and the bytes beside it. */
export class Store {
  readonly blobs: Blobs = memoryBlobs();
  readonly #database = new DatabaseSync(':memory:');
  readonly #statements = new Map<string, StatementSync>();
  #group: Group | null = null;
  #working = false;
  #listeners: (() => void)[] = [];
  /** Statements until one fails. */
  #failsAfter: number | null = null;
  #fault: StoreFault = 'full';
  /** While those who listen are told that something was lost: a disk that failed a moment ago fails still. */
  #isFailing = false;
  /** Of what lasts, while a group is open. */
  #lasted: Tips = new Map();
  #statementsRun = 0;
  /** How often it was asked whether it rests. */
  #asked = 0;
  #losses = 0;

  /** The ports of one process. The listeners of the one before it are gone with it. */
  open(life: Life): Sql & Durability {
    this.#listeners = [];
    return {
      all: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) => {
        life.statement();
        this.#mayFail(false);
        return this.peek<T>(text, ...values);
      },
      get: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) => {
        life.statement();
        this.#mayFail(/^\s*(INSERT|UPDATE|DELETE)/.test(text));
        return this.#statement(text).get(...values) as unknown as T | undefined;
      },
      run: (text, ...values) => {
        life.statement();
        if (!this.#working) this.commit();
        this.#mayFail(true);
        return Number(this.#statement(text).run(...values).changes);
      },
      transaction: work => {
        life.statement();
        return this.#member(life, work);
      },
      durable: work => {
        life.statement();
        return this.#alone(life, work);
      },
      lasting: () => {
        life.must();
        return this.#group?.lasting ?? null;
      },
      resting: () => {
        this.#asked += 1;
        return this.#asked % RESTS_ONE_IN === 0 ? Promise.resolve() : null;
      },
      onLost: listener => void this.#listeners.push(listener),
    };
  }

  /** How many statements were executed so far: none more means that the world is quiet. */
  get activity(): number {
    return this.#statementsRun;
  }

  /** How often something was lost that had not lasted yet. */
  get losses(): number {
    return this.#losses;
  }

  /** Reads as a witness does: no part of any process. */
  peek<T extends SqlRow>(text: string, ...values: readonly SqlValue[]): T[] {
    return this.#statement(text).all(...values) as unknown as T[];
  }

  /** Something was done that has not lasted yet. */
  get isOpen(): boolean {
    return this.#group !== null;
  }

  /** Of what no crash can undo. */
  get lasted(): Tips {
    return this.#group === null ? this.#tips() : this.#lasted;
  }

  /** What is open lasts from here on. */
  commit(): void {
    const group = this.#group;
    if (group === null || this.#working) return;
    this.#group = null;
    this.#database.exec('COMMIT');
    group.lasts();
  }

  /** The disk is full: what is open is lost, and the process goes on. */
  lose(): void {
    const group = this.#group;
    if (group === null) return;
    this.#database.exec('ROLLBACK');
    this.#lost(group);
  }

  #lost(group: Group): void {
    this.#losses += 1;
    this.#group = null;
    this.#isFailing = true;
    try {
      for (const listener of this.#listeners) listener();
    } finally {
      this.#isFailing = false;
      group.lost(new StoreFailed('full'));
    }
  }

  /** As SQLite: of a full disk, what was open is rolled back before anybody is told. */
  #mayFail(writes: boolean): void {
    if (this.#isFailing) throw new StoreFailed(this.#fault);
    if (this.#failsAfter === null || (this.#fault === 'full' && !writes)) return;
    if (this.#failsAfter-- > 0) return;
    this.#failsAfter = null;
    if (this.#fault === 'full' && this.#database.isTransaction) this.#database.exec('ROLLBACK');
    throw new StoreFailed(this.#fault);
  }

  /** One statement fails when so many more have been executed, and the next does not; null: none does. */
  failAfter(statements: number | null, fault: StoreFault): void {
    this.#failsAfter = statements;
    this.#fault = fault;
  }

  /** The process crashed, perhaps in the middle of a transaction. */
  crash(): void {
    this.#losses += 1;
    this.#group = null;
    this.#failsAfter = null;
    this.#working = false;
    this.#listeners = [];
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #member<T>(life: Life, work: () => T): T {
    if (this.#working) throw new Error('A transaction does not begin inside of another.');
    if (this.#group !== null && this.#group.members >= GROUP_MEMBERS_MAX) this.commit();
    this.#group ??= this.#begin();
    this.#group.members += 1;
    return this.#work(life, work, {
      begin: 'SAVEPOINT member',
      end: 'RELEASE member',
      undo: 'ROLLBACK TO member; RELEASE member',
    });
  }

  #alone<T>(life: Life, work: () => T): T {
    if (this.#working) throw new Error('A transaction does not begin inside of another.');
    this.commit();
    return this.#work(life, work, { begin: 'BEGIN IMMEDIATE', end: 'COMMIT', undo: 'ROLLBACK' });
  }

  #work<T>(life: Life, work: () => T, texts: { begin: string; end: string; undo: string }): T {
    this.#database.exec(texts.begin);
    this.#working = true;
    try {
      const result = work();
      life.must();
      this.#database.exec(texts.end);
      return result;
    } catch (error) {
      if (life.alive) {
        if (this.#database.isTransaction) this.#database.exec(texts.undo);
        else if (this.#group !== null) this.#lost(this.#group);
      }
      throw error;
    } finally {
      this.#working = false;
    }
  }

  #begin(): Group {
    this.#lasted = this.#tips();
    this.#database.exec('BEGIN IMMEDIATE');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Whoever waits is told; that nobody waits is no error.
    promise.catch(() => {});
    return { members: 0, lasting: promise, lasts: resolve, lost: reject };
  }

  #tips(): Tips {
    const made = this.peek("SELECT 1 AS found FROM sqlite_master WHERE name = 'entry'").length > 0;
    if (!made) return new Map();
    const rows = this.peek<{ twin: string; pos: number }>(
      'SELECT twin, max(pos) AS pos FROM entry GROUP BY twin',
    );
    return new Map(rows.map(({ twin, pos }) => [twin, pos]));
  }

  #statement(text: string): StatementSync {
    this.#statementsRun += 1;
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}
