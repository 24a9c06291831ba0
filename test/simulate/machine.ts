// The simulated machine: a process that serves a world and its branches from the machine's disk, crashes, and is started
// again. It makes and finds branches as the host does (control/node/branches.ts), one process for all of them.
import { createHash } from 'node:crypto';
import { digest } from '../../control/node/digest.ts';
import type { Durability } from '../../control/ports/durability.ts';
import type { Entropy } from '../../control/ports/entropy.ts';
import type { Log } from '../../control/ports/log.ts';
import type { Sql } from '../../control/ports/sql.ts';
import { openWorld } from '../../control/world/open-world.ts';
import { BranchList } from '../../control/world/past/branch-list.ts';
import { writeBase } from '../../control/world/store/branch-base.ts';
import { StoreError } from '../../control/world/store/schema.ts';
import type { TwinInWorld } from '../../control/world/twins/twin-in-world.ts';
import type { World } from '../../control/world/world.ts';
import { Store, StoreFailed } from './disk.ts';
import { Life, ProcessGone } from './life.ts';
import type { Outside } from './outside.ts';
import { Alarm, type Time } from './time.ts';
import { Violation } from './violation.ts';

/** A world as it is served now. */
export type Served = {
  readonly name: string;
  readonly world: World;
  readonly store: Store;
  readonly sql: Sql & Durability;
  /** The world that it left. */
  readonly parent: Served | null;
  readonly alarm: Alarm;
  /** The position that the newest news of each twin told of. */
  readonly heard: Map<string, number>;
};

export type Logged = { readonly level: string; readonly fields: object; readonly message: string };

export type MachineOptions = {
  readonly seed: number;
  readonly time: Time;
  readonly outside: Outside;
  readonly twins: () => readonly TwinInWorld[];
  readonly onCrash: () => void;
  /** Of a process that lives. */
  readonly onLog: (logged: Logged) => void;
};

const ROOT = 'acme/w';
/** Turns of the event loop in which nothing may move before everything counts as quiet. */
const QUIET_TURNS = 3;
/** Far more than any one step takes. */
const TURNS_MAX = 20_000;
const BRANCHES_MAX = 3;

