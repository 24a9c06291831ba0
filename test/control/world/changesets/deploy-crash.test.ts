// [real-vendor.md, Deploy; storage invariant 17] The world is killed at every statement of a deploy and at every byte of what
// the vendor answers, again and again until it comes through: at most one operation of the vendor's for an action, and no
// action forgotten. WRLD_SEED says with which schedule to begin, WRLD_SCHEDULES how many there are.
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { digest } from '../../../../control/node/digest.ts';
import { openEntropy } from '../../../../control/node/entropy.ts';
import { openWorld } from '../../../../control/world/open-world.ts';
import type { World } from '../../../../control/world/world.ts';
import type { Call } from '../../../../twins/kit/call.ts';
import { type Chance, chanceOf } from '../../../kit/chance.ts';
import { noteTwinWith, verify } from '../../../kit/deploy-world.ts';
import { type Capability, noteVendor, rootWith } from '../../../kit/note-vendor.ts';
import { receiver } from '../../../kit/receiver.ts';
import { SEED } from '../../../kit/seed.ts';
import { Store } from '../../../simulate/disk.ts';
import { Life } from '../../../simulate/life.ts';

/** The same for every change; `WRLD_SCHEDULES=2000`, with another seed, asks for more. */
const SCHEDULES = Number(process.env['WRLD_SCHEDULES'] ?? 150);
const ALL_MS_MAX = 1_800_000;
/** So late that a slow machine is not taken for a world that hangs. */
const TURNS_MAX = 20_000;
const CRASHES_MAX = 6;
const ACTIONS_MAX = 4;
const STATEMENTS_MAX = 160;

const ignore = (): void => undefined;
const quiet = { debug: ignore, info: ignore, warn: ignore, error: ignore };

class Machine {
  readonly store = new Store();
  readonly vendor = noteVendor();
  readonly wall = { at: Date.UTC(2026, 0, 31) };
  readonly capability: Capability;
  life = new Life(ignore);

  constructor(capability: Capability) {
    this.capability = capability;
  }

  /** What becomes of `work` in a process that dies when `life` says so; undefined where it died. */
  async run<T>(crashAfter: number | null, work: (world: World) => Promise<T>): Promise<T | undefined> {
    const life = new Life(() => this.store.crash());
    this.life = life;
    if (crashAfter !== null) life.crashAfter(crashAfter);
    let over = false;
    let result: T | undefined;
    let failure: unknown;
    const done = this.#open(life)
      .then(async world => {
        result = await work(world);
        await world.close();
      })
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        over = true;
      });
    for (let turns = 0; !over && life.alive; turns++) {
      if (turns > TURNS_MAX) throw new Error('the world hangs');
      this.store.commit();
      await nextTurn();
    }
    if (!life.alive) return undefined;
    await done;
    life.close();
    this.store.commit();
    if (failure !== undefined) throw failure;
    return result;
  }

  #open(life: Life): Promise<World> {
    const sql = this.store.open(life);
    return openWorld({
      name: 'acme/notes',
      sql,
      durability: sql,
      blobs: this.store.blobs,
      digest,
      wall: { now: () => this.wall.at },
      alarms: { set: ignore, onWake: ignore },
      entropy: openEntropy(),
      outbound: receiver(async () => ({ ok: true, status: 200, ms: 1 })),
      processLog: quiet,
      twins: [{ id: 'note', twin: noteTwinWith(this.capability), package: null }],
      vendors: {
        asks: {
          ask: async (twin, request, limits) => {
            life.must();
            const answered = await this.vendor.asks.ask(twin, request, limits);
            life.must();
            return answered;
          },
        },
        root: () => rootWith('manual'),
        pause: async ms => {
          life.must();
          this.wall.at += ms;
        },
      },
    });
  }
}

const call = (body: object): Call => ({
  method: 'POST',
  host: 'note.test',
  via: 'host',
  path: '/notes',
  query: '',
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(JSON.stringify(body)),
  caller: 'token',
  scope: 'write',
  trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
});

/** Each names the one before it, as often as not. */
const make = async (world: World, chance: Chance, actions: number): Promise<void> => {
  let before = '';
  for (let n = 0; n < actions; n++) {
    const names = before !== '' && chance.below(2) === 0;
    const { body } = await world.call('note', call({ n, ...(names && { of: before }) }));
    before = (JSON.parse(body as string) as { id: string }).id;
  }
  const cut = await world.changesets.cut({ by: 'token', owner: null, message: 'why', name: 'one' });
  if (!cut.ok) throw new Error(cut.message);
};

