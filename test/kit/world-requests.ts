// Every endpoint of a world, by every credential, in one order: what every host is asked that says it answers exactly what
// a served world answers (4.10, 4.11). What differs by nature (instants, random ids, where it listens) is put aside, and the
// rest is the same to the byte.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { routes } from '../../control/http/routes.ts';
import { serveControl } from '../../control/node/control.ts';
import { openLog } from '../../control/node/log.ts';
import { askHost, type HostAnswer, type HostAsk, hostDirectory } from './many-worlds.ts';
import { BRANCHING, WALK, walk } from './world-walk.ts';

/** What each endpoint that takes something is given; it is asked without anything besides. */
const BODIES: { readonly [route: string]: object } = {
  'PUT /-/<org>/<world>/clock': { at: '2099-01-01T00:00:00.000Z' },
  'POST /-/<org>/<world>/clock/advance': { by: '1d' },
  'PUT /-/<org>/<world>/browsers/<name>': { cookies: [], origins: [] },
  'POST /-/<org>/<world>/keys': { name: 'ci' },
  'POST /-/<org>/<world>/reset': { to: 'nothing' },
};

/** It makes none, and the host does (4.9). */
const BRANCHES = /^\/-\/<org>\/<world>\/branches/;
/** These end what the others need, so they come last. */
const LAST = [/\/reset$/, /\/rotate$/];

const order = ({ path }: { readonly path: string }): number => LAST.findIndex(last => last.test(path)) + 1;

const NAMES: { readonly [name: string]: string } = {
  twin: 'stripe',
  vendor: 'stripe',
  name: 'saved',
  file: 'main.js',
};

function targetOf(template: string): string {
  return template
    .replace('<org>/<world>', 'acme/shop')
    .replace(/\/<path\.\.\.>/, '/v1/customers')
    .replace(/<([a-z]+)(?:\.\.\.)?>/g, (_, name: string) => NAMES[name] ?? 'x');
}

export type Tokens = { readonly token: string; readonly readToken: string };
export type Answered = {
  readonly asked: string;
  readonly status: number;
  readonly headers: object;
  readonly body: string;
};

type Recorder = {
  readonly all: Answered[];
  readonly ask: (method: string, path: string, who: string, more: HostAsk) => Promise<HostAnswer>;
};

function recorderAt(baseUrl: string): Recorder {
  const all: Answered[] = [];
  const ask = async (method: string, path: string, who: string, more: HostAsk): Promise<HostAnswer> => {
    const answer = await askHost({ baseUrl }, method, path, more);
    const { status, headers, text } = answer;
    const { date: _, 'content-length': __, ...shown } = headers;
    all.push({
      asked: alike(`${method} ${path} by ${who}`, baseUrl),
      status,
      headers: JSON.parse(alike(JSON.stringify(shown), baseUrl)),
      body: alike(text, baseUrl),
    });
    return answer;
  };
  return { all, ask };
}

const originAt = (baseUrl: string): string => `shop--acme.localhost:${new URL(baseUrl).port}`;

/** Of a host that makes branches. */
export async function branchingOf(baseUrl: string, { token }: Tokens): Promise<readonly Answered[]> {
  const { all, ask } = recorderAt(baseUrl);
  await walk(BRANCHING, { token, origin: originAt(baseUrl), ask });
  return all;
}

