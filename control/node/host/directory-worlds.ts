// The worlds of one directory, as the host's own endpoints ask for them (4.10).

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Reply } from '../../../twins/kit/reply.ts';
import { metricsText } from '../../hosting/host-metrics.ts';
import type { HostProblem, HostWorlds, InventoryRow, MakeAsk } from '../../hosting/host-worlds.ts';
import { problem } from '../../http/answer.ts';
import type { Log } from '../../ports/log.ts';
import { parseWorldName } from '../../world/config/world-name.ts';
import { mayRemove } from '../../world/past/branch-list.ts';
import type { Answered } from '../attended-site.ts';
import type { Branches } from '../branches.ts';
import { ControlError } from '../control-error.ts';
import { writeWhole } from '../files.ts';
import type { Opened, Root } from '../known-worlds.ts';
import { worldPaths } from '../paths.ts';
import { SHIPPED_TWINS } from '../shipped-twins.ts';
import { systemFault } from '../system-fault.ts';
import type { Backed } from './backup-schedule.ts';
import { makeBareWorld, ownerFile, removeBareWorld } from './bare-world.ts';
import { type Listing, type Looking, readDirectory } from './directory.ts';
import { DirectoryArchives } from './directory-archives.ts';
import { Inventory } from './inventory.ts';
import { type InventoryPage, mergedRows } from './inventory-page.ts';
import { FOLDERS_PER_TURN, FOREIGN_TOLD_MAX, INVENTORY_PAGE_ROWS } from './limits.ts';
import type { HostMetrics } from './process-metrics.ts';

export type DirectoryWorldsParts = {
  readonly directory: string;
  readonly baseUrl: string;
  readonly log: Log;
  readonly metrics: HostMetrics;
  /** How the last run of backups went; null where the host makes none. */
  readonly backed: () => Backed | null;
  readonly branches: Branches;
  readonly open: (name: string) => Promise<Opened>;
  /** Why a world of that name could have no address of its own; null where it can. */
  readonly tooLong: (name: string) => string | null;
  /** Of the paths below the directory those that are looked after here; all unless given. */
  readonly isOurs?: (path: string) => boolean;
};

export class DirectoryWorlds implements HostWorlds {
  readonly archives: DirectoryArchives;
  readonly #parts: DirectoryWorldsParts;
  readonly #branches: Branches;
  readonly #inventory: Inventory;
  readonly #faults = new Map<string, string>();
  /** Neither found nor made meanwhile. */
  readonly #removing = new Set<string>();
  readonly #told = new Set<string>();
  #names: { readonly version: number; readonly sorted: readonly string[] } | null = null;
  #draining = false;

