// The refusal record (2.1) and how clients see it (7.1). A refusal is a value; its words, missing side and
// link come from its rule's row in rules.ts.

import {
  DETAIL_CHARS_MAX,
  HOST_CHARS_SHOWN_MAX,
  REASON_CHARS_MAX,
  REFUSAL_FIELD_CHARS_MAX,
  REFUSAL_TARGET_CHARS_MAX,
} from './limits.ts';
import { printable } from './printable.ts';
import { type About, type Capability, type Missing, RULES, type RuleName } from './rules.ts';
import type { Declaration, DeclaredBy } from './run.ts';

/** Fields, order and constants as in 2.1. */
export type RefusalRecord = {
  readonly kind: 'wrld-world-refusal';
  readonly version: 1;
  readonly capability: Capability;
  readonly target: string;
  readonly missing: Missing;
  readonly rule: RuleName;
  readonly reason: string;
  readonly grantField?: string;
  readonly declaredBy?: DeclaredBy;
  readonly see: string;
};

/** Response header of every refusal over HTTP; its value is the record's `missing` (7.1). */
export const REFUSAL_HEADER = 'X-Wrld-World-Refusal';

/** Response header with the record itself, for a client that has to know before it reads a body (attach/). */
export const REFUSAL_RECORD_HEADER = 'X-Wrld-World-Refusal-Record';

/**
 * The record of one refusal. `about` may hold what a client sent: it is made safe to show here. `declaration` is
 * the asking run's, for the rules whose missing side is the declaration.
 */
export function refuse(
  rule: RuleName,
  about: About,
  docsUrl: string,
  declaration?: Declaration,
): RefusalRecord {
  const row = RULES[rule];
  const safe: About = {
    target: printable(about.target, REFUSAL_TARGET_CHARS_MAX),
    ...(about.method !== undefined && { method: printable(about.method, 32) }),
    ...(about.host !== undefined && { host: printable(about.host, HOST_CHARS_SHOWN_MAX) }),
    ...(about.name !== undefined && { name: printable(about.name, DETAIL_CHARS_MAX) }),
    ...(about.variable !== undefined && { variable: about.variable }),
    ...(about.why !== undefined && { why: printable(about.why, DETAIL_CHARS_MAX) }),
    ...(about.grantField !== undefined && { grantField: about.grantField }),
  };
  // Null: no one field of this world's config grants it.
  const field = about.grantField === undefined ? row.grantField : (about.grantField ?? undefined);
  const grantField = row.missing === 'grant' ? field : undefined;
  const declaredBy =
    row.missing === 'declaration'
      ? declaration?.declaredBy?.find(declared => declared.capability === row.capability)
      : undefined;
  return {
    kind: 'wrld-world-refusal',
    version: 1,
    capability: row.capability,
    target: safe.target,
    missing: row.missing,
    rule,
    reason: about.reason === undefined ? row.reason(safe) : printable(about.reason, REASON_CHARS_MAX),
    ...(grantField !== undefined && { grantField }),
    ...(declaredBy !== undefined && {
      declaredBy: { ...declaredBy, file: printable(declaredBy.file, DETAIL_CHARS_MAX) },
    }),
    see: `${docsUrl}/reference/refusals#${rule}`,
  };
}

/** The refusal text, then the missing side and the fix link in parentheses: one line. */
export function refusalText(record: RefusalRecord): string {
  return `${record.reason} (missing: ${record.missing}; fix: ${record.see})`;
}

