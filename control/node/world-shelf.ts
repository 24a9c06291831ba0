// The worlds that this host knows, open or closed: the branches of the one that `wrld world up` has open, or all of those
// under a host's directory. One is opened when it is first asked for, a branch after the world that it left, whose past it
// reads; it is closed when nobody has asked for a while, or when too many are open. What a closed one has to do by itself
// opens it too.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Arrived } from '../http/arrived.ts';
import type { Site } from '../http/site.ts';
import { CANNOT_OPEN, type Door, type Sites } from '../http/sites.ts';
import type { Log } from '../ports/log.ts';
import type { Sql } from '../ports/sql.ts';
import { BranchList, type BranchRow } from '../world/past/branch-list.ts';
import { rootsText } from '../world/roots/roots.ts';
import { wakesAt } from '../world/work/wakes-at.ts';
import { type Answered, AttendedSite } from './attended-site.ts';
import { branchesIn, branchFiles, noteOf } from './branch-files.ts';
import { peek } from './branch-note.ts';
import { type HostedWorld, openHostedWorld } from './hosted-world.ts';
import { KnownWorlds, type Opened, type Root, type Shelved } from './known-worlds.ts';
import { BRANCH_LIMITS, type BranchLimits } from './limits.ts';
import type { AtRest, WakeNotes } from './wake-notes.ts';
import { wallClock } from './wall-clock.ts';

export type WorldShelfOptions = {
  readonly sites: Sites;
  readonly log: Log;
  /** By `<org>/<world>`. */
  readonly ownOrigin: (world: string) => string | null;
  readonly siteOf: (opened: Opened) => Site;
  /** Whether connections that are no requests are open to a world. */
  readonly isBusy: (world: string) => boolean;
  /** One after the other with what else is done to the worlds that began with that one. */
  readonly inTurn: <T>(root: string, work: () => Promise<T>) => Promise<T>;
  readonly limits?: Partial<BranchLimits>;
  /** What was noted of closed worlds; without it each is looked into at the start. */
  readonly notes?: WakeNotes;
  /** Hears of each answer of a world. */
  readonly attendance?: (world: string) => Answered;
  /** What who asks for a world that cannot be opened is told; the error is in the log. */
  readonly refusal?: (world: string, error: unknown) => ReturnType<NonNullable<Door['refusal']>>;
};

const UNASKED: AtRest = { at: null, roots: null };
const AT_ONCE: AtRest = { at: 0, roots: null };

const atRest = (sql: Pick<Sql, 'all' | 'get' | 'run'>): AtRest => ({
  at: wakesAt(sql),
  roots: rootsText(sql),
});

function rest(shelved: Shelved, { at, roots }: AtRest): void {
  shelved.wakes = at;
  shelved.roots = roots;
}

export class WorldShelf {
  readonly #options: WorldShelfOptions;
  readonly #limits: BranchLimits;
  readonly known: KnownWorlds = new KnownWorlds();

  constructor(options: WorldShelfOptions) {
    this.#options = options;
    this.#limits = { ...BRANCH_LIMITS, ...options.limits };
  }

  /** The name is taken, be it by what is left of a branch that is none. */
  isTaken(name: string, root: Root): boolean {
    return this.known.has(name) || existsSync(branchFiles(root, name).store);
  }

  /** A world that somebody else has open, and serves and closes himself. */
  hold(opened: Omit<Opened, 'close'>, branches: string): Root {
    const { hosted } = opened;
    const held: Opened = { ...opened, close: async () => {} };
    const root = {
      name: hosted.name,
      database: hosted.files.database,
      branches,
      open: () => Promise.resolve(held),
    };
    const shelved = this.known.add({ name: root.name, root, parent: null, row: null });
    this.known.setOpen(shelved, { ...held, site: null });
    return root;
  }

  /** A closed world that is no branch: whoever asks for it opens it. */
  add(root: Root): Shelved {
    const shelved = this.known.add({ name: root.name, root, parent: null, row: null });
    this.#putDoor(shelved);
    return shelved;
  }

  /** Knows what is there of a world's branches and theirs, without opening one; removes what is no branch. */
  async fill(root: Root): Promise<void> {
    const names = branchesIn(root);
    const hosted = this.known.get(root.name)?.open?.hosted ?? null;
    const byParent = new Map<string, BranchRow[]>();
    for (const name of names) {
      const note = noteOf(root, name, hosted);
      if (note === null) continue;
      const rows = byParent.get(note.parent) ?? [];
      byParent.set(note.parent, [...rows, note.row]);
    }
    if (hosted !== null) byParent.set(root.name, [...new BranchList(hosted.sql).all()]);
    const waiting = [root.name];
    for (let parent = waiting.shift(); parent !== undefined; parent = waiting.shift()) {
      for (const row of byParent.get(parent) ?? []) {
        if (this.known.has(row.world)) continue;
        this.#shelve(row, parent, root);
        waiting.push(row.world);
      }
    }
    // What is a branch and what is left of one is known when its parent can be asked.
    if (hosted === null) return;
    this.#checkBranchesOf(hosted, root);
    for (const name of names) {
      if (this.known.has(name)) continue;
      this.#options.log.info({ branch: name }, 'the rest of a branch that is none is removed');
      await rm(branchFiles(root, name).store, { recursive: true, force: true });
    }
  }

