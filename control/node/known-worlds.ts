// Which worlds this host knows, each open or closed, and which of them are branches of which.
import type { BranchRow } from '../world/past/branch-list.ts';
import type { AttendedSite } from './attended-site.ts';
import type { HostedWorld, WorldHost } from './hosted-world.ts';
import { wallClock } from './wall-clock.ts';

/** A world that is open, with what it shares with its branches. */
export type Opened = {
  readonly hosted: HostedWorld;
  readonly host: WorldHost;
  /** As `OwnSurroundings.rotated`. */
  readonly rotated?: () => Promise<void>;
  /** Closes it, with all that was opened for it. */
  close(): Promise<void>;
};

/** A world that is no branch, and that its branches, and theirs, begin with. */
export type Root = {
  /** `<org>/<world>`. */
  readonly name: string;
  readonly database: string;
  /** The folder of its branches. */
  readonly branches: string;
  /** Throws `ControlError`, with nothing left open. */
  readonly open: () => Promise<Opened>;
};

/** A world, open or closed. */
export type Shelved = {
  /** `<org>/<world>`. */
  readonly name: string;
  /** The world that it, or what it left, began with. */
  readonly root: Root;
  /** Null for a world that is no branch. */
  readonly parent: string | null;
  /** What its parent says of it. */
  row: BranchRow | null;
  open: (Opened & { readonly site: AttendedSite | null }) | null;
  /** Of one that is closed: when it has something to do by itself (wakes-at.ts). */
  wakes: number | null;
  /** As it was closed: JSON of its twins' roots, by twin; null for none, and for one that was not looked into yet. */
  roots: string | null;
};

export class KnownWorlds {
  /** A parent is in front of its branches. */
  readonly #known = new Map<string, Shelved>();
  readonly #branches = new Map<string, Set<Shelved>>();
  #version = 0;
  /** The same as in `#known`, those that are open. */
  readonly #open = new Set<Shelved>();
  #tell: (name: string, isHere: boolean) => void = () => {};

  /** Hears of each world that comes or goes, as it does. */
  hear(tell: (name: string, isHere: boolean) => void): void {
    this.#tell = tell;
  }

  /** Newest first, and so each in front of the world that it left. */
  get all(): readonly Shelved[] {
    return [...this.#known.values()].reverse();
  }

  /** Changes whenever a world comes or goes. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#known.size;
  }

  /** As `all`, those that are open. */
  get open(): readonly Shelved[] {
    return [...this.#open].reverse();
  }

  get openCount(): number {
    return this.#open.size;
  }

  get(name: string): Shelved | undefined {
    return this.#known.get(name);
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  hasBranches(name: string): boolean {
    return (this.#branches.get(name)?.size ?? 0) > 0;
  }

  /** Closed. */
  add(of: Pick<Shelved, 'name' | 'root' | 'parent' | 'row'>): Shelved {
    const shelved: Shelved = { ...of, open: null, wakes: null, roots: null };
    this.#known.set(of.name, shelved);
    this.#version += 1;
    if (of.parent !== null) {
      const beside = this.#branches.get(of.parent) ?? new Set();
      this.#branches.set(of.parent, beside.add(shelved));
    }
    this.#tell(of.name, true);
    return shelved;
  }

  remove(shelved: Shelved): void {
    const { name, parent } = shelved;
    this.#known.delete(name);
    this.#version += 1;
    if (parent !== null) this.#branches.get(parent)?.delete(shelved);
    this.#branches.delete(name);
    this.#tell(name, false);
  }

  branchesOf(name: string): Iterable<Shelved> {
    return this.#branches.get(name) ?? [];
  }

  setOpen(shelved: Shelved, open: Shelved['open']): void {
    shelved.open = open;
    if (open === null) this.#open.delete(shelved);
    else this.#open.add(shelved);
  }

  /** When the next of those that are closed has something to do by itself; null for none. */
  get wakesAt(): number | null {
    let next: number | null = null;
    for (const { open, wakes } of this.#known.values())
      if (open === null && wakes !== null && (next === null || wakes < next)) next = wakes;
    return next;
  }

  /** When the next branch expires, of those that are not kept by branches of their own; null for none. */
  get expiresAt(): number | null {
    let next: number | null = null;
    for (const { name, row } of this.#known.values()) {
      const at = row?.expires ?? null;
      if (at !== null && (next === null || at < next) && !this.hasBranches(name)) next = at;
    }
    return next;
  }

  /** Whether one is open that may be closed. */
  get hasOpen(): boolean {
    for (const { open } of this.#open) if (open?.site !== null) return true;
    return false;
  }

  /** The first worlds of those that have something to do by now, or of which one may have been idle for long enough. */
  get rootsToLookAfter(): ReadonlySet<string> {
    const now = wallClock.now();
    const roots = new Set<string>();
    for (const { root, open, row, wakes } of this.#known.values())
      if (open !== null || (row?.expires ?? now + 1) <= now || (wakes ?? now + 1) <= now)
        roots.add(root.name);
    return roots;
  }

  clear(): void {
    this.#known.clear();
    this.#branches.clear();
    this.#open.clear();
  }
}
