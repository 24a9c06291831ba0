// What a host does with worlds that come as archives or leave as such: the Node host has one, and the edge another.
import type { ArchiveHeader, Left } from '../world/archive/archive.ts';
import type { HostProblem, InventoryRow } from './host-worlds.ts';

/** What an archive would be here. */
export type JudgedArchive = {
  readonly ok: true;
  /** What does not come along. */
  readonly left: readonly Left[];
};

export type GivenArchive = {
  readonly ok: true;
  /** The header first. Whoever stops reading ends it. */
  readonly parts: AsyncIterable<string>;
};

export type TakenPart =
  /** The number of the part that comes next. */
  | { readonly ok: true; readonly next: number }
  /** It is served from now on: its row, and those of its branches. */
  | { readonly ok: true; readonly rows: readonly InventoryRow[] };

export type HostArchives = {
  /** The world as it is now, with its branches unless they are not wanted. */
  give(name: string, branches: boolean): Promise<GivenArchive | HostProblem>;
  /** Changes nothing. */
  judge(header: ArchiveHeader): Promise<JudgedArchive | HostProblem>;
  /** The first part. What had begun to arrive under that name is forgotten. */
  begin(header: ArchiveHeader, part: string): Promise<JudgedArchive | HostProblem>;
  /** The next one; the one before again is taken for taken. After a problem with status 400 nothing of it is left. */
  take(name: string, part: string): Promise<TakenPart | HostProblem>;
  /** False where nothing is arriving under that name. */
  abandon(name: string): Promise<boolean>;
};
