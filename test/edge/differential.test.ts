// [4.11] The same commands on Node and on workerd: by lots that the seed draws, at the same instants, with answers that are
// the same to the byte once each random id is called by the place where it came first.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { serveControl } from '../../control/node/control.ts';
import { openLog } from '../../control/node/log.ts';
import { type Chance, chanceOf } from '../kit/chance.ts';
import { edgeWorld, startEdge } from '../kit/edge-host.ts';
import { askHost, bareWorld, hostDirectory } from '../kit/many-worlds.ts';
import { SEED } from '../kit/seed.ts';

const COMMANDS = 160;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };

type Command = {
  readonly method: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  readonly read?: true;
};

/** `$n` stands for the n-th id of those that came, whatever it is there; as often round as it takes. */
const some = (chance: Chance): string => `$${chance.below(64)}`;

const STRIPE = '/acme/shop/stripe/v1';
const OWN = '/-/acme/shop';

const KINDS: readonly ((chance: Chance, n: number) => Command)[] = [
  (chance, n) => form(`${STRIPE}/customers`, `email=c${n}@acme.test&metadata[n]=${chance.below(5)}`),
  (_, n) => form(`${STRIPE}/products`, `name=Product ${n}`),
  chance => form(`${STRIPE}/customers/${some(chance)}`, `name=Name ${chance.below(9)}`),
  chance => ({ method: 'GET', path: `${STRIPE}/customers/${some(chance)}` }),
  chance => ({ method: 'DELETE', path: `${STRIPE}/customers/${some(chance)}` }),
  chance => ({ method: 'GET', path: `${STRIPE}/customers?limit=${1 + chance.below(4)}` }),
  chance =>
    form(
      `${STRIPE}/prices`,
      `product=${some(chance)}&unit_amount=${100 + chance.below(900)}&currency=usd&recurring[interval]=month`,
    ),
  chance =>
    form(
      `${STRIPE}/payment_intents`,
      `amount=${100 + chance.below(5000)}&currency=eur&payment_method=pm_card_visa&confirm=true&automatic_payment_methods[enabled]=true&automatic_payment_methods[allow_redirects]=never`,
    ),
  chance => form(`${STRIPE}/refunds`, `payment_intent=${some(chance)}`),
  chance =>
    form(
      `${STRIPE}/subscriptions`,
      `customer=${some(chance)}&items[0][price]=${some(chance)}&collection_method=send_invoice&days_until_due=7`,
    ),
  () => ({ method: 'GET', path: `${STRIPE}/events?limit=3` }),
  () => ({ method: 'GET', path: `${STRIPE}/nothing/here` }),
  chance => ({
    method: 'POST',
    path: '/acme/shop/openai/v1/chat/completions',
    headers: JSON_BODY,
    body: JSON.stringify({
      model: 'gpt-4o',
      stream: chance.below(2) === 0,
      messages: [{ role: 'user', content: `say ${chance.below(10)}` }],
    }),
  }),
  chance => ({
    method: 'POST',
    path: `${OWN}/clock/advance`,
    headers: JSON_BODY,
    body: JSON.stringify({ by: chance.one(['1h', '1d', '20d']) }),
  }),
  () => ({ method: 'GET', path: `${OWN}/clock` }),
  () => ({ method: 'GET', path: `${OWN}/map`, read: true }),
  chance => ({ method: 'GET', path: `${OWN}/timeline?limit=${1 + chance.below(20)}` }),
  chance => ({ method: 'GET', path: `${OWN}/log/stripe?after=${chance.below(20)}`, read: true }),
  () => ({ method: 'GET', path: `${OWN}/checkpoint/stripe` }),
  () => ({ method: 'GET', path: `${OWN}/diff` }),
  () => ({ method: 'GET', path: `${OWN}/changesets` }),
  (_, n) => ({
    method: 'POST',
    path: `${OWN}/changesets`,
    headers: JSON_BODY,
    body: JSON.stringify({ message: `cut ${n}`, name: `cut-${n}` }),
  }),
  chance => ({
    method: 'PUT',
    path: `${OWN}/browsers/b${chance.below(3)}`,
    headers: JSON_BODY,
    body: JSON.stringify({
      context: { locale: chance.one(['de-DE', 'en-US']) },
      storageState: { cookies: [], origins: [] },
    }),
  }),
  chance => ({ method: 'GET', path: `${OWN}/browsers/b${chance.below(3)}` }),
  () => ({
    method: 'POST',
    path: `${STRIPE}/customers`,
    headers: FORM,
    body: 'email=x@acme.test',
    read: true,
  }),
];

