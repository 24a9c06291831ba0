// Bounds of the browser program.

/** Before an event stream that ended is asked for again, until the stream itself says how long. */
export const EVENT_SOURCE_RETRY_MS = 3000;
/** Of one line of an event stream; more is no event. */
export const EVENT_CHARS_MAX = 16 * 1024 * 1024;
