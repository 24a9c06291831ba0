// The rows of a host's inventory (2.13). What is read of a world's files is kept: the names and tokens of thousands are
// asked for at once, and change seldom. A look at the directory reads anew what was edited since.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { parseJson } from '../../../policy/json-text.ts';
import type { InventoryRow, InventoryTwin } from '../../hosting/host-worlds.ts';
import type { TwinConfig } from '../../world/config/config.ts';
import { branchFiles } from '../branch-files.ts';
import { loadConfig } from '../config-file.ts';
import type { Shelved } from '../known-worlds.ts';
import { worldPaths } from '../paths.ts';
import { shippedProtocol } from '../shipped-twins.ts';
import type { WorldShelf } from '../world-shelf.ts';
import { ownerFile } from './bare-world.ts';
import { type InventoryPage, KeptPages, type RowText } from './inventory-page.ts';
import { ROWS_PER_TURN } from './limits.ts';

export type InventoryParts = {
  readonly directory: string;
  readonly shelf: WorldShelf;
  readonly baseUrl: string;
  /** Why a world could not be opened when it was asked last; null for one that could, or was not. */
  readonly faultOf: (name: string) => string | null;
  /** Opens the world, so that it has tokens. */
  readonly mint: (name: string) => Promise<void>;
};

type Read = {
  readonly stamp: string;
  readonly owner: string | null;
  /** As they are told while the world was not open yet: of a config no more is held, for there are thousands. */
  readonly twins: readonly InventoryTwin[];
  readonly fault: string | null;
};

type Rooted = {
  readonly of: readonly InventoryTwin[];
  readonly by: string | null;
  readonly twins: readonly InventoryTwin[];
};

type Tokens = { readonly token: string; readonly readToken: string };

/** All that a row is made of, besides its name. */
type RowParts = {
  readonly read: Read;
  readonly tokens: Tokens | null;
  readonly twins: readonly InventoryTwin[];
  readonly fault: string | null;
};

export class Inventory {
  readonly #parts: InventoryParts;
  /** Of worlds that are no branches. */
  readonly #read = new Map<string, Read>();
  readonly #tokens = new Map<string, Tokens>();
  /** As the world told when it was open last. */
  readonly #twins = new Map<string, readonly InventoryTwin[]>();
  /** Of closed worlds that have roots, or had when they told: what is told of them, and what that was made of. */
  readonly #rooted = new Map<string, Rooted>();
  /** Of closed worlds, the rows as they were told, for as long as what they were made of is what it was. */
  readonly #texts = new Map<string, { readonly parts: RowParts; readonly text: string }>();
  readonly #pages = new KeptPages();

  constructor(parts: InventoryParts) {
    this.#parts = parts;
  }

  /** A rotation changes its tokens without a word to the host. */
  opened(name: string): void {
    this.#tokens.delete(name);
  }

  /** Its tokens, its owner or its config were changed by this process, or it is gone. */
  forget(name: string): void {
    this.#read.delete(name);
    this.#tokens.delete(name);
    this.#twins.delete(name);
    this.#rooted.delete(name);
    this.#texts.delete(name);
  }

  /** What somebody edited since it was read is read anew. */
  refresh(name: string): void {
    const known = this.#read.get(name);
    if (known !== undefined && known.stamp !== this.#stampOf(name)) this.forget(name);
  }

  /** Of those that are still there; they are the names that come after `after`. */
  async page(after: string, names: readonly string[]): Promise<InventoryPage> {
    const rows: RowText[] = [];
    let made = 0;
    for (const name of names) {
      if (++made % ROWS_PER_TURN === 0) await turn();
      const text = this.#keptText(name) ?? (await this.#text(name));
      if (text !== null) rows.push({ name, text });
    }
    return this.#pages.page(after, rows);
  }

  /** Null when it is gone. */
  async row(name: string): Promise<InventoryRow | null> {
    const { shelf, faultOf, mint } = this.#parts;
    const shelved = shelf.known.get(name);
    if (shelved === undefined) return null;
    const read = this.#read.get(shelved.root.name) ?? (await this.#readWorld(shelved.root.name));
    let tokens = this.#tokensOf(shelved);
    if (tokens === null && read.fault === null) {
      await mint(name);
      tokens = this.#tokensOf(shelved);
    }
    const twins = await this.#twinsOf(shelved, read);
    return this.#rowOf(name, { read, tokens, twins, fault: read.fault ?? faultOf(name) });
  }

  #rowOf(name: string, { read, tokens, twins, fault }: RowParts): InventoryRow {
    const [org = '', world = ''] = name.split('/');
    return {
      org,
      world,
      name,
      base: `${this.#parts.baseUrl}/${name}`,
      ...(read.owner === null ? {} : { owner: read.owner }),
      token: tokens?.token ?? null,
      readToken: tokens?.readToken ?? null,
      twins,
      ...(fault === null ? {} : { fault }),
    };
  }