  constructor(parts: DirectoryWorldsParts) {
    this.#parts = parts;
    this.#branches = parts.branches;
    this.#inventory = new Inventory({
      directory: parts.directory,
      shelf: parts.branches.shelf,
      baseUrl: parts.baseUrl,
      faultOf: name => this.#faults.get(name) ?? null,
      mint: async name => {
        await this.#opened(name);
      },
    });
    const { shelf } = this.#branches;
    this.archives = new DirectoryArchives({
      ...parts,
      known: name => {
        const parent = shelf.known.get(name)?.parent;
        return parent === undefined ? null : parent === null ? 'world' : 'branch';
      },
      isBusy: name => this.#draining || this.#removing.has(name),
      arrived: names => this.arrived(names),
    });
  }

  /** A world and its branches that are in their place now: known when their rows are told. */
  async arrived(names: readonly string[]): Promise<readonly InventoryRow[]> {
    const [world = ''] = names;
    if (this.#branches.shelf.known.get(world) === undefined) await this.#know(world);
    const rows = await Promise.all(names.map(name => this.#inventory.row(name)));
    return rows.filter(row => row !== null);
  }

  /** Knows what has come and what has gone since the last look. `told` hears how far it is. */
  async look(told: (looking: Looking) => void = () => {}): Promise<Listing> {
    const { directory } = this.#parts;
    const { shelf } = this.#branches;
    const listing = await readDirectory(directory, this.#parts.isOurs, found => told({ found, known: 0 }));
    const all = listing.worlds.length;
    let known = 0;
    const found = new Set(listing.worlds);
    const foreign = [...listing.foreign];
    for (const name of listing.worlds) {
      if (known++ % FOLDERS_PER_TURN === 0) {
        told({ found: all, known: known - 1 });
        await turn();
      }
      const why = this.#parts.tooLong(name);
      if (why !== null) foreign.push({ path: name, why });
      else if (shelf.known.get(name) === undefined) await this.#know(name);
      else this.#inventory.refresh(name);
    }
    told({ found: all, known });
    for (const { name, parent } of shelf.known.all) {
      if (parent !== null || found.has(name) || existsSync(this.#configOf(name))) continue;
      this.#parts.log.warn({ world: name }, 'a world is gone from the directory; it is served no more');
      await this.#branches.inTurn(name, () => this.#forget(name));
    }
    this.#tell(foreign);
    return listing;
  }

  names(): readonly string[] {
    const { shelf } = this.#branches;
    if (this.#names?.version !== shelf.known.version)
      this.#names = { version: shelf.known.version, sorted: shelf.known.all.map(({ name }) => name).sort() };
    return this.#names.sorted;
  }

  inventory(): AsyncIterable<Uint8Array> {
    return mergedRows([this.#pages()]);
  }

  /** Rows of so many worlds that come after that name, and the last of their names; null where there are no more. */
  async page(
    after: string,
    most: number,
  ): Promise<{ readonly page: InventoryPage; readonly last: string | null }> {
    const names = this.names();
    const from = firstAfter(names, after);
    const asked = names.slice(from, from + most);
    const page = await this.#inventory.page(after, asked);
    return { page, last: from + most < names.length ? asked.at(-1)! : null };
  }

  async *#pages(): AsyncGenerator<InventoryPage, undefined> {
    for (let after: string | null = ''; after !== null; ) {
      const { page, last } = await this.page(after, INVENTORY_PAGE_ROWS);
      yield page;
      after = last;
    }
  }

  vendors(): readonly string[] {
    return SHIPPED_TWINS;
  }

  async make({ org, world, vendors, owner }: MakeAsk): ReturnType<HostWorlds['make']> {
    const { directory, tooLong } = this.#parts;
    const name = `${org}/${world}`;
    const parsed = parseWorldName(name);
    const why = parsed.ok ? tooLong(name) : parsed.why;
    if (why !== null) return no(400, 'bad-name', `${JSON.stringify(name)} is ${why}.`);
    const unknown = vendors.find(vendor => !SHIPPED_TWINS.includes(vendor));
    if (unknown !== undefined)
      return no(
        400,
        'no-such-vendor',
        `There is no twin “${unknown.slice(0, 64)}”; there are ${SHIPPED_TWINS.join(', ')}.`,
      );
    if (this.#draining) return no(503, 'draining', 'The host is shutting down; ask again.');
    const { shelf } = this.#branches;
    const taken = no(409, 'taken', `${name} is there already; take another name.`);
    if (shelf.known.get(name) !== undefined || this.#removing.has(name)) return taken;
    const made = await makeBareWorld({ directory, name, vendors, ...(owner === undefined ? {} : { owner }) });
    if (!made.ok) return taken;
    if (shelf.known.get(name) === undefined) await this.#know(name);
    const row = await this.#inventory.row(name);
    if (row === null) return taken;
    return { ok: true, row };
  }

  async own(name: string, owner: string): ReturnType<HostWorlds['own']> {
    const shelved = this.#branches.shelf.known.get(name);
    if (shelved === undefined) return unknown(name);
    if (shelved.parent !== null)
      return no(409, 'is-branch', `${name} is a branch: whoever owns ${shelved.root.name} owns it.`);
    return this.#branches.inTurn(name, async () => {
      const recorded = await this.#inventory.ownerOf(name);
      if (recorded === owner) return { ok: true };
      if (recorded !== null) return no(409, 'owned', `${name} is recorded as ${recorded}’s already.`);
      await writeWhole(ownerFile(join(this.#parts.directory, name)), `${owner}\n`);
      this.#inventory.forget(name);
      return { ok: true };
    });
  }

  async rotate(name: string): ReturnType<HostWorlds['rotate']> {
    const { shelf } = this.#branches;
    const shelved = shelf.known.get(name);
    if (shelved === undefined) return unknown(name);
    return this.#branches.inTurn(shelved.root.name, async () => {
      const opened = await this.#open(name);
      if (opened === null) return no(503, 'world-unusable', refusalText(null));
      const { tokens, world } = opened.hosted;
      const { write, read } = await tokens.renew();
      this.#inventory.forget(name);
      await opened.rotated?.();
      world.news.tell({ kind: 'keys' });
      return { ok: true, token: write.reveal(), readToken: read.reveal() };
    });
  }

  async remove(name: string): ReturnType<HostWorlds['remove']> {
    const { shelf } = this.#branches;
    const shelved = shelf.known.get(name);
    if (shelved === undefined) return unknown(name);
    const branched = no(409, 'has-branches', `${name} has branches; remove those first.`);
    if (shelved.parent !== null) {
      const removed = await this.#branches.remove(name);
      if (removed === 'removed') this.#drop(name);
      return removed === 'removed' ? { ok: true } : removed === 'unknown' ? unknown(name) : branched;
    }
    return this.#branches.inTurn(name, async () => {
      if (shelf.known.get(name) !== shelved) return unknown(name);
      let elsewhere: string | null = null;
      const opened = await shelf.opened(name).catch(error => {
        if (error instanceof ControlError && error.code === 'already-running') elsewhere = error.message;
        return undefined;
      });
      if (elsewhere !== null) return no(409, 'open-elsewhere', `${name} cannot be removed: ${elsewhere}.`);
      // What it says itself of its branches counts; one that cannot be opened has none that could be.
      if (opened === undefined ? shelf.known.hasBranches(name) : !mayRemove(opened.hosted.sql))
        return branched;
      this.#removing.add(name);
      try {
        await this.#forget(name);
        await removeBareWorld(this.#parts.directory, name);
      } finally {
        this.#removing.delete(name);
      }
      return { ok: true };
    });
  }

  health(): ReturnType<HostWorlds['health']> {
    const { size, openCount } = this.#branches.shelf.known;
    return { status: this.#draining ? 'draining' : 'up', worlds: size, open: openCount };
  }

  metrics(): string {
    const { size, openCount } = this.#branches.shelf.known;
    const { metrics, backed } = this.#parts;
    return metricsText(
      { worlds: size, open: openCount },
      [{ shard: null, counts: metrics.counts }],
      backed(),
    );
  }

  /** From now on it says so, and makes none. */
  drain(): void {
    this.#draining = true;
  }

  /** It is open from now on, and says itself what its tokens are. Answers who hears of its answers. */
  served(name: string): Answered {
    this.#inventory.opened(name);
    this.#faults.delete(name);
    this.#parts.metrics.opened();
    return this.#parts.metrics.of(name);
  }

  /** What who asks for a world that cannot be opened is told: as far as it is his business. The log has all of it. */
  refusal(name: string, error: unknown): Reply {
    this.#parts.metrics.couldNotOpen();
    return problem(503, 'world-unusable', refusalText(this.#keepFault(name, error)), {
      headers: [['retry-after', '5']],
    });
  }

  /** For the inventory; answers what everybody may know of it. */
  #keepFault(name: string, error: unknown): string | null {
    const { text, told } = faultOf(error);
    this.#faults.set(name, text);
    return told;
  }

  async #know(name: string): Promise<void> {
    if (this.#removing.has(name) || !existsSync(this.#configOf(name))) return;
    const { directory, open } = this.#parts;
    const paths = worldPaths(join(directory, name));
    const root: Root = {
      name,
      database: paths.database,
      branches: paths.branches,
      open: () => open(name),
    };
    const { shelf } = this.#branches;
    shelf.add(root);
    await shelf.fill(root);
  }

  /** In its turn. Its branches go with it, where the whole folder is gone. */
  async #forget(name: string): Promise<void> {
    const { shelf } = this.#branches;
    for (const { name: each, root } of shelf.known.all) {
      if (root.name !== name) continue;
      await shelf.drop(each);
      this.#drop(each);
    }
  }

  #drop(name: string): void {
    this.#inventory.forget(name);
    this.#faults.delete(name);
    this.#parts.metrics.forget(name);
  }

  async #opened(name: string): Promise<Opened | null> {
    const root = this.#branches.shelf.known.get(name)?.root.name ?? name;
    return this.#branches.inTurn(root, () => this.#open(name));
  }

  async #open(name: string): Promise<Opened | null> {
    return this.#branches.shelf.opened(name).then(
      opened => opened ?? null,
      error => {
        this.#keepFault(name, error);
        this.#parts.metrics.couldNotOpen();
        this.#parts.log.error({ world: name, err: error }, 'a world cannot be opened; it is left as it is');
        return null;
      },
    );
  }

  #configOf(name: string): string {
    return worldPaths(join(this.#parts.directory, name)).config;
  }

  /** Once each, and only so many at once. */
  #tell(foreign: Listing['foreign']): void {
    const fresh = foreign.filter(({ path, why }) => !this.#told.has(`${path} ${why}`));
    this.#told.clear();
    for (const { path, why } of foreign) this.#told.add(`${path} ${why}`);
    const { log } = this.#parts;
    for (const { path, why } of fresh.slice(0, FOREIGN_TOLD_MAX))
      log.warn({ path, why }, 'this is no world of the host; it is left alone');
    const more = fresh.length - FOREIGN_TOLD_MAX;
    if (more > 0) log.warn({ more }, 'more in the directory is no world of the host, and left alone');
  }
}

/** In a sorted list the place of the first that comes after that one. */
function firstAfter(names: readonly string[], after: string): number {
  let [from, to] = [0, names.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (names[middle]! <= after) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** `told`: what everybody may know, who asks for the world; null for nothing. */
function faultOf(error: unknown): { readonly text: string; readonly told: string | null } {
  if (!(error instanceof ControlError)) {
    const text = systemFault(error, 'the world') ?? 'it failed; the log says how';
    return { text, told: null };
  }
  const text = error.message;
  if (error.code === 'store-newer' || error.code === 'world-barred') return { text, told: text };
  if (error.code === 'already-running')
    return { text, told: 'It is up in another process of this machine; stop that one.' };
  return { text, told: null };
}

function refusalText(told: string | null): string {
  return told === null
    ? 'This world cannot be opened; the host’s log and its inventory say why.'
    : `This world cannot be opened. ${told}`;
}

function no(status: HostProblem['status'], code: string, message: string): HostProblem {
  return { ok: false, status, code, message };
}

function unknown(name: string): HostProblem {
  return no(404, 'no-such-world', `${name.slice(0, 128)} is no world of this host.`);
}