function form(path: string, body: string): Command {
  return { method: 'POST', path, headers: FORM, body };
}

/** Random ids, by the place where each came first. */
class Names {
  readonly #ids: string[] = [];

  /** The text with `$n` for what is there. */
  given(text: string): string {
    return text.replace(
      /\$(\d+)/g,
      (_, n: string) => this.#ids[Number(n) % Math.max(this.#ids.length, 1)] ?? 'none',
    );
  }

  /** The text without what is random. */
  plain(text: string): string {
    return text.replace(
      /\b(?:[A-Za-z0-9]+_)+[A-Za-z0-9]{14,}\b|\b(?:chatcmpl|fp)[-_][A-Za-z0-9]+\b|"(?:invoice_prefix|obfuscation)": ?"[^"]*"|\b[0-9a-f]{16,64}\b/g,
      id => {
        if (id.startsWith('"')) return id.slice(0, id.indexOf(':'));
        let at = this.#ids.indexOf(id);
        if (at === -1) at = this.#ids.push(id) - 1;
        return `(id ${at})`;
      },
    );
  }
}

async function trace(
  baseUrl: string,
  { token, readToken }: { readonly token: string; readonly readToken: string },
  commands: readonly Command[],
): Promise<readonly string[]> {
  const names = new Names();
  const told: string[] = [];
  for (const { method, path, headers = {}, body, read } of commands) {
    const answer = await askHost({ baseUrl }, method, names.given(path), {
      token: read ? readToken : token,
      headers,
      ...(body !== undefined && { body: names.given(body) }),
    });
    const text = answer.text
      .replaceAll(baseUrl, '(base)')
      // Of the wall, which nobody sets.
      .replaceAll(/"(recordedAt|cutAt|at)":"20(?:2|3)\d-[^"]+"/g, '"$1":"(wall)"');
    told.push(
      `${method} ${path} ${body ?? ''}\n${answer.status} ${answer.headers['content-type']}\n${names.plain(text)}`,
    );
  }
  return told;
}

t.test(
  `[4.11] a trace of commands is answered the same on Node and on workerd (WRLD_SEED=${SEED})`,
  async t => {
    const directory = await hostDirectory(t);
    const served = await hostDirectory(t);
    const vendors = ['stripe', 'openai'];
    const tokens = await bareWorld(directory, 'acme/shop', vendors);
    cpSync(join(directory, 'acme', 'shop'), served, { recursive: true });
    const chance = chanceOf(SEED);
    const clock = JSON.stringify({ at: '2099-01-01T00:00:00.000Z' });
    const commands: readonly Command[] = [
      { method: 'PUT', path: `${OWN}/clock`, headers: JSON_BODY, body: clock },
      ...Array.from({ length: COMMANDS }, (_, n) => chance.one(KINDS)(chance, n)),
    ];
    const expected = await (async () => {
      const log = openLog('silent');
      await using control = await serveControl({ folder: served, host: '127.0.0.1', port: 0, log });
      return await trace(control.baseUrl, tokens, commands);
    })();
    await using edge = await startEdge();
    await edgeWorld(edge, 'acme/shop', { vendors, ...tokens });
    const found = await trace(edge.baseUrl, tokens, commands);
    const good = expected.filter(answer => /\n2\d\d /.test(answer)).length;
    t.ok(good > COMMANDS / 2, `${good} of ${expected.length} are answered with more than a refusal`);
    for (const [index, answer] of expected.entries())
      if (!t.equal(found[index], answer, commands[index]!.path)) break;
  },
);
