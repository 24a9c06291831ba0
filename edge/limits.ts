// What bounds a host of worlds on the edge, with its unit in its name.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** A wake-up that is no farther off is a timer of the object, with an alarm behind it in case the object ends. */
export const NEAR_WAKE_MS_MAX: number = 5 * SECOND_MS;
/** From a timer's setting to that alarm: each alarm that is set is a row that is paid for. */
export const GUARD_ALARM_MS: number = 10 * SECOND_MS;
/** Rows of the inventory that one call brings from its object. */
export const INVENTORY_PAGE_ROWS = 500;
/** Until a removal or an expiry that could not be done is tried again. */
export const REMOVAL_AGAIN_MS: number = 30 * SECOND_MS;
/** A world that cannot be opened says so for so long before it is tried again. */
export const UNUSABLE_SECONDS = 5;
/** That there is no world of a name is known without asking for so long. */
export const ABSENCE_MS_MAX: number = SECOND_MS;
/** A body that is longer is handed out in slices, as its client takes them. */
export const ANSWER_SLICE_BYTES: number = 64 * 1024;
/** How long a request is held that a handler says is never answered. */
export const FAULT_HOLD_MS_MAX: number = 5 * MINUTE_MS;
/** Names that are drawn for a branch before it is given up: each is one of 65,536 or more. */
export const BRANCH_NAME_TRIES_MAX = 16;
/** A world that is read stands still; when no part was asked for so long, it goes on. */
export const GIVING_MS_MAX: number = 30 * SECOND_MS;
/** Who asks for a world that is read waits so long. */
export const STANDING_MS_MAX: number = 10 * SECOND_MS;
/** What is being answered is waited for so long, before a world that is to be read stands still. */
export const ANSWERING_MS_MAX: number = 5 * SECOND_MS;
/** Between two looks whether it is. */
export const ANSWERING_LOOK_MS = 20;
/** An archive of which no part came for so long is given up. */
export const ARRIVAL_MS_MAX: number = 10 * MINUTE_MS;
/** Of an archive's header: it is a row of the inventory. */
export const ARRIVING_HEADER_CHARS_MAX = 500_000;
/** The bundle, compressed: what the smallest plan takes. */
export const BUNDLE_COMPRESSED_BYTES_MAX: number = 3 * 1024 * 1024;
/** The platform takes no worker whose modules take longer to begin: CPU, before its first request. */
export const BUNDLE_START_CPU_MS_MAX = 1_000;
/** Of a mail that comes over a stream: an object has a small memory, and all that it reads it holds. Told as SIZE. */
export const MAIL_BYTES_MAX: number = 4 * 1024 * 1024;
/** Blank lines in a row of a mail that is read; one with more is kept unread, since its parser takes minutes for them. */
export const MAIL_BLANK_LINES_MAX = 500;
/**
 * Of a module of a user's, where no clock goes on while it runs: what it uses between two looks of the engine (10,000 turns of a
 * loop or calls) counts as so long.
 */
export const ENGINE_LOOK_MS = 5;
/** Different ones, of one call of such a module. */
export const CALL_QUESTIONS_MAX = 500;
/** What the platform keeps beside a WebSocket of an object that is put away: 16,384 with a few of its own. */
export const SOCKET_ATTACHMENT_BYTES_MAX: number = 16 * 1024 - 64;
/** Of a handshake, twice what it says, in that: a WebSocket with more keeps its object in memory. */
export const SOCKET_HANDSHAKE_BYTES_MAX: number = 12 * 1024;
/** What such a WebSocket needs to go on, in a row: one that needs more keeps its object in memory. */
export const SOCKET_STATE_BYTES_MAX: number = 1024 * 1024;
/** Nothing is done so often: the platform puts no object away that waits for a timer. */
export const STAY_AWAKE_MS: number = MINUTE_MS;
/** What a world has answered it tells the inventory so seldom: each time is a request that is paid for. */
export const COUNTS_TELL_MS: number = 5 * SECOND_MS;
