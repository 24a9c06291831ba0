// The tables of a world's store (storage.md) as numbered migrations. One is never edited after it was
// released; a change is a new one. The version is a row of `meta` and not a PRAGMA, which one of the two
// hosts refuses.
import type { DurableSql } from '../../ports/durability.ts';
import type { Sql } from '../../ports/sql.ts';
import { ENTRY_CHANGES_MAX, JOURNAL_LINES_MAX } from '../limits.ts';

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
    // Webhooks. `next_at` is set while one waits for a retry; of the finished ones the newest keep their bodies.
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
  [
    // The newest version of each record, in the order they were made, and what finds them apart: under random ids,
    // each body would dirty a page of its own. `ord` and `at` say when it was made (record-order.ts).
    `CREATE TABLE head2(
       twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL,
       ord INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
       PRIMARY KEY(twin, type, id)) STRICT`,
    `INSERT INTO head2 SELECT twin, type, id, pos, ord, coalesce(
       (SELECT at FROM entry WHERE entry.twin = head.twin AND entry.pos = head.ord / ${ENTRY_CHANGES_MAX}), 0), body
     FROM head ORDER BY twin, ord`,
    // The versions that were written over, each with its own position, and one without a body where a record ended.
    `CREATE TABLE ver2(
       twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL, body TEXT,
       PRIMARY KEY(twin, type, id, pos)) STRICT`,
    `INSERT INTO ver2 SELECT twin, type, id, pos, body FROM ver WHERE NOT EXISTS (
       SELECT 1 FROM head WHERE head.twin = ver.twin AND head.type = ver.type AND head.id = ver.id AND head.pos = ver.pos)
     ORDER BY twin, pos`,
    // Records that ended, and with which entry: with the heads, all there ever were, in the order they were made.
    `CREATE TABLE gone(
       twin TEXT NOT NULL, type TEXT NOT NULL, ord INTEGER NOT NULL, at INTEGER NOT NULL, id TEXT NOT NULL,
       pos INTEGER NOT NULL, PRIMARY KEY(twin, type, ord)) STRICT, WITHOUT ROWID`,
    `INSERT INTO gone(twin, type, id, pos, ord, at)
     SELECT ended.twin, ended.type, ended.id, ended.pos,
       entry.pos * ${ENTRY_CHANGES_MAX} + coalesce(json_extract(change.value, '$.n'), change.key), entry.at
     FROM ver AS ended
     JOIN entry ON entry.twin = ended.twin AND entry.pos = (
       SELECT min(pos) FROM ver AS first
       WHERE first.twin = ended.twin AND first.type = ended.type AND first.id = ended.id AND first.pos > coalesce(
         (SELECT max(pos) FROM ver AS before WHERE before.twin = ended.twin AND before.type = ended.type
            AND before.id = ended.id AND before.pos < ended.pos AND before.body IS NULL), 0))
     JOIN json_each(entry.changes) AS change ON json_extract(change.value, '$.op') = 'put'
       AND json_extract(change.value, '$.type') = ended.type AND json_extract(change.value, '$.id') = ended.id
     WHERE ended.body IS NULL`,
    'DROP TABLE ver',
    'ALTER TABLE ver2 RENAME TO ver',
    'DROP TABLE head',
    'ALTER TABLE head2 RENAME TO head',
    'CREATE UNIQUE INDEX head_order ON head(twin, type, ord)',
    // What lists with a condition scan: the places of the records under each value of each declared index. It is
    // made anew when the world opens.
    'DROP TABLE idx',
    `CREATE TABLE idx(
       twin TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, ord INTEGER NOT NULL,
       PRIMARY KEY(twin, type, name, value, ord)) STRICT, WITHOUT ROWID`,
    "DELETE FROM meta WHERE k LIKE 'indexes:%'",
    // Large bodies and files: inline up to `BLOB_INLINE_BYTES_MAX`, else with the host, under their SHA-256.
    `CREATE TABLE blob(
       sha BLOB PRIMARY KEY, size INTEGER NOT NULL, inline BLOB) STRICT, WITHOUT ROWID`,
    // What was scheduled when, so that a branch of the past has the events that waited then. A null body cancels.
    // `cuts` is how many branches had left by then: what changes after one left may be of the same instant.
    `CREATE TABLE due_past(
       twin TEXT NOT NULL, key TEXT NOT NULL, since INTEGER NOT NULL, pos INTEGER NOT NULL,
       cuts INTEGER NOT NULL DEFAULT 0, body TEXT,
       PRIMARY KEY(twin, key, since, pos, cuts)) STRICT, WITHOUT ROWID`,
    // Of what waits already, the entry that scheduled it knows the moment. A key with `~` is the world's own.
    `INSERT INTO due_past(twin, key, since, pos, body)
     SELECT due.twin, due.key, coalesce(entry.at, 0), coalesce(entry.pos, 0),
       json_object('at', due.at, 'payload', due.payload, 'cause', due.cause)
     FROM due LEFT JOIN entry ON entry.twin = due.twin
       AND due.cause = due.twin || ':' || entry.pos
       AND entry.pos = CAST(substr(due.cause, length(due.twin) + 2) AS INTEGER)
     WHERE substr(due.key, 1, 1) <> '~'`,
    // A branch: where each twin's history leaves the parent's, and whether its state was copied already.
    `CREATE TABLE base(
       twin TEXT PRIMARY KEY, pos INTEGER NOT NULL, hydrated INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID`,
    // The branches of this world. `expires` is wall time.
    `CREATE TABLE child(
       world TEXT PRIMARY KEY, at INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER) STRICT, WITHOUT ROWID`,
    'CREATE INDEX child_expires ON child(expires) WHERE expires IS NOT NULL',
    `CREATE TABLE apikey(
       id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, name TEXT NOT NULL, scope TEXT NOT NULL,
       subject TEXT, person TEXT, created_by TEXT NOT NULL, maker TEXT,
       created INTEGER NOT NULL, used INTEGER, expires INTEGER) STRICT, WITHOUT ROWID`,
    `CREATE UNIQUE INDEX apikey_name ON apikey(name, coalesce(subject, ''))`,
    // `opener` is what opened it: a key's sessions end with the key, and each opener has a share of its own.
    `CREATE TABLE session(
       hash BLOB PRIMARY KEY, scope TEXT NOT NULL, opener TEXT NOT NULL, caller TEXT NOT NULL, person TEXT,
       expires INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    'CREATE INDEX session_expires ON session(expires)',
    'CREATE INDEX session_opener ON session(opener, expires)',
    `CREATE TABLE pass_used(
       issuer TEXT NOT NULL, jti TEXT NOT NULL, expires INTEGER NOT NULL,
       PRIMARY KEY(issuer, jti)) STRICT, WITHOUT ROWID`,
    // Requests to twins, newest last (4.4): the raw material of the report. `span` joins an entry to its request.
    `CREATE TABLE journal(
       id INTEGER PRIMARY KEY, at INTEGER NOT NULL, name TEXT NOT NULL, route TEXT NOT NULL,
       status INTEGER NOT NULL, us INTEGER NOT NULL, unmatched INTEGER NOT NULL, caller TEXT, trace TEXT, span TEXT) STRICT`,
    'CREATE INDEX journal_at ON journal(at)',
    // Changesets, deploys, roots and links: laid down so that a world made now needs no other store for them.
    'ALTER TABLE entry ADD COLUMN changeset TEXT',
    'ALTER TABLE entry ADD COLUMN action TEXT',
    `CREATE TABLE changeset(
       name TEXT PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL, owner TEXT, cut_by TEXT NOT NULL,
       pushed_by TEXT, applied TEXT, verification TEXT, landed INTEGER) STRICT, WITHOUT ROWID`,
    `CREATE TABLE approval(
       name TEXT NOT NULL, hash TEXT NOT NULL, person TEXT NOT NULL, via TEXT NOT NULL, note TEXT,
       at INTEGER NOT NULL, PRIMARY KEY(name, hash, person)) STRICT, WITHOUT ROWID`,
    // `intent` and `attempt` are written before the vendor is called, so that a crash in between is known for one.
    `CREATE TABLE receipt(
       name TEXT NOT NULL, action TEXT NOT NULL, service TEXT NOT NULL, status TEXT NOT NULL, intent TEXT,
       attempt INTEGER NOT NULL DEFAULT 0, idem TEXT UNIQUE, external TEXT, url TEXT, reason TEXT, at INTEGER NOT NULL,
       PRIMARY KEY(name, action)) STRICT, WITHOUT ROWID`,
    `CREATE TABLE seal(
       ref TEXT PRIMARY KEY, bound_to TEXT NOT NULL, sealed_by TEXT NOT NULL, wrapped TEXT, iv BLOB NOT NULL,
       sealed BLOB NOT NULL, rev INTEGER NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    'CREATE TABLE link(name TEXT PRIMARY KEY, origin TEXT NOT NULL) STRICT, WITHOUT ROWID',
    'CREATE TABLE world_check(name TEXT PRIMARY KEY, source TEXT NOT NULL) STRICT, WITHOUT ROWID',
    // Wall time: when a root is observed again.
    `CREATE TABLE timer(
       kind TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL,
       PRIMARY KEY(kind, key)) STRICT, WITHOUT ROWID`,
  ],
  [
    // Bytes of blobs that the host is still being given (blob-puts.ts), in parts that are each a row's.
    `CREATE TABLE blob_part(
       sha BLOB NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(sha, n)) STRICT, WITHOUT ROWID`,
  ],
  [
    // Attempts at webhooks that began: what lies here when the world opens was cut off, and may have arrived.
    'CREATE TABLE delivery_under_way(id INTEGER PRIMARY KEY, span TEXT NOT NULL) STRICT',
  ],
  // Records quote the versions that they show (quotes.ts): who does not know that must not read them.
  [],
  [
    // The lines of the journal, counted (requests/counts.ts): of each twin, by spans of time. Those that are there already
    // are counted in slices, since `meta` says of none that it is.
    `CREATE TABLE request_count(
       span INTEGER NOT NULL, since INTEGER NOT NULL, name TEXT NOT NULL, counts TEXT NOT NULL,
       PRIMARY KEY(span, since, name)) STRICT, WITHOUT ROWID`,
    // Where the journal held as many lines as it may, it has lost the older ones.
    `INSERT INTO meta(k, v) SELECT 'requests-since', CAST(min(at) AS TEXT) FROM journal
     HAVING max(id) - min(id) + 1 >= ${JOURNAL_LINES_MAX}`,
  ],
  // Requests whole (log/asked.ts); of those made before, method and path.
  ['ALTER TABLE entry ADD COLUMN asked TEXT'],
  // The entries of a changeset, and those that no changeset has.
  [
    'CREATE INDEX entry_changeset ON entry(changeset, at, twin, pos) WHERE changeset IS NOT NULL',
    'CREATE INDEX entry_uncut ON entry(twin, pos) WHERE changeset IS NULL',
  ],
  [
    // Webhooks of real vendors (roots/ingest.ts): each event once, and how new what is known of a record is.
    `CREATE TABLE ingested(
       twin TEXT NOT NULL, event TEXT NOT NULL, pos INTEGER NOT NULL,
       PRIMARY KEY(twin, event)) STRICT, WITHOUT ROWID`,
    `CREATE TABLE ingested_record(
       twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, pos INTEGER NOT NULL,
       PRIMARY KEY(twin, type, id)) STRICT, WITHOUT ROWID`,
  ],
  // Roots of twins, how far the copy of each is, and what each has of the records that were seen there (roots/).
  [
    'CREATE TABLE root(twin TEXT PRIMARY KEY, config TEXT NOT NULL) STRICT, WITHOUT ROWID',
    `CREATE TABLE refresh(
       twin TEXT PRIMARY KEY, url TEXT NOT NULL, cursor TEXT, pass INTEGER NOT NULL, done INTEGER NOT NULL, began INTEGER,
       under_way INTEGER NOT NULL, observed INTEGER, failures INTEGER NOT NULL, fault TEXT, fault_at INTEGER)
       STRICT, WITHOUT ROWID`,
    `CREATE TABLE observed(
       twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL, pass INTEGER NOT NULL,
       theirs TEXT, base TEXT, PRIMARY KEY(twin, type, id)) STRICT, WITHOUT ROWID`,
    'CREATE INDEX observed_conflict ON observed(twin, type, id) WHERE base IS NOT NULL',
    "CREATE INDEX receipt_settled ON receipt(service, at) WHERE status <> 'landed'",
    // What came from outside (a root, a webhook, another world) is nobody's to cut. An entry that came from another world
    // keeps the instant at which it occurred there; `at` is when it arrived, so that it never decreases.
    'ALTER TABLE entry ADD COLUMN occurred INTEGER',
    'DROP INDEX entry_changeset',
    `CREATE INDEX entry_changeset ON entry(changeset, coalesce(occurred, at), twin, pos)
     WHERE changeset IS NOT NULL`,
    'DROP INDEX entry_uncut',
    `CREATE INDEX entry_uncut ON entry(twin, pos) WHERE changeset IS NULL AND actor IN ('client', 'system')`,
    // SHA-256 of the bytes that a vendor was sent: what is sent again is the same, or it is not sent.
    'ALTER TABLE receipt ADD COLUMN sent TEXT',
    // Ids of records before a vendor gave them others, and the entry that says so.
    `CREATE TABLE alias(
       twin TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, pos INTEGER NOT NULL,
       PRIMARY KEY(twin, old)) STRICT, WITHOUT ROWID`,
    // Records that stand in for what a deploy made at a vendor under ids that nobody was told (roots/stand-ins.ts).
    `CREATE TABLE stand_in(
       twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL, at INTEGER NOT NULL,
       PRIMARY KEY(twin, type, id)) STRICT, WITHOUT ROWID`,
    // Changesets whose deploy began and has not ended, and which opening of the world does it.
    'CREATE TABLE deploying(name TEXT PRIMARY KEY, holder TEXT NOT NULL, mode TEXT NOT NULL) STRICT, WITHOUT ROWID',
  ],
  [
    // The history that this world shares with its origin: up to which position, what the origin's entry there is, and how
    // far the origin was when it was last asked.
    `CREATE TABLE shared(
       twin TEXT PRIMARY KEY, pos INTEGER NOT NULL, print TEXT NOT NULL, head INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    // What of the origin's log was fetched and is not part of this world yet.
    `CREATE TABLE shared_next(
       twin TEXT NOT NULL, pos INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY(twin, pos)) STRICT, WITHOUT ROWID`,
    // Changesets that the origin has, or may have: what was `sending` when the world ended is asked for first.
    'CREATE TABLE sent_changeset(name TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID',
    // Where a branch stands in each twin, so that what it stands on is not moved under it.
    'ALTER TABLE child ADD COLUMN positions TEXT',
  ],
  [
    // Sessions at the sites of the world (4.3): each at one address alone, and ended with the session that it came of.
    'ALTER TABLE session ADD COLUMN site TEXT',
    'ALTER TABLE session ADD COLUMN parent BLOB',
    'CREATE INDEX session_parent ON session(parent, site) WHERE parent IS NOT NULL',
  ],
  // What the vendor calls a request in its answer: null for what has no such name, and for what came before.
  ['ALTER TABLE journal ADD COLUMN answered TEXT'],
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Why a store cannot be used, at its opening or at work. What was under way is rolled back. */
export class StoreError extends Error {
  readonly code: 'damaged' | 'not-a-store' | 'newer-schema' | 'busy' | 'failed';
  /** SQLite's primary code, where a statement of it failed. */
  readonly errcode: number | undefined;

  constructor(code: StoreError['code'], message: string, errcode?: number) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.errcode = errcode;
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

/**
 * Brings the store to `SCHEMA_VERSION`, or to an earlier version whose rows it is to be given, all steps or none. Throws
 * `StoreError` for a newer store.
 */
export const migrate = (sql: DurableSql, to: number = SCHEMA_VERSION): void => {
  const found = schemaVersion(sql);
  if (found > SCHEMA_VERSION) throw newerSchema(found);
  if (found >= to) return;
  sql.durable(() => {
    if (found === 0) {
      sql.run('CREATE TABLE meta(k TEXT PRIMARY KEY, v TEXT NOT NULL) STRICT, WITHOUT ROWID');
    }
    for (const statements of MIGRATIONS.slice(found, to)) for (const text of statements) sql.run(text);
    sql.run(
      "INSERT INTO meta(k, v) VALUES ('schema', ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v",
      String(to),
    );
  });
};
