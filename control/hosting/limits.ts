// What bounds the endpoints of a host of many worlds, with its unit in its name.

/** Of an owning org, as it is recorded. */
export const OWNER_CHARS_MAX = 128;
/** Twins of a world that is made. */
export const VENDORS_PER_WORLD_MAX = 64;
/** Worlds that the metrics tell apart: each is a label of several rows. The others are counted together. */
export const METRICS_WORLDS_MAX = 1_000;
/** Of the inventory, what is put together before it is sent. */
export const INVENTORY_CHUNK_CHARS: number = 64 * 1024;
/** Files of one import: a twin's state, and the larger bytes that it names. */
export const IMPORTED_FILES_MAX = 1_000;
