// Worlds of two orgs on one host (4.10): nothing that opens one opens anything of the other, on any endpoint, by any way to present
// it, under any name of the host; and whatever a world does to itself, its neighbour answers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { adminRoutes } from '../../control/hosting/routes.ts';
import type { RunningHost } from '../../control/node/host/host.ts';
import { askHost, bareWorld, type HostAnswer, hostDirectory, startHostQuietly } from '../kit/many-worlds.ts';
import { type AttackedHost, attackHost, attackWorld, SUFFIX } from './between-worlds.ts';

const VICTIM = 'acme/shop';

/** A whole machine at work beside this test is no fault of a world's. */
const WAIT_MS = 30_000;

t.setTimeout(600_000);

t.test('[5.1, 4.10] nothing of one world opens another, on any of its endpoints', async t => {
  await using host = await startHostQuietly(await hostDirectory(t), { suffix: SUFFIX });
  await attackWorld(t, attacked(host));
});

t.test('[5.1, 4.10] nothing of any world opens the host’s own endpoints', async t => {
  await using host = await startHostQuietly(await hostDirectory(t), { suffix: SUFFIX });
  await attackHost(t, attacked(host));
});

const attacked = ({ listensAt, adminToken }: RunningHost): AttackedHost => ({
  baseUrl: listensAt,
  named: null,
  admin: adminToken.secret.reveal(),
  routes: adminRoutes,
});

const FUNCTIONS = `export function answer({ said }) { for (;;); }`;
const HANDLERS = JSON.stringify({ version: 1, handlers: [] });

/** Of 200 requests each, until one is too many. */
const FLOODS_MAX = 20;

/** What a world does to itself, or has done to it; each resolves when it is over. */
const NEIGHBOURS: { readonly [what: string]: (bad: Bad) => Promise<unknown> } = {
  'a check that loops': async ({ ask, form }) => {
    await form('/v1/customers', 'email=a@b.test');
    const body = "export const check = { name: 'loops', run() { for (;;); } };";
    const set = await ask('PUT', 'checks/loops', body);
    if (set.status !== 200) throw new Error(set.text);
    await ask('POST', 'changesets', { message: 'all', name: 'all' });
    const verified = await ask('POST', 'changesets/all/verify');
    if (verified.json.verification.ok !== false) throw new Error(`it does not loop: ${verified.text}`);
  },
  'a function that never answers': async ({ at }) => {
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'loop' }] });
    const say = () => at('POST', '/openai/v1/chat/completions', 'application/json', body);
    const [first] = await Promise.all([say(), say(), say()]);
    if (!/did not come to its end/.test(first.text)) throw new Error(`${first.status} ${first.text}`);
  },
  'a store that is damaged': async ({ ask }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('GET', 'map')));
    if (!answers.every(({ status }) => status === 503)) throw new Error('it opens');
  },
  'a year of events at once': async ({ ask, form }) => {
    await ask('PUT', 'clock', { at: '2030-01-01T00:00:00Z' });
    const { id } = (await form('/v1/customers', 'email=a@b.test')).json;
    const price = 'currency=usd&unit_amount=100&recurring[interval]=day&product_data[name]=Daily';
    const { id: daily } = (await form('/v1/prices', price)).json;
    const made = await form(
      '/v1/subscriptions',
      `customer=${id}&items[0][price]=${daily}&collection_method=send_invoice&days_until_due=30`,
    );
    if (made.status !== 200) throw new Error(made.text);
    const advanced = await ask('POST', 'clock/advance', { by: '365d' });
    if (advanced.status >= 300) throw new Error(advanced.text);
    const { position } = (await ask('GET', 'map')).json.twins.find(
      ({ twin }: { twin: string }) => twin === 'stripe',
    );
    if (position < 365) throw new Error(`only ${position} events`);
  },
  'more requests than it may have': async ({ ask }) => {
    for (let n = 0; n < FLOODS_MAX; n++) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => ask('GET', 'map')));
      if (answers.some(({ status }) => status === 429)) return;
    }
    throw new Error('none of them was too many');
  },
};

