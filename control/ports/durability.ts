import type { Sql } from './sql.ts';

/**
 * When what was written survives a crash. A host may let transactions that come close reach the disk together; a host
 * whose answers wait for the disk by themselves (a Durable Object) has nothing to say here.
 */
export type Durability = {
  /**
   * Null when everything that was done lasts already. Otherwise resolves when it does, and rejects when it was lost:
   * the store is then as it was before the first transaction that had not lasted.
   */
  lasting(): Promise<void> | null;
  /**
   * Null when the store takes what is written now. Otherwise it has something to do by itself, and resolves soon, when that is
   * done: who can wait waits. Who writes all the same holds up everybody whom this process answers.
   */
  resting(): Promise<void> | null;
  /** Called at once when transactions are lost, before anything else is asked of the store. */
  onLost(listener: () => void): void;
  /** `Sql.transaction` that lasts before it returns: tokens, sessions, deploy intents. */
  durable<T>(work: () => T): T;
};

/** For what is on disk before anybody is told of it, whatever else waits. */
export type DurableSql = Sql & Pick<Durability, 'durable'>;
