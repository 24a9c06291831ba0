// Every limit of the console, with its unit in its name.

/** Rows that are shown at a time: more are hard on a browser and on a reader. */
export const PAGE_ROWS = 50;

/** Between two looks whether the host answers. */
export const LOOK_MS = 10_000;

/** The same while it does not. */
export const LOOK_AGAIN_MS = 2_000;

/** Between two readings of the health that is shown. */
export const HEALTH_MS = 5_000;

/** Worlds that the health names as the busiest. */
export const BUSIEST_MAX = 10;

/** After the last key of a search, until how much it found is read out. */
export const SEARCH_SETTLE_MS = 600;
