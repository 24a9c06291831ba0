// What an archive puts into a new store, a part at a time, and what is looked at when all of it is there. The store is
// nobody's world before that: whoever has it puts it in its place when nothing is wrong with it, and removes it otherwise.
import { parseJson } from '../../../policy/json-text.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { BrowserStore } from '../../ports/browsers.ts';
import type { Digest } from '../../ports/digest.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { SqlValue } from '../../ports/sql.ts';
import { isBrowserName } from '../config/site-label.ts';
import { ARCHIVE_BLOB_CHUNK_BYTES, BLOB_BYTES_MAX } from '../limits.ts';
import { fromBase64 } from '../seals/envelope.ts';
import { SEAL_COLUMNS } from '../seals/seal-row.ts';
import { bytesInRows } from '../store/blob-puts.ts';
import { fromHex, hex } from '../store/identifier.ts';
import { migrate } from '../store/schema.ts';
import { faultsOf, SCRUB_RULES } from '../store/scrub.ts';
import { readTips } from '../store/tips.ts';
import { type ArchivedSeal, type ArchivedWorld, readCell } from './archive.ts';
import { archivedTables } from './giving.ts';
import { isVendorName } from './header.ts';

export type ArchiveTarget = {
  readonly sql: DurableSql;
  readonly blobs: Blobs;
  readonly digest: Digest;
  readonly browsers: Pick<BrowserStore, 'write' | 'keepNotes'>;
  readonly putHandlers: (vendor: string, text: string) => void | Promise<void>;
};

type Line = { readonly [field: string]: unknown };

export type Placed = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** The world that a part is of; null for one that says none. */
export const worldOfPart = (body: string): string | null => {
  const end = body.indexOf('\n');
  const read = parseJson(end === -1 ? body : body.slice(0, end));
  const name = read.ok ? (read.value as { world?: unknown } | null)?.world : undefined;
  return typeof name === 'string' ? name : null;
};

/** Empty tables, as they were where the rows come from. */
export const beginStore = (sql: DurableSql, schema: number): void => migrate(sql, schema);

/** `noted` is called in the transaction that writes the rows, or at the end of what may be done twice. */
export const placePart = async (
  target: ArchiveTarget,
  body: string,
  noted: () => void = () => {},
): Promise<Placed> => {
  const lines: unknown[] = [];
  for (const text of body.split('\n').slice(1)) {
    if (text === '') continue;
    const read = parseJson(text);
    if (!read.ok) return no('a line is no JSON');
    lines.push(read.value);
  }
  try {
    const rows = lines.some(line => Array.isArray(line) || (line as Line | null)?.['table'] !== undefined);
    if (rows)
      target.sql.transaction(() => {
        placeRows(target.sql, lines);
        noted();
      });
    for (const line of lines) if (!Array.isArray(line)) await placeBeside(target, (line ?? {}) as Line);
    if (!rows) noted();
  } catch (error) {
    if (error instanceof Twisted || isOfTheStore(error)) return no((error as Error).message);
    throw error;
  }
  return { ok: true };
};

class Twisted extends Error {}

const no = (why: string): Placed => ({ ok: false, message: `The archive cannot be taken in: ${why}.` });

/** What SQLite says of a row that it does not take: on one host with its code, on the other in words. */
const isOfTheStore = (error: unknown): boolean =>
  error instanceof Error && (/SQLITE_/.test(error.message) || 'errcode' in error);

