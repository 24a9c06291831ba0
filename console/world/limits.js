// Every limit of the world's page, with its unit in its name.

/** Entries that the timeline asks for at a time. */
export const PAGE_ENTRIES = 50;

/** More lines than this are hard on a browser and on a reader; older ones are a click away again. */
export const LINES_MAX = 500;

/** Attempts at webhooks that are laid out below their entry, the newest. */
export const WEBHOOKS_SHOWN_MAX = 50;

/** Rows of a table of records, and levels of a record that are laid out; what is below is JSON. */
export const ROWS_SHOWN_MAX = 500;
export const LINK_LEVELS_MAX = 4;

/** Characters of a text of a stranger’s that are laid out before somebody asks for all of it. */
export const TEXT_CHARS_SHOWN_MAX = 2_000;
/** … and of each piece that it is laid out in then. */
export const TEXT_PIECE_CHARS = 8_000;

/** Found records and entries: so many at a time, and of each no more than are easily read. */
export const FIND_SHOWN = 50;
export const FIND_SHOWN_MAX = 500;

/** Requests that no handler took, the newest. */
export const MISSES_SHOWN_MAX = 50;
/** Places of the bar over the history: a key moves by one of them. */
export const TIME_STEPS = 200;

/** How long a branch stays that was made to see what comes. */
export const PREVIEW_SECONDS = 3600;

/** How long the news of a burst is gathered before the page looks again. */
export const GATHER_MS = 200;

/** A world is not to be busy with being looked at: between two readings of a view is so many times what one takes. */
export const REST_TIMES = 4;
/** … and never less than this. */
export const REST_MS_MIN = 1000;

/** What the proxy lets out is told to nobody: how often somebody who looks at it asks. */
export const OUTSIDE_LOOK_MS = 2000;
/** Between two drawings of the charts, which are by the minute. */
export const CHART_LOOK_MS = 10_000;
export const CHART_MINUTES = 60;
/** Requests that arrived while somebody reads: with more, the list begins anew. */
export const NEW_REQUESTS_MAX = 100;

/** While the clock moves, how often it is asked how far it is. */
export const CLOCK_LOOK_MS = 500;

/** Of a vendor that is being copied, how far it is. */
export const REFRESH_LOOK_MS = 500;
/** Fields of one twin that both sides changed, on the page. */
export const CONFLICTS_SHOWN_MAX = 200;

/** Pixels: of a frame of the board that nobody sized, … */
export const FRAME_HEIGHT = 420;
/** … the least and the most, … */
export const FRAME_HEIGHT_MIN = 120;
export const FRAME_HEIGHT_MAX = 2400;
/** … and what a key adds to it. */
export const HEIGHT_STEP = 40;
