// The frame of the twin's pages: one style, light and dark, and a policy that lets them run and load nothing.
import { type Html, html, pageReply } from '../kit/html.ts';
import type { Reply } from '../kit/reply.ts';

// The one thing a page loads is a mail's document, in a frame of no origin.
const POLICY = "frame-src 'self'; form-action 'none'";

const STYLE = `
:root{--ink:light-dark(#1b1f24,#e6e9ed);--quiet:light-dark(#57606a,#a3acb6);--line:light-dark(#d8dee4,#343b44);--back:light-dark(#f6f8fa,#15181c);--card:light-dark(#fff,#1d2126);--link:light-dark(#0b57c2,#7cb3ff);--mark:light-dark(#eaf1fb,#26303d)}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);overflow-wrap:anywhere}
main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.3rem;margin:.25rem 0 1rem;line-height:1.3}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:-2px}
.quiet{color:var(--quiet);font-size:.875rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;overflow:hidden}
.mails{list-style:none;margin:0;padding:0}
.mails li+li{border-top:1px solid var(--line)}
.mails a{display:grid;grid-template-columns:minmax(0,14rem) minmax(0,1fr) auto;gap:.25rem 1rem;padding:.7rem 1rem;color:inherit;text-decoration:none}
.mails a:hover{background:var(--mark)}
.mails .who,.mails .what{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.mails .who{font-weight:600}
.mails .to{grid-column:1;color:var(--quiet);font-size:.875rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.mails .words{grid-column:2/4;color:var(--quiet);font-size:.875rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.mails time{color:var(--quiet);font-size:.875rem;white-space:nowrap}
.more{display:flex;justify-content:space-between;margin-top:1rem}
dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.2rem 1rem;margin:0;padding:1rem}
details{border-top:1px solid var(--line)}
summary{padding:.6rem 1rem;color:var(--quiet);font-size:.875rem;cursor:pointer}
summary:hover{background:var(--mark)}
details dl{padding-top:0}
dt{color:var(--quiet)}
dd{margin:0}
nav{display:flex;flex-wrap:wrap;gap:.25rem;margin:1rem 0 .5rem}
nav a{padding:.3rem .8rem;border-radius:6px;text-decoration:none;color:var(--ink)}
nav a[aria-current]{background:var(--mark);font-weight:600}
iframe{display:block;width:100%;height:70vh;border:0;background:#fff;color-scheme:light}
pre{margin:0;padding:1rem;font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap}
.words-of-mail{font:inherit}
ul.files,ul.links{margin:.5rem 0 0;padding:0 0 0 1.2rem}
h2{font-size:1rem;margin:1.2rem 0 0}
.empty{padding:2.5rem 1rem;text-align:center}
.warn{border-left:3px solid #c47f00;padding:.5rem 1rem;margin:0 0 1rem;background:var(--card)}
@media(max-width:40rem){.mails a{grid-template-columns:minmax(0,1fr) auto}.mails .what{grid-column:1/3;grid-row:2}.mails .to{display:none}.mails .words{grid-column:1/3}.mails time{grid-column:2;grid-row:1}}
`;

export function inboxReply(title: string, body: Html): Reply {
  return pageReply(title, html`<main>${body}</main>`, { style: STYLE, policy: POLICY });
}
