// The newest refusals that clients of the proxy got, in memory: for people who wonder what was just refused.
// It is no record of everything; refusals are answers, not events (6, item 5).
import type { Refused } from '../../policy/push.ts';
import type { SeenRefusal } from '../http/surroundings.ts';
import { REFUSALS_KEPT_MAX } from './limits.ts';

export class RefusalList {
  #newestFirst: readonly SeenRefusal[] = [];
  #count = 0;

  get newestFirst(): readonly SeenRefusal[] {
    return this.#newestFirst;
  }

  add({ at, run, agent, record }: Refused): void {
    this.#count += 1;
    const seen: SeenRefusal = { nth: this.#count, at: instantText(at), run, agent, record };
    this.#newestFirst = [seen, ...this.#newestFirst.slice(0, REFUSALS_KEPT_MAX - 1)];
  }
}

/** A number that is no instant comes from a proxy with a broken clock; the refusal is still worth showing. */
function instantText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
