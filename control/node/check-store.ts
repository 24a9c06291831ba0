// Looks through a whole store, a running world's too: the file, its write-ahead log, the rules of its tables, its blobs
// by their hashes, and what its marks say. It changes nothing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMA_VERSION, StoreError, schemaVersion } from '../world/store/schema.ts';
import { faultsOf, SCRUB_RULES } from '../world/store/scrub.ts';
import { readTips, type Tips } from '../world/store/tips.ts';
import { digest } from './digest.ts';
import { lackOf, readMarks } from './marks.ts';
import { readSqlite } from './sqlite.ts';
import { storeName, type WorldFiles } from './store-guard.ts';
import { lossInWal } from './wal.ts';

type Reading = Parameters<Parameters<typeof readSqlite>[1]>[0];

export type Checked = {
  /** What holds where there are no faults. */
  readonly holds: string;
  readonly faults: readonly string[];
};

export type StoreReport = {
  readonly ok: boolean;
  readonly file: string;
  readonly positions: Tips;
  readonly checks: readonly Checked[];
};

type Files = Pick<WorldFiles, 'database' | 'blobs' | 'marks'>;

type Check = { readonly holds: string; readonly faults: (sql: Reading) => readonly string[] };

/** `running`: its world is up. */
export async function checkStore(
  files: Files,
  {
    running = false,
    told = () => {},
  }: {
    readonly running?: boolean;
    /** Called before each check, with how many there are. */
    readonly told?: (holds: string, n: number, of: number) => void;
  } = {},
): Promise<StoreReport> {
  const { database } = files;
  const checks: Checked[] = [];
  if (!existsSync(database)) {
    const faults = [`${database} is not there`];
    return { ok: false, file: database, positions: {}, checks: [{ holds: 'the store is there', faults }] };
  }
  // Before the tables are read: a running world only ever adds to what these tell of.
  const marks = await readMarks(files.marks);
  // The log of a running world is written over while it is read; what it has lost by then is in no marks.
  const torn = running ? null : lossInWal(`${database}-wal`);
  if (!running) checks.push({ holds: 'its write-ahead log is whole', faults: torn === null ? [] : [torn] });
  const all: readonly Check[] = [
    { holds: 'the file is whole', faults: integrity },
    {
      holds: 'it has all that its marks tell of',
      faults: sql => {
        const found = { store: storeName(sql), schema: schemaVersion(sql), positions: readTips(sql) };
        const lack = marks === null ? null : lackOf(marks, found);
        return lack === null ? [] : [`it ${lack}`];
      },
    },
    ...SCRUB_RULES.map(rule => ({ holds: rule.holds, faults: (sql: Reading) => faultsOf(sql, rule) })),
    { holds: 'every blob is there, and what its name says', faults: sql => blobFaults(sql, files.blobs) },
  ];
  let positions: Tips = {};
  try {
    readSqlite(database, sql => {
      // One moment of a store that goes on being written to.
      sql.get('BEGIN');
      const found = schemaVersion(sql);
      if (found !== SCHEMA_VERSION)
        throw new StoreError(
          'newer-schema',
          `it has schema version ${found}, and ${SCHEMA_VERSION} is checked: start the world once`,
        );
      for (const [n, { holds, faults }] of all.entries()) {
        told(holds, n, all.length);
        checks.push({ holds, faults: faults(sql) });
      }
      positions = readTips(sql);
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    checks.push({ holds: 'it can be read', faults: [error.message] });
  }
  return { ok: checks.every(({ faults }) => faults.length === 0), file: database, positions, checks };
}

function integrity(sql: Reading): readonly string[] {
  const found = sql.all<{ integrity_check: string }>('PRAGMA integrity_check(20)');
  return found.map(row => row.integrity_check).filter(text => text !== 'ok');
}

type BlobRow = { readonly sha: Uint8Array; readonly size: number; readonly inline: Uint8Array | null };

function blobFaults(sql: Reading, folder: string): readonly string[] {
  const faults: string[] = [];
  const packed = sql.get("SELECT 1 AS found FROM sqlite_master WHERE name = 'backup_blob'") !== undefined;
  for (let after: Uint8Array = new Uint8Array(0); ; ) {
    const row = sql.get<BlobRow>(
      'SELECT sha, size, inline FROM blob WHERE sha > ? ORDER BY sha LIMIT 1',
      after,
    );
    if (row === undefined) return faults;
    after = row.sha;
    const name = Buffer.from(row.sha).toString('hex');
    const bytes = row.inline ?? (packed ? packedBlob(sql, row.sha) : blobFile(folder, name));
    if (bytes === null) faults.push(`the blob ${name} is missing`);
    else if (bytes.length !== row.size || !digest.equal(digest.sha256(bytes), row.sha))
      faults.push(`the blob ${name} is damaged`);
  }
}

function packedBlob(sql: Reading, sha: Uint8Array): Uint8Array | null {
  return sql.get<{ bytes: Uint8Array }>('SELECT bytes FROM backup_blob WHERE sha = ?', sha)?.bytes ?? null;
}

function blobFile(folder: string, name: string): Uint8Array | null {
  const path = join(folder, name.slice(0, 2), name);
  return existsSync(path) ? readFileSync(path) : null;
}
