// Worlds that move to a deployment and from it (control/hosting/archives.ts). What arrives lies in the objects that it will
// be served from, which are nobody's worlds before the inventory says so, for all of them at once.
import {
  badName,
  isBranch,
  noSuchWorld,
  nothingArriving,
  refusal,
  taken,
  VAULT_AWAY,
} from '../control/hosting/archive-problems.ts';
import type { HostArchives } from '../control/hosting/host-archives.ts';
import type { HostProblem, InventoryRow } from '../control/hosting/host-worlds.ts';
import type { OriginsUnder } from '../control/hosting/origins.ts';
import type { Log } from '../control/ports/log.ts';
import {
  ARCHIVE_END,
  ARCHIVE_START,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  type ArchivePart,
  closePart,
  headerText,
  readPart,
} from '../control/world/archive/archive.ts';
import { readHeader } from '../control/world/archive/header.ts';
import { openingSeals } from '../control/world/archive/opening-seals.ts';
import { worldOfPart } from '../control/world/archive/taking.ts';
import { parseWorldName } from '../control/world/config/world-name.ts';
import { SCHEMA_VERSION } from '../control/world/store/schema.ts';
import { digest } from './digest.ts';
import { type Env, inventoryOf, worldOf } from './env.ts';
import type { ArrivingRow } from './inventory-store.ts';
import { ARRIVING_HEADER_CHARS_MAX } from './limits.ts';
import { newTokens } from './new-world.ts';
import { openSealer } from './sealers.ts';
import { SHIPPED_TWINS } from './shipped-twins.ts';
import type { GivenStore } from './stored-archive.ts';
import type { WorldRecord } from './world-record.ts';

type Parts = {
  readonly env: Env;
  readonly baseUrl: string;
  readonly origins: OriginsUnder | null;
  readonly log: Log;
  readonly row: (name: string) => Promise<InventoryRow | null>;
};

export class ObjectArchives implements HostArchives {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async give(name: string, branches: boolean): ReturnType<HostArchives['give']> {
    const stored = parseWorldName(name).ok ? await this.#inventory.row(name) : null;
    if (stored === null) return noSuchWorld(name);
    if (stored.record.parent !== null) return isBranch(name);
    const held: Held = new Map();
    try {
      await this.#hold(name, branches, held);
    } catch (error) {
      await this.#release(held);
      this.#parts.log.error({ world: name, fault: String(error) }, 'a world cannot be given out');
      return refusal(503, 'world-unusable', 'This world cannot be read; the host’s log says why.');
    }
    const given = inOrder(name, held);
    if (given.some(({ deploying }) => deploying)) {
      await this.#release(held);
      return refusal(409, 'deploying', `A deploy of ${name} is under way; move it when that is over.`);
    }
    const header: ArchiveHeader = {
      version: ARCHIVE_VERSION,
      schema: SCHEMA_VERSION,
      at: new Date().toISOString(),
      twins: stored.record.vendors.map(vendor => ({ vendor, twin: vendor })),
      worlds: given.map(({ world }) => world),
      left: [
        {
          world: name,
          what: 'access',
          name: 'tokens, keys, sessions',
          why: 'they open one place alone; new tokens are made there',
        },
      ],
    };
    return { ok: true, parts: this.#partsOf(header, given, held) };
  }

  async judge(header: ArchiveHeader): ReturnType<HostArchives['judge']> {
    const wrong = await this.#fault(header);
    if (wrong !== null) return wrong;
    const opening = await this.#opening(header);
    return opening.ok ? { ok: true, left: opening.left } : VAULT_AWAY;
  }

