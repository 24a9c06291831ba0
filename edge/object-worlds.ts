// The worlds of a deployment, as the host's own endpoints ask for them (4.11): the inventory knows them, and each is an
// object of its own.
import type {
  HostHealth,
  HostProblem,
  HostWorlds,
  ImportAsk,
  InventoryRow,
  InventoryTwin,
  MakeAsk,
} from '../control/hosting/host-worlds.ts';
import { rowsText } from '../control/hosting/inventory-text.ts';
import type { OriginsUnder } from '../control/hosting/origins.ts';
import type { Log } from '../control/ports/log.ts';
import { Secret } from '../control/world/access/secret.ts';
import { checkAdopted } from '../control/world/access/token.ts';
import { parseWorldName } from '../control/world/config/world-name.ts';
import { ObjectArchives } from './archives.ts';
import { type Env, inventoryOf, worldOf } from './env.ts';
import type { StoredWorld } from './inventory-store.ts';
import { inventoryTwins, newTokens } from './new-world.ts';
import { SHIPPED_TWINS } from './shipped-twins.ts';

type Parts = {
  readonly env: Env;
  /** As who asks names the host. */
  readonly baseUrl: string;
  /** Null where worlds have no origins of their own. */
  readonly origins: OriginsUnder | null;
  readonly log: Log;
};

export class ObjectWorlds implements HostWorlds {
  readonly archives: ObjectArchives;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    const row = async (name: string): Promise<InventoryRow | null> => {
      const stored = await this.#inventory.row(name);
      return stored === null ? null : this.#row(stored);
    };
    this.archives = new ObjectArchives({ ...parts, row });
  }

  names(): Promise<readonly string[]> {
    return this.#inventory.names();
  }

  inventory(): AsyncIterable<Uint8Array> {
    return rowsText(this.#rows());
  }

  async *#rows(): AsyncGenerator<InventoryRow> {
    for (let after = ''; ; ) {
      const page = await this.#inventory.page(after);
      for (const stored of page) yield this.#row(stored);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.record.name;
    }
  }

  vendors(): readonly string[] {
    return SHIPPED_TWINS;
  }

  async make(ask: MakeAsk): ReturnType<HostWorlds['make']> {
    const { env, baseUrl } = this.#parts;
    const { org, world, vendors, owner = null, from } = ask;
    const name = `${org}/${world}`;
    const wrong = this.#fault(name, ask);
    if (wrong !== null) return wrong;
    const tokens = newTokens(ask);
    const adopted = checkAdopted({ write: new Secret(tokens.token), read: new Secret(tokens.readToken) });
    if (!adopted.ok) return no(400, 'bad-token', adopted.message);
    const taken = no(409, 'taken', `${name} is there already; take another name.`);
    if (from !== undefined) {
      if (!parseWorldName(from).ok) return unknown(from);
      if (from === name) return taken;
      const branch = { name, vendors, owner, tokens };
      // As of now, in the time of the world that it leaves (4.11).
      const made = await worldOf(env, from).branch(from, { live: true }, branch);
      if (made === null) return unknown(from);
      if (!made.ok) return made;
    } else {
      const record = { id: crypto.randomUUID(), name, root: name, vendors, baseUrl, parent: null };
      const twins = inventoryTwins(vendors);
      const added = await this.#inventory.add({ record, owner, ...tokens, twins, expires: null });
      if (added !== 'added') return taken;
      await worldOf(env, name).ready(name);
    }
    const stored = await this.#inventory.row(name);
    return stored === null ? taken : { ok: true, row: this.#row(stored) };
  }

  async own(name: string, owner: string): ReturnType<HostWorlds['own']> {
    const owned = await this.#inventory.own(name, owner);
    if (owned === 'owned') return { ok: true };
    if (owned === 'unknown') return unknown(name);
    if (owned === 'is-branch')
      return no(409, 'is-branch', `${name} is a branch: whoever owns the world that it left owns it.`);
    return no(409, 'owned', `${name} is recorded as ${owned.recorded}’s already.`);
  }

  async rotate(name: string): ReturnType<HostWorlds['rotate']> {
    if (!parseWorldName(name).ok) return unknown(name);
    const rotated = await worldOf(this.#parts.env, name)
      .rotate(name)
      .catch(() => UNUSABLE);
    if (rotated === null) return unknown(name);
    return 'ok' in rotated ? rotated : { ok: true, ...rotated };
  }

  async remove(name: string): ReturnType<HostWorlds['remove']> {
    const removed = await this.#inventory.remove(name);
    if (removed === 'removed') return { ok: true };
    if (removed === 'unknown') return unknown(name);
    if (removed === 'begun') return no(503, 'not-gone-yet', `${name} ${GOES_LATER}`);
    return no(409, 'has-branches', `${name} has branches; remove those first.`);
  }

  async import(name: string, ask: ImportAsk): ReturnType<NonNullable<HostWorlds['import']>> {
    if (!parseWorldName(name).ok) return unknown(name);
    const done = await worldOf(this.#parts.env, name)
      .import(name, ask)
      .catch(() => UNUSABLE);
    return done ?? unknown(name);
  }

  async health(): Promise<HostHealth> {
    const worlds = await this.#inventory.count();
    // Which of them are in memory is the platform's to know.
    return { status: 'up', worlds, open: 0 };
  }

  metrics(): Promise<string> {
    return this.#inventory.metrics();
  }

  get #inventory(): ReturnType<typeof inventoryOf> {
    return inventoryOf(this.#parts.env);
  }

  #fault(name: string, { vendors }: MakeAsk): HostProblem | null {
    const parsed = parseWorldName(name);
    const why = parsed.ok ? (this.#parts.origins?.tooLong(name) ?? null) : parsed.why;
    if (why !== null) return no(400, 'bad-name', `${JSON.stringify(name)} is ${why}.`);
    const missing = vendors.find(vendor => !SHIPPED_TWINS.includes(vendor));
    if (missing === undefined) return null;
    const there = SHIPPED_TWINS.join(', ');
    return no(400, 'no-such-vendor', `There is no twin “${missing.slice(0, 64)}”; there are ${there}.`);
  }

  #row({ record: { name }, owner, token, readToken, twins }: StoredWorld): InventoryRow {
    const [org = '', world = ''] = name.split('/');
    return {
      org,
      world,
      name,
      base: `${this.#parts.baseUrl}/${name}`,
      ...(owner === null ? {} : { owner }),
      token,
      readToken,
      twins: JSON.parse(twins) as InventoryTwin[],
    };
  }
}

const GOES_LATER =
  'is served no more, but not all that it had could be removed: that goes by itself, and its name is free then.';
const UNUSABLE = no(503, 'world-unusable', 'This world cannot be opened; the host’s log says why.');

function no(status: HostProblem['status'], code: string, message: string): HostProblem {
  return { ok: false, status, code, message };
}

function unknown(name: string): HostProblem {
  return no(404, 'no-such-world', `${name.slice(0, 128)} is no world of this host.`);
}