/** `without`: endpoints that are not asked, by their paths. */
export async function answersOf(
  baseUrl: string,
  { token, readToken }: Tokens,
  without: RegExp | null = null,
): Promise<readonly Answered[]> {
  const { all, ask } = recorderAt(baseUrl);
  const credentials = { nobody: {}, 'the read token': { token: readToken }, 'the token': { token } };
  // The page of the listener is the host's own; news do not end.
  const asked = routes.filter(
    ({ path }) =>
      path !== '/' && !BRANCHES.test(path) && !path.endsWith('/events') && without?.test(path) !== true,
  );
  for (const { method, path } of asked.toSorted((a, b) => order(a) - order(b))) {
    const wanted = method === 'ANY' ? 'POST' : method;
    const body = BODIES[`${method} ${path}`];
    const headers = { 'content-type': 'application/json' };
    for (const [who, credential] of Object.entries(credentials)) {
      // A rotation ends the token that all others are asked with.
      if (path.endsWith('/rotate') && who === 'the token') continue;
      await ask(wanted, targetOf(path), who, credential);
      if (body !== undefined) await ask(wanted, targetOf(path), who, { ...credential, headers, body });
    }
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await ask('POST', '/acme/shop/stripe/v1/customers', 'the token', {
    token,
    headers: form,
    body: 'email=a@b.test',
  });
  await ask('GET', '/acme/shop/stripe/v1/customers', 'the app’s key', {
    headers: { authorization: `Bearer ${token}` },
  });
  for (const path of ['map', 'story', 'records/stripe/customer', 'story/stripe/customer'])
    await ask('GET', `/-/acme/shop/${path}?at=2020-01-01T00:00:00Z`, 'the token', { token });
  await walk(WALK, { token, origin: originAt(baseUrl), ask });
  await ask('POST', '/-/acme/shop/rotate', 'the token', { token });
  await ask('GET', '/-/acme/shop/map', 'the old token', { token });
  return all;
}

/** Without what no two worlds have in common. */
function alike(text: string, baseUrl: string): string {
  const { port } = new URL(baseUrl);
  return (
    text
      .replaceAll(/-----BEGIN CERTIFICATE[^"]*/g, '(certificate)')
      .replaceAll(port, '(port)')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(instant)')
      .replaceAll(/\b1[6-9]\d{8}(?:\d{3})?\b/g, '(seconds)')
      .replaceAll(/("invoice_prefix": *)"[^"]+"/g, '$1"(prefix)"')
      .replaceAll(/"[0-9A-F]{8}((?:-\d{4})?)"/g, '"(prefix)$1"')
      .replaceAll(/\bpass=[\w-]+/g, 'pass=(id)')
      .replaceAll(/"ms":[\d.]+|"p\d\d":[\d.]+/g, '"ms":0')
      .replaceAll(/\b(?:tok|key|ses|cus|evt|req)_[A-Za-z0-9_-]+/g, '(id)')
      .replaceAll(/\b(?:[A-Za-z0-9]+_)+(?=[A-Za-z0-9]*[A-Z0-9])[A-Za-z0-9]{14,}\b/g, '(id)')
      // Whatever chance has put into them: digits, or none.
      .replaceAll(/[0-9a-f]{16,}/g, '(id)')
      .replaceAll(/(?<![\w-])(?=[\w-]*[A-Z0-9])[\w-]{20,}(?![\w-])/g, '(id)')
      .replaceAll(/(?<![\w-])(?:[a-z]+_)*[\w-]*\d[\w-]{11,}(?![\w-])/g, '(id)')
      .replaceAll(/(shop-try-)[0-9a-f]{4}\b/g, '$1(hex)')
      // What is on a host's machine is nothing of its worlds'.
      .replaceAll(' or http(s) to 127.0.0.1 or [::1],', '')
  );
}

/** What `wrld world serve` answers for the world of a host's directory, which stays as it is. */
export async function answersServed(
  t: Test,
  { directory, name, tokens }: { readonly directory: string; readonly name: string; readonly tokens: Tokens },
  without: RegExp | null = null,
): Promise<readonly Answered[]> {
  const folder = await hostDirectory(t);
  cpSync(join(directory, name), folder, { recursive: true });
  await using control = await serveControl({ folder, host: '127.0.0.1', port: 0, log: openLog('silent') });
  const answers = await answersOf(control.baseUrl, tokens, without);
  t.ok(answers.length > 400, `${answers.length} requests`);
  t.ok(
    answers.filter(({ status }) => status < 300).length > 150,
    'many of them are answered with more than a refusal',
  );
  return answers;
}
