// What the twin answers its wire server: every address is taken, and every mail is kept, unless a handler says
// otherwise before the twin is asked.
import type { Call } from '../kit/call.ts';
import type { Reply } from '../kit/reply.ts';
import type { Tx } from '../kit/tx.ts';
import { MAILS_MAX, SNIPPET_CHARS } from './limits.ts';
import { mailReply } from './mail-reply.ts';
import type { Received } from './received.ts';
import type { Attachment, Content, Message } from './records.ts';

/** Of a text whose beginning is shown: white space may be most of it. */
const LOOKED_AT_CHARS = SNIPPET_CHARS * 8;

export function receive(call: Call, tx: Tx): Reply {
  switch (call.method) {
    case 'AUTH':
      return { ...mailReply(235, { message: 'OK' }), route: '/{user}' };
    case 'MAIL':
    case 'RCPT':
      return { ...mailReply(250, { message: 'OK' }), route: '/{address}' };
    case 'DATA': {
      const { id } = keep(call.read as Received, tx);
      return mailReply(250, { id, message: `Kept as ${id}` });
    }
    default:
      return mailReply(502, { message: 'The twin knows no such word' });
  }
}

function keep({ envelope, raw, mail, unreadable }: Received, tx: Tx): Message {
  const id = tx.recordId('msg_', 16);
  const number = makeRoom(tx);
  const { headers, text, html, attachments, ...shown } = mail;
  const message: Message = {
    id,
    receivedAt: new Date(tx.now).toISOString(),
    envelope,
    ...shown,
    snippet: snippetOf(mail.text, mail.html),
    size: raw.length,
    has: { text: text !== null, html: html !== null },
    attachments: attachments.map(({ bytes, ...each }, index): Attachment => {
      return { index, ...each, size: bytes.length, sha256: tx.putBlob(bytes) };
    }),
    raw: tx.putBlob(raw),
    number,
    unreadable,
  };
  const content: Content = { headers, text, html };
  tx.put('message', id, message);
  tx.put('content', id, content);
  tx.kind('message.received');
  return message;
}

/** The number of the next mail; those that it leaves no room for are gone. */
function makeRoom(tx: Tx): number {
  const newest = tx.list<Message>('message', { order: 'newest', limit: 1 }).items[0];
  const number = (newest?.number ?? 0) + 1;
  if (number <= MAILS_MAX) return number;
  for (const { id, number: old } of tx.list<Message>('message', { order: 'oldest', limit: 1 }).items) {
    if (number - old >= MAILS_MAX) drop(id, tx);
  }
  return number;
}

function drop(id: string, tx: Tx): void {
  tx.delete('message', id);
  tx.delete('content', id);
}

function snippetOf(text: string | null, html: string | null): string {
  return (text ?? wordsOf(html ?? ''))
    .slice(0, LOOKED_AT_CHARS)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, SNIPPET_CHARS)
    .toWellFormed();
}

/** Of HTML alone, its first words as well as they can be told without a browser; one look at each character. */
function wordsOf(html: string): string {
  const lower = html.replace(/[A-Z]/g, letter => letter.toLowerCase());
  let words = '';
  let at = 0;
  while (at < html.length && words.length < LOOKED_AT_CHARS) {
    const open = html.indexOf('<', at);
    if (open === -1) return words + entities(html.slice(at, at + LOOKED_AT_CHARS));
    words += `${entities(html.slice(at, Math.min(open, at + LOOKED_AT_CHARS)))} `;
    const [, hidden] = /^<(head|style|script|title)\b/.exec(lower.slice(open, open + 8)) ?? [];
    const close = hidden === undefined ? open : lower.indexOf(`</${hidden}`, open);
    const end = close === -1 ? -1 : html.indexOf('>', close);
    if (end === -1) return words;
    at = end + 1;
  }
  return words;
}

const ENTITIES: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function entities(text: string): string {
  return text.replace(/&([a-z]{1,8}|#\d{1,6});/gi, (_whole, name: string) => ENTITIES[name] ?? ' ');
}
