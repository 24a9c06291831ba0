// The branches that this host knows, open or closed. One is opened when it is first asked for, after the world that it
// left, whose past it reads; it is closed when nobody has asked for a while, or when too many are open. What a closed one
// has to do by itself opens it too.
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Site } from '../http/site.ts';
import type { Sites } from '../http/sites.ts';
import { BranchList, type BranchRow } from '../world/past/branch-list.ts';
import { wakesAt } from '../world/work/wakes-at.ts';
import { AttendedSite } from './attended-site.ts';
import { originIn, peek, readBranchNote } from './branch-note.ts';
import { type HostedWorld, openHostedWorld, type WorldHost } from './hosted-world.ts';
import { BRANCH_LIMITS, type BranchLimits } from './limits.ts';
import type { WorldFiles } from './store-guard.ts';
import { wallClock } from './wall-clock.ts';

type Open = { readonly hosted: HostedWorld; readonly site: AttendedSite };

/** A branch, open or closed. */
export type Shelved = {
  row: BranchRow;
  /** `<org>/<world>`. */
  readonly parent: string;
  open: Open | null;
  /** Of one that is closed: when it has something to do by itself (wakes-at.ts). */
  wakes: number | null;
};

export type BranchShelfOptions = {
  readonly host: WorldHost;
  /** `.wrld/branches`. */
  readonly folder: string;
  readonly sites: Sites;
  readonly siteOf: (hosted: HostedWorld) => Site;
  /** Whether connections that are no requests are open to a world. */
  readonly isBusy: (world: string) => boolean;
  /** One after the other with what else is done to branches. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly limits?: Partial<BranchLimits>;
};

export class BranchShelf {
  readonly #options: BranchShelfOptions;
  readonly #limits: BranchLimits;
  /** A parent is in front of its branches. */
  readonly #known = new Map<string, Shelved>();
  #root: HostedWorld | null = null;

  constructor(options: BranchShelfOptions) {
    this.#options = options;
    this.#limits = { ...BRANCH_LIMITS, ...options.limits };
  }

  /** Newest first, and so each in front of the world that it left. */
  get all(): readonly Shelved[] {
    return [...this.#known.values()].reverse();
  }

  get(name: string): Shelved | undefined {
    return this.#known.get(name);
  }

  /** The name is taken, be it by what is left of a branch that is none. */
  isTaken(name: string): boolean {
    return this.#known.has(name) || existsSync(this.files(name).store);
  }

  hasBranches(name: string): boolean {
    for (const { parent } of this.#known.values()) if (parent === name) return true;
    return false;
  }

  files(name: string): WorldFiles {
    const store = join(this.#options.folder, folderOf(name));
    return {
      store,
      blobs: join(store, 'blobs'),
      database: join(store, 'world.db'),
      tokens: join(store, 'token'),
      browsers: join(store, 'browsers'),
      marks: join(store, 'marks.json'),
      backups: null,
      branches: null,
    };
  }

  /** Knows what is there of a world's branches and theirs, without opening one; removes what is no branch. */
  async fill(root: HostedWorld): Promise<void> {
    this.#root = root;
    const [org] = root.name.split('/');
    const byParent = new Map<string, BranchRow[]>();
    for (const folder of foldersIn(this.#options.folder)) {
      const world = `${org}/${folder}`;
      const note = this.#noteOf(world, root);
      if (note === null) continue;
      const rows = byParent.get(note.parent) ?? [];
      byParent.set(note.parent, [...rows, note.row]);
    }
    byParent.set(root.name, [...new BranchList(root.sql).all()]);
    const waiting = [root.name];
    for (let parent = waiting.shift(); parent !== undefined; parent = waiting.shift()) {
      for (const row of byParent.get(parent) ?? []) {
        if (this.#known.has(row.world) || row.world === root.name) continue;
        this.shelve(row, parent);
        waiting.push(row.world);
      }
    }
    this.#checkBranchesOf(root);
    for (const folder of foldersIn(this.#options.folder)) {
      if (this.#known.has(`${org}/${folder}`)) continue;
      this.#options.host.log.info({ folder }, 'the rest of a branch that is none is removed');
      await rm(join(this.#options.folder, folder), { recursive: true, force: true });
    }
  }

  /** What a folder says whose branch it is; null for one that is no branch, or the root's, which knows its own. */
  #noteOf(world: string, root: HostedWorld): { parent: string; row: BranchRow } | null {
    const { store, database } = this.files(world);
    const note = readBranchNote(store);
    if (note !== null) return note.parent === root.name ? null : note;
    if (new BranchList(root.sql).has(world)) return null;
    const origin = originIn(database);
    if (origin === null) return null;
    // How long it stays is in its parent's row, which is looked at when that is open.
    return { parent: origin.world, row: { world, at: origin.at, created: origin.at, expires: null } };
  }

  /** Closed: whoever asks for it opens it. */
  shelve(row: BranchRow, parent: string): Shelved {
    const shelved: Shelved = { row, parent, open: null, wakes: null };
    this.#known.set(row.world, shelved);
    this.#putDoor(row.world);
    return shelved;
  }

  /** One that was just made. */
  put(row: BranchRow, parent: string, hosted: HostedWorld): void {
    const site = new AttendedSite(this.#options.siteOf(hosted));
    this.#known.set(row.world, { row, parent, open: { hosted, site }, wakes: null });
    this.#options.sites.add(site);
  }

  /** Closed, and known no more. */
  async drop(name: string): Promise<void> {
    const shelved = this.#known.get(name);
    this.#options.sites.remove(name);
    this.#known.delete(name);
    const { open } = shelved ?? {};
    if (shelved !== undefined) shelved.open = null;
    await open?.hosted[Symbol.asyncDispose]();
  }

  /** The world of that name, opened with all that it left. Undefined when there is none; throws when it cannot be. */
  async open(name: string): Promise<HostedWorld | undefined> {
    if (name === this.#root?.name) return this.#root;
    const shelved = this.#known.get(name);
    if (shelved === undefined || shelved.open !== null) return shelved?.open?.hosted;
    const parent = await this.open(shelved.parent);
    // Its parent may have told that it is none.
    if (parent === undefined || this.#known.get(name) !== shelved) return undefined;
    const hosted = await this.host(name, parent);
    shelved.open = { hosted, site: new AttendedSite(this.#options.siteOf(hosted)) };
    this.#options.sites.add(shelved.open.site);
    this.#checkBranchesOf(hosted);
    await this.#makeRoom(name);
    return hosted;
  }

  host(name: string, parent: HostedWorld): Promise<HostedWorld> {
    const { host } = this.#options;
    return openHostedWorld({ host, name, files: this.files(name), parent: parent.world.past.source });
  }

  /** What the world itself says of its branches. */
  #checkBranchesOf(parent: HostedWorld): void {
    const list = new BranchList(parent.sql);
    const { log } = this.#options.host;
    for (const row of list.all()) {
      const known = this.#known.get(row.world);
      // Somebody removed the whole of it; a folder that lacks its store has lost something, and is left as it is.
      if (!existsSync(this.files(row.world).store)) {
        log.warn({ branch: row.world }, 'the store of a branch is gone, and the branch with it');
        list.remove(row.world);
        void this.drop(row.world);
      } else if (known === undefined) this.shelve(row, parent.name);
      else known.row = row;
    }
    for (const { row, parent: left } of this.all) {
      if (left !== parent.name || list.has(row.world)) continue;
      log.info({ branch: row.world }, 'the rest of a branch that is none is removed');
      void this.drop(row.world);
      rm(this.files(row.world).store, { recursive: true, force: true }).catch(error =>
        log.warn({ branch: row.world, err: error }, 'the rest of a branch could not be removed'),
      );
    }
  }

  /** Looks into each that is closed, giving way in between, for what it has to do by itself. */
  async lookIntoAll(): Promise<void> {
    for (const { row } of this.all) {
      const shelved = this.#known.get(row.world);
      if (shelved === undefined || shelved.open !== null) continue;
      // One that cannot be read so is opened, which says why.
      const looked = peek(this.files(row.world).database, sql => ({ at: wakesAt(sql) }));
      if (shelved.open === null) shelved.wakes = looked === null ? 0 : looked.at;
      await turn();
    }
  }

  /** When the next of those that are closed has something to do by itself; null for none. */
  get wakesAt(): number | null {
    const wakes = this.all.flatMap(({ open, wakes: at }) => (open === null && at !== null ? [at] : []));
    return wakes.length === 0 ? null : Math.min(...wakes);
  }

  get hasOpen(): boolean {
    return this.all.some(({ open }) => open !== null);
  }

  /** Opens those that have something to do by now. */
  async wake(): Promise<void> {
    const now = wallClock.now();
    for (const shelved of this.all) {
      const { row, open, wakes } = shelved;
      if (open !== null || wakes === null || wakes > now) continue;
      shelved.wakes = null;
      await this.open(row.world).catch(error => this.#cannotOpen(row.world, error));
    }
  }

  /** Closes those that nobody has asked for a while. */
  async rest(): Promise<void> {
    const before = performance.now() - this.#limits.idleMs;
    for (const shelved of this.all)
      if (shelved.open !== null && shelved.open.site.askedAt <= before) await this.#rest(shelved);
  }

  /** Closes the one that was asked the longest ago, of those that can be, where too many are open. */
  async #makeRoom(but: string): Promise<void> {
    const open = this.all.filter(shelved => shelved.open !== null);
    let over = open.length - this.#limits.openMax;
    const oldest = open.sort((a, b) => a.open!.site.askedAt - b.open!.site.askedAt);
    for (const shelved of oldest) {
      if (over <= 0) return;
      if (shelved.row.world !== but && (await this.#rest(shelved))) over -= 1;
    }
  }

  /** False for one that is in use, or has something to do. */
  async #rest(shelved: Shelved): Promise<boolean> {
    const { row, open } = shelved;
    if (open === null || open.site.isAttended || this.#options.isBusy(row.world)) return false;
    for (const other of this.#known.values())
      if (other.parent === row.world && other.open !== null) return false;
    const wakes = wakesAt(open.hosted.sql);
    if (wakes !== null && wakes <= wallClock.now() + this.#limits.idleMs) return false;
    open.site.close();
    shelved.open = null;
    shelved.wakes = wakes;
    this.#putDoor(row.world);
    await open.hosted[Symbol.asyncDispose]();
    return true;
  }

  #putDoor(world: string): void {
    const { sites, host, inTurn } = this.#options;
    const origin = host.ownOrigin(world);
    sites.addDoor({
      world,
      ownHost: origin === null ? null : new URL(origin).host,
      open: () =>
        inTurn(() => this.open(world)).then(
          hosted => hosted !== undefined,
          error => this.#cannotOpen(world, error),
        ),
    });
  }

  #cannotOpen(world: string, error: unknown): false {
    this.#options.host.log.error(
      { branch: world, err: error },
      'a branch cannot be opened; it is left as it is',
    );
    return false;
  }

  /** The branches of a world before the world. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { open } of this.all) await open?.hosted[Symbol.asyncDispose]();
    this.#known.clear();
  }
}

/** `<org>/<world>` → `<world>`: all are of one org. */
function folderOf(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

function foldersIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