/** The record as JSON on exactly one line, whatever a reader takes for a line break. */
export function refusalJson(record: RefusalRecord): string {
  return JSON.stringify(record).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The record as the value of a header: JSON in ASCII; null where it is longer than clients take. */
export function refusalField(record: RefusalRecord): string | null {
  const text = JSON.stringify(record).replace(
    /[^\x20-\x7e]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.length <= REFUSAL_FIELD_CHARS_MAX ? text : null;
}

/** Body for a client that is no browser: the text, then the record on the next line. `text/plain`, UTF-8. */
export function refusalBody(record: RefusalRecord): string {
  return `${refusalText(record)}\n${refusalJson(record)}\n`;
}

/**
 * Body for a client that reads JSON alone: the record, and the text where the vendors' SDKs look for the message of an
 * error, so that an exception of theirs says what was refused.
 */
export function refusalDocument(record: RefusalRecord): string {
  const message = refusalText(record);
  const error = { message, type: record.kind, code: record.rule };
  const document = { ...record, message, error };
  return `${refusalJson(document)}\n`;
}

/** The line that a JavaScript server process writes to its console (7.1). */
export function refusalConsoleLine(record: RefusalRecord, host: string): string {
  const safeHost = printable(host, HOST_CHARS_SHOWN_MAX);
  return `[twin-inject] blocked untwinned external fetch to ${safeHost} (${record.reason}; fix: ${record.see})`;
}

// What a browser shows: a page that loads nothing and runs nothing, with the record inside. The client chose
// much of the text, so every value is escaped for the place it stands in.

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1d22; --soft: #565c68; --line: #d8dbe2; --paper: #fbfbfc; --link: #1d4fd7; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaef; --soft: #a5acba; --line: #363b46; --paper: #15171c; --link: #8fb0ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 12vh 1.5rem 4rem; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.25rem; margin: 1.75rem 0; padding: 1.25rem 0; border: solid var(--line); border-width: 1px 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, monospace; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid; outline-offset: 3px; }
@media (max-width: 34rem) {
  main { padding-top: 2rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .75rem; }
}
`;

/** SHA-256 of STYLE, so that the policy below admits this style sheet and no other. */
const STYLE_HASH = 'sha256-EVaf85bkpRaI+cpHoLZKIBfZN/KR8DhpKpSFZmu9YJk=';

/** The headers that belong to the page, besides `X-Wrld-World-Refusal`. */
export const REFUSAL_PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const SIDE = {
  declaration: 'the app’s declaration',
  grant: 'the world’s grant',
  transport: 'a transport the world can read',
  twin: 'a twin',
} as const;

/** The page, as UTF-8 text. The record stands in `<script type="application/json" id="wrld-world-refusal">`. */
export function refusalPage(record: RefusalRecord): string {
  const rows: (readonly [string, string])[] = [
    ['Refused', `<code>${html(record.target)}</code>`],
    ['Missing', `<code>${html(record.missing)}</code>: ${html(SIDE[record.missing])}`],
    ['Rule', `<code>${html(record.rule)}</code>`],
  ];
  if (record.grantField !== undefined) rows.push(['Grant field', `<code>${html(record.grantField)}</code>`]);
  if (record.declaredBy !== undefined) {
    rows.push(['Declared in', `<code>${html(`${record.declaredBy.file}:${record.declaredBy.line}`)}</code>`]);
  }
  rows.push(['Fix', sentence(RULES[record.rule].fix)]);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${html(refusalText(record))}">
<title>Refused by the world: ${html(record.rule)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>The world did not let this request out</h1>
<p>${html(record.reason)}</p>
<dl>
${rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('\n')}
</dl>
<p><a href="${html(record.see)}">About the rule ${html(record.rule)} and how to fix it</a></p>
</main>
<script type="application/json" id="wrld-world-refusal">${scriptJson(record)}</script>
</body>
</html>
`;
}

const ENTITIES: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function html(text: string): string {
  return text.replace(/[&<>"']/g, char => ENTITIES[char]!);
}

/** A cell of the rule table, which is a clause with `code` in it, as a sentence. */
function sentence(clause: string): string {
  const text = `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
  return html(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

/** JSON that ends no script element and opens no comment, and is the same value when parsed. */
function scriptJson(record: RefusalRecord): string {
  return refusalJson(record).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
