// Transactions that come close together, committed as one, each rolled back by itself when it throws. Neighbours in time
// write to the same pages, so one commit for all of them costs little more than that of a single one
// (docs/decisions/0009).
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { COMMIT_GROUP_MEMBERS_MAX, COMMIT_GROUP_MS_MAX } from './limits.ts';
import type { LogHead } from './log-head.ts';

export type Elsewhere = {
  /** Called before the first statement of a group. */
  beforeWriting(): void;
  /** See `Durability`. */
  resting(): Promise<void> | null;
};

type StatementOf = (text: string) => StatementSync;

export class CommitGroup {
  /** A transaction's work is running. */
  working = false;
  /** Of the group that is open. */
  lasting: Promise<void> | null = null;
  /** Told when it is lost. */
  readonly listeners: (() => void)[] = [];
  /** Called after every commit. */
  committed: () => void = () => {};
  /** Who brings the write-ahead log into the file, where that is not the database itself. */
  elsewhere: Elsewhere | null = null;
  readonly #database: DatabaseSync;
  readonly #statementOf: StatementOf;
  readonly #head: Pick<LogHead, 'begin' | 'end'>;
  #lasts: () => void = () => {};
  #lost: (error: unknown) => void = () => {};
  #members = 0;
  /** The work that runs has written. */
  #isMember = false;

  constructor(database: DatabaseSync, statementOf: StatementOf, head: Pick<LogHead, 'begin' | 'end'>) {
    this.#database = database;
    this.#statementOf = statementOf;
    this.#head = head;
  }

  run<T>(work: () => T): T {
    if (this.working) throw new Error('A transaction does not begin inside of another.');
    if (this.#members >= COMMIT_GROUP_MEMBERS_MAX) this.#commit();
    this.working = true;
    this.#isMember = false;
    try {
      const result = work();
      if (this.#isMember) this.#statementOf('RELEASE member').run();
      return result;
    } catch (error) {
      if (this.#isMember) this.#undo(error);
      throw error;
    } finally {
      this.working = false;
    }
  }

  /**
   * Before a statement of the work that writes: the first makes it a member. What only reads is none, and waits for
   * nothing: no other connection writes here, so it sees one state anyway.
   */
  write(): void {
    if (this.#isMember) return;
    if (this.lasting === null) this.#begin();
    this.#members += 1;
    this.#statementOf('SAVEPOINT member').run();
    this.#isMember = true;
  }

  #undo(error: unknown): void {
    // After some failures (disk full) SQLite has rolled back by itself, and with this one all before it.
    if (!this.#database.isTransaction) return this.#fail(error);
    this.#statementOf('ROLLBACK TO member').run();
    this.#statementOf('RELEASE member').run();
  }

  /** A transaction that no group holds. */
  alone<T>(work: () => T): T {
    this.end();
    this.elsewhere?.beforeWriting();
    this.#statementOf('BEGIN IMMEDIATE').run();
    this.working = true;
    this.#isMember = true;
    try {
      const result = work();
      this.#statementOf('COMMIT').run();
      this.committed();
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some failures (disk full), and then there is nothing to end.
      if (this.#database.isTransaction) this.#statementOf('ROLLBACK').run();
      throw error;
    } finally {
      this.working = false;
    }
  }

  /** Commits what is open. Throws when that is lost. */
  end(): void {
    if (!this.working) this.#commit();
  }

  #commit(): void {
    if (this.lasting === null) return;
    try {
      this.#statementOf('COMMIT').run();
    } catch (error) {
      if (this.#database.isTransaction) this.#statementOf('ROLLBACK').run();
      this.#fail(error);
      throw error;
    }
    this.lasting = null;
    this.#head.end();
    this.committed();
    this.#lasts();
  }

  #begin(): void {
    this.elsewhere?.beforeWriting();
    this.#head.begin();
    try {
      this.#statementOf('BEGIN IMMEDIATE').run();
    } catch (error) {
      this.#head.end();
      throw error;
    }
    this.#members = 0;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.lasting = promise;
    this.#lasts = resolve;
    this.#lost = reject;
    // Whoever waits is told; that nobody waits is no error.
    promise.catch(() => {});
    this.#endSoon(promise, 0, performance.now() + COMMIT_GROUP_MS_MAX);
  }

  /** At the first turn that nobody joined in: a busy store commits for many, an idle one at once. */
  #endSoon(group: Promise<void>, members: number, until: number): void {
    setImmediate(() => {
      if (this.lasting !== group) return;
      if (this.#members > members && performance.now() < until) {
        return this.#endSoon(group, this.#members, until);
      }
      try {
        this.end();
      } catch {
        // Those who wait have been told.
      }
    });
  }

  #fail(error: unknown): void {
    this.lasting = null;
    this.#head.end();
    try {
      for (const listener of this.listeners) listener();
    } finally {
      this.#lost(error);
    }
  }
}
