// The inbox as a person reads it: the list of mails, and one mail with its HTML, text, headers, source and attachments.
import { type Html, html } from '../kit/html.ts';
import type { Reply } from '../kit/reply.ts';
import type { Page } from '../kit/tx.ts';
import type { MailAsk } from './operations.ts';
import { inboxReply } from './page.ts';
import type { Mailbox } from './received.ts';
import type { Attachment, Message } from './records.ts';

/** Of a mail's source on its page; the whole of it can be downloaded. */
const SOURCE_BYTES_SHOWN = 256 * 1024;
const LINKS_SHOWN = 50;
/** Of a mail's HTML, looked through for links. */
const LINKS_CHARS = 512 * 1024;

export function inboxPage({ items, more }: Page<Message>, query: URLSearchParams): Reply {
  const older = new URLSearchParams(query);
  if (more) older.set('after', items.at(-1)!.id);
  const newest = new URLSearchParams(query);
  newest.delete('after');
  const first = !query.has('after');
  const body = html`<h1>Inbox</h1>
<div class="card">${items.length === 0 ? EMPTY : html`<ul class="mails">${items.map(row)}</ul>`}</div>
<div class="more"><span>${first ? null : html`<a href="./?${newest.toString()}">Newest</a>`}</span>
<span>${more ? html`<a href="./?${older.toString()}" rel="next">Older</a>` : null}</span></div>
<p class="quiet">Nothing here was sent on. Times are the world’s, in UTC.</p>`;
  return inboxReply('Inbox', body);
}

const EMPTY: Html = html`<div class="empty"><p>No mail yet.</p>
<p class="quiet">What a program sends to <code>SMTP_HOST</code> and <code>SMTP_PORT</code> comes here.</p></div>`;

function row({ id, from, envelope, subject, snippet, receivedAt, attachments }: Message): Html {
  const sender = from[0];
  const who = sender === undefined ? envelope.from || '(no sender)' : sender.name || sender.address;
  const files = attachments.filter(each => !each.inline).length;
  return html`<li><a href="mail/${id}"><span class="who">${who}</span><span class="what">${subject || '(no subject)'}</span>${time(receivedAt)}<span class="to">to ${envelope.to.join(', ')}</span><span class="words">${files > 0 ? `${counted(files, 'attachment')} · ` : ''}${snippet}</span></a></li>
`;
}

const VIEWS = ['html', 'text', 'headers', 'source'] as const;
type View = (typeof VIEWS)[number];
const TITLES: { readonly [view in View]: string } = {
  html: 'HTML',
  text: 'Text',
  headers: 'Headers',
  source: 'Source',
};

export function mailPage(ask: MailAsk): Reply {
  const { message, query } = ask;
  const views = VIEWS.filter(view => (view === 'html' || view === 'text' ? message.has[view] : true));
  const view = views.find(each => each === query.get('view')) ?? views[0]!;
  const tabs = views.map(
    each =>
      html`<a href="?view=${each}"${each === view ? { html: ' aria-current="page"' } : null}>${TITLES[each]}</a>`,
  );
  const body = html`<p><a href="../">Inbox</a></p>
<h1>${message.subject || '(no subject)'}</h1>
${message.unreadable === null ? null : html`<p class="warn">This mail could not be read whole: ${message.unreadable}</p>`}
<div class="card"><dl>${listed(facts(message))}</dl>
<details><summary>How it came</summary><dl>${listed(journey(message))}</dl></details></div>
${files(message)}
<nav aria-label="Views of this mail">${tabs}</nav>
<div class="card">${viewHtml(view, ask)}</div>
${view === 'html' ? links(ask.content.html ?? '') : null}`;
  return inboxReply(message.subject || 'Mail', body);
}

type Fact = readonly [title: string, value: string | Html];

