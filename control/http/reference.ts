// GET /reference/refusals: the page that a refusal's `see` opens (2.1), one section a rule, from the rule table.
import { REFUSAL_HEADER } from '../../policy/refusal.ts';
import { RULE_NAMES, RULES, type RuleName } from '../../policy/rules.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { escapeText, page } from './answer.ts';
import type { Route } from './route.ts';

export const reference: readonly Route[] = [
  {
    method: 'GET',
    path: '/reference/refusals',
    access: 'open',
    tag: 'World',
    summary: 'every rule that refuses, what is missing, and where the fix goes',
    answers: { 200: { description: 'a page', type: 'text/html' } },
    run: () => refusalsPage(),
  },
];

let PAGE: Reply | undefined;

/** Meaning of `missing` (2.1). */
const WHERE = {
  declaration: 'the app does not declare the request; the fix goes into the app’s declaration',
  grant: 'the world does not grant it; the fix goes into `.wrld/world.json`',
  transport: 'the way the client connects cannot carry what the world grants; the fix goes into the client',
  twin: 'the host belongs to a twin and no twin serves this path; the fix goes into the world’s twins',
} as const;

export function refusalsPage(): Reply {
  return (PAGE ??= madePage());
}

function madePage(): Reply {
  const contents = RULE_NAMES.map(name => `<a href="#${name}"><code>${name}</code></a>`).join('\n');
  return page(
    'Refusals',
    `<main>
<h1>Refusals</h1>
<p>A request leaves an app’s world only when the app declares it and the world grants it. One that does not is
answered <code>502</code> with the header <code>${REFUSAL_HEADER}</code> and a record that names the rule: each rule is here.
A <code>502</code> without that header is no refusal: the host did not answer.</p>
<nav aria-label="Rules">${contents}</nav>
${RULE_NAMES.map(section).join('\n')}
</main>`,
  );
}

function section(name: RuleName): string {
  const { capability, missing, condition, fix, grantField } = RULES[name];
  const field = grantField === undefined ? '' : `<dt>field</dt><dd><code>${grantField}</code></dd>`;
  return `<section id="${name}">
<h2><a href="#${name}"><code>${name}</code></a></h2>
<p>${sentence(condition)}</p>
<dl>
<dt>fix</dt><dd>${sentence(fix)}</dd>
<dt>missing</dt><dd><code>${missing}</code>: ${asMarkup(WHERE[missing])}</dd>
<dt>capability</dt><dd><code>${capability}</code></dd>
${field}
</dl>
</section>`;
}

/** The table's cells are clauses. */
function sentence(clause: string): string {
  return asMarkup(`${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`);
}

/** Text with `code` in backticks. */
function asMarkup(text: string): string {
  return escapeText(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}