type Said = Pick<HostAnswer, 'status' | 'text' | 'json'>;

/** How a bad world is asked: it may take its time. */
type Bad = {
  /** Below the world’s vendors. */
  readonly at: (method: string, path: string, type: string, body: string) => Promise<Said>;
  readonly ask: (method: string, path: string, body?: object | string) => Promise<Said>;
  readonly form: (path: string, body: string) => Promise<Said>;
};

function badWorld(host: RunningHost, name: string, token: string): Bad {
  const send = async (method: string, path: string, type: string, body: string | null): Promise<Said> => {
    const headers = { 'x-wrld-token': token, ...(body === null ? {} : { 'content-type': type }) };
    const answer = await fetch(`${host.listensAt}${path}`, { method, headers, body });
    const text = await answer.text();
    return { status: answer.status, text, json: text === '' ? null : JSON.parse(text) };
  };
  return {
    at: (method, path, type, body) => send(method, `/${name}${path}`, type, body),
    ask: (method, path, body) => {
      const sent = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
      return send(method, `/-/${name}/${path}`, 'application/json', sent);
    },
    form: (path, body) => send('POST', `/${name}/stripe${path}`, 'application/x-www-form-urlencoded', body),
  };
}

t.test('[4.10] a bad neighbour does not keep another world from answering', async t => {
  const directory = await hostDirectory(t);
  const good = await bareWorld(directory, VICTIM);
  const tokens = new Map<string, { readonly token: string }>();
  const names = Object.keys(NEIGHBOURS).map((what, n) => [what, `bad/w${n}`] as const);
  for (const [, name] of names) tokens.set(name, await bareWorld(directory, name, ['stripe', 'openai']));
  const nameOf = new Map(names);
  const looping = join(directory, nameOf.get('a function that never answers')!);
  const config = join(looping, '.wrld', 'world.json');
  const declared = JSON.parse(readFileSync(config, 'utf8'));
  declared.services.openai.colocate = { scenarioPath: 'openai.json' };
  writeFileSync(config, JSON.stringify(declared));
  writeFileSync(join(looping, 'openai.json'), HANDLERS);
  writeFileSync(join(looping, 'openai.js'), FUNCTIONS);
  const store = join(directory, nameOf.get('a store that is damaged')!, '.wrld', 'world', 'world.db');
  const bytes = readFileSync(store);
  bytes.fill(0x5a, 4096, 6 * 4096);
  writeFileSync(store, bytes);

  await using host = await startHostQuietly(directory, { budget: { requestsPerSecond: 20, burst: 100 } });
  const waits: number[] = [];
  const neighbour = async (): Promise<void> => {
    const began = performance.now();
    const answer = await askHost(host, 'POST', `/${VICTIM}/stripe/v1/customers`, {
      ...good,
      waitMs: WAIT_MS,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'email=a@b.test',
    });
    if (answer.status === 429) return;
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    waits.push(performance.now() - began);
  };
  await neighbour();
  for (const [what, does] of Object.entries(NEIGHBOURS)) {
    const name = nameOf.get(what)!;
    const bad = badWorld(host, name, tokens.get(name)!.token);
    waits.length = 0;
    let over = false;
    const doing = does(bad)
      .then(
        () => null,
        (error: unknown) => error,
      )
      .finally(() => {
        over = true;
      });
    // Each is held to the deadline of an answer by the kit.
    while (!over || waits.length === 0) await neighbour();
    t.equal(await doing, null, what);
    const most = Math.max(...waits);
    t.comment(`beside ${what}: ${waits.length} answers, the slowest in ${most.toFixed(0)} ms`);
  }
  t.match(await askHost(host, 'GET', `/-/${VICTIM}/map`, good), { status: 200 });
});