  async #text(name: string): Promise<string | null> {
    const row = await this.row(name);
    return row === null ? null : (this.#keptText(name) ?? JSON.stringify(row));
  }

  /** Of a world that is closed and was read; null for another. An open one says itself what its twins are. */
  #keptText(name: string): string | null {
    const shelved = this.#parts.shelf.known.get(name);
    if (shelved === undefined || shelved.open !== null) return null;
    const read = this.#read.get(shelved.root.name);
    const tokens = this.#tokens.get(name) ?? null;
    if (read === undefined || tokens === null) return null;
    const fault = read.fault ?? this.#parts.faultOf(name);
    const parts = { read, tokens, twins: this.#closedTwins(shelved, read), fault };
    const known = this.#texts.get(name);
    if (known !== undefined && areSame(known.parts, parts)) return known.text;
    const text = JSON.stringify(this.#rowOf(name, parts));
    this.#texts.set(name, { parts, text });
    return text;
  }

  /** The owning org that is recorded; null for none. */
  async ownerOf(name: string): Promise<string | null> {
    return (this.#read.get(name) ?? (await this.#readWorld(name))).owner;
  }

  async #readWorld(name: string): Promise<Read> {
    const folder = join(this.#parts.directory, name);
    const stamp = this.#stampOf(name);
    const owner = textOf(ownerFile(folder))?.trim() ?? null;
    const config = await loadConfig(worldPaths(folder).config);
    const read = config.ok
      ? { stamp, owner, twins: config.loaded.config.twins.map(closedTwin).sort(byVendor), fault: null }
      : { stamp, owner, twins: [], fault: config.fault.text };
    this.#read.set(name, read);
    return read;
  }

  #stampOf(name: string): string {
    const { config, home } = worldPaths(join(this.#parts.directory, name));
    // Whatever replaces a file in the folder changes that; what writes into the config, the config.
    return [config, home].map(path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(' ');
  }

  #tokensOf({ name, root, parent, open }: Shelved): Tokens | null {
    if (open !== null) {
      const { write, read } = open.hosted.tokens;
      return { token: write.reveal(), readToken: read.reveal() };
    }
    const known = this.#tokens.get(name);
    if (known !== undefined) return known;
    const file =
      parent === null ? worldPaths(join(this.#parts.directory, name)).tokens : branchFiles(root, name).tokens;
    const [token = '', readToken = ''] = (textOf(file) ?? '').split('\n').map(line => line.trim());
    if (token === '' || readToken === '') return null;
    const tokens = { token, readToken };
    this.#tokens.set(name, tokens);
    return tokens;
  }

  /** What its twins speak, an open world has told, be it the one that a branch was made of; its roots are those it closed with. */
  #closedTwins({ name, root, roots }: Shelved, read: Read): readonly InventoryTwin[] {
    const twins = this.#twins.get(name) ?? this.#twins.get(root.name) ?? read.twins;
    if (roots === null && twins.every(twin => twin.root === null)) return twins;
    const known = this.#rooted.get(name);
    if (known?.of === twins && known.by === roots) return known.twins;
    const parsed = parseJson(roots ?? '{}');
    const all = (parsed.ok ? parsed.value : {}) as { readonly [twin: string]: unknown };
    const rooted = twins.map(twin => ({ ...twin, root: all[twin.vendor] ?? null }));
    this.#rooted.set(name, { of: twins, by: roots, twins: rooted });
    return rooted;
  }

  async #twinsOf(shelved: Shelved, read: Read): Promise<readonly InventoryTwin[]> {
    const { name, open } = shelved;
    if (open === null) return this.#closedTwins(shelved, read);
    const { world } = open.hosted;
    const statuses = await Promise.all(world.vendors.map(vendor => world.twinStatus(vendor)));
    const told = statuses.flatMap(status =>
      status === null ? [] : [{ vendor: status.twin, protocol: status.protocol, root: status.root }],
    );
    this.#twins.set(name, told);
    return told;
  }
}

/** Each is replaced where it changes, and never written into. */
function areSame(one: RowParts, other: RowParts): boolean {
  return (
    one.read === other.read &&
    one.tokens === other.tokens &&
    one.twins === other.twins &&
    one.fault === other.fault
  );
}

/** As an open world tells them. */
function byVendor(a: InventoryTwin, b: InventoryTwin): number {
  return a.vendor < b.vendor ? -1 : 1;
}

function closedTwin({ vendor, twin }: TwinConfig): InventoryTwin {
  return { vendor, protocol: shippedProtocol(twin), root: null };
}

/** Null when it cannot be read. Synchronous: thousands are read at once, and a turn for each takes longer than the reading. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
