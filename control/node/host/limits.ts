// What bounds a host of many worlds on this machine, with its unit in its name.
import { descriptorsMax } from '../../../process/descriptors.ts';
import { DESCRIPTORS_KEPT } from '../limits.ts';

const SECOND_MS = 1000;

/** A world that nobody has asked for so long is closed. */
export const WORLD_IDLE_MS: number = 60 * SECOND_MS;
/** Worlds open at once, but for those that are in use: some 800 KB of memory each. */
const OPEN_WORLDS_MAX = 256;
/** Its file, the log beside that, their index, and its lock. */
const DESCRIPTORS_PER_WORLD = 5;
const OPEN_WORLDS_MIN = 8;
/** The directory is looked through so often, for what no watch told of. */
export const RESCAN_MS: number = 30 * SECOND_MS;
/** From what a watch tells to the look: a folder that is copied there grows for a while. */
export const DIRECTORY_SETTLE_MS = 50;
/** Orgs whose folders are watched; in the others a new world is found by the next look. */
export const WATCHED_ORGS_MAX = 512;
/** Folders between two turns of the event loop. */
export const FOLDERS_PER_TURN = 128;
/** Rows of the inventory that are put together at once, by a shard to be asked for the next ones meanwhile. */
export const INVENTORY_PAGE_ROWS = 512;
/** Of the inventory, what is sent at once: each piece is a call into the system. */
export const INVENTORY_PIECE_BYTES: number = 256 * 1024;
/** Rows of the inventory between two turns of the event loop. */
export const ROWS_PER_TURN = 256;
/** Foreign files that the log names of one look; the rest are counted. */
export const FOREIGN_TOLD_MAX = 20;
/** A file's times may lag the clock by so much: what was written within that of a backup is backed up again. */
export const FILE_TIMES_COARSE_MS: number = 2 * SECOND_MS;
/** Between two looks whether backups are due: a machine that slept is late by no more. */
export const BACKUP_LOOK_MS: number = 60 * SECOND_MS;
/** Worlds that the log names of one run of backups; the rest are counted. */
export const UNSAVED_TOLD_MAX = 20;

/** An archive of which no part came for so long is given up. */
export const ARRIVAL_MS_MAX: number = 10 * 60 * SECOND_MS;
/** Worlds that arrive at once: each has its store open. */
export const ARRIVALS_MAX = 16;

/** What the descriptors of this process allow: connections take half of them. */
export function openWorldsMax(descriptors: number = descriptorsMax()): number {
  const room = Math.floor((descriptors - DESCRIPTORS_KEPT) / 2 / DESCRIPTORS_PER_WORLD);
  return Math.max(OPEN_WORLDS_MIN, Math.min(OPEN_WORLDS_MAX, room));
}
