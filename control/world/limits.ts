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
/** RFC 1035, 2.3.4, without the dot at its end. */
export const HOST_NAME_CHARS_MAX = 253;
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

/** Answers of a world that its clients have not taken yet; over it requests are answered 503. One answer goes beyond it. */
export const ANSWERS_IN_FLIGHT_BYTES_MAX = 64 * MIB;
/** Over that, an answer of which nobody has read for so long is cut. */
export const ANSWER_STALL_MS_MAX = 10 * SECOND_MS;

// ── Who gets in ────────────────────────────────────────────────────────────────────────────────────────────

/** Where the states of one browser left cookies, or local storage: that many places are remembered, the newest. */
export const LEFT_COOKIES_MAX = 10_000;
/** What one answer sets of a profile's cookies: what stands in front of a host may take no longer head. */
export const SITE_COOKIES_BYTES_MAX = 4 * KIB;
/** Between the opening of a site and the arrival there. */
export const SITE_PASS_MS = 30 * SECOND_MS;
/** Sites that are being opened at once; a further one ends the oldest. */
export const SITE_PASSES_MAX = 1024;
/** A path to land at. */
export const LAND_CHARS_MAX = 2048;
export const KEYS_MAX = 1000;
export const KEY_NAME_CHARS_MAX = 64;
/** A person's subject, and the name it is shown by. */
export const PERSON_CHARS_MAX = 256;
/** A key's last use is written no more often than this; in between it is kept in memory. */
export const KEY_USE_WRITE_MS = MINUTE_MS;
/** Sessions that one opener (the token, one key, one person) has at once; a further one ends the oldest. */
export const SESSIONS_PER_OPENER_MAX = 256;
/** As many at the sites of its world: each page has one at each site that it opened. */
export const SITE_SESSIONS_PER_OPENER_MAX: number = 16 * SESSIONS_PER_OPENER_MAX;
export const PASS_CHARS_MAX = 4096;
/** How far a platform's clock may be from ours. */
export const PASS_SKEW_MS = MINUTE_MS;
/** From a pass's `iat` to its `exp`: it is spent at once, and remembered as long as it would be good. */
export const PASS_LIFETIME_MS_MAX = DAY_MS;
/** A platform's keys are asked for again when they are older than this … */
export const ISSUER_KEYS_KEPT_MS = HOUR_MS;
/** … and when a pass names one that is not among them, but no more often than this. */
export const ISSUER_KEYS_ASKED_MS_MIN = MINUTE_MS;
export const ISSUER_KEYS_MAX = 64;
/** Of a platform's answer with its keys. */
export const ISSUER_KEYS_BYTES_MAX = 256 * KIB;
export const ISSUER_TIMEOUT_MS = 5 * SECOND_MS;

// ── Log and records ────────────────────────────────────────────────────────────────────────────────────────

/** A longer body is a blob: a row may hold 2 MB in a Durable Object, and the rest of the row needs room too. */
export const ROW_BODY_BYTES_MAX = 1_000_000;
/** What a blob may hold in the store itself; a larger one is with the host. */
export const BLOB_INLINE_BYTES_MAX = 256 * KIB;
export const BLOB_BYTES_MAX = 32 * MIB;
/** Whatever a request can carry fits: JSON writes a byte with at most six, and a record holds some more besides. */
export const RECORD_BODY_BYTES_MAX = 32 * MIB;
export const RECORD_ID_CHARS_MAX = 512;
/** Of a state that is brought from elsewhere: each may have a file beside it, and some of them more. */
export const SEEDED_RECORDS_PER_ENTRY = 4096;
/** Changes one call may make. Their names are one row of the log. */
export const ENTRY_CHANGES_MAX = 8192;
/** A longer value is indexed by its beginning, and the rest is compared on reading. */
export const INDEX_VALUE_CHARS_MAX = 256;
/** The part of a request's path that the log keeps. */
export const ENTRY_PATH_CHARS_MAX = 2048;
/** A longer body of a request lies among the blobs. */
export const ASKED_BODY_CHARS_MAX = 64 * KIB;
export const LOG_PAGE_ENTRIES_MAX = 500;
export const TIMELINE_PAGE_ENTRIES_DEFAULT = 50;
export const TIMELINE_PAGE_ENTRIES_MAX = 200;
/** A page ends early, after at least one entry, when the bodies it holds reach this. */
export const PAGE_BODY_CHARS_MAX = 4 * MIB;
/** Changes of a page that are read before it is known how large bodies are; one may hold two rows of a megabyte. */
export const PAGE_FIRST_CHANGES = 32;
/** Of the newest versions of one twin's records, in memory. */
export const KEPT_HEADS_CHARS_MAX: number = 256 * KIB;
/** Entries that were shown are kept as they were, of each world: some pages of the timeline. */
export const KEPT_LINES_CHARS_MAX = MIB;
/** Idempotency answers that are remembered from one look for expired ones to the next, … */
export const MEMOS_REMEMBERED_PER_SWEEP = 16;
/** … and how many of those one look clears away. */
export const MEMOS_SWEPT_PER_SWEEP_MAX: number = 4 * MEMOS_REMEMBERED_PER_SWEEP;

