// The worlds of a host whose shards have them, as the host's own endpoints ask for them (4.10): each is asked of its shard, and
// what one shard cannot answer is said of its worlds alone.

import { FRONT, metricsText, type Told } from '../../../hosting/host-metrics.ts';
import type { HostProblem, HostWorlds, InventoryRow, MakeAsk } from '../../../hosting/host-worlds.ts';
import { SHIPPED_TWINS } from '../../shipped-twins.ts';
import type { Backed } from '../backup-schedule.ts';
import { type InventoryPage, mergedRows, pageOf, pageWith } from '../inventory-page.ts';
import { INVENTORY_PAGE_ROWS } from '../limits.ts';
import type { HostMetrics } from '../process-metrics.ts';
import type { ShardLimits } from './limits.ts';
import type { AskKind, Asks, Rotated } from './messages.ts';
import type { Shard } from './shard.ts';
import type { AroundArchives, ShardedArchives } from './sharded-archives.ts';
import type { Shards } from './shards.ts';

export type ShardedWorldsParts = {
  readonly shards: Shards;
  readonly baseUrl: string;
  readonly limits: ShardLimits;
  readonly openArchives: (around: AroundArchives) => ShardedArchives;
  /** Of the front. */
  readonly metrics: HostMetrics;
  /** How the last run of backups went; null where the host makes none. */
  readonly backed: () => Backed | null;
};

export class ShardedWorlds implements HostWorlds {
  readonly archives: ShardedArchives;
  readonly #parts: ShardedWorldsParts;
  readonly #shards: Shards;
  /** The pages of the inventory that were told last, by the name that their rows come after. */
  readonly #pages = new Map<Shard, ReadonlyMap<string, InventoryPage>>();
  #draining = false;

  constructor(parts: ShardedWorldsParts) {
    this.#parts = parts;
    this.#shards = parts.shards;
    this.archives = parts.openArchives({
      known: name => this.#shards.has(name),
      isBusy: () => this.#draining,
      arrived: names => this.#arrived(names),
    });
  }

  names(): readonly string[] {
    return this.#shards.names;
  }

  /** Of each shard as it tells them, put in order. */
  inventory(): AsyncIterable<Uint8Array> {
    return mergedRows(this.#shards.all.map(shard => this.#pagesOf(shard)));
  }

  vendors(): readonly string[] {
    return SHIPPED_TWINS;
  }

  make(ask: MakeAsk): ReturnType<HostWorlds['make']> {
    return this.#change('make', `${ask.org}/${ask.world}`, ask);
  }

  own(name: string, owner: string): ReturnType<HostWorlds['own']> {
    return this.#change('own', name, { name, owner });
  }

  rotate(name: string): Promise<Rotated> {
    return this.#change('rotate', name, { name });
  }

  remove(name: string): ReturnType<HostWorlds['remove']> {
    return this.#change('remove', name, { name });
  }

  health(): ReturnType<HostWorlds['health']> {
    const shards = this.#shards.all.map(({ number, state, pulse }) => ({
      shard: number,
      status: state === 'closed' ? 'down' : state,
      worlds: this.#shards.namesOf(number).size,
      open: pulse.open,
    }));
    const open = shards.reduce((sum, shard) => sum + shard.open, 0);
    return { status: this.#draining ? 'draining' : 'up', worlds: this.names().length, open, shards };
  }

  async metrics(): Promise<string> {
    const { metrics, backed } = this.#parts;
    const told: Told[] = await Promise.all(
      this.#shards.all.map(async shard => ({
        shard: String(shard.number),
        up: shard.state === 'up',
        restarts: shard.restarts,
        counts: await this.#read(shard, 'counts', null),
      })),
    );
    const open = this.#shards.all.reduce((sum, { pulse }) => sum + pulse.open, 0);
    const front: Told = { shard: FRONT, counts: metrics.counts };
    return metricsText({ worlds: this.names().length, open }, [front, ...told], backed());
  }

  /** From now on it says so, and changes nothing. */
  drain(): void {
    this.#draining = true;
  }

  async #change<K extends 'make' | 'own' | 'rotate' | 'remove'>(
    of: K,
    name: string,
    given: Asks[K]['ask'],
  ): Promise<Asks[K]['answer'] | HostProblem> {
    if (this.#draining) return away('draining', 'The host is shutting down; ask again.');
    const shard = this.#shards.shardFor(name);
    if (!(await shard.ready()))
      return away('shard-away', 'The shard of that world is being started again; ask again in a moment.');
    const answer = await shard.ask(of, given, this.#parts.limits.changeMs);
    return (
      answer ??
      away('shard-ended', 'The shard of that world did not answer; the inventory tells what became of it.')
    );
  }

  /** By the shard of the world; one that is away finds them when it is back. */
  async #arrived(names: readonly string[]): Promise<readonly InventoryRow[]> {
    const shard = this.#shards.shardFor(names[0]!);
    if (!(await shard.ready())) return [];
    return (await shard.ask('arrived', { names }, this.#parts.limits.changeMs)) ?? [];
  }

  /** What a shard that does not answer leaves out. */
  async #read<K extends AskKind>(
    shard: Shard,
    of: K,
    given: Asks[K]['ask'],
  ): Promise<Asks[K]['answer'] | null> {
    return shard.state === 'held-up' ? null : shard.ask(of, given, this.#parts.limits.answerMs);
  }

  async *#pagesOf(shard: Shard): AsyncGenerator<InventoryPage, undefined> {
    const seen = this.#pages.get(shard) ?? new Map<string, InventoryPage>();
    const told = new Map<string, InventoryPage>();
    const ask = (after: string): Promise<Asks['inventory']['answer'] | null> => {
      const stamp = seen.get(after)?.stamp ?? null;
      const asked = this.#read(shard, 'inventory', { after, most: INVENTORY_PAGE_ROWS, seen: stamp });
      // Nobody may be there any more to hear of it.
      asked.catch(() => {});
      return asked;
    };
    for (let after = '', next = ask(after); ; ) {
      const answer = await next;
      if (answer === null) {
        const left = [...this.#shards.namesOf(shard.number)].filter(name => name > after).sort();
        yield pageOf(left.map(name => ({ name, text: JSON.stringify(this.#unseen(name, shard)) })));
        return;
      }
      const page = answer.page ?? seen.get(after)!;
      told.set(after, page);
      // The shard puts the next one together while these are sent on.
      if (answer.last !== null) {
        after = answer.last;
        next = ask(after);
      }
      yield this.#withBarred(page);
      if (answer.last === null) break;
    }
    this.#pages.set(shard, told);
  }

  #withBarred(page: InventoryPage): InventoryPage {
    // Of thousands of names few are ever barred.
    const barred = new Map(this.#shards.culprits.all.map(({ world, why }) => [world, why]));
    if (barred.size === 0) return page;
    return pageWith(page, (name, text) => {
      const fault = barred.get(name);
      return fault === undefined ? null : JSON.stringify({ ...JSON.parse(text()), fault });
    });
  }

  #unseen(name: string, shard: Shard): InventoryRow {
    const [org = '', world = ''] = name.split('/');
    const fault =
      this.#shards.culprits.why(name) ??
      (shard.state === 'held-up'
        ? `Its shard, ${shard.number}, does not answer; it is ended if it goes on.`
        : `Its shard, ${shard.number}, ended, and is being started again.`);
    const base = `${this.#parts.baseUrl}/${name}`;
    return { org, world, name, base, token: null, readToken: null, twins: [], fault };
  }
}

function away(code: string, message: string): HostProblem {
  return { ok: false, status: 503, code, message };
}
