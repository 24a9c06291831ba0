// The frame of the dashboard's pages: one style, light and dark, the way between the pages, and the search.
import { type Html, html, pageReply } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import type { Visit } from './visit.ts';

const STYLE = `
:root{--ink:light-dark(#1a1f36,#e6e9ed);--quiet:light-dark(#545d69,#a3acb6);--line:light-dark(#d8dee4,#343b44);--back:light-dark(#f6f8fa,#15181c);--card:light-dark(#fff,#1d2126);--link:light-dark(#4045c7,#a5abff);--mark:light-dark(#eceefc,#2a2d45);--good:light-dark(#0b6b34,#74d99f);--bad:light-dark(#a8123c,#ff9db2)}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.25rem .5rem}
header{background:var(--card);border-bottom:1px solid var(--line)}
header>div,main{max-width:68rem;margin:0 auto;padding:.75rem 1rem}
header>div{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
header nav{display:flex;flex-wrap:wrap;gap:.15rem}
header nav a{padding:.25rem .6rem;border-radius:6px;text-decoration:none;color:var(--ink)}
header nav a[aria-current]{background:var(--mark);font-weight:600}
main{padding-bottom:3rem}
h1{font-size:1.35rem;line-height:1.3;margin:1rem 0}
h2{font-size:1rem;margin:1.5rem 0 .5rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;overflow:hidden}
.quiet,footer{color:var(--quiet);font-size:.875rem}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:.5rem 1rem}
thead th{overflow-wrap:normal;color:var(--quiet);font-size:.875rem;font-weight:600}
tbody tr{border-top:1px solid var(--line)}
tbody tr:hover{background:var(--mark)}
.badge{display:inline-block;border:1px solid currentcolor;border-radius:4px;padding:0 .4rem;font-size:.8125rem;white-space:nowrap;color:var(--quiet)}
.badge.good{color:var(--good)}
.badge.bad{color:var(--bad)}
dl{display:grid;grid-template-columns:minmax(8rem,auto) minmax(0,1fr);gap:.3rem 1.5rem;margin:0;padding:1rem}
dt{color:var(--quiet)}
dd{margin:0}
code,pre{font:13px/1.5 ui-monospace,monospace}
pre{margin:0;padding:1rem;white-space:pre-wrap}
details{border:1px solid var(--line);border-radius:8px;background:var(--card)}
summary{padding:.5rem 1rem;cursor:pointer}
.deeds{display:flex;flex-wrap:wrap;gap:.5rem;align-items:start}
form.deed{padding:0 1rem 1rem}
label{display:block;margin:.5rem 0 .2rem}
input,select{font:inherit;color:inherit;background:var(--back);border:1px solid var(--quiet);border-radius:4px;padding:.35rem .5rem;max-width:100%}
::placeholder{color:var(--quiet);opacity:1}
button{font:inherit;border:0;border-radius:6px;padding:.4rem .9rem;margin-top:.75rem;background:light-dark(#4045c7,#5a60dd);color:#fff;cursor:pointer}
form.find{display:flex;gap:.4rem;flex-wrap:wrap;align-items:center}
form.find button{margin:0}
form.find input{width:16rem;flex:1 1 9rem}
.filters,.more{display:flex;flex-wrap:wrap;gap:.5rem 1rem;margin:.75rem 0;align-items:center}
.filters label{margin:0}
.more{justify-content:space-between}
.card+details{margin-top:1rem}
.empty{padding:1rem}
.empty pre{padding:0}
.error{border-left:3px solid var(--bad);background:var(--card);padding:.5rem 1rem;margin:0 0 1rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
footer{margin-top:2rem}
@media(max-width:40rem){.wide{display:none}th,td{padding:.5rem .6rem}dl{grid-template-columns:minmax(0,1fr);gap:0}dd{margin-bottom:.5rem}}
`;

const WAYS: readonly (readonly [path: string, title: string])[] = [
  ['payments', 'Payments'],
  ['customers', 'Customers'],
  ['subscriptions', 'Subscriptions'],
  ['invoices', 'Invoices'],
  ['products', 'Products'],
  ['events', 'Events'],
  ['logs', 'Logs'],
  ['developers', 'Developers'],
  ['test-clocks', 'Test clocks'],
];

export type PageParts = {
  readonly title: string;
  /** Of the list that the page belongs to. */
  readonly at?: string;
  readonly body: Html;
  readonly status?: number;
  readonly error?: string | null;
};

export function framed(visit: Visit, { title, at, body, status = 200, error = null }: PageParts): Reply {
  const { base, query, writes } = visit;
  const ways = WAYS.map(
    ([path, name]) =>
      html`<a href="${base}${path}"${path === at ? { html: ' aria-current="page"' } : null}>${name}</a>`,
  );
  const page = html`<a class="skip" href="#content">Skip to the content</a>
<header><div><nav aria-label="Dashboard"><a href="${base === './' ? base : base.replace(/test\/$/, 'test')}"><strong>Stripe</strong></a>${ways}</nav>
<form class="find" role="search" action="${base}search"><label class="hidden" for="find">Search everything</label>
<input id="find" name="query" type="search" placeholder="An id, an email, a name" value="${at === 'search' ? (query.get('query') ?? '') : ''}"><button type="submit">Search</button></form></div></header>
<main id="content"><h1>${title}</h1>
${error === null ? null : html`<p class="error" role="alert">${error}</p>`}
${body}
<footer><p>This dashboard is a simulation: no money moves. Times are the world’s, in UTC.${writes ? null : ' You are reading only.'}</p></footer></main>`;
  return pageReply(`${title} – Stripe`, page, { status, style: STYLE });
}
