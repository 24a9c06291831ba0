// Every limit of a world in one place: first those the specification names (section 8), then the kernel's own.
// A number that bounds something lives here, with its unit in its name, or it does not exist.

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

// ── Section 8 ──────────────────────────────────────────────────────────────────────────────────────────────

export const BROWSERS_MAX = 32;
export const BROWSER_BODY_BYTES_MAX = MIB;
export const BROWSER_NAME_CHARS_MAX = 24;
export const HOST_LABEL_CHARS_MAX = 63;
/** Over it: 413. The specification says 4 MB. */
export const REQUEST_BODY_BYTES_MAX = 4 * MIB;
export const CHECKPOINT_BYTES_MAX = 24 * MIB;
/** Request budget: a token bucket a world, off for a local `up`. */
export const BUDGET_REQUESTS_PER_SECOND = 200;
export const BUDGET_BURST_REQUESTS = 2000;
export const SESSION_MS = 30 * DAY_MS;
export const PASS_SESSION_MS = 12 * HOUR_MS;
export const BRANCH_TTL_SECONDS_MIN = 60;
export const BRANCH_TTL_SECONDS_MAX = 2_592_000;
export const ADOPTED_TOKEN_CHARS_MIN = 24;
export const ADOPTED_TOKEN_CHARS_MAX = 256;

// ── Log and records ────────────────────────────────────────────────────────────────────────────────────────

/** A row may hold 2 MB in a Durable Object; the rest of the row needs room too. */
export const ROW_TEXT_BYTES_MAX = 1_900_000;
export const RECORD_BODY_BYTES_MAX = 1_000_000;
export const RECORD_ID_CHARS_MAX = 512;
/** Changes one call may make. Their names are one row of the log. */
export const ENTRY_CHANGES_MAX = 8192;
/** A longer value is indexed by its beginning, and the rest is compared on reading. */
export const INDEX_VALUE_CHARS_MAX = 256;
/** The part of a request's path that the log keeps. */
export const ENTRY_PATH_CHARS_MAX = 2048;
export const LOG_PAGE_ENTRIES_MAX = 500;
export const TIMELINE_PAGE_ENTRIES_DEFAULT = 50;
export const TIMELINE_PAGE_ENTRIES_MAX = 200;
/** A page ends early, after at least one entry, when the bodies it holds reach this. */
export const PAGE_BODY_CHARS_MAX = 4 * MIB;
/** Expired idempotency answers that one call clears away. */
export const MEMOS_SWEPT_PER_CALL_MAX = 32;

// ── Time ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The last instant that ISO 8601 writes with four digits of year: 9999-12-31T23:59:59.999Z. */
export const INSTANT_MS_MAX = 253_402_300_799_999;
/** Due events that one request catches up on before it answers 503. */
export const DUE_EVENTS_PER_REQUEST_MAX = 200;
/** Due events between two turns of the event loop while the clock is advanced. */
export const DUE_EVENTS_PER_TURN_MAX = 50;
export const CATCH_UP_RETRY_AFTER_SECONDS = 1;
/** How long a wake-up of a world on the wall clock may be put off, and how close two may be. */
export const WAKE_MS_MAX = HOUR_MS;
export const WAKE_MS_MIN = 20;

// ── Deliveries ─────────────────────────────────────────────────────────────────────────────────────────────

/** Endpoints that are written to at once; each gets its own deliveries in order. */
export const DELIVERY_LANES_MAX = 8;
export const DELIVERY_TIMEOUT_MS = 20 * SECOND_MS;
export const DELIVERY_ERROR_CHARS_MAX = 300;
