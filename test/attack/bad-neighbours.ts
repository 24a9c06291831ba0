// What worlds do to themselves, and how long one beside them waits: for a host and for the edge.
import type { Test } from 'tap';
import { type AskedHost, askHost, type HostAnswer } from '../kit/many-worlds.ts';

/** A whole machine at work beside this test is no fault of a world's. */
const WAIT_MS = 30_000;

/** Of 200 requests each, until one is too many. */
const FLOODS_MAX = 20;

export type Neighbours = { readonly [what: string]: (bad: Bad) => Promise<unknown> };

/** What a world does to itself, on every host; each resolves when it is over. */
export const NEIGHBOURS: Neighbours = {
  'a check that loops': async ({ ask, form }) => {
    await form('/v1/customers', 'email=a@b.test');
    const body = "export const check = { name: 'loops', run() { for (;;); } };";
    const set = await ask('PUT', 'checks/loops', body);
    if (set.status !== 200) throw new Error(set.text);
    await ask('POST', 'changesets', { message: 'all', name: 'all' });
    const verified = await ask('POST', 'changesets/all/verify');
    if (verified.json.verification.ok !== false) throw new Error(`it does not loop: ${verified.text}`);
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
export type Bad = {
  /** Below the world’s vendors. */
  readonly at: (method: string, path: string, type: string, body: string) => Promise<Said>;
  readonly ask: (method: string, path: string, body?: object | string) => Promise<Said>;
  readonly form: (path: string, body: string) => Promise<Said>;
};

function badWorld(baseUrl: string, { name, token }: World): Bad {
  const send = async (method: string, path: string, type: string, body: string | null): Promise<Said> => {
    const headers = { 'x-wrld-token': token, ...(body === null ? {} : { 'content-type': type }) };
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, body });
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

type World = { readonly name: string; readonly token: string };

/** Each of them does its worst in a world of its own, and `good` is written to as long as that takes. */
export async function besideNeighbours(
  t: Test,
  host: AskedHost,
  {
    good,
    neighbours,
  }: {
    readonly good: World;
    readonly neighbours: readonly {
      readonly what: string;
      readonly does: (bad: Bad) => Promise<unknown>;
      readonly world: World;
    }[];
  },
): Promise<void> {
  const waits: number[] = [];
  const neighbour = async (): Promise<void> => {
    const began = performance.now();
    const answer = await askHost(host, 'POST', `/${good.name}/stripe/v1/customers`, {
      token: good.token,
      waitMs: WAIT_MS,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'email=a@b.test',
    });
    if (answer.status === 429) return;
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    waits.push(performance.now() - began);
  };
  await neighbour();
  for (const { what, does, world } of neighbours) {
    const bad = badWorld(host.baseUrl, world);
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
}
