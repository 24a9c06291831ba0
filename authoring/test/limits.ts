// Bounds of worlds in tests.

/** What is in flight when a test's world closes has so long to end. */
export const DRAIN_MS_MAX = 200;
/** A webhook is awaited so long. */
export const WEBHOOK_MS_MAX = 10_000;
/** What a proxy answers to a CONNECT before the tunnel is there. */
export const CONNECT_HEAD_BYTES_MAX = 64 * 1024;
/** Rows of its timeline that a failing test shows, the newest. */
export const SHOWN_ENTRIES_MAX = 20;
/** Refusals that it shows. */
export const SHOWN_REFUSALS_MAX = 10;
/** Entries of a page of a twin's log, as asked for. */
export const TIMELINE_PAGE = 100;
