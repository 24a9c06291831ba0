// Every limit of the command line in one place, with its unit in its name.

/** Loopback answers at once, and a world that is catching up says so; only a move of the clock waits for all of it. */
export const ANSWER_MS_MAX = 15_000;
/** Between two looks at how far a move of the clock is. */
export const CLOCK_LOOK_MS = 400;
/** Between two looks at how far a refresh is. */
export const REFRESH_LOOK_MS = 400;
/** Fields in conflict that are told for people. */
export const CONFLICTS_TOLD_MAX = 20;
export const PROGRESS_BAR_COLUMNS = 24;
/** An answer that is longer is not read to its end. The longest that a world gives, a checkpoint, has 24 MB. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** For a world that another command is starting: a large store takes some seconds. */
export const UP_MS_MAX = 15_000;
/** Between two looks at whether it is up. */
export const UP_LOOK_MS = 50;
/** Draining takes up to five seconds for requests in flight, and the proxy its own. */
export const DOWN_MS_MAX = 30_000;
/** Between two looks at whether a process has ended. */
export const DOWN_LOOK_MS = 50;
/** Between two looks at whether other commands still use the world that one of them started. */
export const SHARED_LOOK_MS = 100;
/** A complaint of a running world that is the same as the one before is shown no more often than this. */
export const SAY_AGAIN_MS = 30_000;
/** Different lines that it is known of when they were said. */
export const SAID_LINES_MAX = 100;
/** For a keystore of the JVM's, which only its own keytool writes. */
export const KEYTOOL_MS_MAX = 20_000;

/** For a store of certificates of NSS's, which its own certutil writes. */
export const NSS_MS_MAX = 10_000;

/** Where the command was content, and something was refused, and that was not to be. */
export const EXIT_REFUSED = 3;
/** Where the time of a run was over, as timeout(1) has it. */
export const EXIT_TIME = 124;

/** Of a line about somebody's file: a path can have four thousand. */
export const NOTE_CHARS_SHOWN_MAX = 1_000;

/** Of a terminal that does not say how wide it is. */
export const COLUMNS_DEFAULT = 80;
/** Longer lines are hard to read, however wide the window is. */
export const COLUMNS_MAX = 110;
/** Different refusals that a run tells as they happen; the rest is counted. */
export const REFUSALS_TOLD_MAX = 50;
/** Refusals that a status names for people. */
export const REFUSALS_SHOWN_MAX = 5;
/** Entries of one answer while following a log; more than so many between two looks are shown from their newest. */
export const FOLLOW_PAGE_ENTRIES_MAX = 200;

/** Records, and entries, that a search shows; a page of it has at most 200. */
export const FIND_SHOWN_DEFAULT = 20;
export const FIND_SHOWN_MAX = 200;

/** For the demo's shop to start and to register with the twin, and for a webhook to arrive. */
export const DEMO_SHOP_MS_MAX = 20_000;
/** For each of the other clients of the demo. */
export const DEMO_CLIENT_MS_MAX = 20_000;
/** For each command that a demo types. */
export const DEMO_COMMAND_MS_MAX = 60_000;
/** For a program of a demo to end by itself, asked to. */
export const DEMO_STOP_MS_MAX = 5_000;

/** Records of a vendor that a report in Markdown tells by their fields; a code host takes 65,536 characters of a comment. */
export const REPORT_RECORDS_SHOWN_MAX = 30;
/** Rows of its tables: operations, refusals, webhooks. */
export const REPORT_ROWS_SHOWN_MAX = 30;
export const REPORT_ACTIONS_SHOWN_MAX = 50;
/** Characters of a whole report in Markdown: those of a comment, less some for what stands around it. */
export const REPORT_CHARS_MAX = 60_000;
/** Actions of a changeset that a run tells when its command has ended. */
export const RUN_ACTIONS_SHOWN_MAX = 20;
/** Fields of each. */
export const REPORT_FIELDS_SHOWN_MAX = 12;

/** Of one answer to a model, about six thousand tokens. */
export const MCP_ANSWER_CHARS_MAX = 24_000;
/** Entries and refusals of a page. */
export const MCP_PAGE_DEFAULT = 20;
export const MCP_PAGE_MAX = 100;
/** Records of a page: each is long. */
export const MCP_RECORDS_DEFAULT = 5;
/** Records that an entry tells of. */
export const MCP_ENTRY_CHANGES_MAX = 12;
/** Between two looks at the receipts of a deploy that goes on. */
export const RECEIPTS_ASKED_MS = 300;
/** Of a secret that is typed or piped: more than any credential has. */
export const SECRET_INPUT_CHARS_MAX: number = 16 * 1024;

/** Of a host's own backups: each of its worlds is looked at. */
export const BACKUP_EVERY_MS_MIN = 60_000;
/** Between two looks at a service that others wait for, where its health check asks less often. Milliseconds. */
export const HEALTH_CHECK_MS = 500;

/** Of an archive that is read: a part has a megabyte, and the last row of it more. */
export const ARCHIVE_PART_READ_CHARS_MAX: number = 16 * 1024 * 1024;
/** For a host to take one, or to begin one: it looks through all of a world with the last. */
export const ARCHIVE_PART_MS_MAX = 120_000;
/** A part of which no word came back. */
export const PART_SENT_TIMES_MAX = 3;
/** What does not come along, as it is told to people. */
export const LEFT_TOLD_MAX = 30;
