// What a store gives of itself to an archive, a part at a time: its rows in their order, the browsers, the handlers and the
// large bytes beside it. Who asks keeps the place, so that the next part may be asked for in another turn, or of another
// process. The store must stand still meanwhile: a reader's own moment, or a world that is closed.
import { toBase64 } from '../../../twins/kit/base64.ts';
import type { BrowserStore } from '../../ports/browsers.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { ARCHIVE_BLOB_CHUNK_BYTES, ARCHIVE_PART_CHARS_MAX, ARCHIVE_READ_ROWS_MAX } from '../limits.ts';
import { ACCESS_TABLES } from '../past/rewind.ts';
import { SEAL_COLUMNS, type SealRow, sealedOf } from '../seals/seal-row.ts';
import { fromHex, hex } from '../store/identifier.ts';
import { readTips } from '../store/tips.ts';
import { type ArchivedSeal, type ArchivedWorld, cellOf } from './archive.ts';

type Reading = Pick<Sql, 'all' | 'get'>;

export type ArchiveSource = {
  readonly sql: Reading;
  /** Of large bytes, those from `at` on, at most `length`. Undefined where they are missing. */
  readonly bytes: (sha256: string, at: number, length: number) => Promise<Uint8Array | undefined>;
  readonly browsers: Pick<BrowserStore, 'names' | 'read' | 'notes'>;
  /** Of each vendor that has any. */
  readonly handlers: () => Promise<ReadonlyMap<string, string>>;
  /** The branches that come along: of others there is no row. */
  readonly branches: readonly string[];
};

/** Where to go on; plain values, which may be sent. */
export type GivingPlace =
  | { readonly at: 'rows'; readonly table: string; readonly after: readonly SqlValue[] | null }
  /** `from`: of its lines. */
  | { readonly at: 'beside'; readonly from: number }
  | { readonly at: 'blobs'; readonly after: string | null; readonly from: number };

/** What lies beside the tables that say so is given another way, or made anew. */
const NOT_ROWS: readonly string[] = [...ACCESS_TABLES, 'idx', 'blob_part', 'seal', 'backup_blob'];
const OWN_META = "k IN ('schema', 'store', 'tokens-adopted', 'backup') OR k LIKE 'indexes:%'";

/** A world without bytes that it should have is not whole, and is not moved. */
export class MissingBytes extends Error {
  override readonly name = 'MissingBytes';
  constructor(world: string, sha256: string) {
    super(`${world} lacks bytes that it should have (${sha256}); wrld world check tells of them.`);
  }
}

/** Whether what it asks of a real vendor is under way: a copy would ask for it again. */
export const isDeploying = (sql: Reading): boolean =>
  sql.get('SELECT 1 AS found FROM deploying') !== undefined;

type Table = { readonly name: string; readonly key: readonly string[] };

/** What is archived of this store, each with what its rows are in the order of. */
export const archivedTables = (sql: Reading): readonly Table[] =>
  sql
    .all<{ name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .filter(({ name }) => !NOT_ROWS.includes(name))
    .map(({ name, sql: text }) => ({ name, key: keyOf(text) }));

/** The order that its rows lie in: with it they are read without sorting, and lie so again where they are put. */
function keyOf(text: string): readonly string[] {
  if (!/WITHOUT\s+ROWID/i.test(text)) return ['rowid'];
  const columns =
    /PRIMARY KEY\s*\(([^)]+)\)/i.exec(text)?.[1] ?? /(\w+)\s+\w+\s+PRIMARY KEY/i.exec(text)?.[1];
  if (columns === undefined) throw new Error(`no key in ${text}`);
  return columns.split(',').map(each => each.trim());
}

export const firstPlace = (sql: Reading): GivingPlace => ({
  at: 'rows',
  table: archivedTables(sql)[0]!.name,
  after: null,
});

