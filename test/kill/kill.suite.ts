// A world that is killed again and again while it works: whatever it acknowledged is there when it comes back, once, and
// every webhook goes out as often as the log says. `npm run test:kill` kills a thousand times; WRLD_KILLS says how often,
// WRLD_SEED brings the choices of an earlier run back.
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { readSqlite } from '../../control/node/sqlite.ts';
import { chanceOf } from '../kit/chance.ts';
import { type RunningUp, startUp, wrld } from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';
import { NEW_SEED as SEED } from '../kit/seed.ts';
import { type Acknowledged, nothingYet } from './acknowledged.ts';
import {
  ACTORS,
  BACKUP_ONE_IN,
  backUp,
  endpoint,
  type Stage,
  send,
  stripe,
  well,
  writeConfig,
} from './actors.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Told, verify, verifyAll } from './verify.ts';

const KILLS = Number(process.env['WRLD_KILLS'] ?? 1_000);
/** A world that grows takes longer for each: the next ones are another world's. */
const KILLS_PER_WORLD_MAX = 250;
/** On a machine that others use too: a start, the work until the kill, and what looks at what is left. */
const KILL_MS_MAX = 20_000;
const SETTLING_MS_MAX = 600_000;
const ACTORS_AT_ONCE = 4;
/** Acknowledged writes before a kill, at most. */
const WRITES_MAX = 60;
const GONE_MS_MAX = 10_000;
/** A step moves the clock by two hours: far more of them than the three days that a vendor goes on trying. */
const RETRY_STEPS_MAX = 600;
/** Between two steps, for the deliveries that the first one started. */
const STEP_MS = 100;

const chance = chanceOf(SEED);
for (let before = 0; before < KILLS; before += KILLS_PER_WORLD_MAX) {
  const kills = Math.min(KILLS - before, KILLS_PER_WORLD_MAX);
  const name = `kills ${before + 1} to ${before + kills} of ${KILLS} lose nothing and double nothing (WRLD_SEED=${SEED})`;
  t.test(name, { timeout: kills * KILL_MS_MAX + SETTLING_MS_MAX }, async t => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-kill-')));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, '.wrld'));
    const acknowledged = nothingYet();
    await writeConfig(folder, acknowledged.granted);
    await using receiver = await startReceiver(chance);
    const told: Told = new Map();

    for (let kill = 0; kill < kills; kill++) {
      await using up = await startUp(folder);
      const stage = await stageOf(up, folder, { chance, acknowledged });
      if (kill === 0) await prepare(stage, receiver);
      await verify({ ...stage, proxyUrl: up.up.proxyUrl }, acknowledged, told);
      await workUntilKilled(up, stage);
      await checkBackups(t, folder, acknowledged);
    }

    await using up = await startUp(folder);
    const stage = await stageOf(up, folder, { chance, acknowledged });
    const events = await eventsOf(stage);
    await sendAll(stage, events, { acknowledged, told, up });
    await verifyAll({ ...stage, proxyUrl: up.up.proxyUrl }, acknowledged);
    t.ok(acknowledged.customers.size >= kills, `${acknowledged.customers.size} customers were acknowledged`);
    t.strictSame(
      events.filter(id => told.get(id)?.delivered !== 1),
      [],
      'the log tells of each event that it was delivered, once',
    );
    t.strictSame(
      events.filter(id => (receiver.arrived.get(id)?.taken ?? 0) < 1),
      [],
      'and each has arrived',
    );
    // A kill between the sending of a webhook and the note of its answer is an attempt that the log tells of too.
    t.strictSame(
      events.filter(id => receiver.arrived.get(id)!.times > told.get(id)!.attempts),
      [],
      'never more often than the log says',
    );
    t.strictSame(
      events.filter(id => receiver.arrived.get(id)!.times < told.get(id)!.answered),
      [],
      'and what the log says was answered had arrived',
    );
    const store = await wrld(folder, 'world', 'check');
    t.equal(store.code, 0, `the store passes the check\n${store.code === 0 ? '' : store.out}`);
    t.comment(
      `${acknowledged.customers.size} customers, ${acknowledged.position} entries, ${events.length} events, ${attempts(told)} attempts`,
    );
  });
}

