// Every limit of the SMTP twin.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Told as SIZE; a larger mail is answered 552. What large providers take. */
export const MAIL_BYTES_MAX = 25 * MIB;
/** Of one mail; RFC 5321 asks for 100 at least. */
export const RECIPIENTS_MAX = 1000;
/** Mails that the inbox holds; a further one takes the place of the oldest. The log keeps what they were. */
export const MAILS_MAX = 2000;
/** Of all parts of a mail together. */
export const HEADER_BYTES_MAX = 512 * KIB;
/** Multipart inside multipart; deeper mails are kept unread. */
export const NESTING_MAX = 64;
export const ATTACHMENTS_MAX = 1000;
/** Of the beginning of the text, for lists. */
export const SNIPPET_CHARS = 140;
/** Images in the mail itself that are shown inside its HTML. */
export const SHOWN_IMAGES_BYTES_MAX = 8 * MIB;
export const PAGE_MAILS_DEFAULT = 50;
export const PAGE_MAILS_MAX = 100;
