// What the SMTP wire server hands to the twin (`WireAct.read`): who sends to whom, and the mail as it was read.

export type Mailbox = { readonly name: string; readonly address: string };

/** What was said around the mail (RFC 5321), which its own headers need not repeat. */
export type Envelope = {
  /** Empty for a bounce. */
  readonly from: string;
  readonly to: readonly string[];
  /** What the client called itself. */
  readonly helo: string;
  /** Any credentials are taken; the password is kept nowhere. */
  readonly auth: { readonly method: string; readonly user: string } | null;
  /** Whether it came over TLS. */
  readonly tls: boolean;
};

export type ReadAttachment = {
  readonly name: string | null;
  /** Media type, lower case. */
  readonly type: string;
  readonly inline: boolean;
  /** Without the angle brackets. */
  readonly contentId: string | null;
  readonly bytes: Uint8Array;
};

export type ReadMail = {
  readonly subject: string;
  readonly from: readonly Mailbox[];
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  /** As the mail says; ISO 8601 where it can be read as a date. */
  readonly date: string | null;
  readonly messageId: string | null;
  /** In the order of the mail, names as written there. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly ReadAttachment[];
};

export type Received = {
  readonly envelope: Envelope;
  /** As it came. */
  readonly raw: Uint8Array;
  /** The mail is kept in any case; `unreadable` says why it has no parts. */
  readonly mail: ReadMail;
  readonly unreadable: string | null;
};

/** Words of the protocol that the twin, and its handlers before it, are asked about. */
export type SmtpWord = 'AUTH' | 'MAIL' | 'RCPT' | 'DATA';

/** The body of an `AUTH`, a `MAIL` or a `RCPT`, whose path is the user or the address; what handlers match by. */
export type Asked = Omit<Envelope, 'to'> & { readonly to: string | null };