/** What the header says of it. */
export const describeStore = (
  { sql, branches }: Pick<ArchiveSource, 'sql' | 'branches'>,
  of: Pick<ArchivedWorld, 'name' | 'parent' | 'expires'>,
): ArchivedWorld => {
  const rows = archivedTables(sql).reduce((sum, { name }) => {
    const where = whereOf(name, branches);
    return (
      sum +
      sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${name} WHERE ${where.text}`, ...where.values)!.n
    );
  }, 0);
  const blobs = sql.get<{ count: number; bytes: number }>(
    'SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM blob WHERE inline IS NULL',
  )!;
  return { ...of, positions: readTips(sql), rows, blobs: { ...blobs }, seals: sealsOf(sql) };
};

const sealsOf = (sql: Reading): readonly ArchivedSeal[] =>
  sql.all<SealRow>(`SELECT ${SEAL_COLUMNS} FROM seal ORDER BY ref`).map(row => {
    const { ref, rev, at } = row;
    return { ref, rev, at, ...sealedOf(row) };
  });

/** Lines of a part, and where the next begins; null when that was all. */
export const givePart = async (
  source: ArchiveSource,
  world: string,
  place: GivingPlace,
): Promise<{ readonly body: string; readonly next: GivingPlace | null }> => {
  const head = `${JSON.stringify({ world })}\n`;
  switch (place.at) {
    case 'rows': {
      const { lines, next } = rowsFrom(source, place);
      return { body: head + lines, next };
    }
    case 'beside': {
      const { lines, next } = await linesBeside(source, place.from);
      return { body: head + lines, next };
    }
    case 'blobs': {
      const { line, next } = await bytesFrom(source, world, place);
      return { body: head + line, next };
    }
  }
};

type RowsPlace = Extract<GivingPlace, { at: 'rows' }>;

function rowsFrom(
  { sql, branches }: ArchiveSource,
  place: RowsPlace,
): { readonly lines: string; readonly next: GivingPlace } {
  const tables = archivedTables(sql);
  let lines = '';
  let { after } = place;
  for (let index = tables.findIndex(({ name }) => name === place.table); index < tables.length; index++) {
    const table = tables[index]!;
    let told = false;
    for (;;) {
      const rows = rowsOf(sql, table, branches, after);
      for (const row of rows) {
        const columns = Object.keys(row).filter(column => column !== PLACE);
        const line = `${JSON.stringify(columns.map(column => cellOf(row[column]!)))}\n`;
        const head = told ? '' : `${JSON.stringify({ table: table.name, columns })}\n`;
        if (lines !== '' && lines.length + head.length + line.length > ARCHIVE_PART_CHARS_MAX)
          return { lines, next: { at: 'rows', table: table.name, after } };
        lines += head + line;
        told = true;
        after = table.key.map(column => row[column === 'rowid' ? PLACE : column]!);
      }
      if (rows.length < ARCHIVE_READ_ROWS_MAX) break;
    }
    after = null;
  }
  return { lines, next: { at: 'beside', from: 0 } };
}

const PLACE = '$place';

type Row = { readonly [column: string]: SqlValue };

function rowsOf(
  sql: Reading,
  { name, key }: Table,
  branches: readonly string[],
  after: readonly SqlValue[] | null,
): readonly Row[] {
  const where = whereOf(name, branches);
  const order = key.join(', ');
  const beyond = after === null ? '' : ` AND (${order}) > (${key.map(() => '?').join(', ')})`;
  const columns = key[0] === 'rowid' ? `rowid AS "${PLACE}", *` : '*';
  return sql.all<Row>(
    `SELECT ${columns} FROM ${name} WHERE ${where.text}${beyond} ORDER BY ${order} LIMIT ${ARCHIVE_READ_ROWS_MAX}`,
    ...where.values,
    ...(after ?? []),
  );
}

/** Of two tables not all rows are the world's, or come along. */
function whereOf(
  table: string,
  branches: readonly string[],
): { readonly text: string; readonly values: readonly SqlValue[] } {
  if (table === 'meta') return { text: `NOT (${OWN_META})`, values: [] };
  if (table !== 'child') return { text: 'true', values: [] };
  return { text: 'world IN (SELECT value FROM json_each(?))', values: [JSON.stringify(branches)] };
}

async function linesBeside(
  source: ArchiveSource,
  from: number,
): Promise<{ readonly lines: string; readonly next: GivingPlace }> {
  let lines = '';
  let n = 0;
  for await (const value of beside(source)) {
    if (n++ < from) continue;
    const line = `${JSON.stringify(value)}\n`;
    if (lines !== '' && lines.length + line.length > ARCHIVE_PART_CHARS_MAX)
      return { lines, next: { at: 'beside', from: n - 1 } };
    lines += line;
  }
  return { lines, next: { at: 'blobs', after: null, from: 0 } };
}

async function* beside({ browsers, handlers }: ArchiveSource): AsyncGenerator<object> {
  for (const name of (await browsers.names()).toSorted()) {
    const text = await browsers.read(name);
    if (text !== null) yield { browser: name, text };
  }
  const notes = await browsers.notes();
  if (notes !== null) yield { browserNotes: notes };
  for (const [vendor, text] of await handlers()) yield { handlers: vendor, text };
}

type BlobsPlace = Extract<GivingPlace, { at: 'blobs' }>;

async function bytesFrom(
  { sql, bytes }: ArchiveSource,
  world: string,
  { after, from }: BlobsPlace,
): Promise<{ readonly line: string; readonly next: GivingPlace | null }> {
  const row = sql.get<{ sha: Uint8Array; size: number }>(
    'SELECT sha, size FROM blob WHERE inline IS NULL AND sha > ? ORDER BY sha LIMIT 1',
    after === null ? new Uint8Array(0) : fromHex(after)!,
  );
  if (row === undefined) return { line: '', next: null };
  const blob = hex(row.sha);
  const chunk = await bytes(blob, from, ARCHIVE_BLOB_CHUNK_BYTES);
  if (chunk === undefined || chunk.length === 0) throw new MissingBytes(world, blob);
  const line = `${JSON.stringify({ blob, size: row.size, at: from, bytes: toBase64(chunk) })}\n`;
  const end = from + chunk.length;
  const next: GivingPlace =
    end < row.size ? { at: 'blobs', after, from: end } : { at: 'blobs', after: blob, from: 0 };
  return { line, next };
}
