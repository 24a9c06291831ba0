// A host whose shards, whose front or all of whose processes are killed again and again while its worlds are written to: whatever
// was acknowledged in any of them is there afterwards, once, and what was refused is not. A tenth of the kills of one world
// (kill.suite.ts), of which each is a start; WRLD_SEED brings the choices of an earlier run back.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { chanceOf } from '../kit/chance.ts';
import { COMMAND_MS_MAX, cleanEnv, wrldWords } from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';
import { freePort } from '../kit/free-port.ts';
import { bareWorld, hostDirectory } from '../kit/many-worlds.ts';
import { NEW_SEED as SEED } from '../kit/seed.ts';
import { type Asked, ask } from './client.ts';

const VICTIMS = ['shard', 'front', 'all'] as const;
const KILLS = Math.max(VICTIMS.length, Math.ceil(Number(process.env['WRLD_KILLS'] ?? 1_000) / 10));
const WORLDS = 24;
const SHARDS = 2;
const WRITERS_AT_ONCE = 8;
/** Acknowledged writes before a kill, at most: some kills find every world open, and some are in the middle of opening. */
const WRITES_MAX = 120;
/** Of what is asked, how much makes or removes a world. */
const ADMIN_ONE_IN = 12;
const GONE_MS_MAX = 30_000;
/** A process that takes another's place waits for what that one still holds. */
const AGAIN_MS = 50;

const chance = chanceOf(SEED);
const agent = new Agent({ keepAlive: true });
t.teardown(() => agent.destroy());

type World = {
  readonly name: string;
  readonly token: string;
  /** Customer → the number that an acknowledged write gave it last. */
  readonly customers: Map<string, number>;
  /** Customer → a number that was asked for, and nobody knows whether it was given. */
  readonly asked: Map<string, number>;
  /** What was answered that it was not done: no customer has that address. */
  readonly refused: Set<string>;
  /** A write to it has not been answered: one at a time tells which number a customer has. */
  busy: boolean;
};

type Host = {
  readonly front: ChildProcess;
  readonly baseUrl: string;
  readonly admin: string;
};

