// The little of SQLite that every host has: node:sqlite and a Durable Object's storage alike. No BEGIN, no
// PRAGMA, at most 100 bound parameters, integers below 2^53.

export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = { readonly [column: string]: SqlValue };

export type Sql = {
  all<T extends SqlRow = SqlRow>(text: string, ...values: readonly SqlValue[]): T[];
  get<T extends SqlRow = SqlRow>(text: string, ...values: readonly SqlValue[]): T | undefined;
  /** Rows changed. */
  run(text: string, ...values: readonly SqlValue[]): number;
  /** Atomic; rolls back when `work` throws. Not re-entrant. */
  transaction<T>(work: () => T): T;
  /**
   * As `transaction`, but it may last only a little later, together with others that come close. All see
   * what it did at once; nobody outside may be told before `lasting` resolves.
   */
  grouped<T>(work: () => T): T;
  /**
   * Null when everything that was done lasts already. Otherwise resolves when it does, and rejects when it was lost:
   * the store is then as it was before the first of the group.
   */
  lasting(): Promise<void> | null;
  /** Called at once when a group is lost, before anything else is asked of the store. */
  onLost(listener: () => void): void;
  /** As `transaction`, and on disk before it returns: tokens, sessions, deploy intents. */
  durable<T>(work: () => T): T;
};
