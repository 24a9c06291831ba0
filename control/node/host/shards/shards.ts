// The shards of a host: which of them has which world, and what becomes of a world that ends its shard again and again.
import type { Log } from '../../../ports/log.ts';
import { ControlError } from '../../control-error.ts';
import type { Looking } from '../directory.ts';
import { Culprits } from './culprits.ts';
import type { ShardLimits } from './limits.ts';
import { type Begin, SHARD_PROTOCOL } from './messages.ts';
import { Shard } from './shard.ts';
import { protocolOf } from './shard-process.ts';
import { shardOf } from './share.ts';

export type ShardsParts = {
  readonly count: number;
  readonly script: URL;
  readonly socketOf: (shard: number) => string;
  readonly begin: (shard: number) => Omit<Begin, 'kind' | 'shard' | 'of' | 'socket' | 'barred'>;
  readonly limits: ShardLimits;
  readonly log: Log;
};

type Told = Parameters<ConstructorParameters<typeof Shard>[0]['onNames']>[0];

export class Shards {
  readonly all: readonly Shard[];
  readonly culprits: Culprits;
  readonly #names: readonly Set<string>[];
  /** Of those that are there. */
  readonly #shardOf = new Map<string, number>();
  /** How far each of them is, while the host starts. */
  readonly #looking: Looking[];
  readonly #log: Log;
  #toldLooking: (looking: Looking) => void = () => {};
  #sorted: readonly string[] | null = null;

  readonly #script: URL;
  readonly #limits: ShardLimits;

  constructor({ count, script, socketOf, begin, limits, log }: ShardsParts) {
    this.#log = log;
    this.#script = script;
    this.#limits = limits;
    this.culprits = new Culprits(limits);
    this.#names = Array.from({ length: count }, () => new Set<string>());
    this.#looking = this.#names.map(() => ({ found: 0, known: 0 }));
    this.all = this.#names.map(
      (_, number) =>
        new Shard({
          number,
          socket: socketOf(number),
          script,
          begin: () => ({
            ...begin(number),
            kind: 'begin',
            shard: number,
            of: count,
            socket: socketOf(number),
            barred: this.culprits.all,
          }),
          limits,
          log,
          onLooking: looking => this.#looks(number, looking),
          onNames: names => this.#heard(number, names),
          onDeath: (at, how) => this.#died(number, at, how),
        }),
    );
  }

  /** Resolves when all of them serve their worlds; `told` hears until then how far they are. Throws `ControlError`. */
  async start(told: (looking: Looking) => void = () => {}): Promise<void> {
    this.#toldLooking = told;
    try {
      await Promise.all(this.all.map(shard => shard.start()));
    } finally {
      this.#toldLooking = () => {};
    }
  }

  /** Sorted: those that there were when their shard told last. */
  get names(): readonly string[] {
    this.#sorted ??= [...this.#shardOf.keys()].sort();
    return this.#sorted;
  }

  has(name: string): boolean {
    return this.#shardOf.has(name);
  }

  namesOf(shard: number): ReadonlySet<string> {
    return this.#names[shard]!;
  }

  /** The one that has it, or would. */
  shardFor(name: string): Shard {
    return this.all[this.#shardOf.get(name) ?? shardOf(name, this.all.length)]!;
  }

  /** One after the other, by the code that lies there now. Throws `ControlError`, with nothing changed, for code that cannot. */
  async renew(): Promise<void> {
    const protocol = await protocolOf(this.#script, this.#limits.startMs);
    if (protocol !== SHARD_PROTOCOL)
      throw new ControlError(
        'shard-failed',
        protocol === null
          ? 'the release that is installed now does not start; every shard stays as it is'
          : 'the release that is installed now needs a front of its own: restart the host',
      );
    for (const shard of this.all)
      if (!(await shard.renew()))
        throw new ControlError('shard-failed', `shard ${shard.number} does not come up; it is tried again`);
  }

  hush(): void {
    for (const shard of this.all) shard.hush();
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(shard => shard.close()));
  }

  #looks(shard: number, looking: Looking): void {
    this.#looking[shard] = looking;
    const sum = (of: keyof Looking): number => this.#looking.reduce((all, each) => all + each[of], 0);
    this.#toldLooking({ found: sum('found'), known: sum('known') });
  }

  #heard(shard: number, { all, come, gone }: Told): void {
    const names = this.#names[shard]!;
    const here = new Set(all ? come : []);
    for (const name of all ? [...names].filter(known => !here.has(known)) : gone) {
      names.delete(name);
      if (this.#shardOf.get(name) === shard) this.#shardOf.delete(name);
      this.culprits.forget(name);
    }
    for (const name of come) {
      names.add(name);
      this.#shardOf.set(name, shard);
    }
    this.#sorted = null;
  }

  #died(shard: number, at: string | null, how: string): void {
    if (at === null) return;
    const barred = this.culprits.ended(at, how);
    this.#log.error(
      { shard, world: at, how, barred },
      'a shard ended at a world: it was opening it, or its request had waited the longest',
    );
  }
}
