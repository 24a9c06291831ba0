// The reference pages of docs/reference: the refusals from the rule table, the endpoints from the route table.
// Both are committed, and `npm run check` fails when one is stale.
import { routes } from '../control/http/routes.ts';
import { REFUSAL_HEADER } from '../policy/refusal.ts';
import { RULE_NAMES, RULES } from '../policy/rules.ts';

const GENERATED = (from: string): string =>
  `<!-- Generated from ${from} by \`npm run generate\`. Do not edit. -->\n\n`;

/** What is missing, and where the fix goes (2.1). */
const MISSING: { readonly [missing in (typeof RULES)[keyof typeof RULES]['missing']]: string } = {
  declaration:
    'the app (an image, a browser program) does not declare the request: the fix goes into its image build file, its compose file, or its program’s host list',
  grant: 'the world does not grant it: the fix goes into `.wrld/world.json`, usually `runtime.network`',
  transport:
    'the way the client connects cannot carry what the world grants: send an HTTP request, or go through the world’s proxy',
  twin: 'the host belongs to a twin and no twin in the world serves this path: the fix goes into the world’s twins',
};

export async function makeRefusals(): Promise<string> {
  const missing = Object.entries(MISSING).map(([name, meaning]) => `| \`${name}\` | ${cell(meaning)} |\n`);
  const sections = RULE_NAMES.map(name => {
    const { capability, missing, condition, fix, grantField } = RULES[name];
    const field = grantField === undefined ? '' : `- **Field**: \`${grantField}\`\n`;
    return `## ${name}\n\n${sentence(condition)}\n\n- **Fix**: ${sentence(fix)}\n- **Missing**: \`${missing}\`\n- **Capability**: \`${capability}\`\n${field}`;
  });
  return `${GENERATED('policy/rules.ts')}# Refusals

A request leaves an app's world only when the app declares it and the world grants it. One that does not is answered
\`502 Bad Gateway\` with the header \`${REFUSAL_HEADER}: <missing>\`. The body is the refusal in words with the missing side and
a link to the rule, then the record as JSON on the next line; a browser gets a page with the record inside. A \`502\`
without that header is no refusal: the host did not answer.

| missing | meaning |
| --- | --- |
${missing.join('')}
${sections.join('\n')}`;
}

const ACCESS: { readonly [access in (typeof routes)[number]['access']]: string } = {
  open: 'everyone',
  keyless: 'everyone; the vendor’s signature is checked',
  vendor: 'any credential of the world; one that reads only, for GET and HEAD',
  read: 'any credential of the world',
  write: 'a credential that writes',
  rules: 'the world’s token or a person’s session; no key',
  seal: 'the world’s token or a person’s session; no key',
  keys: 'the world’s token or a person’s session; no key',
  token: 'the world’s token alone',
};

export async function makeEndpoints(): Promise<string> {
  const rows = routes.map(
    ({ method, path, access, summary }) =>
      `| ${method === 'ANY' ? 'any' : method} | \`${path}\` | ${cell(ACCESS[access])} | ${cell(summary)} |\n`,
  );
  return `${GENERATED('control/http/routes.ts')}# Endpoints

What a world answers besides its twins' own APIs. A GET also answers HEAD. A credential is presented as the header
\`x-wrld-token\` or \`x-twins-key\`, as a bearer, as the password of Basic, or as a session cookie. An answer that is no success is
\`{ "error": { "code", "message", "details"? } }\`.

| method | path | opens to | what it answers |
| --- | --- | --- | --- |
${rows.join('')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The tables' cells are clauses. */
function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
