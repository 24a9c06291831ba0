// What the SMTP twin keeps: a mail for lists, and its words apart from it, so that a list does not read them.
import type { RecordType, Wording } from '../kit/twin.ts';
import type { RecordBody } from '../kit/tx.ts';
import type { Envelope, Mailbox, ReadMail } from './received.ts';

export type Attachment = {
  /** Its place among the attachments, from 0; the last part of its URL. */
  readonly index: number;
  readonly name: string | null;
  readonly type: string;
  readonly size: number;
  readonly inline: boolean;
  readonly contentId: string | null;
  readonly sha256: string;
};

export type Message = RecordBody & {
  /** `msg_…` */
  readonly id: string;
  /** ISO 8601, by the world's clock. */
  readonly receivedAt: string;
  readonly envelope: Envelope;
  readonly subject: string;
  readonly from: readonly Mailbox[];
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly date: string | null;
  readonly messageId: string | null;
  /** The beginning of the text. */
  readonly snippet: string;
  /** Bytes. */
  readonly size: number;
  readonly has: { readonly text: boolean; readonly html: boolean };
  readonly attachments: readonly Attachment[];
  /** SHA-256 of its bytes as they came. */
  readonly raw: string;
  /** Which mail of the inbox it is, from 1; the oldest go by it. */
  readonly number: number;
  /** Why it has no parts, or not all of them. */
  readonly unreadable: string | null;
};

/** Of the message of the same id. */
export type Content = RecordBody & Pick<ReadMail, 'headers' | 'text' | 'html'>;

const addresses = (people: readonly Mailbox[]): string => people.map(({ address }) => address).join(', ');

const MAIL_WORDING: Wording<Message> = {
  title: ({ subject, to }) =>
    `mail “${subject || '(no subject)'}”${to.length === 0 ? '' : ` to ${addresses(to)}`}`,
  summary: ({ snippet }) => snippet,
  columns: {
    Subject: ({ subject }) => subject,
    From: ({ from }) => addresses(from),
    To: ({ to }) => addresses(to),
    Received: ({ receivedAt }) => receivedAt.slice(0, 19).replace('T', ' '),
  },
};

export const RECORDS: { readonly [type: string]: RecordType } = {
  message: { indexes: [], ...(MAIL_WORDING as Wording) },
  content: { indexes: [] },
};
