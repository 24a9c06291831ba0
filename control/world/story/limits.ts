// The bounds of what a world tells in words, each with its unit.
/** Of what a twin calls a record, and of what matters of it; a longer one is cut. */
export const WORDING_CHARS_MAX = 200;
/** How often the words of a page are asked for again because they looked at records that had to be read first. */
export const WORDING_TRIES_MAX = 4;
/** Other records that the words of one page look at. */
export const WORDING_RECORDS_MAX = 1_000;
/** Records of one entry that its line names; how many more there are is said by type. */
export const STORY_RECORDS_MAX = 8;
/** Entries of models' twins that a page of their calls looks through, and how often where none of them is one. */
export const CONVERSATIONS_PAGE_ENTRIES_DEFAULT = 20;
export const CONVERSATIONS_PAGE_ENTRIES_MAX = 100;
export const CONVERSATIONS_SCAN_TRIES_MAX = 10;
/** Of what was asked and answered, in a list of calls. */
export const CONVERSATION_QUOTE_CHARS_MAX = 200;
/** Things that wait for the clock, of one answer, the soonest. */
export const DUE_EVENTS_SHOWN_MAX = 100;
/** Versions of one record that are told, the newest. */
export const RECORD_VERSIONS_SHOWN_MAX = 20;
/** Of a text that is looked for. */
export const FIND_TEXT_CHARS_MAX = 200;
/** Found things of one answer. */
export const FIND_ROWS_DEFAULT = 50;
export const FIND_ROWS_MAX = 200;
/** What one answer looks through before it says where the next goes on; about a tenth of a second. */
export const FIND_LOOKED_ENTRIES_MAX = 2_000;
export const FIND_LOOKED_RECORDS_MAX = 5_000;
/** Between two of these looks, others are answered. */
export const FIND_RECORDS_PER_TURN = 100;
