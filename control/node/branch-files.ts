// Where the branches of a world are kept, each in a folder of its own, and what a folder says of its branch before
// anybody opened it.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BranchList } from '../world/past/branch-list.ts';
import { type BranchNote, originIn, readBranchNote } from './branch-note.ts';
import type { HostedWorld } from './hosted-world.ts';
import type { WorldFiles } from './store-guard.ts';

/** The world that a line of branches began with. */
type Line = {
  /** `<org>/<world>`. */
  readonly name: string;
  /** The folder of its branches. */
  readonly branches: string;
};

/** Where a branch keeps what. */
export function branchFiles(root: Line, name: string): WorldFiles {
  const store = join(root.branches, folderOf(name));
  return {
    store,
    blobs: join(store, 'blobs'),
    database: join(store, 'world.db'),
    tokens: join(store, 'token'),
    browsers: join(store, 'browsers'),
    marks: join(store, 'marks.json'),
    backups: null,
    branches: null,
  };
}

/** The names that the folders of its branches stand for. */
export function branchesIn(root: Line): readonly string[] {
  if (!existsSync(root.branches)) return [];
  const [org] = root.name.split('/');
  return readdirSync(root.branches).map(folder => `${org}/${folder}`);
}

/**
 * What a folder says whose branch it is; null for one that is no branch, and for a branch of the root where that is open,
 * and says itself.
 */
export function noteOf(root: Line, world: string, open: HostedWorld | null): BranchNote | null {
  const { store, database } = branchFiles(root, world);
  const note = readBranchNote(store);
  if (note !== null) return note.parent === root.name && open !== null ? null : note;
  if (open !== null && new BranchList(open.sql).has(world)) return null;
  const origin = originIn(database);
  if (origin === null) return null;
  // How long it stays is in its parent's row, which is looked at when that is open.
  return { parent: origin.world, row: { world, at: origin.at, created: origin.at, expires: null } };
}

/** `<org>/<world>` → `<world>`: all are of one org. */
function folderOf(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