// ── Past and branches ──────────────────────────────────────────────────────────────────────────────────────

/** Records read between two turns of the event loop while a checkpoint is taken. */
export const CHECKPOINT_RECORDS_PER_TURN_MAX = 1000;
/** Records copied between two turns of the event loop from the first touch of a twin in a branch on … */
export const HYDRATED_RECORDS_PER_TURN_MAX = 250;
/** … and so many of those the first call waits for: a small twin is whole by then. */
export const HYDRATED_TURNS_PER_CALL_MAX = 4;
export const DIFF_PAGE_CHANGES_MAX = 500;
/** Branches of one world at once; each has a store of its own open. */
export const BRANCHES_MAX = 256;
export const BRANCH_LABEL_CHARS_MAX = 32;

// ── Archives ───────────────────────────────────────────────────────────────────────────────────────────────

/** Of a part; with one row more, and as UTF-8, it is a body that a host takes. */
export const ARCHIVE_PART_CHARS_MAX = 1_000_000;
/** Rows that are read at once, be each as large as it may. */
export const ARCHIVE_READ_ROWS_MAX = 64;
/** Of large bytes, what one part holds, in base64: a row takes it while the rest is on its way. */
export const ARCHIVE_BLOB_CHUNK_BYTES = 700_000;
/** A world with its branches, and theirs. */
export const ARCHIVED_WORLDS_MAX = 1_024;

// ── Time ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The last instant that ISO 8601 writes with four digits of year: 9999-12-31T23:59:59.999Z. */
export const INSTANT_MS_MAX = 253_402_300_799_999;
/** Due events between two turns of the event loop, of which a request does one at most … */
export const DUE_EVENTS_PER_TURN_MAX = 50;
/** … and how long they may take, but for the one that is longer by itself. */
export const DUE_MS_PER_TURN_MAX = 10;
/** The same while others have the event loop between two turns for half as long as `DUE_MS_PER_TURN_MAX`, or longer. */
export const SHARED_DUE_MS_PER_TURN_MAX = 3;
/** … and how many times as long as each of these turns took the others have the loop after it. */
export const OTHERS_MS_PER_SHARED_DUE_MS = 20;
/** Who asks a twin waits for a catch-up that is no older than this, and is told to come back by a longer one. */
export const CATCH_UP_GRACE_EVENTS_MAX = 200;
export const CATCH_UP_GRACE_MS_MAX = 100;
/** From the beginning or the failure of a catch-up to the alarm that takes it up again, should it have ended. */
export const CATCH_UP_GUARD_MS = SECOND_MS;
export const CATCH_UP_RETRY_AFTER_SECONDS = 1;
/** How often a read beside a write that was lost looks again by itself. */
export const READ_AGAIN_TRIES_MAX = 3;
/** How long a wake-up of a world on the wall clock may be put off, and how close two may be. */
export const WAKE_MS_MAX = HOUR_MS;
export const WAKE_MS_MIN = 20;
/** Until a world whose store could not be read looks again for what falls due. */
export const WAKE_AGAIN_MS = 10 * SECOND_MS;

// ── Journal of requests ────────────────────────────────────────────────────────────────────────────────────

