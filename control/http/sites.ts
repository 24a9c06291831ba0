// The worlds behind one listener. A world is named by the path of the request or by a host that is its own
// origin (5.3-2); what names none goes to the first one, which answers for the listener's own pages too. Until that
// one is here, the listener says that it is starting.
import type { Reply } from '../../twins/kit/reply.ts';
import { problem } from './answer.ts';
import { type Arrived, hostOf } from './arrived.ts';
import type { Admission, Site } from './site.ts';
import { parseTarget } from './target.ts';
import type { Stream, UpgradeAdmission } from './upgrade.ts';

/** What a listener knows of the site of one world. */
export type ServedSite = Pick<Site, 'world' | 'ownHost' | 'admit' | 'upgrade' | 'stream'>;

/** A world that is opened when it is first asked for. */
export type Door = Pick<ServedSite, 'world' | 'ownHost'> & {
  /** Resolves when its site has been added; to false when there will be none. Never rejects. */
  open(): Promise<boolean>;
  /** What is said when there was none; that the log says why, unless given. */
  refusal?(): Reply;
};

/** The world is being opened: the same is to be asked again when it resolves. */
export type Opening = { readonly at: 'opening'; readonly opened: Promise<void> };

/** Whatever takes requests: one site, or several. */
export type Admitting = {
  admit(arrived: Arrived): Admission | Opening;
  upgrade(arrived: Arrived): UpgradeAdmission | Opening;
  /** `tell` hears of each world that is no longer served here: what is still open of it ends. */
  onGone?(tell: (world: string) => void): void;
};

const STARTING = {
  at: 'answered',
  reply: problem(503, 'starting', 'The world is starting; ask again in a moment.', {
    headers: [['retry-after', '1']],
  }),
} as const;

export const CANNOT_OPEN: Reply = problem(
  503,
  'branch-unusable',
  'This branch cannot be opened; the world’s log says why.',
  { headers: [['retry-after', '5']] },
);

/** The world that a path names, in either form. */
export const NAMED: RegExp = /^\/(?:-\/)?([^/]+\/[^/]+)(?:\/|$)/;

export class Sites implements Admitting {
  readonly #firstName: string;
  #first: ServedSite | null = null;
  readonly #byName = new Map<string, ServedSite | Door>();
  /** By the host of the world's own origin, with its port. */
  readonly #byHost = new Map<string, string>();
  /** Worlds that could not be opened when they were asked for last. */
  readonly #shut = new Set<string>();
  readonly #onGone: ((world: string) => void)[] = [];

  /** `first`: `<org>/<world>`; the worlds beside it may be added before it is. */
  constructor(first: string) {
    this.#firstName = first;
  }

  /** A site in the place of one of the same world replaces it. */
  add(site: ServedSite): void {
    this.#put(site);
    if (site.world === this.#firstName) this.#first = site;
  }

  /** In the place of its site: that world is closed. */
  addDoor(door: Door): void {
    this.#put(door);
  }

  #put(at: ServedSite | Door): void {
    const before = this.#byName.get(at.world);
    this.#byName.set(at.world, at);
    if (at.ownHost !== null) this.#byHost.set(at.ownHost, at.world);
    if (before !== undefined && 'admit' in before) this.#tellGone(at.world);
  }

  remove(world: string): void {
    const there = this.#byName.get(world);
    if (there === undefined) return;
    this.#byName.delete(world);
    this.#shut.delete(world);
    if (there.ownHost !== null) this.#byHost.delete(there.ownHost);
    this.#tellGone(world);
  }

  #tellGone(world: string): void {
    for (const tell of this.#onGone) tell(world);
  }

  onGone(tell: (world: string) => void): void {
    this.#onGone.push(tell);
  }

  /** The site of a world of that name; undefined when none is served here, or it is closed. */
  of(world: string): ServedSite | undefined {
    const there = this.#byName.get(world);
    return there !== undefined && 'admit' in there ? there : undefined;
  }

  /** Resolves when the world of that name is open, where it can be. */
  async opened(world: string): Promise<void> {
    const there = this.#byName.get(world);
    if (there !== undefined && !('admit' in there)) await there.open();
  }

  admit(arrived: Arrived): Admission | Opening {
    if (this.#first === null) return STARTING;
    const there = this.#pick(arrived, this.#first);
    return 'admit' in there ? there.admit(arrived) : this.#opening(there);
  }

  upgrade(arrived: Arrived): UpgradeAdmission | Opening {
    if (this.#first === null) return STARTING;
    const there = this.#pick(arrived, this.#first);
    return 'admit' in there ? there.upgrade(arrived) : this.#opening(there);
  }

  /** Who asked and was kept waiting in vain is told so when he is admitted again; the next one tries anew. */
  #opening(door: Door): Extract<Admission, { readonly at: 'answered' }> | Opening {
    if (this.#shut.delete(door.world)) return { at: 'answered', reply: door.refusal?.() ?? CANNOT_OPEN };
    const opened = door.open().then(is => {
      if (!is && this.#byName.has(door.world)) this.#shut.add(door.world);
    });
    return { at: 'opening', opened };
  }

  /** `world`: `<org>/<world>`. Null when no such world is here, or its twin has no such stream. */
  stream(world: string, vendor: string, id: string): Stream | null {
    return this.of(world)?.stream(vendor, id) ?? null;
  }

  #pick(arrived: Arrived, first: ServedSite): ServedSite | Door {
    if (this.#byName.size === 1) return first;
    // At a world's own origin that world alone is served, or a page of one could ask another with its cookies.
    // What comes through the proxy carries the vendor's host, which names no world.
    if (arrived.from === 'client') {
      const world = this.#worldAt(hostOf(arrived.rawHeaders));
      const own = world === undefined ? undefined : this.#byName.get(world);
      if (own !== undefined) return own;
    }
    const path = parseTarget(arrived.target)?.path;
    const name = path === undefined ? undefined : NAMED.exec(path)?.[1];
    return (name === undefined ? undefined : this.#byName.get(name)) ?? first;
  }

  /** At its own origin, or at an address of its sites (4.3, rule 1): below that, or with it in one label. */
  #worldAt(host: string): string | undefined {
    const own = this.#byHost.get(host);
    if (own !== undefined || !host.includes('--')) return own;
    const below = this.#byHost.get(host.slice(host.indexOf('.') + 1));
    if (below !== undefined) return below;
    // No part of a world's name has two hyphens in a row.
    const world = host.lastIndexOf('--', host.indexOf('.'));
    const site = world <= 0 ? -1 : host.lastIndexOf('--', world - 1);
    return site <= 0 ? undefined : this.#byHost.get(host.slice(site + 2));
  }
}
