// The worlds behind one listener. A world is named by the path of the request or by a host that is its own
// origin (5.3-2); what names none goes to the first one, which answers for the listener's own pages too. Until that
// one is here, the listener says that it is starting.
import { problem } from './answer.ts';
import type { Arrived } from './arrived.ts';
import type { Admission, Site } from './site.ts';
import { parseTarget } from './target.ts';
import type { Stream, UpgradeAdmission } from './upgrade.ts';

/** Whatever takes requests: one site, or several. */
export type Admitting = {
  admit(arrived: Arrived): Admission;
  upgrade(arrived: Arrived): UpgradeAdmission;
  /** `tell` hears of each world that is no longer served here: what is still open of it ends. */
  onGone?(tell: (world: string) => void): void;
};

const STARTING = {
  at: 'answered',
  reply: problem(503, 'starting', 'The world is starting; ask again in a moment.', {
    headers: [['retry-after', '1']],
  }),
} as const;

const NAMED = /^\/(?:-\/)?([^/]+\/[^/]+)(?:\/|$)/;

export class Sites implements Admitting {
  readonly #firstName: string;
  #first: Site | null = null;
  readonly #byName = new Map<string, Site>();
  /** By the host of the world's own origin, with its port. */
  readonly #byHost = new Map<string, Site>();
  readonly #onGone: ((world: string) => void)[] = [];

  /** `first`: `<org>/<world>`; the worlds beside it may be added before it is. */
  constructor(first: string) {
    this.#firstName = first;
  }

  /** A site in the place of one of the same world replaces it. */
  add(site: Site): void {
    this.remove(site.world);
    this.#byName.set(site.world, site);
    if (site.world === this.#firstName) this.#first = site;
    if (site.ownHost !== null) this.#byHost.set(site.ownHost, site);
  }

  remove(world: string): void {
    const site = this.#byName.get(world);
    if (site === undefined) return;
    this.#byName.delete(world);
    for (const [host, there] of this.#byHost) if (there === site) this.#byHost.delete(host);
    for (const tell of this.#onGone) tell(world);
  }

  onGone(tell: (world: string) => void): void {
    this.#onGone.push(tell);
  }

  /** The site of a world of that name; undefined when none is served here. */
  of(world: string): Site | undefined {
    return this.#byName.get(world);
  }

  admit(arrived: Arrived): Admission {
    return this.#first === null ? STARTING : this.#pick(arrived, this.#first).admit(arrived);
  }

  upgrade(arrived: Arrived): UpgradeAdmission {
    return this.#first === null ? STARTING : this.#pick(arrived, this.#first).upgrade(arrived);
  }

  /** `world`: `<org>/<world>`. Null when no such world is here, or its twin has no such stream. */
  stream(world: string, vendor: string, id: string): Stream | null {
    return this.#byName.get(world)?.stream(vendor, id) ?? null;
  }

  #pick(arrived: Arrived, first: Site): Site {
    if (this.#byName.size === 1) return first;
    // At a world's own origin that world alone is served, or a page of one could ask another with its cookies.
    // What comes through the proxy carries the vendor's host, which names no world.
    if (arrived.from === 'client') {
      const site = this.#byHost.get(hostOf(arrived.rawHeaders));
      if (site !== undefined) return site;
    }
    const path = parseTarget(arrived.target)?.path;
    const name = path === undefined ? undefined : NAMED.exec(path)?.[1];
    return (name === undefined ? undefined : this.#byName.get(name)) ?? first;
  }
}

function hostOf(rawHeaders: readonly string[]): string {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') return rawHeaders[index + 1]!.toLowerCase();
  }
  return '';
}