/** What becomes of the vendor's next answers, until the process dies or comes through. */
const disturb = (machine: Machine, chance: Chance): number | null => {
  const { vendor } = machine;
  vendor.answers = null;
  vendor.onAnswer = null;
  const at = chance.below(4);
  switch (chance.below(5)) {
    case 0:
      return chance.below(STATEMENTS_MAX);
    case 1: {
      // Before the request arrives.
      let left = at;
      vendor.answers = () => {
        if (left-- === 0) machine.life.crash();
        return machine.life.alive ? undefined : { ok: false, why: 'no-answer', message: '', sent: true };
      };
      return null;
    }
    case 2: {
      // The connection breaks, perhaps before anything arrived there.
      let left = at;
      const arrives = chance.below(2) === 0;
      const broken = { ok: false, why: 'no-answer', message: 'broken', sent: true } as const;
      if (arrives) vendor.onAnswer = answered => (left-- === 0 ? broken : answered);
      else vendor.answers = () => (left-- === 0 ? broken : undefined);
      return null;
    }
    case 3: {
      // At a byte of the answer the process dies.
      let left = at;
      vendor.onAnswer = async answered => {
        if (left-- !== 0 || !answered.ok) return answered;
        for (let byte = chance.below(answered.body.length + 1); byte > 0; byte--) await Promise.resolve();
        machine.life.crash();
        return answered;
      };
      return null;
    }
    default: {
      // Half an answer is all there is of it.
      let left = at;
      vendor.onAnswer = answered =>
        left-- === 0 && answered.ok
          ? { ...answered, body: answered.body.subarray(0, chance.below(answered.body.length)) }
          : answered;
      return null;
    }
  }
};

/** What the world has begun by itself as it opened is waited for too. */
const deploy = async ({ deploys }: World): Promise<void> => {
  await deploys.settled();
  await deploys.one('one');
};

type Ended = {
  readonly receipts: readonly { actionId: string; status: string; reason?: string }[];
  readonly crashes: number;
};

const schedule = async (seed: number, capability: Capability): Promise<Ended> => {
  const chance = chanceOf(seed);
  const machine = new Machine(capability);
  const actions = 1 + chance.below(ACTIONS_MAX);
  await machine.run(null, world => make(world, chance, actions));
  const { store, vendor, wall } = machine;
  verify({ sql: store.open(new Life(ignore)) as never }, 'one');
  store.commit();
  let crashes = 0;
  for (let tries = chance.below(CRASHES_MAX + 1); tries > 0; tries--) {
    const crashAfter = disturb(machine, chance);
    await machine.run(crashAfter, deploy);
    if (!machine.life.alive) crashes += 1;
    wall.at += chance.below(20_000);
  }
  vendor.answers = null;
  vendor.onAnswer = null;
  const receipts = await machine.run(null, async world => {
    // A deploy stops at what failed; asked again, it goes on with the rest.
    for (let n = 0; n <= actions && !world.changesets.isSettled('one'); n++) await deploy(world);
    return (await world.changesets.get('one'))!.deployed;
  });
  const faults = faultsOf(machine, actions, receipts!);
  if (faults !== null)
    throw new Error(
      `${faults}: ${JSON.stringify({ capability, receipts, operations: vendor.operations })}\nAgain: WRLD_SCHEDULES=1 WRLD_SEED=${seed}`,
    );
  store.close();
  return { receipts: receipts!, crashes };
};

const faultsOf = (
  { vendor, capability, store }: Machine,
  actions: number,
  receipts: Ended['receipts'],
): string | null => {
  if (receipts.length !== actions) return 'an action was forgotten';
  if (store.peek('SELECT 1 AS found FROM deploying').length > 0) return 'the deploy has no end';
  for (const { actionId, status, reason = '' } of receipts) {
    const n = Number(actionId.slice(1)) - 1;
    const done = vendor.operations.filter(operation => operation.includes(`"n":${n}`)).length;
    if (done > 1) return `${actionId} was done ${done} times`;
    if (status === 'landed') return `${actionId} was left`;
    if (status === 'deployed' && done !== 1) return `${actionId} was not done`;
    if (status === 'failed' && !reason.startsWith('outcome unknown'))
      return `${actionId} failed for no reason`;
    if (status === 'skipped' && done !== 0) return `${actionId} was done all the same`;
    if (capability === 'some' && n % 2 === 0 && status === 'failed') return `${actionId} was not asked for`;
    if (!['some', 'neither'].includes(capability) && status !== 'deployed')
      return `${actionId} was ${status}`;
  }
  const entries = store.peek("SELECT 1 AS found FROM entry WHERE kind = 'twin.deployed'").length;
  const deployed = receipts.filter(({ status }) => status === 'deployed').length;
  return entries === deployed ? null : `${entries} entries tell of ${deployed} deployed`;
};

t.setTimeout(ALL_MS_MAX);
t.test('[storage invariant 17] at most once, and none forgotten', { timeout: ALL_MS_MAX }, async t => {
  const first = SEED;
  const counts = { crashes: 0, deployed: 0, failed: 0, skipped: 0, refused: 0, landed: 0 };
  t.comment(`seeds from ${first}`);
  let done = 0;
  for (let n = 0; n < SCHEDULES; n++, done++) {
    const seed = first + n;
    const capability = (['once', 'lookup', 'some', 'neither'] as const)[seed % 4]!;
    const { receipts, crashes } = await schedule(seed, capability);
    counts.crashes += crashes;
    for (const { status } of receipts) counts[status as 'deployed'] += 1;
  }
  t.comment(`${done} schedules: ${JSON.stringify(counts)}`);
  if (SCHEDULES < 100) return;
  t.ok(counts.crashes > done / 4, 'it was killed often');
  t.ok(counts.failed > 0, 'and not everything went well');
});
