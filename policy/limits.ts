// Every bound of what policy reads and says, with its unit.

/** RFC 1035: a label has at most 63 characters, a name at most 253 in text. */
export const HOST_LABEL_CHARS_MAX = 63;
export const HOST_CHARS_MAX = 253;
/** A longer authority is refused before anything looks at it: the longest name in its longest escaped spelling. */
export const AUTHORITY_CHARS_MAX = 2048;
/** Longest request target judged; Node's own limit for a whole request head is 16 KiB. */
export const TARGET_CHARS_MAX = 32 * 1024;
/** Longest grant; a URL that long is no grant that a person wrote. */
export const GRANT_CHARS_MAX = 2048;

/** Longest line that proxy or control reads of the other; a longer one ends the connection. 100,000 grants take about 12 MB. */
export const PUSH_LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Longest `target` of a record; a URL can be as long as a request head. */
export const REFUSAL_TARGET_CHARS_MAX = 1024;
/** Longest host, detail and reason that a record shows. */
export const HOST_CHARS_SHOWN_MAX = 256;
export const DETAIL_CHARS_MAX = 300;
export const REASON_CHARS_MAX = 2048;
/** Longest record that a header carries; many clients take 16 KiB for a whole head, some half of it. */
export const REFUSAL_FIELD_CHARS_MAX = 6 * 1024;

/** Levels of JSON that came from outside; the deepest a vendor documents (schemas, twice a level) is half of it. */
export const JSON_DEPTH_MAX = 128;