/** Lines that wait are written when there are so many, or the first has waited so long: less where somebody follows the world. */
export const JOURNAL_BATCH_LINES = 500;
export const JOURNAL_BATCH_MS: number = 2 * SECOND_MS;
export const JOURNAL_FOLLOWED_MS = 250;
/** Older lines are swept; also the longest report. */
export const JOURNAL_MS_MAX = 31 * DAY_MS;
/** Lines kept, the newest: about 25 MB of the store. */
export const JOURNAL_LINES_MAX = 250_000;
/** Old lines that one batch clears away. */
export const JOURNAL_SWEPT_LINES = 2 * JOURNAL_BATCH_LINES;
export const JOURNAL_ROUTE_CHARS_MAX = 200;
export const REPORT_HOURS_DEFAULT = 24;
export const REPORT_HOURS_MAX = JOURNAL_MS_MAX / HOUR_MS;
/** Routes of a twin that a report names. */
export const REPORT_ROUTES = 10;
/** Lines that are counted in memory before the store has them counted … */
export const COUNTS_WRITTEN_LINES = 2000;
/** … and lines of the store that are counted in one turn of the event loop, where it is behind. */
export const COUNTED_LINES_PER_TURN = 500;
/** Counts by minute are kept so long; longer reports begin with an hour. */
export const COUNTED_MINUTES_MS = 24 * HOUR_MS + MINUTE_MS;
/** Routes that are counted apart, of one twin in one span of time: those that came first. */
export const COUNTED_ROUTES_MAX = 100;
/** Old counts that one writing clears away. */
export const COUNTS_SWEPT_ROWS = 1000;
/** Lines of a page of requests … */
export const REQUEST_LINES_DEFAULT = 50;
export const REQUEST_LINES_MAX = 200;
/** … and lines of the journal that one page looks through for them. */
export const REQUEST_SCANNED_LINES_MAX = 2000;
/** … and to find the one that a vendor calls so. */
export const REQUEST_NAMED_LINES_MAX = 20_000;
export const REQUEST_MINUTES_DEFAULT = 60;
export const REQUEST_MINUTES_MAX = 24 * 60;
/** Exchanges kept in memory, the newest, and what their bodies may take together; a longer body is not kept. */
export const KEPT_REQUESTS_MAX = 300;
export const EXCHANGES_BYTES_MAX = 2 * MIB;
export const EXCHANGE_BODY_BYTES_MAX = 64 * KIB;

// ── Who looks on ───────────────────────────────────────────────────────────────────────────────────────────

/** Streams of events that a world serves at once. */
export const EVENT_FOLLOWERS_MAX = 64;
/** Between two signs of life of a stream of events; also how long one outlives the session that opened it. */
export const EVENT_HEARTBEAT_MS = 15 * SECOND_MS;
/** What a stream of events tells its client to wait before it comes back. */
export const EVENT_RECONNECT_MS = 2 * SECOND_MS;

// ── Streams and sockets ────────────────────────────────────────────────────────────────────────────────────

/** WebSockets of one world at once, those that carry its streams among them. */
export const SOCKETS_MAX = 256;
/** A longer message ends its socket with 1009. OpenAI's realtime takes 15 MB of audio at a time. */
export const SOCKET_MESSAGE_BYTES_MAX = 16 * MIB;
/** Acts of a twin that wait to be sent; over it nothing is read of that client until it has read. */
export const SOCKET_QUEUE_ACTS_MAX = 1000;
/** Messages of a client that wait for their transaction; over it nothing more is read of it. */
export const SOCKET_QUEUE_BYTES_MAX = 32 * MIB;
/** Between two pings; a socket that answered none of them in between is dead. */
export const SOCKET_PING_MS = 30 * SECOND_MS;
/** A socket on which neither side said anything for so long ends with 1001. */
export const SOCKET_IDLE_MS_MAX = HOUR_MS;
/** From the handshake of a stream's WebSocket to the message that says who asks. */
export const STREAM_TOKEN_MS_MAX = 10 * SECOND_MS;
/** Connections to the streams of one world at once, over its listeners, through the proxy and over WebSockets. */
export const STREAM_CONNECTIONS_MAX = 256;

// ── Deliveries ─────────────────────────────────────────────────────────────────────────────────────────────

/** Endpoints that are written to at once; each gets its own deliveries in order. */
export const DELIVERY_LANES_MAX = 8;
export const DELIVERY_TIMEOUT_MS = 20 * SECOND_MS;
export const DELIVERY_ERROR_CHARS_MAX = 300;
/** Of the answer of a receiver that did not take a webhook. */
export const DELIVERY_ANSWER_BYTES_MAX = 500;
/** Webhooks whose bodies are kept once they are settled: the newest of the world. */
export const DELIVERY_BODY_ROWS_MAX = 1_000;
/** Of a page of webhooks; and those that one page looks through for the ones that failed. */
export const WEBHOOKS_PAGE_ROWS_DEFAULT = 20;
export const WEBHOOKS_PAGE_ROWS_MAX = 100;
export const WEBHOOKS_SCAN_ROWS_MAX = 10_000;
/** Until webhooks that this world itself could not handle (its store failed) are taken up again. */
export const DELIVERY_AGAIN_MS = 10 * SECOND_MS;