/** What a person asks of a mail first. */
function facts({ from, to, cc, bcc, replyTo, date, receivedAt }: Message): Fact[] {
  return [
    ['From', people(from)],
    ['To', people(to)],
    ['Cc', people(cc)],
    ['Bcc', people(bcc)],
    ['Reply to', people(replyTo)],
    ['Received', time(receivedAt)],
    ['Dated', date === null || minute(date) === minute(receivedAt) ? '' : time(date)],
  ];
}

/** What only whoever built the sender asks. */
function journey({ envelope, messageId, size, id }: Message): Fact[] {
  const { auth, tls, helo } = envelope;
  const login = auth === null ? 'no login' : `logged in as ${auth.user} (${auth.method})`;
  return [
    ['Sender', envelope.from || '(none: a bounce)'],
    ['Recipients', envelope.to.join(', ')],
    ['Connection', `${tls ? 'TLS' : 'no TLS'}, ${login}${helo === '' ? '' : `, from ${helo}`}`],
    ['Message-ID', messageId ?? ''],
    ['Size', bytes(size)],
    ['Id', id],
  ];
}

function listed(facts: readonly Fact[]): Html[] {
  return facts
    .filter(([, value]) => value !== '')
    .map(([title, value]) => html`<dt>${title}</dt><dd>${value}</dd>`);
}

function viewHtml(view: View, { message, content, tx }: MailAsk): Html {
  switch (view) {
    case 'html':
      return html`<iframe sandbox="" src="../messages/${message.id}/html" title="The mail’s HTML" referrerpolicy="no-referrer"></iframe>`;
    case 'text':
      return html`<pre class="words-of-mail">${content.text ?? ''}</pre>`;
    case 'headers':
      return html`<dl>${content.headers.map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
    case 'source': {
      const raw = tx.blob(message.raw) ?? new Uint8Array(0);
      const text = new TextDecoder().decode(raw.subarray(0, SOURCE_BYTES_SHOWN));
      const rest =
        raw.length > SOURCE_BYTES_SHOWN
          ? html`, of which the first ${bytes(SOURCE_BYTES_SHOWN)} are here`
          : null;
      return html`<p class="quiet" style="padding:0 1rem"><a href="../messages/${message.id}/raw">Download</a> (${bytes(raw.length)}${rest})</p><pre>${text}</pre>`;
    }
  }
}

function files({ id, attachments }: Message): Html | null {
  if (attachments.length === 0) return null;
  const item = ({ index, name, type, size, inline }: Attachment): Html =>
    html`<li><a href="../messages/${id}/attachments/${index}" download>${name ?? `attachment ${index + 1}`}</a> <span class="quiet">${type}, ${bytes(size)}${inline ? ', shown in the mail' : ''}</span></li>`;
  return html`<h2>${counted(attachments.length, 'attachment')}</h2><ul class="files">${attachments.map(item)}</ul>`;
}

const LINK = /\bhref\s{0,9}=\s{0,9}(?:"([^"]{1,2000})"|'([^']{1,2000})')/gi;

/** Nothing in the frame leads anywhere; whoever wants to follow a link sees first where it goes. */
function links(mail: string): Html | null {
  const found = new Set<string>();
  for (const [, double, single] of mail.slice(0, LINKS_CHARS).matchAll(LINK)) {
    const url = URL.parse((double ?? single ?? '').replaceAll('&amp;', '&').trim());
    if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) found.add(url.href);
    if (found.size === LINKS_SHOWN) break;
  }
  if (found.size === 0) return null;
  const item = (url: string): Html =>
    html`<li><a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a></li>`;
  return html`<h2>Links in this mail</h2><ul class="links">${[...found].map(item)}</ul>`;
}

function people(mailboxes: readonly Mailbox[]): string {
  return mailboxes.map(({ name, address }) => (name === '' ? address : `${name} <${address}>`)).join(', ');
}

function time(iso: string): Html {
  return html`<time datetime="${iso}">${minute(iso)}</time>`;
}

function minute(iso: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? iso.slice(0, 16).replace('T', ' ') : iso;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const kib = count / 1024;
  return kib < 1024 ? `${kib.toFixed(1)} KB` : `${(kib / 1024).toFixed(1)} MB`;
}
