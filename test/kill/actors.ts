// What goes on in a world while it is killed: writes, advances of the clock, branches, edits of the policy. Each actor
// does one thing after another until an answer stays away, and notes what was acknowledged.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chance } from '../kit/chance.ts';
import { wrld } from '../kit/command-line.ts';
import type { Acknowledged } from './acknowledged.ts';
import { type Answer, type Asked, ask } from './client.ts';

export type Stage = {
  readonly folder: string;
  readonly baseUrl: string;
  readonly token: string;
  readonly chance: Chance;
  readonly acknowledged: Acknowledged;
  /** Called after every acknowledged write. */
  readonly done: () => void;
};

/** False: the world did not answer any more. */
export type Actor = (stage: Stage) => Promise<boolean>;

const WORLD = 'kill/shop';
const BRANCHES_MAX = 4;

export const endpoint = (stage: Pick<Stage, 'baseUrl'>, path: string): string =>
  `${stage.baseUrl}/-/${WORLD}/${path}`;
export const vendor = (stage: Pick<Stage, 'baseUrl'>, path: string): string =>
  `${stage.baseUrl}/${WORLD}/stripe${path}`;

export function send(
  stage: Pick<Stage, 'token'>,
  method: string,
  url: string,
  body?: object,
): Promise<Asked> {
  return ask({
    method,
    url,
    headers: { 'x-wrld-token': stage.token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export function stripe(
  stage: Pick<Stage, 'token' | 'baseUrl'>,
  method: string,
  path: string,
  form?: { readonly [name: string]: string },
): Promise<Asked> {
  return ask({
    method,
    url: vendor(stage, path),
    headers: {
      authorization: `Bearer ${stage.token}`,
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
  });
}

/** Throws on an answer that no kill explains. */
export function well(answer: Answer, what: string, ...statuses: readonly number[]): void {
  if (!statuses.includes(answer.status))
    throw new Error(`${what}: ${answer.status} ${answer.body.slice(0, 300)}`);
}

/** A world that is catching up, shutting down or over its bounds says so; that is an answer and no write. */
const isLater = ({ status }: Answer): boolean => status === 503 || status === 429;

let number = 0;

const createCustomer: Actor = async stage => {
  number += 1;
  const mine = number;
  const answer = await stripe(stage, 'POST', '/v1/customers', {
    name: `c${mine}`,
    'metadata[n]': `${mine}`,
  });
  if (answer === null) return false;
  if (isLater(answer)) return true;
  well(answer, 'customers.create', 200);
  stage.acknowledged.customers.set((JSON.parse(answer.body) as { readonly id: string }).id, mine);
  stage.done();
  return true;
};

const updateCustomer: Actor = async stage => {
  const { customers, asked } = stage.acknowledged;
  if (customers.size === 0) return createCustomer(stage);
  const id = stage.chance.one([...customers.keys()].slice(-50));
  // One at a time for each customer, or nobody knows which of two came last.
  if (asked.has(id)) return createCustomer(stage);
  number += 1;
  const mine = number;
  asked.set(id, mine);
  const answer = await stripe(stage, 'POST', `/v1/customers/${id}`, { 'metadata[n]': `${mine}` });
  if (answer === null) return false;
  asked.delete(id);
  if (isLater(answer)) return true;
  well(answer, 'customers.update', 200);
  customers.set(id, mine);
  stage.done();
  return true;
};

const subscribe: Actor = async stage => {
  const { customers } = stage.acknowledged;
  if (customers.size === 0) return createCustomer(stage);
  const answer = await stripe(stage, 'POST', '/v1/subscriptions', {
    customer: stage.chance.one([...customers.keys()]),
    'items[0][price]': 'kill_price',
    collection_method: 'send_invoice',
    days_until_due: '30',
  });
  if (answer === null) return false;
  if (isLater(answer)) return true;
  well(answer, 'subscriptions.create', 200);
  stage.acknowledged.subscriptions.add((JSON.parse(answer.body) as { readonly id: string }).id);
  stage.done();
  return true;
};

const advance: Actor = async stage => {
  const answer = await send(stage, 'POST', endpoint(stage, 'clock/advance'), {
    by: stage.chance.one(['10m', '1h', '6h', '2d']),
  });
  if (answer === null) return false;
  if (isLater(answer)) return true;
  well(answer, 'clock/advance', 200);
  const { at } = JSON.parse(answer.body) as { readonly at: string };
  const { acknowledged } = stage;
  if (acknowledged.clock === null || at > acknowledged.clock) acknowledged.clock = at;
  stage.done();
  return true;
};

const branch: Actor = async stage => {
  const { branches, doubtfulBranches } = stage.acknowledged;
  if (branches.size >= BRANCHES_MAX) {
    const { name } = stage.chance.one([...branches.values()]);
    branches.delete(name);
    doubtfulBranches.add(name);
    const answer = await send(stage, 'DELETE', endpoint(stage, `branches/${name}`));
    if (answer === null) return false;
    if (isLater(answer)) return true;
    well(answer, 'branches.remove', 204, 404);
    doubtfulBranches.delete(name);
  } else {
    const answer = await send(stage, 'POST', endpoint(stage, 'branches'), {});
    if (answer === null) return false;
    if (isLater(answer)) return true;
    well(answer, 'branches.make', 201);
    const { name, token } = JSON.parse(answer.body) as { readonly name: string; readonly token: string };
    branches.set(name, { name, token });
  }
  stage.done();
  return true;
};

/** One edit after the other: of two at once nobody knows which came last. */
let editing: Promise<void> = Promise.resolve();

/** The file is replaced whole, as editors do it; the world reads it by itself. */
const editPolicy: Actor = async stage => {
  number += 1;
  const host = `kill${number}.example`;
  editing = editing.then(async () => {
    await writeConfig(stage.folder, host);
    stage.acknowledged.granted = host;
  });
  await editing;
  stage.done();
  return true;
};

/** Made by a process of its own, of the world's files. */
export const backUp: Actor = async stage => {
  number += 1;
  const file = join(stage.folder, `kill${number}.backup`);
  // The customers of now are in it, whatever else is.
  const known = stage.acknowledged.customers.size;
  const made = await wrld(stage.folder, 'world', 'backup', file, '--json');
  // The kill of the world does not reach it: it reads the files by itself.
  if (made.code !== 0) throw new Error(`backup: ${made.code} ${made.err}`);
  stage.acknowledged.backups.push({ file, known });
  stage.done();
  return true;
};

export async function writeConfig(folder: string, granted: string): Promise<void> {
  const place = join(folder, '.wrld', 'world.json');
  const config = {
    name: WORLD,
    services: { stripe: { twin: 'stripe' } },
    runtime: { network: { egress: [`http://${granted}/`] } },
  };
  await writeFile(`${place}.new`, JSON.stringify(config));
  await rename(`${place}.new`, place);
}

/** How often each is drawn: mostly writes, as in a world at work. */
export const ACTORS: readonly Actor[] = [
  ...Array<Actor>(10).fill(createCustomer),
  ...Array<Actor>(8).fill(updateCustomer),
  ...Array<Actor>(2).fill(subscribe),
  advance,
  branch,
  editPolicy,
];

/** Drawn once in so many kills. */
export const BACKUP_ONE_IN = 4;
