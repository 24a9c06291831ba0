// From the bytes of a mail to its parts (postal-mime).
import PostalMime, { type Address, type Email } from 'postal-mime';
import { ATTACHMENTS_MAX, HEADER_BYTES_MAX, NESTING_MAX, TEXT_CHARS_MAX } from './limits.ts';
import type { Mailbox, ReadAttachment, ReadMail } from './received.ts';

export type ParsedMail = { readonly mail: ReadMail; readonly unreadable: string | null };

const NOTHING: ReadMail = {
  subject: '',
  from: [],
  to: [],
  cc: [],
  bcc: [],
  replyTo: [],
  date: null,
  messageId: null,
  headers: [],
  text: null,
  html: null,
  attachments: [],
};

/** A mail that cannot be read is one without parts: a server takes it all the same. */
export async function parseMail(raw: Uint8Array): Promise<ParsedMail> {
  let email: Email;
  try {
    email = await PostalMime.parse(raw, {
      attachmentEncoding: 'arraybuffer',
      // A forwarded mail is an attachment, not a part of this one's text.
      forceRfc822Attachments: true,
      maxHeadersSize: HEADER_BYTES_MAX,
      maxNestingDepth: NESTING_MAX,
    });
  } catch (error) {
    return unreadMail((error as Error).message);
  }
  const cut: string[] = [];
  if (email.attachments.length > ATTACHMENTS_MAX)
    cut.push(`only its first ${ATTACHMENTS_MAX} attachments are kept apart`);
  const words = (text: string | undefined): string | null => {
    if (text === undefined) return null;
    if (text.length > TEXT_CHARS_MAX) cut.push(`only the first ${TEXT_CHARS_MAX} characters of its text are`);
    return sound(text.slice(0, TEXT_CHARS_MAX));
  };
  const mail: ReadMail = {
    subject: sound(email.subject ?? ''),
    from: mailboxes(email.from),
    to: mailboxes(email.to),
    cc: mailboxes(email.cc),
    bcc: mailboxes(email.bcc),
    replyTo: mailboxes(email.replyTo),
    date: email.date ?? null,
    messageId: email.messageId ?? null,
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value: sound(value) })),
    text: words(email.text),
    html: words(email.html),
    attachments: email.attachments.slice(0, ATTACHMENTS_MAX).map(attachment),
  };
  return { mail, unreadable: cut.length === 0 ? null : cut.join('; ') };
}

/** A mail without parts, and why. */
export function unreadMail(why: string): ParsedMail {
  return { mail: NOTHING, unreadable: why };
}

function attachment(part: Email['attachments'][number]): ReadAttachment {
  const { filename, mimeType, disposition, related, contentId, content } = part;
  const bytes =
    typeof content === 'string'
      ? new TextEncoder().encode(content)
      : content instanceof Uint8Array
        ? content
        : new Uint8Array(content);
  return {
    name: filename === null ? null : sound(filename),
    type: mimeType,
    inline: related === true || disposition === 'inline',
    contentId: contentId === undefined ? null : contentId.replace(/^<|>$/g, ''),
    bytes,
  };
}

/** Groups as their members. */
function mailboxes(addresses: Address | readonly Address[] | undefined): Mailbox[] {
  return [addresses ?? []].flat().flatMap(each =>
    (each.group ?? [each]).map(({ name, address }) => ({
      name: sound(name),
      address: sound(address ?? ''),
    })),
  );
}

/** A lone surrogate could not be written as JSON and read back. */
function sound(text: string): string {
  return text.toWellFormed();
}
