// The passes by which somebody who is in the world gets to one of its sites (4.3): made at the world's own origin, good at one
// address, once and for seconds. They are in memory alone: who is in between when the world restarts opens the site again.
import type { WallClock } from '../../ports/clock.ts';
import type { Entropy } from '../../ports/entropy.ts';
import { SITE_PASS_MS, SITE_PASSES_MAX } from '../limits.ts';
import { base64url } from '../store/identifier.ts';
import type { SiteOpening } from './session.ts';

const PASS_BYTES = 32;

export type SitePass = {
  readonly opening: SiteOpening;
  /** A path of the site, with its query. */
  readonly land: string;
  /** Whether whoever got the pass would get it still. */
  readonly stands: () => boolean;
};

export class SitePasses {
  readonly #parts: { readonly wall: WallClock; readonly entropy: Entropy };
  /** Oldest first. */
  readonly #passes = new Map<string, SitePass & { readonly until: number }>();

  constructor(parts: { readonly wall: WallClock; readonly entropy: Entropy }) {
    this.#parts = parts;
  }

  make(pass: SitePass): string {
    const id = base64url(this.#parts.entropy.bytes(PASS_BYTES));
    this.#passes.set(id, { ...pass, until: this.#parts.wall.now() + SITE_PASS_MS });
    for (const oldest of this.#passes.keys()) {
      if (this.#passes.size <= SITE_PASSES_MAX) break;
      this.#passes.delete(oldest);
    }
    return id;
  }

  /** Null for one that is spent, late, another site's, or whose maker is in the world no more. Whatever it was, it is spent. */
  spend(id: string, site: string): SitePass | null {
    const pass = this.#passes.get(id);
    if (pass === undefined) return null;
    this.#passes.delete(id);
    const good = pass.until > this.#parts.wall.now() && pass.opening.site === site && pass.stands();
    return good ? pass : null;
  }
}
