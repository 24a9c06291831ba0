// Looks at a world's store before it is opened, and refuses one that has lost something: an empty file, an old copy or
// half a log would open without a word and be written to. Nothing is changed; the message says what brings it back.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { schemaVersion } from '../world/store/schema.ts';
import { readTips } from '../world/store/tips.ts';
import { newestBackup } from './backup-files.ts';
import { ControlError } from './control-error.ts';
import { lackOf, type Marks, readMarks } from './marks.ts';
import { readSqlite } from './sqlite.ts';
import { lossInWal } from './wal.ts';

/** Where one world keeps what. */
export type WorldFiles = {
  readonly store: string;
  readonly blobs: string;
  readonly database: string;
  readonly tokens: string;
  readonly browsers: string;
  /** What the world knows of its store outside of it. */
  readonly marks: string;
  /** Null for a branch: its parent's backups have it not, and it has none. */
  readonly backups: string | null;
  /** Null for a branch, whose own are beside it. */
  readonly branches: string | null;
};

/** Throws `ControlError` for a store that has less than this world is known to have had. */
export async function refuseLoss(files: WorldFiles): Promise<void> {
  const marks = await readMarks(files.marks);
  const why = lossOf(files, marks);
  if (why !== null) throw unusable(files, `${files.database} ${why}. It was not changed.`, marks);
}

/** What is wrong with a store, with the ways out of it. */
export function unusable(files: WorldFiles, why: string, marks: Marks | null = null): ControlError {
  const lines = [why];
  if (marks !== null) {
    const positions = Object.entries(marks.positions).map(([twin, position]) => `${twin} at ${position}`);
    lines.push(
      `It was whole at ${marks.at}${positions.length === 0 ? '' : `, with ${positions.join(', ')}`}.`,
    );
  }
  if (files.backups === null) lines.push('To be without this branch: wrld world branch remove <its name>');
  else {
    const newest = newestBackup(files.backups);
    lines.push(
      newest === null
        ? 'There is no backup of it in .wrld/backups (wrld world backup makes one).'
        : `To bring back its newest backup: wrld world restore ${newest}`,
      'To go on with what is left of it: wrld world restore --as-is',
      'To begin anew, empty: wrld world reset',
    );
  }
  return new ControlError('store-unusable', lines.join('\n'));
}

function lossOf(files: WorldFiles, marks: Marks | null): string | null {
  const { database } = files;
  const size = existsSync(database) ? statSync(database).size : null;
  const used = marks !== null || wasUsed(files);
  if (size === null || size === 0) {
    if (!used) return null;
    return size === null ? 'is gone' : 'is empty, and it was not';
  }
  const torn = lossInWal(`${database}-wal`);
  if (torn !== null) return `is damaged: ${torn}, and what was written after that would be lost`;
  if (!used) return null;
  const found = readSqlite(database, sql => {
    const schema = schemaVersion(sql);
    if (schema === 0) return null;
    return { schema, store: storeName(sql), positions: readTips(sql) };
  });
  if (found === null) return 'is empty, and it was not';
  return marks === null ? null : lackOf(marks, found);
}

/** There are tokens of a store that had them, or branches of one. */
function wasUsed({ tokens, branches }: WorldFiles): boolean {
  return (
    isFile(tokens) ||
    (branches !== null && namesIn(branches).some(name => existsSync(join(branches, name, 'world.db'))))
  );
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Of a store that has none yet: nothing. */
export function storeName(sql: { get(text: string): unknown }): string {
  const row = sql.get("SELECT v FROM meta WHERE k = 'store'") as { readonly v: string } | undefined;
  return row?.v ?? '';
}