  async begin(header: ArchiveHeader, part: string): ReturnType<HostArchives['begin']> {
    const { name } = header.worlds[0]!;
    await this.abandon(name);
    const wrong = await this.#fault(header);
    if (wrong !== null) return wrong;
    const read = readPart(part, ARCHIVE_START, digest);
    if (!read.ok) return refusal(400, 'no-archive', read.message);
    if (part.length > ARRIVING_HEADER_CHARS_MAX)
      return refusal(
        400,
        'too-many-branches',
        'The world has more branches than can move here at once; leave some.',
      );
    const opening = await this.#opening(header);
    if (!opening.ok) return VAULT_AWAY;
    const { sum, n } = read.after;
    const arriving: ArrivingRow = {
      name,
      header: read.body,
      sum,
      next: n,
      worlds: this.#records(header).map((record, index) => ({
        record,
        tokens: newTokens(),
        expires: header.worlds[index]!.expires,
      })),
    };
    if (!(await this.#inventory.arrive(arriving))) return taken(name);
    for (const { record } of arriving.worlds) await worldOf(this.#parts.env, record.name).wipe(record.id);
    return { ok: true, left: opening.left };
  }

  async take(name: string, part: string): ReturnType<HostArchives['take']> {
    if (!parseWorldName(name).ok) return nothingArriving(name);
    const arriving = await this.#inventory.arriving(name);
    if (arriving === null) {
      const moved = await this.#inventory.moved(name, part);
      return moved === null ? nothingArriving(name) : this.#moved(moved);
    }
    // Nobody heard that it was taken.
    if (part.endsWith(`{"part":${arriving.next - 1},"sum":"${arriving.sum}"}\n`))
      return { ok: true, next: arriving.next };
    const read = readPart(part, { n: arriving.next, sum: arriving.sum }, digest);
    if (!read.ok && read.why === 'order') return refusal(409, 'out-of-order', read.message);
    if (!read.ok) return this.#damaged(name, read.message);
    const { body, after } = read;
    if (body === `${ARCHIVE_END}\n`) return this.#finish(arriving, part);
    const { record } = arriving.worlds.find(each => each.record.name === worldOfPart(body)) ?? {};
    if (record === undefined)
      return this.#damaged(name, 'The archive cannot be taken in: a part is of no world of it.');
    const { schema } = headerOf(arriving);
    const placed = await worldOf(this.#parts.env, record.name).place(record, {
      schema,
      n: arriving.next,
      body,
    });
    if (!placed.ok) return this.#damaged(name, placed.message);
    await this.#inventory.arrived(name, { next: after.n, sum: after.sum });
    return { ok: true, next: after.n };
  }

  async abandon(name: string): Promise<boolean> {
    return parseWorldName(name).ok && this.#inventory.abandon(name);
  }

  get #inventory(): ReturnType<typeof inventoryOf> {
    return inventoryOf(this.#parts.env);
  }

  async #damaged(name: string, message: string): Promise<HostProblem> {
    await this.abandon(name);
    return refusal(400, 'damaged', message);
  }

  async #finish(arriving: ArrivingRow, last: string): ReturnType<HostArchives['take']> {
    const { env } = this.#parts;
    const header = headerOf(arriving);
    const opening = await this.#opening(header);
    if (!opening.ok) return VAULT_AWAY;
    for (const [index, { record }] of arriving.worlds.entries()) {
      const world = header.worlds[index]!;
      const seals = opening.seals.get(record.name) ?? [];
      const faults = await worldOf(env, record.name).settle(record, { world, seals, schema: header.schema });
      if (faults.length > 0)
        return this.#damaged(arriving.name, `What came is not whole: ${faults.join('; ')}.`);
    }
    if (!(await this.#inventory.publish(arriving.name, last))) {
      await this.abandon(arriving.name);
      return taken(arriving.name);
    }
    return this.#moved(arriving.worlds.map(({ record }) => record.name));
  }

  /** They are in the inventory: each is opened, and told of. */
  async #moved(names: readonly string[]): ReturnType<HostArchives['take']> {
    const { env, row } = this.#parts;
    const rows: InventoryRow[] = [];
    for (const name of names) {
      await worldOf(env, name).moved(name);
      const told = await row(name);
      if (told !== null) rows.push(told);
    }
    return { ok: true, rows };
  }

  #records({ worlds, twins }: ArchiveHeader): readonly WorldRecord[] {
    const vendors = twins.map(({ vendor }) => vendor);
    const root = worlds[0]!.name;
    return worlds.map(({ name, parent }) => ({
      id: crypto.randomUUID(),
      name,
      root,
      vendors,
      baseUrl: this.#parts.baseUrl,
      // Where it left its parent stands in its store already.
      parent: parent === null ? null : { name: parent, cut: null },
    }));
  }

  async #fault({ worlds, twins }: ArchiveHeader): Promise<HostProblem | null> {
    const { origins } = this.#parts;
    for (const { name } of worlds) {
      const parsed = parseWorldName(name);
      const why = parsed.ok ? (origins?.tooLong(name) ?? null) : parsed.why;
      if (why !== null) return badName(name, why);
      if (await this.#inventory.isTaken(name, worlds[0]!.name)) return taken(name);
    }
    const other = twins.find(({ vendor, twin }) => !SHIPPED_TWINS.includes(twin) || vendor !== twin);
    if (other === undefined) return null;
    return refusal(
      400,
      'no-such-vendor',
      `There is no twin “${other.twin.slice(0, 64)}” under the name ${other.vendor} here, and without it ${other.vendor} has no history; there are ${SHIPPED_TWINS.join(', ')}, each under its own name.`,
    );
  }

  #opening({ worlds }: ArchiveHeader): ReturnType<typeof openingSeals> {
    const { env, log } = this.#parts;
    return openingSeals(worlds, name => openSealer(name, env, log));
  }

  /** Each stands still from here on, until it is released; branches first, since they ask the world that they left. */
  async #hold(name: string, branches: boolean, held: Held): Promise<void> {
    const { env } = this.#parts;
    if (branches)
      for (const each of await this.#inventory.branchesOf(name)) await this.#hold(each, branches, held);
    const stored = await this.#inventory.row(name);
    if (stored === null || held.has(name)) return;
    const store = await worldOf(env, name).give(name, branches);
    const { parent } = stored.record;
    const world = {
      ...store.world,
      parent: parent?.name ?? null,
      expires: stored.expires,
    };
    held.set(name, { ...store, world });
    for (const each of store.branches) await this.#hold(each, branches, held);
  }

  async #release(held: Held): Promise<void> {
    const { env } = this.#parts;
    for (const name of held.keys()) await worldOf(env, name).given();
  }

  async *#partsOf(header: ArchiveHeader, given: readonly GivenStore[], held: Held): AsyncGenerator<string> {
    const { env } = this.#parts;
    let part: ArchivePart = closePart(headerText(header), ARCHIVE_START, digest);
    try {
      yield part.text;
      for (const { world, first } of given)
        for (let place: GivenStore['first'] | null = first; place !== null; ) {
          const { body, next } = await worldOf(env, world.name).givePart(world.name, place);
          part = closePart(body, part.after, digest);
          yield part.text;
          place = next;
        }
      yield closePart(`${ARCHIVE_END}\n`, part.after, digest).text;
    } finally {
      await this.#release(held);
    }
  }
}

/** By name. */
type Held = Map<string, GivenStore>;

/** A world stands before its branches. */
function inOrder(name: string, held: Held): readonly GivenStore[] {
  const store = held.get(name);
  return store === undefined ? [] : [store, ...store.branches.flatMap(each => inOrder(each, held))];
}

function headerOf({ header }: ArrivingRow): ArchiveHeader {
  const read = readHeader(header);
  if (!read.ok) throw new Error(read.message);
  return read.header;
}
