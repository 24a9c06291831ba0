// The answers of the world's own endpoints: JSON, the one error shape, and small pages. A vendor's answers are
// the twin's own and never pass through here.
import { type Reply, withRetryAfter } from '../../twins/kit/reply.ts';
import { CATCH_UP_RETRY_AFTER_SECONDS } from '../world/limits.ts';

type Header = readonly [name: string, value: string];

// What a world answers changes with every request an app makes, and holds what only a token may read.
const NO_STORE: Header = ['cache-control', 'no-store'];

export function json(status: number, value: unknown, headers: readonly Header[] = []): Reply {
  return jsonText(status, JSON.stringify(value), headers);
}

/** `json`, of a value that is JSON already. Whoever is to come again is told when. */
export function jsonText(status: number, text: string, headers: readonly Header[] = []): Reply {
  const reply: Reply = {
    status,
    headers: [['content-type', 'application/json; charset=utf-8'], NO_STORE, ...headers],
    body: `${text}\n`,
  };
  return status === 429 || status === 503 ? withRetryAfter(reply, RETRY_SECONDS) : reply;
}

/** `{ error: { code, message, details? } }`: every answer of the world's own endpoints that is not a success. */
export function problem(
  status: number,
  code: string,
  message: string,
  more: { readonly details?: unknown; readonly headers?: readonly Header[] } = {},
): Reply {
  const error = more.details === undefined ? { code, message } : { code, message, details: more.details };
  return json(status, { error }, more.headers);
}

/** Where nobody knows better. */
export const RETRY_SECONDS = 1;

/** 404. */
export function noSuchTwin(name: string): Reply {
  return problem(404, 'no-such-twin', `The world has no twin “${name.slice(0, NAME_CHARS_SHOWN)}”.`);
}

/** Of what a path names: more than any twin's name has. */
const NAME_CHARS_SHOWN = 64;

/** 503 with `Retry-After`: what was asked for cannot be told yet. */
export function askAgain(code: string, message: string): Reply {
  return problem(503, code, message, { headers: [['retry-after', String(CATCH_UP_RETRY_AFTER_SECONDS)]] });
}

/** A page without scripts, and with nothing loaded from anywhere; `body` is already escaped. */
export function page(title: string, body: string): Reply {
  return {
    status: 200,
    headers: [
      ['content-type', 'text/html; charset=utf-8'],
      [
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
      ],
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      NO_STORE,
    ],
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
${body}
`,
  };
}

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, mark => `&#${mark.charCodeAt(0)};`);
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5c636b; --line: #d9dde1; --link: #0b5cad; --code: #f2f4f6; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #a2a9b1; --line: #3a4047; --link: #7db7f5; --code: #24282d; --paper: #16191c; } }
body { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 6rem; font: 1rem/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .25rem; }
a { color: var(--link); } p { margin: .5rem 0; }
code { font: .9em/1.5 ui-monospace, monospace; background: var(--code); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
section { border-top: 1px solid var(--line); scroll-margin-top: 1.5rem; } section:target { outline: 2px solid var(--link); outline-offset: .75rem; border-radius: 2px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .75rem 0; } dt { color: var(--soft); } dd { margin: 0; }
nav { columns: 2; margin-bottom: 2.5rem; } nav a { display: block; }
@media (max-width: 34rem) { nav { columns: 1; } dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
`;
