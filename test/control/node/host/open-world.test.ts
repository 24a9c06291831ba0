// [4.10] “A world served by the host answers exactly what a world served by the plain serve command answers”: every
// endpoint of a world, by every credential, asked of both in the same order; what differs by nature (instants, random
// ids, where it listens) is put aside, and the rest is the same to the byte.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { routes } from '../../../../control/http/routes.ts';
import { serveControl } from '../../../../control/node/control.ts';
import { openLog } from '../../../../control/node/log.ts';
import {
  askHost,
  bareWorld,
  type HostAsk,
  hostDirectory,
  startHostQuietly,
} from '../../../kit/many-worlds.ts';

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

type Tokens = { readonly token: string; readonly readToken: string };
type Answered = {
  readonly asked: string;
  readonly status: number;
  readonly headers: object;
  readonly body: string;
};

async function answers(baseUrl: string, { token, readToken }: Tokens): Promise<readonly Answered[]> {
  const all: Answered[] = [];
  const ask = async (method: string, path: string, who: string, more: HostAsk): Promise<void> => {
    const { status, headers, text } = await askHost({ baseUrl }, method, path, more);
    const { date: _, 'content-length': __, ...shown } = headers;
    all.push({
      asked: `${method} ${path} by ${who}`,
      status,
      headers: JSON.parse(alike(JSON.stringify(shown), baseUrl)),
      body: alike(text, baseUrl),
    });
  };
  const credentials = { nobody: {}, 'the read token': { token: readToken }, 'the token': { token } };
  // The page of the listener is the host's own; news do not end.
  const asked = routes.filter(
    ({ path }) => path !== '/' && !BRANCHES.test(path) && !path.endsWith('/events'),
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
  await ask('POST', '/-/acme/shop/rotate', 'the token', { token });
  await ask('GET', '/-/acme/shop/map', 'the old token', { token });
  return all;
}

/** Without what no two worlds have in common. */
function alike(text: string, baseUrl: string): string {
  const { port } = new URL(baseUrl);
  return text
    .replaceAll(/-----BEGIN CERTIFICATE[^"]*/g, '(certificate)')
    .replaceAll(port, '(port)')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(instant)')
    .replaceAll(/\b1[6-9]\d{8}(?:\d{3})?\b/g, '(seconds)')
    .replaceAll(/("invoice_prefix": *)"[^"]+"/g, '$1"(prefix)"')
    .replaceAll(/"ms":[\d.]+|"p\d\d":[\d.]+/g, '"ms":0')
    .replaceAll(/\b(?:tok|key|cus|evt|req)_[A-Za-z0-9_-]+/g, '(id)')
    .replaceAll(/\b(?:[a-z]+_)*[A-Za-z0-9_-]*\d[A-Za-z0-9_-]{11,}\b/g, '(id)')
    .replaceAll(/[0-9a-f]{16,}/g, '(hex)');
}

t.test('[4.10] a world of a host answers what wrld world serve answers', async t => {
  const directory = await hostDirectory(t);
  const served = await hostDirectory(t);
  const tokens = await bareWorld(directory, 'acme/shop', ['stripe', 'smtp']);
  cpSync(join(directory, 'acme', 'shop'), served, { recursive: true });
  const expected = await (async () => {
    const log = openLog('silent');
    await using control = await serveControl({ folder: served, host: '127.0.0.1', port: 0, log });
    return await answers(control.baseUrl, tokens);
  })();
  await using host = await startHostQuietly(directory);
  const found = await answers(host.baseUrl, tokens);
  t.ok(expected.length > 120, `${expected.length} requests`);
  t.ok(
    expected.filter(({ status }) => status < 300).length > 40,
    'many of them are answered with more than a refusal',
  );
  for (const [index, answer] of expected.entries()) t.strictSame(found[index], answer, answer.asked);
});