function placeRows(sql: DurableSql, lines: readonly unknown[]): void {
  const known = new Set(archivedTables(sql).map(({ name }) => name));
  let insert: string | null = null;
  let width = 0;
  for (const line of lines) {
    if (!Array.isArray(line)) {
      const { table, columns } = (line ?? {}) as Line;
      if (table === undefined) continue;
      if (typeof table !== 'string' || !known.has(table))
        throw new Twisted('it has a table that no world has');
      if (!Array.isArray(columns) || !columns.every(isColumn))
        throw new Twisted(`it does not say what the rows of ${table} are`);
      insert = `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      width = columns.length;
      continue;
    }
    if (insert === null || line.length !== width) throw new Twisted('a row is of no table');
    const values = line.map(readCell);
    if (values.includes(undefined)) throw new Twisted('a row has what no row has');
    sql.run(insert, ...(values as SqlValue[]));
  }
}

const isColumn = (name: unknown): name is string => typeof name === 'string' && /^[a-z_]{1,32}$/.test(name);

async function placeBeside(
  { sql, blobs, digest, browsers, putHandlers }: ArchiveTarget,
  line: Line,
): Promise<void> {
  const { browser, browserNotes, handlers, blob, text } = line;
  if (typeof browser === 'string' && isBrowserName(browser) && typeof text === 'string')
    return browsers.write(browser, text);
  if (typeof browserNotes === 'string') return browsers.keepNotes(browserNotes);
  if (isVendorName(handlers) && typeof text === 'string') return putHandlers(handlers, text);
  if (typeof blob === 'string') return placeBytes({ sql, blobs, digest }, line);
  if (line['table'] === undefined) throw new Twisted('a line says nothing that is known');
}

/** Kept in rows until all of it is here. */
async function placeBytes(
  { sql, blobs, digest }: Pick<ArchiveTarget, 'sql' | 'blobs' | 'digest'>,
  { blob, size, at, bytes }: Line,
): Promise<void> {
  const sha = fromHex(String(blob));
  const chunk = typeof bytes === 'string' ? fromBase64(bytes) : null;
  const whole = Number.isSafeInteger(size) && Number.isSafeInteger(at) && Number(size) <= BLOB_BYTES_MAX;
  if (sha === null || chunk === null || !whole || Number(at) % ARCHIVE_BLOB_CHUNK_BYTES !== 0)
    throw new Twisted('bytes of it cannot be read');
  // The same part once more.
  if (await blobs.has(hex(sha))) return;
  const n = Number(at) / ARCHIVE_BLOB_CHUNK_BYTES;
  sql.transaction(() =>
    sql.run('INSERT OR REPLACE INTO blob_part(sha, n, bytes) VALUES (?, ?, ?)', sha, n, chunk),
  );
  if (Number(at) + chunk.length < Number(size)) return;
  const all = bytesInRows(sql, hex(sha));
  if (all === undefined || all.length !== size || !digest.equal(digest.sha256(all), sha))
    throw new Twisted(`the bytes of ${hex(sha)} are others`);
  await blobs.put(hex(sha), all);
  sql.transaction(() => sql.run('DELETE FROM blob_part WHERE sha = ?', sha));
}

/** All is there, and becomes what this program writes. `seals`: those that open here. What is wrong, in words. */
export const finishStore = async (
  { sql, blobs }: Pick<ArchiveTarget, 'sql' | 'blobs'>,
  { name, rows, positions }: ArchivedWorld,
  seals: readonly ArchivedSeal[],
): Promise<readonly string[]> => {
  const found = archivedTables(sql).reduce(
    (sum, { name: table }) =>
      sum +
      sql.get<{ n: number }>(
        `SELECT count(*) AS n FROM ${table}${table === 'meta' ? " WHERE k NOT IN ('schema', 'store')" : ''}`,
      )!.n,
    0,
  );
  if (found !== rows) return [`${name} has ${found} rows and should have ${rows}`];
  migrate(sql);
  sql.durable(() => {
    sql.run('DELETE FROM seal');
    for (const { ref, boundTo, by, wrapped, iv, ciphertext, rev, at } of seals)
      sql.run(
        `INSERT INTO seal(${SEAL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ref,
        boundTo,
        by,
        wrapped,
        iv,
        ciphertext,
        rev,
        at,
      );
  });
  const faults = SCRUB_RULES.flatMap(rule => faultsOf(sql, rule));
  const tips = readTips(sql);
  for (const twin of new Set([...Object.keys(tips), ...Object.keys(positions)]))
    if (tips[twin] !== positions[twin])
      faults.push(`${twin} of ${name} ends at ${tips[twin] ?? 0}, and should at ${positions[twin] ?? 0}`);
  for (const { sha } of sql.all<{ sha: Uint8Array }>('SELECT sha FROM blob WHERE inline IS NULL'))
    if (!(await blobs.has(hex(sha)))) faults.push(`the bytes of ${hex(sha)} did not come`);
  return faults;
};
