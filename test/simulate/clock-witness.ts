// The clocks of simulated worlds: one that was set stays set and never goes back, and one that follows the wall has an
// alarm for what it waits for (storage.md, invariant 11).
import type { ClockResult } from '../../control/world/work/world-clock.ts';
import type { World } from '../../control/world/world.ts';
import type { Life } from './life.ts';
import type { Served } from './machine.ts';
import type { Time } from './time.ts';
import { Violation } from './violation.ts';

export class ClockWitness {
  /** By world, what it acknowledged that its clock shows. */
  readonly #shown = new Map<string, number>();

  /** By the store; of one that was not set, the wall's. */
  now(served: Served, time: Time): number {
    return frozenAt(served) ?? time.now();
  }

  /** Its answer is not waited for. */
  move(served: Served, life: Life, moved: (world: World) => Promise<ClockResult>): void {
    moved(served.world).then(
      result => {
        if (life.alive && result.ok && result.clock.frozen)
          this.#show(served.name, Date.parse(result.clock.at));
      },
      // The disk was full: nothing is acknowledged.
      () => {},
    );
  }

  look(served: Served, quiet: boolean): void {
    const { name, store, alarm } = served;
    const frozen = frozenAt(served);
    const shown = this.#shown.get(name);
    if (shown !== undefined && (frozen === null || frozen < shown))
      throw new Violation(`${name}: its clock showed ${shown}, and now ${frozen}`);
    if (!quiet || frozen !== null) return;
    const [first] = store.peek<{ at: number }>('SELECT at FROM due ORDER BY at LIMIT 1');
    if (first !== undefined && alarm.at === null)
      throw new Violation(`${name}: something falls due at ${first.at}, and no alarm is set`);
  }

  #show(world: string, at: number): void {
    this.#shown.set(world, Math.max(at, this.#shown.get(world) ?? 0));
  }
}

const frozenAt = ({ store }: Served): number | null => {
  const [kept] = store.peek<{ v: string }>("SELECT v FROM meta WHERE k = 'clock'");
  return kept === undefined ? null : Number(kept.v);
};