/** `<world>--<org>` is one DNS label (5.3-2), whose limit is 63 characters. */
export const WORLD_NAME_CHARS_MAX = 61;

/** 100,000 grants take about 12 MB (performance.md measures `decide` there); more is no config. */
export const CONFIG_CHARS_MAX = 32 * 1024 * 1024;
/** The shape is seven levels deep; the parser recurses, so depth is bounded before it runs. */
export const CONFIG_DEPTH_MAX = 64;

/** Bound values of one statement: those of a Durable Object, which takes the fewest. */
export const PARAMETERS_PER_STATEMENT = 100;
/** A longer page of a list is read again when the same call asks for it again. */
export const HELD_ITEMS_PER_PAGE_MAX = 32;

/** Rows read at once while a condition that no index has is looked for: few at first, most conditions hold for most. */
export const RECORD_SCAN_ROWS_MAX = 512;

export const FAULT_FRAMES_MAX = 6;

/** What a check tells of one rule; that there are more is said. */
export const SCRUB_FAULT_LINES_MAX = 20;

/** Entries of a changeset that are read between two turns of the event loop. */
export const CHANGESET_PAGE_ENTRIES = 200;
export const CHANGESET_MESSAGE_CHARS_MAX = 10_000;
/** Persons whose approvals a world's rules may ask for. */
export const APPROVALS_MAX = 100;

/** Until a vault has answered. */
export const VAULT_TIMEOUT_MS = 10 * SECOND_MS;
/** A wrapped data key is a few hundred characters. */
export const VAULT_ANSWER_CHARS_MAX = 64 * KIB;
/** Of a vendor's credential, of each of its headers, and of a signing secret. */
export const CREDENTIAL_CHARS_MAX = 16 * KIB;
export const CREDENTIAL_HEADERS_MAX = 16;

export const LINKS_MAX = 100;
export const LINK_NAME_CHARS_MAX = 64;
/** Until the head of a link's answer while nothing more is sent, then between two pieces of its body: models take long. */
export const LINK_SILENCE_MS_MAX = 10 * MINUTE_MS;

/** How far the time in a webhook's signature may be from ours, as the vendors' own libraries have it. */
export const WEBHOOK_AGE_MS_MAX = 5 * MINUTE_MS;
// ── Roots ──────────────────────────────────────────────────────────────────────────────────────────────────

export const ROOT_URL_CHARS_MAX = 2048;
/** How often a root may be looked at by itself, and how seldom; `atMost` has the same upper bound. */
export const REFRESH_EVERY_MS_MIN = 10 * SECOND_MS;
export const REFRESH_EVERY_MS_MAX = 31 * DAY_MS;
/** Records that one transaction of a refresh writes: a larger page is several of them. */
export const REFRESH_RECORDS_PER_TURN_MAX = 50;
/** Of one answer of a root. */
export const ROOT_ANSWER_BYTES_MAX = 16 * MIB;
/** Until a root begins to answer, and then until its next bytes. */
export const ROOT_ANSWER_MS_MAX = 30 * SECOND_MS;
/** How often one request of a pass is made before the pass ends … */
export const REFRESH_TRIES_MAX = 6;
/** … with waits that double from the first to the last, unless the vendor says how long: a longer one ends the pass. */
export const REFRESH_WAIT_MS_MIN = SECOND_MS;
export const REFRESH_WAIT_MS_MAX = MINUTE_MS;
/** After a pass that ended in a fault, the next begins so much later, doubled with each that fails. */
export const REFRESH_AGAIN_MS_MIN = 30 * SECOND_MS;
export const REFRESH_AGAIN_MS_MAX = HOUR_MS;
/** From the beginning of a pass to the alarm that takes it up again, should its world have ended. */
export const REFRESH_GUARD_MS = MINUTE_MS;
export const REFRESH_FAULT_CHARS_MAX = 500;
/** Records in conflict whose fields a status tells; how many there are it tells besides. */
export const ROOT_CONFLICTS_MAX = 100;
// ── Origin ─────────────────────────────────────────────────────────────────────────────────────────────────

/** One request to the origin, until it answers; a push may deploy before it does. */
export const ORIGIN_ANSWER_MS_MAX = 2 * MINUTE_MS;
/** To say how far it is, which whoever looks waits for. */
export const ORIGIN_LOOK_MS_MAX = 10 * SECOND_MS;
/** Of an answer; a page of a log is far smaller. */
export const ORIGIN_ANSWER_BYTES_MAX = 64 * MIB;
/** Entries that become part of this world between two turns of the event loop, where nothing of its own has to move. */
export const ORIGIN_ENTRIES_PER_TURN_MAX = 100;
/** Conflicts that one pull tells of. */
export const ORIGIN_CONFLICTS_MAX = 1000;