  /** Closed: whoever asks for it opens it. */
  #shelve(row: BranchRow, parent: string, root: Root): void {
    this.#putDoor(this.known.add({ name: row.world, root, parent, row }));
  }

  /** A branch that was just made. */
  put(row: BranchRow, parent: Shelved, hosted: HostedWorld): void {
    const { host } = parent.open!;
    const shelved = this.known.add({ name: row.world, root: parent.root, parent: parent.name, row });
    this.#serve(shelved, { hosted, host, close: async () => hosted[Symbol.asyncDispose]() });
  }

  /** Closed, and known no more. */
  async drop(name: string): Promise<void> {
    const shelved = this.known.get(name);
    this.#options.sites.remove(name);
    if (shelved === undefined) return;
    this.known.remove(shelved);
    const { open } = shelved;
    this.known.setOpen(shelved, null);
    await open?.close();
    this.#options.notes?.forget(name);
  }

  /** The world of that name, opened with all that it left. Undefined when there is none; throws when it cannot be. */
  async opened(name: string): Promise<Opened | undefined> {
    const shelved = this.known.get(name);
    if (shelved === undefined || shelved.open !== null) return shelved?.open ?? undefined;
    const parent = shelved.parent === null ? null : await this.opened(shelved.parent);
    // Its parent may have told that it is none.
    if (parent === undefined || this.known.get(name) !== shelved) return undefined;
    const opened = parent === null ? await shelved.root.open() : await branchOf(shelved, parent);
    this.#serve(shelved, opened);
    this.#checkBranchesOf(opened.hosted, shelved.root);
    await this.#makeRoom(shelved);
    return opened;
  }

  #serve(shelved: Shelved, opened: Opened): void {
    const { sites, siteOf, attendance } = this.#options;
    const { name } = shelved;
    const site = new AttendedSite(siteOf(opened), {
      again: (arrived, body) => this.#again(name, arrived, body),
      ...(attendance && { answered: attendance(name) }),
    });
    this.known.setOpen(shelved, { ...opened, site });
    sites.add(site);
  }

  /** What was admitted before a world was closed, and has all its bytes only now. */
  async #again(name: string, arrived: Arrived, body: Uint8Array): Promise<Reply> {
    const { sites } = this.#options;
    await sites.opened(name);
    const admission = sites.of(name)?.admit(arrived);
    if (admission === undefined) return CANNOT_OPEN;
    if (admission.at === 'answered') return admission.reply;
    // What was a request to a twin is one to a link now, whose bytes nobody has any more.
    return admission.at === 'forwarded' ? CANNOT_OPEN : admission.answer(body);
  }

  /** What the world itself says of its branches. */
  #checkBranchesOf(parent: HostedWorld, root: Root): void {
    const list = new BranchList(parent.sql);
    const { log } = this.#options;
    const there = (world: string): boolean => existsSync(branchFiles(root, world).store);
    for (const row of list.all()) {
      const known = this.known.get(row.world);
      // Somebody removed the whole of it; a folder that lacks its store has lost something, and is left as it is.
      if (!there(row.world)) {
        log.warn({ branch: row.world }, 'the store of a branch is gone, and the branch with it');
        list.remove(row.world);
        if (known?.root === root) void this.drop(row.world);
      } else if (known === undefined) this.#shelve(row, parent.name, root);
      else if (known.root === root) known.row = row;
    }
    for (const { name } of this.known.branchesOf(parent.name)) {
      if (list.has(name)) continue;
      log.info({ branch: name }, 'the rest of a branch that is none is removed');
      void this.drop(name);
      rm(branchFiles(root, name).store, { recursive: true, force: true }).catch(error =>
        log.warn({ branch: name, err: error }, 'the rest of a branch could not be removed'),
      );
    }
  }

  /** Looks into each that is closed and of which nothing is noted, giving way in between, for what it has to do by itself. */
  async lookIntoAll(): Promise<void> {
    const { notes } = this.#options;
    let looked = 0;
    for (const { name } of this.known.all) {
      if (++looked % LOOKS_PER_TURN === 0) await turn();
      const shelved = this.known.get(name);
      if (shelved === undefined || shelved.open !== null) continue;
      const database = databaseOf(shelved);
      const noted = notes?.of(name, database);
      if (noted !== undefined) {
        rest(shelved, noted);
        continue;
      }
      // One that has no store yet was never asked. One that cannot be read so is opened, which says why.
      const seen = existsSync(database) ? peek(database, atRest) : UNASKED;
      if (shelved.open === null) {
        rest(shelved, seen ?? AT_ONCE);
        notes?.isClosed(name, database, seen ?? AT_ONCE);
      }
      await turn();
    }
  }

  /** Opens those that have something to do by now, of the line that began with that world. */
  async wake(root: string): Promise<void> {
    const now = wallClock.now();
    for (const shelved of this.known.all) {
      const { name, open, wakes } = shelved;
      if (shelved.root.name !== root || open !== null || wakes === null || wakes > now) continue;
      shelved.wakes = null;
      await this.opened(name).catch(error => this.#cannotOpen(name, error));
    }
  }

  /** Closes those that nobody has asked for a while, of that line. */
  async rest(root: string): Promise<void> {
    const before = performance.now() - this.#limits.idleMs;
    for (const shelved of this.known.open)
      if (shelved.root.name === root && (shelved.open?.site?.askedAt ?? Number.POSITIVE_INFINITY) <= before)
        await this.#rest(shelved);
  }

  /** Closes the one that was asked the longest ago, of those that can be, where too many are open. */
  async #makeRoom(but: Shelved): Promise<void> {
    let over = -this.#limits.openMax;
    for (const { open } of this.known.open) if (open?.site !== null) over += 1;
    if (over <= 0) return;
    const askedAt = ({ open }: Shelved): number => open?.site?.askedAt ?? 0;
    for (const shelved of [...this.known.open].sort((a, b) => askedAt(a) - askedAt(b))) {
      if (over <= 0) return;
      if (shelved === but || shelved.open?.site === null) continue;
      if (shelved.root === but.root) {
        if (await this.#rest(shelved)) over -= 1;
        continue;
      }
      // In its own line's turn, for which nobody here waits; it is asked again whether it can be closed.
      over -= 1;
      const { log, inTurn } = this.#options;
      inTurn(shelved.root.name, () => this.#rest(shelved)).catch(error =>
        log.error({ world: shelved.name, err: error }, 'a world could not be closed'),
      );
    }
  }

  /** False for one that is in use, or has something to do. */
  async #rest(shelved: Shelved): Promise<boolean> {
    const { name, open } = shelved;
    if (open === null || open.site === null || open.site.isAttended || this.#options.isBusy(name))
      return false;
    for (const branch of this.known.branchesOf(name)) if (branch.open !== null) return false;
    const left = atRest(open.hosted.sql);
    if (left.at !== null && left.at <= wallClock.now() + this.#limits.idleMs) return false;
    open.site.close();
    this.known.setOpen(shelved, null);
    rest(shelved, left);
    this.#putDoor(shelved);
    await open.close();
    this.#options.notes?.isClosed(name, databaseOf(shelved), left);
    return true;
  }

  #putDoor({ name, root }: Shelved): void {
    const { sites, ownOrigin, inTurn, refusal } = this.#options;
    const origin = ownOrigin(name);
    let failed: unknown = null;
    sites.addDoor({
      world: name,
      ownHost: origin === null ? null : new URL(origin).host,
      open: () =>
        inTurn(root.name, () => this.opened(name)).then(
          opened => opened !== undefined,
          error => {
            failed = error;
            return this.#cannotOpen(name, error);
          },
        ),
      ...(refusal && { refusal: () => refusal(name, failed) }),
    });
  }

  #cannotOpen(world: string, error: unknown): false {
    this.#options.log.error({ world, err: error }, 'a world cannot be opened; it is left as it is');
    return false;
  }

  /** The branches of a world before the world. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const shelved of this.known.all) {
      const { name, open } = shelved;
      if (open === null || open.site === null) continue;
      const left = this.#options.notes === undefined ? UNASKED : atRest(open.hosted.sql);
      this.known.setOpen(shelved, null);
      await open.close();
      this.#options.notes?.isClosed(name, databaseOf(shelved), left);
    }
    this.known.clear();
  }
}

/** Its parent is open. */
export function openBranch(name: string, root: Root, { hosted, host }: Opened): Promise<HostedWorld> {
  return openHostedWorld({ host, name, files: branchFiles(root, name), parent: hosted.world.past.source });
}

async function branchOf({ name, root }: Shelved, parent: Opened): Promise<Opened> {
  const hosted = await openBranch(name, root, parent);
  return { hosted, host: parent.host, close: async () => hosted[Symbol.asyncDispose]() };
}

/** What is noted of a closed world is read in some microseconds. */
const LOOKS_PER_TURN = 64;

const databaseOf = ({ name, root, parent }: Shelved): string =>
  parent === null ? root.database : branchFiles(root, name).database;
