// The tables of a world's store (storage.md) as numbered migrations. One is never edited after it was
// released; a change is a new one. The version is a row of `meta` and not a PRAGMA, which one of the two
// hosts refuses.
import type { Sql } from '../ports/sql.ts';

const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // The log: one row an entry. `changes` names records; their bodies are in `ver`.
    `CREATE TABLE entry(
       twin TEXT NOT NULL, pos INTEGER NOT NULL, at INTEGER NOT NULL, wall INTEGER NOT NULL,
       kind TEXT NOT NULL, actor TEXT NOT NULL, actor_id TEXT, caller TEXT, method TEXT, path TEXT,
       trace TEXT, span TEXT, parent_span TEXT, cause TEXT, delivery TEXT, changes TEXT NOT NULL,
       PRIMARY KEY(twin, pos)) STRICT, WITHOUT ROWID`,
    'CREATE INDEX entry_time ON entry(at, twin, pos)',
    'CREATE INDEX entry_cut ON entry(twin, at, pos)',
    'CREATE INDEX entry_trace ON entry(trace, at, twin, pos) WHERE trace IS NOT NULL',
    // Every version of every record; a null body says deleted.
    `CREATE TABLE ver(
       twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL, body TEXT,
       PRIMARY KEY(twin, type, id, pos)) STRICT, WITHOUT ROWID`,
    // The newest versions. `ord` is the record's place by creation (record-order.ts).
    `CREATE TABLE head(
       twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL,
       ord INTEGER NOT NULL, body TEXT NOT NULL,
       PRIMARY KEY(twin, type, id)) STRICT, WITHOUT ROWID`,
    // What lists scan: for each declared index of a type, and for the whole type under the name ''.
    `CREATE TABLE idx(
       twin TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
       ord INTEGER NOT NULL, id TEXT NOT NULL,
       PRIMARY KEY(twin, type, name, value, ord, id)) STRICT, WITHOUT ROWID`,
    `CREATE TABLE tally(
       twin TEXT NOT NULL, type TEXT NOT NULL, records INTEGER NOT NULL,
       PRIMARY KEY(twin, type)) STRICT, WITHOUT ROWID`,
    `CREATE TABLE due(
       twin TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, payload TEXT NOT NULL, cause TEXT,
       PRIMARY KEY(twin, key)) STRICT, WITHOUT ROWID`,
    'CREATE INDEX due_at ON due(at, twin, key)',
    // Webhooks. `next_at` is set while one waits for a retry; a finished one keeps no body.
    `CREATE TABLE delivery(
       id INTEGER PRIMARY KEY AUTOINCREMENT, twin TEXT NOT NULL, cause TEXT, trace TEXT NOT NULL,
       parent_span TEXT, endpoint TEXT NOT NULL, url TEXT NOT NULL, event TEXT NOT NULL,
       event_type TEXT NOT NULL, headers TEXT NOT NULL, body TEXT, state TEXT NOT NULL,
       attempts TEXT NOT NULL, next_at INTEGER) STRICT`,
    `CREATE INDEX delivery_waiting ON delivery(id) WHERE state = 'pending' AND next_at IS NULL`,
    // Answers kept for idempotency keys: not state of a twin, and not in the log.
    `CREATE TABLE memo(
       twin TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, status INTEGER NOT NULL,
       headers TEXT NOT NULL, body TEXT NOT NULL, expires INTEGER NOT NULL,
       PRIMARY KEY(twin, key)) STRICT, WITHOUT ROWID`,
    'CREATE INDEX memo_expires ON memo(expires)',
    'CREATE TABLE token(scope TEXT PRIMARY KEY, hash BLOB NOT NULL) STRICT, WITHOUT ROWID',
  ],
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Why a store cannot be used. The store itself is left as it was. */
export class StoreError extends Error {
  readonly code: 'damaged' | 'not-a-store' | 'newer-schema' | 'busy';

  constructor(code: StoreError['code'], message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** 0 for a store without tables of ours. */
export const schemaVersion = (sql: Pick<Sql, 'get'>): number => {
  const table = sql.get("SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'meta'");
  if (table === undefined) return 0;
  return Number(sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'schema'")?.v ?? 0);
};

export const newerSchema = (found: number): StoreError =>
  new StoreError(
    'newer-schema',
    `The store has schema version ${found}; this program knows versions up to ${SCHEMA_VERSION}. Use the newer program that wrote it.`,
  );

/** Brings the store to `SCHEMA_VERSION`, all steps or none. Throws `StoreError` for a newer store. */
export const migrate = (sql: Sql): void => {
  const found = schemaVersion(sql);
  if (found > SCHEMA_VERSION) throw newerSchema(found);
  if (found === SCHEMA_VERSION) return;
  sql.durable(() => {
    if (found === 0) {
      sql.run('CREATE TABLE meta(k TEXT PRIMARY KEY, v TEXT NOT NULL) STRICT, WITHOUT ROWID');
    }
    for (const statements of MIGRATIONS.slice(found)) for (const text of statements) sql.run(text);
    sql.run(
      "INSERT INTO meta(k, v) VALUES ('schema', ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v",
      String(SCHEMA_VERSION),
    );
  });
};