// ── Checks ─────────────────────────────────────────────────────────────────────────────────────────────────

export const CHECKS_MAX = 100;
export const CHECK_SOURCE_CHARS_MAX = 256 * 1024;
/** One check's look at one entry, of its own time … */
export const CHECK_MS_MAX = SECOND_MS;
/** … and all checks of a changeset together, with what they read. */
export const VERIFY_MS_MAX = MINUTE_MS;
/** What runs it counts too. */
export const CHECK_MEMORY_BYTES_MAX = 64 * MIB;
export const CHECK_PRINTED_CHARS_MAX = 4096;
/** Of one verdict. */
export const CHECK_SAID_CHARS_MAX = 64 * 1024;
/** Records of one type that a check is given at once. */
export const CHECK_LIST_RECORDS_MAX = 10_000;
/** Failures that a verification keeps; how many there are besides is said. */
export const CHECK_FAILURES_MAX = 100;
export const CHECK_MESSAGE_CHARS_MAX = 500;
/** Entries that a report of what was done reads; how many more there are is said. */
export const REPORT_ENTRIES_MAX = 5_000;
/** Entries of it that are read between two turns of the event loop. */
export const REPORT_PAGE_ENTRIES = 100;
/** Records that it tells of by their fields, of all twins. */
export const REPORT_RECORDS_MAX = 300;
/** Fields that it tells of one record, and of one request. */
export const REPORT_FIELDS_MAX = 40;
/** Of a field's value; a longer one is cut. */
export const REPORT_VALUE_CHARS_MAX = 200;
/** Levels of a record that are told field by field; what is below is told as JSON. */
export const REPORT_FIELD_LEVELS_MAX = 8;
/** Actions of a deploy, operations that were asked, and webhooks that failed. */
export const REPORT_ROWS_MAX = 200;
/** Lines of the journal that it counts, the newest. */
export const REPORT_LINES_MAX = 200_000;
/** Lines of it that are read between two turns of the event loop. */
export const REPORT_PAGE_LINES = 2_000;
/** Of what people call a record. */
export const REPORT_NAME_CHARS_MAX = 80;
/** Of a page of records. */
export const RECORDS_PAGE_DEFAULT = 20;
export const RECORDS_PAGE_MAX = 100;
// ── Deploys ────────────────────────────────────────────────────────────────────────────────────────────────

/** Until a vendor begins to answer, and then between two parts of its answer. */
export const VENDOR_ANSWER_MS = 80 * SECOND_MS;
export const VENDOR_ANSWER_BYTES_MAX = 4 * MIB;
/** How often one action is sent while a deploy runs, where that is safe … */
export const DEPLOY_SENDS_MAX = 4;
/** … with twice the pause each time, unless the vendor says another. */
export const DEPLOY_PAUSE_MS = SECOND_MS;
export const DEPLOY_PAUSE_MS_MAX = 30 * SECOND_MS;
/** A world that closes waits so long for the answer of a vendor. */
export const DEPLOY_CLOSE_MS_MAX = 5 * SECOND_MS;
/** The words of a vendor, or ours, that a receipt keeps. */
export const RECEIPT_REASON_CHARS_MAX = 1000;
/** Records that one `twin.deployed` renames: each is one that ends and one that is made. */
export const RENAMED_RECORDS_PER_ENTRY: number = ENTRY_CHANGES_MAX / 4;
/** Entries of a changeset that comes from elsewhere, and changes of each. */
export const PUSHED_ENTRIES_MAX = 50_000;
export const STATUS_CONFLICTS_MAX = 100;

// ── The past ───────────────────────────────────────────────────────────────────────────────────────────────

/** Rows of an index that who looks at the past reads before others have their turn. */
export const PAST_ROWS_PER_TURN = 5_000;

// ── Recordings ─────────────────────────────────────────────────────────────────────────────────────────────

/** Of one answer of a real vendor's that is kept; a longer one goes to the app alone. */
export const RECORDED_ANSWER_BYTES_MAX: number = 8 * MIB;
/** Of a recording's file. */
export const RECORDING_CHARS_MAX: number = 48 * MIB;
/** Exchanges that were not kept, of which a recording tells why: the newest. */
export const RECORDING_FAILURES_MAX = 20;
