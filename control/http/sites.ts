// The worlds behind one listener. A world is named by the path of the request or by a host that is its own
// origin (5.3-2); what names none goes to the first one, which answers for the listener's own pages too.
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

const NAMED = /^\/(?:-\/)?([^/]+\/[^/]+)(?:\/|$)/;

export class Sites implements Admitting {
  readonly #first: Site;
  readonly #byName = new Map<string, Site>();
  /** By the host of the world's own origin, with its port. */
  readonly #byHost = new Map<string, Site>();
  readonly #onGone: ((world: string) => void)[] = [];

  constructor(first: Site) {
    this.#first = first;
    this.add(first);
  }

  /** A site in the place of one of the same world replaces it. */
  add(site: Site): void {
    this.remove(site.world);
    this.#byName.set(site.world, site);
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

  /** Their own origins are others now: a listener has its port. */
  readdress(): void {
    this.#byHost.clear();
    for (const site of this.#byName.values()) if (site.ownHost !== null) this.#byHost.set(site.ownHost, site);
  }

  /** The site of a world of that name; undefined when none is served here. */
  of(world: string): Site | undefined {
    return this.#byName.get(world);
  }

  admit(arrived: Arrived): Admission {
    return this.#pick(arrived).admit(arrived);
  }

  upgrade(arrived: Arrived): UpgradeAdmission {
    return this.#pick(arrived).upgrade(arrived);
  }

  /** `world`: `<org>/<world>`. Null when no such world is here, or its twin has no such stream. */
  stream(world: string, vendor: string, id: string): Stream | null {
    return this.#byName.get(world)?.stream(vendor, id) ?? null;
  }

  #pick(arrived: Arrived): Site {
    if (this.#byName.size === 1) return this.#first;
    // At a world's own origin that world alone is served, or a page of one could ask another with its cookies.
    // What comes through the proxy carries the vendor's host, which names no world.
    if (arrived.from === 'client') {
      const site = this.#byHost.get(hostOf(arrived.rawHeaders));
      if (site !== undefined) return site;
    }
    const path = parseTarget(arrived.target)?.path;
    const name = path === undefined ? undefined : NAMED.exec(path)?.[1];
    return (name === undefined ? undefined : this.#byName.get(name)) ?? this.#first;
  }
}

function hostOf(rawHeaders: readonly string[]): string {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') return rawHeaders[index + 1]!.toLowerCase();
  }
  return '';
}
