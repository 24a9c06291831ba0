// What a twin's callers and handlers files may bring, by the kit's own bounds. A vendor's are with its twin.

/** Characters of a pattern, and states it may come to when its counts are written out. */
export const PATTERN_CHARS_MAX = 500;
export const PATTERN_STATES_MAX = 2_000;
/** Only so much of a text is looked at. */
export const PATTERN_TEXT_CHARS_MAX = 100_000;
export const PATTERN_COUNT_MAX = 200;
export const PATTERN_DEPTH_MAX = 40;

export const SAMPLE_DEPTH_MAX = 24;
/** Recursive schemas end their optional parts here. */
export const SAMPLE_OPTIONAL_DEPTH_MAX = 4;
export const SAMPLE_VALUES_MAX = 5_000;
export const SAMPLE_ITEMS_MAX = 100;
export const SAMPLE_TEXT_CHARS_MAX = 10_000;

export const PARTS_MAX = 100;
export const PART_HEAD_BYTES_MAX = 16 * 1024;
export const BOUNDARY_CHARS_MAX = 70;

export const FORM_FIELDS_MAX = 1_000;
export const FORM_DEPTH_MAX = 12;

/** A stream that stalls is cut after this long, however patient its client is. */
export const STREAM_STALL_MS_MAX = 10 * 60_000;
/** Clients drop what they have not read when a connection breaks: what was said is given time to be read. */
export const READ_BEFORE_CUT_MS = 50;

export const IDEMPOTENCY_KEY_CHARS_MAX = 255;

export const ECHO_CHARS_MAX = 2_000;
/** Texts in the log are cut to this: enough to know a call by. */
export const TOLD_CHARS_MAX = 2_000;
/** … but what a model answered to this, for whoever reads the conversation. */
export const ANSWERED_CHARS_MAX = 60_000;

/** Of one webhook: a vendor sends a few while its secret changes. */
export const SIGNATURES_MAX = 16;

/** The newest requests that nothing answered. */
export const UNMATCHED_MAX = 100;
/** Keys whose counts are kept; the one used longest ago goes first. */
export const SCENARIO_SCOPES_MAX = 1_000;

/** Places in which a request is another than the nearest handler's, as its refusal names them. */
export const NEAREST_PLACES_MAX = 5;

export const HANDLERS_MAX = 1_000;
/** A text with values of the request in it. */
export const TEMPLATE_CHARS_MAX = 100_000;
export const HANDLER_DELAY_MS_MAX = 600_000;
export const REPLIES_MAX = 1_000;
export const MATCH_DEPTH_MAX = 16;
export const TOOL_CALLS_MAX = 128;
export const CHUNKS_MAX = 10_000;
export const CHUNK_CHARS_MAX = 100_000;
export const TOKENS_MAX = 100_000_000;
export const EMBEDDING_DIMENSIONS_MAX = 10_000;

/** Longer JSON is kept as a blob: a picture in a prompt is larger than a record may be. */
export const INLINE_CHARS_MAX = 60_000;

/** Levels of JSON that are looked through for secrets; what is below is masked whole. */
export const SECRET_DEPTH_MAX = 130;
/** Texts that a request was let in with, in all their forms. */
export const SECRETS_OWN_MAX = 64;
/** Of a recorded stream: its pieces. */
export const RAW_CHUNKS_MAX = 20_000;
/** Of a recorded stream: from the request to a piece. */
export const RAW_CHUNK_MS_MAX = 600_000;
/** Of what a model was asked and answered, where it stands in a line. */
export const QUOTED_CHARS_MAX = 80;

/** Of all that was said, what is looked through for a schema: its end. */
export const PROMPT_CHARS_MAX = 100_000;
/** Braces of one text at which a schema may begin: what does not end is read to the text's end. */
export const PROMPT_BRACES_MAX = 64;