/** Every backup that was acknowledged is whole. Each is as large as the world: it is gone when it has been checked. */
async function checkBackups(t: Test, folder: string, { backups }: Acknowledged): Promise<void> {
  for (const { file, known } of backups.splice(0)) {
    const checked = await wrld(folder, 'world', 'check', file, '--json');
    t.equal(checked.code, 0, `${file} passes the check`);
    const { n } = readSqlite(
      file,
      sql => sql.get<{ n: number }>("SELECT count(*) AS n FROM head WHERE type = 'customer'")!,
    );
    t.ok(n >= known, `${n} customers are in a backup that was made when ${known} were known`);
    await rm(file);
  }
}

const attempts = (told: Told): number => [...told.values()].reduce((sum, { attempts }) => sum + attempts, 0);

async function stageOf(
  up: RunningUp,
  folder: string,
  rest: { readonly chance: Stage['chance']; readonly acknowledged: Acknowledged },
): Promise<Stage> {
  const [token = ''] = (await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n');
  return { ...rest, folder, baseUrl: up.up.baseUrl, token: token.trim(), done: () => {} };
}

async function prepare(stage: Stage, receiver: Receiver): Promise<void> {
  const hook = {
    url: receiver.url,
    'enabled_events[0]': 'customer.created',
    'enabled_events[1]': 'customer.updated',
  };
  well((await stripe(stage, 'POST', '/v1/webhook_endpoints', hook))!, 'webhook_endpoints.create', 200);
  const plan = {
    id: 'kill_price',
    currency: 'eur',
    amount: '500',
    interval: 'month',
    'product[name]': 'Killed',
  };
  const made = await stripe(stage, 'POST', '/v1/plans', plan);
  well(made!, 'plans.create', 200);
  well((await send(stage, 'PUT', endpoint(stage, 'clock'), { at: new Date().toISOString() }))!, 'clock', 200);
}

/** Actors work side by side; after a number of writes that chance chose, the world is gone in the middle of it. */
async function workUntilKilled(up: RunningUp, stage: Stage): Promise<void> {
  const gone = once(up.process, 'exit');
  let left = 1 + stage.chance.below(WRITES_MAX);
  const done = (): void => {
    left -= 1;
    if (left === 0) process.kill(up.up.pid, 'SIGKILL');
  };
  const at: Stage = { ...stage, done };
  const backup = stage.chance.below(BACKUP_ONE_IN) === 0 ? backUp(at) : null;
  await Promise.all([
    backup,
    ...Array.from({ length: ACTORS_AT_ONCE }, async () => {
      while (left > 0 && (await stage.chance.one(ACTORS)(at)));
    }),
  ]);
  await within('the killed world to be gone', gone, GONE_MS_MAX);
}

async function eventsOf(stage: Stage): Promise<string[]> {
  const ids: string[] = [];
  for (const type of ['customer.created', 'customer.updated']) {
    for (let after = ''; ; ) {
      const from = after === '' ? '' : `&starting_after=${after}`;
      const answer = await stripe(stage, 'GET', `/v1/events?limit=100&type=${type}${from}`);
      const page = JSON.parse(answer!.body) as {
        readonly data: readonly { readonly id: string }[];
        readonly has_more: boolean;
      };
      ids.push(...page.data.map(({ id }) => id));
      after = page.data.at(-1)?.id ?? '';
      if (!page.has_more) break;
    }
  }
  return ids;
}

type Sent = { readonly acknowledged: Acknowledged; readonly told: Told; readonly up: RunningUp };

/** Moves the clock on, so that what failed is tried again, until the log tells that every event was delivered. */
async function sendAll(stage: Stage, events: readonly string[], sent: Sent): Promise<void> {
  const { acknowledged, told, up } = sent;
  for (let step = 0; step < RETRY_STEPS_MAX; step++) {
    await verify({ ...stage, proxyUrl: up.up.proxyUrl }, acknowledged, told);
    if (events.every(id => told.get(id)?.delivered === 1)) return;
    well((await send(stage, 'POST', endpoint(stage, 'clock/advance'), { by: '2h' }))!, 'advance', 200);
    await setTimeout(STEP_MS);
  }
}
