// The twin over HTTP, under its place in the world's URL: what a test asserts on. All of it is read: what changes the inbox is
// the vendor's protocol, and nothing beside it (1).
import type { JsonOperation } from '../kit/json-api.ts';
import type { Ask } from '../kit/operation.ts';
import { type PageStyle, pageById } from '../kit/paging.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reply } from '../kit/reply.ts';
import type { Page } from '../kit/tx.ts';
import { notFound } from './errors.ts';
import { attachmentFile, rawFile } from './files.ts';
import { PAGE_MAILS_DEFAULT, PAGE_MAILS_MAX } from './limits.ts';
import { mailDocument } from './mail-document.ts';
import { mailReply } from './mail-reply.ts';
import type { Mailbox } from './received.ts';
import type { Content, Message } from './records.ts';

/** The mail that the path names. */
export type MailAsk = Ask & { readonly message: Message; readonly content: Content };

export const OPERATIONS: readonly JsonOperation[] = [
  { name: 'messages.list', method: 'GET', path: '/messages', run: ask => listed(pageOf(ask)) },
  {
    name: 'messages.retrieve',
    method: 'GET',
    path: '/messages/{id}',
    run: ofMail(({ message, content }) => mailReply(200, { ...message, ...content })),
  },
  {
    name: 'messages.raw',
    method: 'GET',
    path: '/messages/{id}/raw',
    run: ofMail(({ message, tx }) => rawFile(message, tx)),
  },
  {
    name: 'messages.html',
    method: 'GET',
    path: '/messages/{id}/html',
    run: ofMail(({ message, content, tx }) => mailDocument(message, content, tx)),
  },
  {
    name: 'messages.attachments.retrieve',
    method: 'GET',
    path: '/messages/{id}/attachments/{index}',
    // As it stands in the path: an escaped number is none.
    run: ofMail(({ message, tx, call }) => attachmentFile(message, call.path.split('/').at(-1) ?? '', tx)),
  },
];

/** For what is asked of one mail. */
export function ofMail(run: (ask: MailAsk) => Reply): (ask: Ask) => Reply {
  return ({ call, tx, path, query }) => {
    const id = path['id'] ?? '';
    const message = tx.get<Message>('message', id);
    if (message === undefined) throw notFound('no-such-message', 'The inbox has no such mail.');
    return run({ call, tx, path, query, message, content: tx.get<Content>('content', id)! });
  };
}

const PAGES: PageStyle = {
  usual: PAGE_MAILS_DEFAULT,
  max: PAGE_MAILS_MAX,
  after: 'after',
  wrongLimit: (_asked, max) => new Refusal(400, 'bad-limit', `limit is a number from 1 to ${max}.`),
  wrongCursor: () => new Refusal(400, 'bad-cursor', 'after is the id of a mail in the inbox.'),
};

/**
 * Newest first, by keyset: `limit`, `after=<id>`; `to`, `from` (an address each) and `subject` (a part of it)
 * narrow it.
 */
export function pageOf(ask: Ask): Page<Message> {
  const [to, from, subject] = ['to', 'from', 'subject'].map(
    name => ask.query.get(name)?.toLowerCase() ?? null,
  );
  const keep = (body: object): boolean => {
    const message = body as Message;
    return (
      (to == null || reaches(message, to)) &&
      (from == null || message.envelope.from.toLowerCase() === from || among(message.from, from)) &&
      (subject == null || message.subject.toLowerCase().includes(subject))
    );
  };
  const narrow = to != null || from != null || subject != null;
  return pageById<Message>(ask, 'message', PAGES, narrow ? { keep } : {});
}

function reaches({ envelope, to, cc, bcc }: Message, address: string): boolean {
  return (
    envelope.to.some(each => each.toLowerCase() === address) ||
    [to, cc, bcc].some(list => among(list, address))
  );
}

function among(mailboxes: readonly Mailbox[], address: string): boolean {
  return mailboxes.some(each => each.address.toLowerCase() === address);
}

function listed({ items, more }: Page<Message>): Reply {
  return mailReply(200, { messages: items, next: more ? items.at(-1)!.id : null });
}
