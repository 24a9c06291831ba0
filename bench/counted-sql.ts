// What an operation asks of the store and of JSON, counted: counts do not change with the machine, so they tell what an
// operation costs better than its time does.
import type { SqliteFile } from '../control/node/sqlite.ts';
import type { SqlValue } from '../control/ports/sql.ts';

export type Counts = {
  /** Those of a world; SQLite's own for the beginning and the end of a transaction are not among them. */
  statements: number;
  /** Written, changed or removed; those of an index are not among them. */
  rows: number;
  /** Bound to statements that write. */
  bytes: number;
  /** Of JSON, read and written. */
  parses: number;
  stringifies: number;
};

const noCounts = (): Counts => ({ statements: 0, rows: 0, bytes: 0, parses: 0, stringifies: 0 });

export type CountedSql = {
  readonly sql: SqliteFile;
  /** What `work` asked for, and the statements by their text. */
  count(work: () => Promise<unknown>): Promise<Counts & { readonly texts: ReadonlyMap<string, number> }>;
};

export const countedSql = (inner: SqliteFile): CountedSql => {
  let counts = noCounts();
  let texts = new Map<string, number>();
  const note = (text: string): void => {
    counts.statements += 1;
    texts.set(text, (texts.get(text) ?? 0) + 1);
  };
  return {
    sql: {
      ...inner,
      all: (text, ...values) => {
        note(text);
        return inner.all(text, ...values);
      },
      get: (text, ...values) => {
        note(text);
        // `RETURNING` answers the row that it has written.
        if (/^INSERT/.test(text)) {
          counts.rows += 1;
          counts.bytes += bytesOf(values);
        }
        return inner.get(text, ...values);
      },
      run: (text, ...values) => {
        note(text);
        const rows = inner.run(text, ...values);
        counts.rows += rows;
        counts.bytes += bytesOf(values);
        return rows;
      },
    },
    count: async work => {
      counts = noCounts();
      texts = new Map();
      const { parse, stringify } = JSON;
      const mine = counts;
      JSON.parse = (...args: Parameters<typeof parse>) => {
        mine.parses += 1;
        return parse(...args);
      };
      JSON.stringify = ((...args: Parameters<typeof stringify>) => {
        mine.stringifies += 1;
        return stringify(...args);
      }) as typeof stringify;
      try {
        await work();
      } finally {
        Object.assign(JSON, { parse, stringify });
      }
      const found = { ...mine, texts };
      counts = noCounts();
      texts = new Map();
      return found;
    },
  };
};

const bytesOf = (values: readonly SqlValue[]): number =>
  values.reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + Buffer.byteLength(value);
    if (value instanceof Uint8Array) return sum + value.length;
    return sum + (value === null ? 0 : 8);
  }, 0);
