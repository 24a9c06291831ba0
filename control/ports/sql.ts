// The little of SQLite that every host has: node:sqlite and a Durable Object's storage alike. No BEGIN, no
// PRAGMA, at most 100 bound parameters, integers below 2^53.

export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = { readonly [column: string]: SqlValue };

export type Sql = {
  all<T extends SqlRow = SqlRow>(text: string, ...values: readonly SqlValue[]): T[];
  get<T extends SqlRow = SqlRow>(text: string, ...values: readonly SqlValue[]): T | undefined;
  /** Rows changed. */
  run(text: string, ...values: readonly SqlValue[]): number;
  /**
   * Atomic; rolls back when `work` throws. Not re-entrant. Everybody sees what it did at once; when it survives a
   * crash is the durability's to say (durability.ts).
   */
  transaction<T>(work: () => T): T;
};