export class Machine {
  readonly stores = new Map<string, Store>();
  life: Life;
  readonly #options: MachineOptions;
  readonly #entropy: Entropy;
  #served: Served[] = [];
  #branches = 0;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#entropy = seeded(options.seed);
    this.life = this.#newLife();
  }

  /** A parent is in front of its branches. */
  get served(): readonly Served[] {
    return this.#served;
  }

  /** One of those that are served; none while none are. */
  pick(n: number): Served | undefined {
    return this.#served[n % Math.max(this.#served.length, 1)];
  }

  /** Serves everything on the disk. A crash on the way leaves it unserved. */
  async start(): Promise<void> {
    this.life = this.#newLife();
    this.#served = [];
    try {
      await this.#openTree(ROOT, null);
    } catch (error) {
      if (!this.life.alive) return;
      if (!(error instanceof StoreFailed)) throw error;
      // It says why it cannot start; there is room when it is started again.
      return this.life.crash();
    }
    if (!this.life.alive) return;
    const known = new Set(this.#served.map(({ name }) => name));
    // The rest of a branch whose making did not end.
    for (const name of this.stores.keys()) if (!known.has(name)) this.#drop(name);
  }

  /** A clean end, or a crash on the way to it. */
  async stop(): Promise<void> {
    for (const { world } of [...this.#served].reverse()) await this.until(world.close());
    if (!this.life.alive) return;
    await this.rest();
    if (!this.life.alive) return;
    this.life.close();
  }

  /** Null when the world says no, or the process crashed meanwhile. */
  async branch(parent: Served, at: string | null, live: boolean): Promise<Served | null> {
    if (this.#served.length > BRANCHES_MAX) return null;
    const name = `${ROOT}-${++this.#branches}`;
    let branch: Served | undefined;
    try {
      const cut = await this.until(parent.world.past.cut(at, live));
      if (cut === undefined || !cut.ok) return null;
      writeBase(this.#store(name).open(this.life), cut);
      branch = await this.until(this.#open(name, parent));
      if (branch === undefined) return null;
      const row = { world: name, at: cut.origin.at, created: this.#options.time.now(), expires: null };
      new BranchList(parent.sql).add(row);
      await this.until(parent.sql.lasting() ?? Promise.resolve());
      if (!this.life.alive) return null;
      this.#served.push(branch);
      return branch;
    } catch (error) {
      if (!this.life.alive) return null;
      if (branch !== undefined) await this.until(branch.world.close());
      this.#drop(name);
      // Of the disk, or what the world says of an answer that may tell of what the disk lost.
      if (error instanceof StoreFailed || error instanceof StoreError) return null;
      throw error;
    }
  }

  /** How often something was lost that had not lasted, by a crash or a fault. */
  get losses(): number {
    let sum = 0;
    for (const store of this.stores.values()) sum += store.losses;
    return sum;
  }

  async turns(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await turn();
  }

  /** Until nothing moves by itself. */
  async quiet(): Promise<void> {
    for (let still = 0, turns = 0; still < QUIET_TURNS; turns++) {
      if (turns > TURNS_MAX) throw new Violation('the world never comes to rest');
      const before = this.#activity();
      await turn();
      still = this.#activity() === before ? still + 1 : 0;
    }
  }

  /** Until nothing moves and everything lasts. */
  async rest(): Promise<void> {
    do {
      this.lasts();
      await this.quiet();
    } while (this.#served.some(({ store }) => store.isOpen) && this.life.alive);
  }

  lasts(): void {
    if (this.life.alive) for (const store of this.stores.values()) store.commit();
  }

  /** What a promise of the world becomes, when all that it waits for of the disk happens; undefined after a crash. */
  async until<T>(promise: Promise<T>): Promise<T | undefined> {
    let settled = false;
    const done = promise.finally(() => {
      settled = true;
    });
    done.catch(() => {});
    for (let turns = 0; !settled; turns++) {
      if (!this.life.alive) return undefined;
      if (turns > TURNS_MAX) throw new Violation('what was asked is never answered');
      await turn();
      this.lasts();
    }
    try {
      return await done;
    } catch (error) {
      if (!this.life.alive) return undefined;
      throw error;
    }
  }

  close(): void {
    for (const store of this.stores.values()) store.close();
  }

  #activity(): number {
    let sum = this.#options.outside.activity;
    for (const store of this.stores.values()) sum += store.activity;
    return sum;
  }

  #newLife(): Life {
    return new Life(() => {
      for (const store of this.stores.values()) store.crash();
      this.#options.onCrash();
    });
  }

  #store(name: string): Store {
    let store = this.stores.get(name);
    if (store === undefined) {
      store = new Store();
      this.stores.set(name, store);
    }
    return store;
  }

  #drop(name: string): void {
    this.stores.get(name)?.close();
    this.stores.delete(name);
  }

  async #openTree(name: string, parent: Served | null): Promise<void> {
    const served = await this.until(this.#open(name, parent));
    if (served === undefined) throw new ProcessGone();
    this.#served.push(served);
    const rows = served.store.peek<{ world: string }>('SELECT world FROM child ORDER BY created, world');
    for (const { world } of rows) await this.#openTree(world, served);
  }

  async #open(name: string, parent: Served | null): Promise<Served> {
    const { time, outside, twins } = this.#options;
    const { life } = this;
    const store = this.#store(name);
    const sql = store.open(life);
    const alarm = new Alarm(life);
    const world = await openWorld({
      name,
      sql,
      durability: sql,
      blobs: store.blobs,
      digest,
      wall: time,
      alarms: alarm,
      entropy: this.#entropy,
      outbound: outside.outbound(life, name),
      processLog: this.#processLog(life),
      twins: twins(),
      ...(parent === null ? {} : { parent: parent.world.past.source }),
    });
    const heard = new Map<string, number>();
    world.news.follow(news => {
      if (news.kind === 'entry') heard.set(news.twin, news.position);
    });
    return { name, world, store, sql, parent, alarm, heard };
  }

  #processLog(life: Life): Log {
    const say = (level: string) => (fields: object, message: string) => {
      if (life.alive) this.#options.onLog({ level, fields, message });
    };
    return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  }
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Random enough for ids, and the same in every run of a schedule; a restart draws on. */
const seeded = (seed: number): Entropy => {
  let drawn = 0;
  return {
    bytes: length => {
      const parts: Buffer[] = [];
      for (let n = 0; n < length; n += 32)
        parts.push(createHash('sha256').update(`${seed} ${drawn++}`).digest());
      return new Uint8Array(Buffer.concat(parts).subarray(0, length));
    },
  };
};