async function start(directory: string, port: number): Promise<Host> {
  const words = ['host', directory, '--json', '--port', String(port), '--shards', String(SHARDS)];
  const [program = '', ...args] = wrldWords(...words, '--budget', 'off');
  const front = spawn(program, args, { env: cleanEnv(), stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface({ input: front.stdout! });
  const [line] = await within('the host', once(lines, 'line'), COMMAND_MS_MAX);
  front.stdout!.resume();
  const { baseUrl } = JSON.parse(line);
  return { front, baseUrl, admin: readFileSync(join(directory, '.wrld-host', 'admin-token'), 'utf8').trim() };
}

function shardsOf({ front }: Host): readonly number[] {
  const text = readFileSync(`/proc/${front.pid}/task/${front.pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

const isThere = (pid: number): boolean => {
  try {
    // A process that ended and was not waited for is there in name alone.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

async function gone(pids: readonly number[]): Promise<void> {
  const none = async (): Promise<void> => {
    while (pids.some(isThere)) await setTimeout(AGAIN_MS);
  };
  await within('what was killed to be gone', none(), GONE_MS_MAX);
}

const send = (
  { baseUrl }: Pick<Host, 'baseUrl'>,
  { method, path, token, body }: { method: string; path: string; token: string; body?: string },
): Promise<Asked> => {
  const type = path.startsWith('/-/') ? 'application/json' : 'application/x-www-form-urlencoded';
  const headers = { 'x-wrld-token': token, 'content-type': type };
  return ask({ method, url: `${baseUrl}${path}`, headers, agent, ...(body !== undefined && { body }) });
};

let number = 0;

/** A new customer, or another number for one that there is. Answers whether it was acknowledged. */
async function write(host: Host, world: World): Promise<boolean> {
  const { name, token, customers, asked, refused } = world;
  const n = ++number;
  const email = `n${n}@kill.test`;
  const known = customers.size === 0 || chance.below(2) === 0 ? null : chance.one([...customers.keys()]);
  if (known !== null) asked.set(known, n);
  const path = `/${name}/stripe/v1/customers${known === null ? '' : `/${known}`}`;
  const body = `email=${email}&metadata[n]=${n}`;
  const answer = await send(host, { method: 'POST', path, token, body });
  if (answer?.status === 200) {
    const { id } = JSON.parse(answer.body) as { readonly id: string };
    customers.set(id, n);
    asked.delete(id);
    return true;
  }
  if (answer === null || answer.body.includes('"shard-ended"')) return false;
  if (answer.status !== 503) throw new Error(`${path} was answered ${answer.status}: ${answer.body}`);
  // It says that it was not done.
  refused.add(email);
  if (known !== null) asked.delete(known);
  return false;
}

type Places = {
  readonly worlds: Map<string, World>;
  /** Whose making or removal nobody answered: they are there or not. */
  readonly doubtful: Map<string, World | null>;
};

/** A world more or a world less, as its admin asks. Answers whether it was acknowledged. */
async function administer({ baseUrl, admin }: Host, { worlds, doubtful }: Places): Promise<boolean> {
  const extra = [...worlds.values()].filter(({ name, busy }) => name.startsWith('made/') && !busy);
  if (extra.length > 0 && chance.below(2) === 0) {
    const world = chance.one(extra);
    world.busy = true;
    worlds.delete(world.name);
    const gone = await send({ baseUrl }, { method: 'DELETE', path: `/-/worlds/${world.name}`, token: admin });
    if (gone?.status === 204) return true;
    doubtful.set(world.name, world);
    return false;
  }
  const name = `made/world-${++number}`;
  const body = JSON.stringify({ org: 'made', world: name.slice(5), vendors: ['stripe'] });
  const made = await send({ baseUrl }, { method: 'POST', path: '/-/worlds', token: admin, body });
  if (made?.status === 201) {
    worlds.set(name, worldOf(name, JSON.parse(made.body).token));
    return true;
  }
  doubtful.set(name, null);
  return false;
}

function worldOf(name: string, token: string): World {
  return { name, token, customers: new Map(), asked: new Map(), refused: new Set(), busy: false };
}

/** Writers work side by side until so much was acknowledged; then the victim is killed in the middle of what the others do. */
async function workUntilKilled(host: Host, places: Places, kill: () => void): Promise<void> {
  let left = 1 + chance.below(WRITES_MAX);
  let over = false;
  const writer = async (): Promise<void> => {
    while (!over) {
      const free = [...places.worlds.values()].filter(({ busy }) => !busy);
      const world = chance.one(free);
      world.busy = true;
      const isAdmins = chance.below(ADMIN_ONE_IN) === 0;
      if (isAdmins) world.busy = false;
      const done = isAdmins ? await administer(host, places) : await write(host, world);
      if (!isAdmins) world.busy = false;
      if (done) left -= 1;
      if (left > 0 || over) continue;
      over = true;
      kill();
    }
  };
  await Promise.all(Array.from({ length: WRITERS_AT_ONCE }, writer));
}

/** What the host answers once whoever was killed is back; until then it says that it is not. */
async function settled(host: Host, asked: Parameters<typeof send>[1]): Promise<string> {
  const answered = async (): Promise<string> => {
    for (;;) {
      const answer = await send(host, asked);
      if (answer?.status === 200) return answer.body;
      if (answer !== null && answer.status !== 503)
        throw new Error(`${asked.path} was answered ${answer.status}: ${answer.body}`);
      await setTimeout(AGAIN_MS);
    }
  };
  return within(`an answer to ${asked.path}`, answered(), COMMAND_MS_MAX);
}

/** Throws with what was lost, doubled, or done though it was refused. */
async function verify(host: Host, world: World): Promise<void> {
  const { name, token, customers, asked, refused } = world;
  const found = new Map<string, { readonly email: string; readonly n: number }>();
  for (let after = '', more = true; more; ) {
    const from = after === '' ? '' : `&starting_after=${after}`;
    const path = `/${name}/stripe/v1/customers?limit=100${from}`;
    const page = JSON.parse(await settled(host, { method: 'GET', path, token }));
    for (const { id, email, metadata } of page.data) {
      if (found.has(id)) throw new Error(`${name}: customer ${id} is there twice`);
      found.set(id, { email, n: Number(metadata.n) });
    }
    after = page.data.at(-1)?.id ?? '';
    more = page.has_more;
  }
  const emails = [...found.values()].map(({ email }) => email);
  if (new Set(emails).size < emails.length) throw new Error(`${name}: a write was done twice`);
  const done = emails.find(email => refused.has(email));
  if (done !== undefined) throw new Error(`${name}: ${done} was refused, and done`);
  for (const [id, n] of customers) {
    const held = found.get(id)?.n;
    if (held === undefined) throw new Error(`${name}: customer ${id}, which was acknowledged, is gone`);
    if (held !== n && held !== asked.get(id))
      throw new Error(`${name}: customer ${id} has ${held}; ${n} was acknowledged, ${asked.get(id)} asked`);
  }
  for (const [id, { n }] of found) customers.set(id, n);
  asked.clear();
  await verifyLog(host, world);
}

/** The positions have no gap, and as many entries made a customer as there are customers. */
async function verifyLog(host: Host, { name, token, customers }: World): Promise<void> {
  let position = 0;
  let made = 0;
  for (let after: string | null = '0'; after !== null; ) {
    const path = `/-/${name}/log/stripe?after=${after}`;
    const page = JSON.parse(await settled(host, { method: 'GET', path, token }));
    for (const entry of page.entries) {
      if (entry.position !== ++position)
        throw new Error(`${name}: the log goes to ${entry.position} at ${position}`);
      if (entry.kind === 'customer.created') made += 1;
    }
    after = page.next;
  }
  if (made !== customers.size)
    throw new Error(`${name}: ${made} customers were made, and ${customers.size} are there`);
}

/** Every world that was acknowledged is there, none that was removed, and of the doubtful each is one or the other. */
async function verifyWorlds(host: Host, { worlds, doubtful }: Places): Promise<void> {
  const told = async (): Promise<readonly { name: string; token: string | null; fault?: string }[]> =>
    JSON.parse(await settled(host, { method: 'GET', path: '/-/worlds', token: host.admin })).worlds;
  let rows = await told();
  const all = async (): Promise<void> => {
    for (; rows.some(({ fault }) => fault !== undefined); rows = await told()) await setTimeout(AGAIN_MS);
  };
  await within('every world to be without a fault', all(), COMMAND_MS_MAX);
  const there = new Map(rows.map(row => [row.name, row.token]));
  for (const { name, token } of worlds.values()) {
    if (!there.has(name)) throw new Error(`the world ${name}, which was acknowledged, is gone`);
    if (there.get(name) !== token) throw new Error(`the world ${name} has another token than it had`);
  }
  for (const [name, token] of there) {
    if (worlds.has(name)) continue;
    if (!doubtful.has(name)) throw new Error(`the world ${name} was removed, and is there`);
    const known = doubtful.get(name) ?? worldOf(name, token!);
    known.busy = false;
    worlds.set(name, known);
  }
  doubtful.clear();
}

t.test(
  `${KILLS} kills of a host's processes lose nothing and double nothing (WRLD_SEED=${SEED})`,
  { timeout: 7_200_000, skip: process.platform !== 'linux' && 'the shards of a front are known by /proc' },
  async t => {
    const directory = await hostDirectory(t);
    const places: Places = { worlds: new Map(), doubtful: new Map() };
    for (let n = 0; n < WORLDS; n++) {
      const name = `org-${n % 3}/world-${n}`;
      places.worlds.set(name, worldOf(name, (await bareWorld(directory, name)).token));
    }
    const port = await freePort();
    let host = await start(directory, port);
    t.teardown(async () => {
      host.front.kill('SIGKILL');
      await gone(shardsLeft);
    });
    let shardsLeft: readonly number[] = [];
    const counts = { shard: 0, front: 0, all: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = VICTIMS[kill % VICTIMS.length]!;
      counts[victim] += 1;
      shardsLeft = shardsOf(host);
      t.equal(shardsLeft.length, SHARDS);
      const front = host.front.pid!;
      const hit =
        victim === 'shard' ? [chance.one(shardsLeft)] : victim === 'front' ? [front] : [front, ...shardsLeft];
      await workUntilKilled(host, places, () => {
        for (const pid of hit) process.kill(pid, 'SIGKILL');
      });
      // Shards whose front is gone end by themselves.
      await gone(victim === 'shard' ? hit : [front, ...shardsLeft]);
      if (victim !== 'shard') host = await start(directory, port);
      await verifyWorlds(host, places);
      for (const world of places.worlds.values()) await verify(host, world);
    }
    shardsLeft = shardsOf(host);
    const writes = [...places.worlds.values()].reduce((sum, { customers }) => sum + customers.size, 0);
    t.ok(writes >= KILLS, `${writes} customers in ${places.worlds.size} worlds`);
    const health = JSON.parse(await settled(host, { method: 'GET', path: '/-/health', token: host.admin }));
    t.equal(health.status, 'up');
    t.comment(`${JSON.stringify(counts)}; ${writes} customers in ${places.worlds.size} worlds`);
    const over = once(host.front, 'exit');
    host.front.kill('SIGTERM');
    t.strictSame(await within('the end of the host', over, GONE_MS_MAX), [0, null]);
  },
);
