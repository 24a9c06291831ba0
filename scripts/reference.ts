// The reference of docs/reference: the refusals from the rule table, the endpoints (as a page and in OpenAPI) from the
// route table. All are committed, and `npm run check` fails when one is stale.
import { adminRoutes, importingRoutes } from '../control/hosting/routes.ts';
import { openApi } from '../control/http/openapi.ts';
import { type Documented, TAGS } from '../control/http/route.ts';
import { documented } from '../control/http/routes.ts';
import type { Schema } from '../control/http/schema.ts';
import { SHAPES } from '../control/http/shapes.ts';
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

const ACCESS: { readonly [access in Documented['access']]: string } = {
  open: 'everyone',
  keyless: 'everyone; the vendor’s signature is checked',
  'sign-in': 'whoever has something to sign in with (5.3)',
  session: 'a browser’s session',
  vendor: 'any credential of the world; one that reads only, for GET and HEAD',
  read: 'any credential of the world',
  write: 'a credential that writes',
  rules: 'the world’s token or a person’s session; no key',
  seal: 'the world’s token or a person’s session; no key',
  keys: 'the world’s token or a person’s session; no key',
  page: 'a person’s session at the world’s page, on the machine itself',
  token: 'the world’s token alone',
  admin: 'the admin token of the host',
};

export async function makeOpenApi(): Promise<string> {
  const document = openApi(documented, { server: 'http://127.0.0.1:4000', world: null });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** What a host of many worlds answers besides (4.10). */
function hostSection(): string {
  return `
## Hosting

What \`wrld host\` answers besides its worlds. The admin token is presented as the header \`x-wrld-token\` or as a bearer; it
opens nothing under a world, and a world's token opens nothing here. The same as an OpenAPI 3.1 document:
\`/-/openapi.json\` of a host.

| method | path | opens to | what it answers |
| --- | --- | --- | --- |
${adminRoutes.map(row).join('')}
${adminRoutes.map(endpoint).join('\n')}
## Hosting on the edge

What a host on the edge answers besides, or more of (docs/edge.md).

${importingRoutes
  .filter(route => !adminRoutes.includes(route))
  .map(endpoint)
  .join('\n')}`;
}

export async function makeEndpoints(): Promise<string> {
  const sections = TAGS.map(tag => {
    const here = documented.filter(route => route.tag === tag);
    return here.length === 0 ? '' : `\n## ${tag}\n\n${here.map(endpoint).join('\n')}`;
  });
  const shapes = Object.entries(SHAPES).map(([name, schema]) => `- **${name}**: ${shape(schema)}\n`);
  return `${GENERATED('control/http/routes.ts')}# Endpoints

What a world answers besides its twins' own APIs. A GET also answers HEAD. A credential is presented as the header
\`x-wrld-token\` or \`x-twins-key\`, as a bearer, as the password of Basic, or as a session cookie. An answer that is no success is
\`{ "error": { "code", "message", "details"? } }\`; on a vendor's path it has the vendor's own shape. The same as an
OpenAPI 3.1 document: [openapi.json](openapi.json), and \`/-/<org>/<world>/openapi.json\` of every world.

Beside what each endpoint names, any may answer \`400\` (a target or a header that cannot be read for certain), \`401\` and \`403\`
(who may not come in), \`404\` and \`405\` (no such path, or not with this method), \`413\` (a body over 4 MB), \`429\` with
\`Retry-After\` (over the world's request budget, where the host sets one; the open pages do not count) and \`500\` (a bug).

| method | path | opens to | what it answers |
| --- | --- | --- | --- |
${documented.map(row).join('')}${sections.join('')}${hostSection()}
## Shapes

${shapes.join('')}`;
}

function row({ method, path, access, summary }: Documented): string {
  return `| ${shownMethod(method)} | \`${path}\` | ${cell(ACCESS[access])} | ${cell(summary)} |\n`;
}

function endpoint(route: Documented): string {
  const { method, path, access, summary, query = {}, headers = {}, request, answers } = route;
  const parameters = (kind: string, of: NonNullable<Documented['query']>): string[] =>
    Object.entries(of).map(
      ([name, { description, schema }]) => `- ${kind} \`${name}\` (${shape(schema)}): ${description}\n`,
    );
  const body =
    request === undefined
      ? []
      : [`- body${request.optional ? ' (optional)' : ''}: ${request.description ?? shape(request.schema)}\n`];
  const statuses = Object.entries(answers).map(([status, { description, schema, type }]) => {
    const what = schema === undefined ? (type === undefined ? 'no body' : `\`${type}\``) : shape(schema);
    return `- \`${status}\`: ${description} (${what})\n`;
  });
  return `### ${shownMethod(method)} \`${path}\`

${sentence(summary)} Opens to: ${ACCESS[access]}.

${[...parameters('query', query), ...parameters('header', headers), ...body, ...statuses].join('')}`;
}

function shownMethod(method: Documented['method']): string {
  return method === 'ANY' ? 'any' : method;
}

/** A schema in one line: `{ at: string, frozen: boolean }`. */
function shape(schema: Schema): string {
  const { $ref, type, properties, required, items, additionalProperties, anyOf } = schema as Shape;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return `[${name}](#shapes)`;
  }
  if (anyOf !== undefined) return anyOf.map(shape).join(' or ');
  if (schema['const'] !== undefined) return `\`${JSON.stringify(schema['const'])}\``;
  if (Array.isArray(schema['enum'])) return schema['enum'].map(value => `\`${value}\``).join(' or ');
  const types = [type ?? []].flat();
  const orNull = types.includes('null') && types.length > 1 ? ' or null' : '';
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([name, field]) => `${name}${required?.includes(name) ? '' : '?'}: ${shape(field)}`,
    );
    return `{ ${fields.join(', ')} }${orNull}`;
  }
  if (items !== undefined) return `list of ${shape(items)}${orNull}`;
  if (typeof additionalProperties === 'object') return `map to ${shape(additionalProperties)}${orNull}`;
  return types.length === 0 ? 'any JSON' : types.join(' or ');
}

type Shape = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
};

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The tables' cells are clauses. */
function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
