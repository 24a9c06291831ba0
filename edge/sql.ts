// The SQLite of a Durable Object as the world's `Sql` and `Durability`. The platform itself holds back what leaves the
// object until what was written lasts, so nothing waits here, and what is lost is lost with the object.
import type { Durability } from '../control/ports/durability.ts';
import type { Sql, SqlRow, SqlValue } from '../control/ports/sql.ts';

type Storage = Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;

export type EdgeSql = Sql & Durability;

export const openSql = (storage: Storage): EdgeSql => {
  const { sql } = storage;
  let working = false;
  const rows = <T extends SqlRow>(text: string, values: readonly SqlValue[]): T[] => {
    const found = sql.exec(text, ...values).toArray();
    for (const row of found)
      for (const column in row) {
        const value = row[column];
        // Its blobs are bare buffers.
        if (value instanceof ArrayBuffer)
          (row as { [column: string]: unknown })[column] = new Uint8Array(value);
      }
    return found as unknown as T[];
  };
  const transaction = <T>(work: () => T): T => {
    // The platform's own may be nested, which no other host's may.
    if (working) throw new Error('A transaction does not begin inside of another.');
    working = true;
    try {
      return storage.transactionSync(work);
    } finally {
      working = false;
    }
  };
  return {
    all: (text, ...values) => rows(text, values),
    get: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) => rows<T>(text, values)[0],
    run: (text, ...values) => {
      const cursor = sql.exec(text, ...values);
      cursor.toArray();
      // What the cursor counts as written are rows of indexes too.
      return cursor.rowsWritten === 0 ? 0 : Number(sql.exec('SELECT changes() AS n').one()['n']);
    },
    transaction,
    lasting: () => null,
    resting: () => null,
    onLost: () => {},
    durable: transaction,
  };
};
