// Where the real vendors of this host's worlds are, all of them: part of the policy in force (policy/vendor-place.ts).
import type { VendorPlace } from '../../policy/vendor-place.ts';
import type { Reach } from '../ports/reach.ts';

type Parts = {
  readonly ownMachine: boolean;
  /** Resolves when the policy in force has what there is now. */
  readonly changed: () => Promise<void>;
};

export class VendorRegistry {
  readonly #parts: Parts;
  readonly #places = new Map<string, readonly VendorPlace[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether a root may be at a literal loopback address. */
  get ownMachine(): boolean {
    return this.#parts.ownMachine;
  }

  get all(): readonly VendorPlace[] {
    return [...this.#places.values()].flat();
  }

  /** `world`: `<org>/<world>`. */
  reach(world: string): Reach {
    const { ownMachine, changed } = this.#parts;
    return {
      ownMachine,
      set: async vendors => {
        const allowed = vendors.filter(({ origin }) => ownMachine || !LOOPBACK.test(origin));
        if (
          this.#keep(
            world,
            allowed.map(vendor => ({ ...vendor, world })),
          )
        )
          await changed();
      },
    };
  }

  /** The world is closed: nobody asks as its roots and links any more. */
  async leave(world: string): Promise<void> {
    if (this.#keep(world, [])) await this.#parts.changed();
  }

  /** False when nothing changed. */
  #keep(world: string, places: readonly VendorPlace[]): boolean {
    const before = this.#places.get(world) ?? [];
    if (JSON.stringify(before) === JSON.stringify(places)) return false;
    if (places.length === 0) this.#places.delete(world);
    else this.#places.set(world, places);
    return true;
  }
}

/** The literal addresses that a root may have on a developer's own machine. */
const LOOPBACK = /^https?:\/\/(?:127\.[\d.]+|\[::1\])(?::\d+)?$/;
