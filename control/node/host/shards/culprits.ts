// Worlds at which their shard ended. A shard cannot say which of its worlds held it up or ended it, so it is the one that it was
// opening, or else the one whose request had waited the longest: once may be by chance, several times in a minute is not.
import type { ShardLimits } from './limits.ts';
import type { BarredWorld } from './messages.ts';

type Barred = { readonly why: string; readonly until: number };

export class Culprits {
  readonly #limits: Pick<ShardLimits, 'culpritDeaths' | 'culpritMs' | 'barredMs'>;
  readonly #now: () => number;
  readonly #deaths = new Map<string, readonly number[]>();
  readonly #barred = new Map<string, Barred>();

  /** `now`: milliseconds that never go back. */
  constructor(
    limits: Pick<ShardLimits, 'culpritDeaths' | 'culpritMs' | 'barredMs'>,
    now: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#now = now;
  }

  /** A shard ended in the way that `how` says, at that world. Answers whether it is barred from now on. */
  ended(world: string, how: string): boolean {
    const { culpritDeaths, culpritMs, barredMs } = this.#limits;
    const now = this.#now();
    const recent = [...(this.#deaths.get(world) ?? []), now].filter(at => now - at < culpritMs);
    this.#deaths.set(world, recent);
    if (recent.length < culpritDeaths) return false;
    this.#deaths.delete(world);
    const why = `It ended the process that serves it ${culpritDeaths} times within ${culpritMs / 1000} seconds (the last time: ${how}); it is asked again in ${Math.round(barredMs / 60_000)} minutes, or when the host is started anew.`;
    this.#barred.set(world, { why, until: now + barredMs });
    return true;
  }

  /** Why it is not asked; null for one that may be. */
  why(world: string): string | null {
    const barred = this.#barred.get(world);
    if (barred === undefined) return null;
    if (barred.until > this.#now()) return barred.why;
    this.#barred.delete(world);
    return null;
  }

  /** All that are barred now. */
  get all(): readonly BarredWorld[] {
    const now = this.#now();
    return [...this.#barred].flatMap(([world, { why, until }]) =>
      until > now ? [{ world, why, forMs: until - now }] : [],
    );
  }

  /** It is gone; another of that name is another world. */
  forget(world: string): void {
    this.#deaths.delete(world);
    this.#barred.delete(world);
  }
}
