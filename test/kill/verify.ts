// Holds a world that came back against what it had acknowledged.
import { setTimeout } from 'node:timers/promises';
import type { Entry } from '../../control/world/log/entry.ts';
import type { Acknowledged } from './acknowledged.ts';
import { endpoint, type Stage, send, stripe, well } from './actors.ts';
import { ask } from './client.ts';

/** Event id → what the log says of its deliveries. */
export type Told = Map<string, { delivered: number; attempts: number; answered: number }>;

type Up = Pick<Stage, 'baseUrl' | 'token'> & { readonly proxyUrl: string };

/** Throws with what was lost, doubled or moved. */
export async function verify(up: Up, acknowledged: Acknowledged, told: Told): Promise<void> {
  await arrived(up);
  await verifyCustomers(up, acknowledged);
  await verifySubscriptions(up, acknowledged);
  await verifyLog(up, acknowledged, told);
  await verifyClock(up, acknowledged);
  await verifyBranches(up, acknowledged);
  await verifyPolicy(up, acknowledged);
}

/** Resolves when the world has arrived at its clock: until then a twin asks to be asked again. */
async function arrived(up: Up): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const answer = await send(up, 'GET', endpoint(up, 'clock'));
    if (answer === null) throw new Error('the clock: no answer');
    if (!answer.body.includes('"catchingUp"')) return;
    await setTimeout(LOOK_MS);
  }
  throw new Error('the world does not arrive at its clock');
}

const LOOK_MS = 50;
const LOOKS_MAX = 2_400;

/** Every one once after its write; afterwards only the newest, which a kill can reach. */
const CHECKED_CUSTOMERS = 100;

async function verifyCustomers(up: Up, { customers, asked }: Acknowledged): Promise<void> {
  for (const [id, n] of [...customers].slice(-CHECKED_CUSTOMERS)) {
    const answer = await stripe(up, 'GET', `/v1/customers/${id}`);
    if (answer === null) throw new Error(`customer ${id}: no answer`);
    well(answer, `customer ${id}, which was acknowledged`, 200);
    const { metadata } = JSON.parse(answer.body) as { readonly metadata: { readonly n: string } };
    const held = Number(metadata.n);
    if (held !== n && held !== asked.get(id))
      throw new Error(`customer ${id} has number ${held}; ${n} was acknowledged, ${asked.get(id)} was asked`);
    customers.set(id, held);
    asked.delete(id);
  }
}

const CHECKED_SUBSCRIPTIONS = 20;

async function verifySubscriptions(up: Up, { subscriptions }: Acknowledged): Promise<void> {
  for (const id of [...subscriptions].slice(-CHECKED_SUBSCRIPTIONS)) {
    const answer = await stripe(up, 'GET', `/v1/subscriptions/${id}`);
    if (answer === null) throw new Error(`subscription ${id}: no answer`);
    well(answer, `subscription ${id}, which was acknowledged`, 200);
  }
}

/** At the end, of all that there is: what was acknowledged is there, and nothing is there twice. */
export async function verifyAll(up: Up, { customers, subscriptions }: Acknowledged): Promise<void> {
  const names = new Set<unknown>();
  const left = new Map(customers);
  for await (const { id, name, metadata } of every(up, 'customers')) {
    if (names.has(name)) throw new Error(`there are two customers ${String(name)}`);
    names.add(name);
    const n = left.get(id);
    if (n !== undefined && Number(metadata?.n) !== n)
      throw new Error(`customer ${id} has number ${metadata?.n}; ${n} was acknowledged`);
    left.delete(id);
  }
  if (left.size > 0)
    throw new Error(`of the acknowledged customers, ${[...left.keys()].join(', ')} are gone`);
  const gone = new Set(subscriptions);
  for await (const { id } of every(up, 'subscriptions')) gone.delete(id);
  if (gone.size > 0) throw new Error(`of the acknowledged subscriptions, ${[...gone].join(', ')} are gone`);
}

type Listed = {
  readonly id: string;
  readonly name?: string;
  readonly metadata?: { readonly n?: string };
};

