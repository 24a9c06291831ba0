// What version 1 of the schema made and wrote, as it was: later versions must be able to read it. Never edited.

const TABLES = [
  'CREATE TABLE meta(k TEXT PRIMARY KEY, v TEXT NOT NULL) STRICT, WITHOUT ROWID',
  'CREATE TABLE entry( twin TEXT NOT NULL, pos INTEGER NOT NULL, at INTEGER NOT NULL, wall INTEGER NOT NULL, kind TEXT NOT NULL, actor TEXT NOT NULL, actor_id TEXT, caller TEXT, method TEXT, path TEXT, trace TEXT, span TEXT, parent_span TEXT, cause TEXT, delivery TEXT, changes TEXT NOT NULL, PRIMARY KEY(twin, pos)) STRICT, WITHOUT ROWID',
  'CREATE INDEX entry_time ON entry(at, twin, pos)',
  'CREATE INDEX entry_cut ON entry(twin, at, pos)',
  'CREATE INDEX entry_trace ON entry(trace, at, twin, pos) WHERE trace IS NOT NULL',
  'CREATE TABLE ver( twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL, body TEXT, PRIMARY KEY(twin, type, id, pos)) STRICT, WITHOUT ROWID',
  'CREATE TABLE head( twin TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL, ord INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY(twin, type, id)) STRICT, WITHOUT ROWID',
  'CREATE TABLE idx( twin TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, ord INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY(twin, type, name, value, ord, id)) STRICT, WITHOUT ROWID',
  'CREATE TABLE tally( twin TEXT NOT NULL, type TEXT NOT NULL, records INTEGER NOT NULL, PRIMARY KEY(twin, type)) STRICT, WITHOUT ROWID',
  'CREATE TABLE due( twin TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, payload TEXT NOT NULL, cause TEXT, PRIMARY KEY(twin, key)) STRICT, WITHOUT ROWID',
  'CREATE INDEX due_at ON due(at, twin, key)',
  'CREATE TABLE delivery( id INTEGER PRIMARY KEY AUTOINCREMENT, twin TEXT NOT NULL, cause TEXT, trace TEXT NOT NULL, parent_span TEXT, endpoint TEXT NOT NULL, url TEXT NOT NULL, event TEXT NOT NULL, event_type TEXT NOT NULL, headers TEXT NOT NULL, body TEXT, state TEXT NOT NULL, attempts TEXT NOT NULL, next_at INTEGER) STRICT',
  `CREATE INDEX delivery_waiting ON delivery(id) WHERE state = 'pending' AND next_at IS NULL`,
  'CREATE TABLE memo( twin TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY(twin, key)) STRICT, WITHOUT ROWID',
  'CREATE INDEX memo_expires ON memo(expires)',
  'CREATE TABLE token(scope TEXT PRIMARY KEY, hash BLOB NOT NULL) STRICT, WITHOUT ROWID',
];

const ENTRY = (pos: number, at: number, changes: string): string =>
  `INSERT INTO entry VALUES ('note', ${pos}, ${at}, ${at}, 'note.created', 'client', NULL, 'token', 'PUT', '/notes/a',
     NULL, NULL, NULL, NULL, NULL, '${changes}')`;

/** A store of version 1: three entries, an event that waits, a webhook's retry, an answer kept, a token. */
export const VERSION_1: readonly string[] = [
  ...TABLES,
  "INSERT INTO meta VALUES ('schema', '1')",
  ENTRY(1, 100, '[{"op":"put","type":"note","id":"a"}]'),
  ENTRY(2, 200, '[{"op":"put","type":"note","id":"a"},{"op":"put","type":"note","id":"b"}]'),
  ENTRY(3, 300, '[{"op":"delete","type":"note","id":"b"}]'),
  `INSERT INTO ver VALUES ('note', 'note', 'a', 1, '{"id":"a","n":1}'), ('note', 'note', 'a', 2, '{"id":"a","n":2}'),
     ('note', 'note', 'b', 2, '{"id":"b"}'), ('note', 'note', 'b', 3, NULL)`,
  `INSERT INTO head VALUES ('note', 'note', 'a', 2, 8192, '{"id":"a","n":2}')`,
  "INSERT INTO idx VALUES ('note', 'note', '', '', 8192, 'a')",
  "INSERT INTO tally VALUES ('note', 'note', 1)",
  `INSERT INTO due VALUES ('note', 'k', 900, '{"times":1}', 'note:2'), ('note', '~delivery:7', 950, '{}', 'note:3')`,
  `INSERT INTO memo VALUES ('note', 'key', 'print', 200, '[]', '{}', 1000)`,
  "INSERT INTO token VALUES ('write', x'00ff')",
];
