// The twin over HTTP, under its place in the world's URL: what a test asserts on, and what a person looks at.
import type { Call } from '../kit/call.ts';
import type { Reply } from '../kit/reply.ts';
import type { Page, Tx } from '../kit/tx.ts';
import { errorReply, jsonReply } from './answer.ts';
import { attachmentFile, rawFile } from './files.ts';
import { inboxPage, mailPage } from './inbox.ts';
import { PAGE_MAILS_DEFAULT, PAGE_MAILS_MAX } from './limits.ts';
import { mailDocument } from './mail-document.ts';
import type { Mailbox } from './received.ts';
import type { Content, Message } from './records.ts';

export type Asked = { readonly call: Call; readonly query: URLSearchParams; readonly tx: Tx };
export type WithMail = Asked & { readonly message: Message; readonly content: Content };
type Route = { readonly path: string } & (
  | { readonly of: 'inbox'; readonly run: (asked: Asked) => Reply }
  | { readonly of: 'mail'; readonly run: (asked: WithMail, rest: string) => Reply }
);

/**
 * `{id}` is a mail's; `{rest}` goes to `run`. All of them are read: what changes the inbox is the vendor's protocol, and
 * nothing beside it (1).
 */
export const ROUTES: readonly Route[] = [
  { path: '/', of: 'inbox', run: asked => withPage(asked, page => inboxPage(page, asked.query)) },
  { path: '/mail/{id}', of: 'mail', run: mailPage },
  { path: '/messages', of: 'inbox', run: asked => withPage(asked, listed) },
  {
    path: '/messages/{id}',
    of: 'mail',
    run: ({ message, content }) => jsonReply(200, { ...message, ...content }),
  },
  { path: '/messages/{id}/raw', of: 'mail', run: ({ message, tx }) => rawFile(message, tx) },
  {
    path: '/messages/{id}/html',
    of: 'mail',
    run: ({ message, content, tx }) => mailDocument(message, content, tx),
  },
  {
    path: '/messages/{id}/attachments/{rest}',
    of: 'mail',
    run: ({ message, tx }, rest) => attachmentFile(message, rest, tx),
  },
];

export function answer(call: Call, tx: Tx): Reply {
  const segments = call.path.split('/');
  const route = ROUTES.find(({ path }) => fits(path.split('/'), segments));
  if (route === undefined) return errorReply(404, 'no-such-path', 'The inbox has nothing at this path.');
  if (call.method !== 'GET' && call.method !== 'HEAD') {
    const reply = errorReply(405, 'other-method', 'This path takes GET: mails come by SMTP alone.');
    return { ...reply, headers: [...reply.headers, ['Allow', 'GET, HEAD']] };
  }
  const reply = run(route, segments, { call, query: new URLSearchParams(call.query), tx });
  return { ...reply, route: route.path, ...(call.method === 'HEAD' && { body: null }) };
}

function run(route: Route, segments: readonly string[], asked: Asked): Reply {
  if (route.of === 'inbox') return route.run(asked);
  const id = segments[2]!;
  const message = asked.tx.get<Message>('message', id);
  if (message === undefined) return errorReply(404, 'no-such-message', 'The inbox has no such mail.');
  const content = asked.tx.get<Content>('content', id)!;
  return route.run({ ...asked, message, content }, segments[4] ?? '');
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) =>
      part.startsWith('{') ? segments[index] !== '' : part === segments[index],
    )
  );
}

/**
 * Newest first, by keyset: `limit`, `after=<id>`; `to`, `from` (an address each) and `subject` (a part of it)
 * narrow it.
 */
function withPage({ query, tx }: Asked, show: (page: Page<Message>) => Reply): Reply {
  const asked = query.get('limit');
  const limit = asked === null ? PAGE_MAILS_DEFAULT : Number(asked);
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_MAILS_MAX)
    return errorReply(400, 'bad-limit', `limit is a number from 1 to ${PAGE_MAILS_MAX}.`);
  const after = query.get('after');
  if (after !== null && tx.get('message', after) === undefined)
    return errorReply(400, 'bad-cursor', 'after is the id of a mail in the inbox.');
  const [to, from, subject] = ['to', 'from', 'subject'].map(name => query.get(name)?.toLowerCase() ?? null);
  const keep = (body: object): boolean => {
    const message = body as Message;
    return (
      (to == null || reaches(message, to)) &&
      (from == null || message.envelope.from.toLowerCase() === from || among(message.from, from)) &&
      (subject == null || message.subject.toLowerCase().includes(subject))
    );
  };
  const narrow = to != null || from != null || subject != null;
  return show(
    tx.list<Message>('message', {
      order: 'newest',
      limit,
      ...(after !== null && { after }),
      ...(narrow && { keep }),
    }),
  );
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
  return jsonReply(200, { messages: items, next: more ? items.at(-1)!.id : null });
}