async function* every(up: Up, type: 'customers' | 'subscriptions'): AsyncGenerator<Listed> {
  for (let after = '', more = true; more; ) {
    const status = type === 'subscriptions' ? '&status=all' : '';
    const from = after === '' ? '' : `&starting_after=${after}`;
    const answer = await stripe(up, 'GET', `/v1/${type}?limit=100${status}${from}`);
    if (answer === null) throw new Error(`a list of ${type}: no answer`);
    well(answer, `a list of ${type}`, 200);
    const page = JSON.parse(answer.body) as { readonly data: readonly Listed[]; readonly has_more: boolean };
    yield* page.data;
    after = page.data.at(-1)?.id ?? '';
    more = page.has_more;
  }
}

async function verifyLog(up: Up, acknowledged: Acknowledged, told: Told): Promise<void> {
  let lastAt = '';
  for (let more = true; more; ) {
    const answer = await send(up, 'GET', endpoint(up, `log/stripe?after=${acknowledged.position}`));
    if (answer === null) throw new Error('the log: no answer');
    well(answer, 'the log', 200);
    const page = JSON.parse(answer.body) as {
      readonly entries: readonly Entry[];
      readonly next: string | null;
    };
    for (const { position, occurredAt, kind, delivery } of page.entries) {
      if (position !== acknowledged.position + 1)
        throw new Error(`the log goes from position ${acknowledged.position} to ${position}`);
      if (occurredAt < lastAt) throw new Error(`the log goes back in time at ${position}`);
      lastAt = occurredAt;
      acknowledged.position = position;
      if (delivery === undefined) continue;
      const held = told.get(delivery.event.id) ?? { delivered: 0, attempts: 0, answered: 0 };
      held.attempts += 1;
      if (delivery.status !== undefined) held.answered += 1;
      if (kind === 'webhook.delivered') held.delivered += 1;
      told.set(delivery.event.id, held);
    }
    more = page.next !== null;
  }
}

async function verifyClock(up: Up, { clock }: Acknowledged): Promise<void> {
  const answer = await send(up, 'GET', endpoint(up, 'clock'));
  if (answer === null) throw new Error('the clock: no answer');
  well(answer, 'the clock', 200);
  const { at } = JSON.parse(answer.body) as { readonly at: string };
  if (clock !== null && at < clock) throw new Error(`the clock stands at ${at}; ${clock} was acknowledged`);
}

async function verifyBranches(up: Up, { branches, doubtfulBranches }: Acknowledged): Promise<void> {
  const answer = await send(up, 'GET', endpoint(up, 'branches'));
  if (answer === null) throw new Error('the branches: no answer');
  well(answer, 'the branches', 200);
  const there = (JSON.parse(answer.body) as { readonly branches: readonly { readonly name: string }[] })
    .branches;
  const names = there.map(({ name }) => name);
  for (const { name, token } of branches.values()) {
    if (!names.includes(name)) throw new Error(`the branch ${name} is gone`);
    const read = await ask({
      method: 'GET',
      url: `${up.baseUrl}/-/${name}/map`,
      headers: { 'x-wrld-token': token },
    });
    if (read === null) throw new Error(`the branch ${name}: no answer`);
    well(read, `the branch ${name}, by the token that it was made with`, 200);
  }
  // One whose making was never answered has a name that nobody was told; it is there whole, and goes.
  for (const name of names) {
    if (branches.has(name)) continue;
    const gone = await send(up, 'DELETE', endpoint(up, `branches/${name}`));
    if (gone === null) throw new Error(`removing ${name}: no answer`);
    well(gone, `removing ${name}`, 204);
  }
  doubtfulBranches.clear();
}

/** Whoever asks through the proxy is judged by the config as it stands. */
async function verifyPolicy(up: Up, { granted }: Acknowledged): Promise<void> {
  for (const [host, may] of [
    [granted, true],
    ['never.example', false],
  ] as const) {
    const url = `http://${host}/`;
    const answer = await ask({ method: 'GET', url: up.proxyUrl, path: url, headers: { host } });
    if (answer === null) throw new Error(`${url} through the proxy: no answer`);
    well(answer, `${url} through the proxy`, 502);
    if (answer.body.includes('"not-granted"') === may)
      throw new Error(`${url} is ${may ? 'granted and was refused' : 'not granted and was let out'}`);
  }
}
