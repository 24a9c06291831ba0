// Every limit of the SMTP twin: of what it keeps, and of the conversations that its wire server holds.

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

// ── A mail ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Told as SIZE; a larger mail is answered 552. What large providers take. */
export const MAIL_BYTES_MAX = 25 * MIB;
/** Of one mail; RFC 5321 asks for 100 at least. A further one is answered 452. */
export const RECIPIENTS_MAX = 1000;
/** Of all parts of a mail together. */
export const HEADER_BYTES_MAX = 512 * KIB;
/** Multipart inside multipart; deeper mails are kept unread. */
export const NESTING_MAX = 64;
export const ATTACHMENTS_MAX = 1000;
/** Of a mail's text, and of its HTML, that is kept apart from the mail itself. */
export const TEXT_CHARS_MAX = 2 * MIB;

// ── The inbox ──────────────────────────────────────────────────────────────────────────────────────────────

/** Mails that the inbox holds; a further one takes the place of the oldest. The log keeps what they were. */
export const MAILS_MAX = 2000;
/** Of the beginning of the text, for lists. */
export const SNIPPET_CHARS = 140;
/** Images in the mail itself that are shown inside its HTML. */
export const SHOWN_IMAGES_BYTES_MAX = 8 * MIB;
export const PAGE_MAILS_DEFAULT = 50;
export const PAGE_MAILS_MAX = 100;

// ── A conversation ─────────────────────────────────────────────────────────────────────────────────────────

export type WireLimits = {
  /** Clients of one world at once; a further one is answered 421. */
  readonly connections: number;
  /** A client that says nothing for so long while it is its turn is answered 421. */
  readonly idleMs: number;
  /** From 354 to the mail's last line; who takes longer is answered 421. */
  readonly mailMs: number;
  /** Of a whole connection; who stays longer is answered 421. */
  readonly connectionMs: number;
  /** A longer line is answered 421: there is no telling where the next would begin. */
  readonly commandBytes: number;
  readonly mailBytes: number;
  /** Read of a mail that is too large, so that its client hears why; then the connection ends. */
  readonly oversizeBytes: number;
  /** Of all mails on their way; over it a mail is answered 452. */
  readonly heldBytes: number;
};

export const WIRE_LIMITS: WireLimits = {
  connections: 100,
  idleMs: 5 * MINUTE_MS,
  mailMs: 10 * MINUTE_MS,
  connectionMs: 60 * MINUTE_MS,
  commandBytes: 16 * KIB,
  mailBytes: MAIL_BYTES_MAX,
  oversizeBytes: MAIL_BYTES_MAX,
  heldBytes: 256 * MIB,
};
