// Worlds that move to a host's directory and from it (control/hosting/archives.ts). One that arrives lies under `.wrld-host`
// until it is whole, and is moved to its place at once; what a host that ended has left of one is removed by the next.
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '../../../policy/json-text.ts';
import {
  badName,
  isBranch,
  noSuchWorld,
  nothingArriving,
  refusal,
  taken,
  VAULT_AWAY,
} from '../../hosting/archive-problems.ts';
import type { HostArchives } from '../../hosting/host-archives.ts';
import type { HostProblem, InventoryRow } from '../../hosting/host-worlds.ts';
import type { Log } from '../../ports/log.ts';
import type { ArchiveHeader } from '../../world/archive/archive.ts';
import { MissingBytes } from '../../world/archive/giving.ts';
import { type OpeningSeals, openingSeals } from '../../world/archive/opening-seals.ts';
import { parseWorldName } from '../../world/config/world-name.ts';
import { StoreError } from '../../world/store/schema.ts';
import { ArrivingWorld } from '../arriving-world.ts';
import { loadConfig } from '../config-file.ts';
import { ControlError } from '../control-error.ts';
import { sealingOfEnvironment } from '../environment.ts';
import { readIfThere, writeWhole } from '../files.ts';
import { type GivenWorld, giveWorld } from '../given-world.ts';
import { worldPaths } from '../paths.ts';
import { openSealers } from '../sealers.ts';
import { SHIPPED_TWINS } from '../shipped-twins.ts';
import { arrivalFolder, arrivingFolder, HOST_FOLDER } from './home.ts';
import { ARRIVAL_MS_MAX, ARRIVALS_MAX } from './limits.ts';

type Parts = {
  readonly directory: string;
  readonly log: Log;
  /** What a name is here: a world's, a branch's of one, or nobody's. */
  readonly known: (name: string) => 'world' | 'branch' | null;
  /** Whether somebody is making or removing one of that name. */
  readonly isBusy: (name: string) => boolean;
  /** Why a world of that name could have no address of its own; null where it can. */
  readonly tooLong: (name: string) => string | null;
  /** They are in their place, a world and its branches: they are served from now on. Their rows. */
  readonly arrived: (names: readonly string[]) => Promise<readonly InventoryRow[]>;
};

/** Kept with a world that moved here. */
type ArrivalNote = {
  /** The part that ended its archive. */
  readonly last: string;
  readonly worlds: readonly string[];
};

type Arrival = { readonly world: ArrivingWorld; readonly timer: NodeJS.Timeout };

export class DirectoryArchives implements HostArchives {
  readonly #parts: Parts;
  readonly #arriving = new Map<string, Arrival>();
  /** One after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      for (const name of [...this.#arriving.keys()]) await this.#forget(name);
    });
  }

  async give(name: string, branches: boolean): ReturnType<HostArchives['give']> {
    const { directory, known, log } = this.#parts;
    const kind = known(name);
    if (kind === null) return noSuchWorld(name);
    if (kind === 'branch') return isBranch(name);
    const paths = worldPaths(join(directory, name));
    const config = await loadConfig(paths.config);
    if (!config.ok) return refusal(503, 'world-unusable', UNREADABLE);
    let given: GivenWorld;
    try {
      given = await giveWorld(paths, config.loaded.config, { branches });
    } catch (error) {
      if (error instanceof ControlError && error.code === 'busy-deploying')
        return refusal(409, 'deploying', `${error.message}.`);
      if (!(error instanceof ControlError) && !(error instanceof StoreError)) throw error;
      log.error({ world: name, err: error }, 'a world cannot be given out');
      return refusal(503, 'world-unusable', UNREADABLE);
    }
    return { ok: true, parts: this.#partsOf(name, given) };
  }

  async judge(header: ArchiveHeader): ReturnType<HostArchives['judge']> {
    const wrong = this.#fault(header);
    if (wrong !== null) return wrong;
    const opening = await this.#opening(header, null);
    return opening.ok ? { ok: true, left: opening.left } : VAULT_AWAY;
  }

  begin(header: ArchiveHeader, part: string): ReturnType<HostArchives['begin']> {
    return this.#inTurn(async () => {
      const wrong = this.#fault(header);
      if (wrong !== null) return wrong;
      const { log } = this.#parts;
      const { name } = header.worlds[0]!;
      if (await this.#forget(name))
        log.warn({ world: name }, 'a world begins to arrive again; what had come of it before is removed');
      if (this.#arriving.size >= ARRIVALS_MAX)
        return refusal(
          503,
          'too-many-arriving',
          `${ARRIVALS_MAX} worlds are arriving here; ask again when one is here.`,
        );
      const folder = arrivalFolder(this.#folder, name);
      const opening = await this.#opening(header, folder);
      if (!opening.ok) return VAULT_AWAY;
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const world = await ArrivingWorld.begin({ folder, header, seals: opening.seals });
      const taken = await world.take(part);
      if (!taken.ok) {
        await world[Symbol.asyncDispose]();
        return refusal(400, 'no-archive', taken.message);
      }
      this.#arriving.set(name, { world, timer: this.#untilGivenUp(name) });
      return { ok: true, left: opening.left };
    });
  }

  take(name: string, part: string): ReturnType<HostArchives['take']> {
    return this.#inTurn(async () => {
      const arrival = this.#arriving.get(name);
      if (arrival === undefined) return (await this.#arrivedBy(name, part)) ?? nothingArriving(name);
      arrival.timer.refresh();
      const taken = await arrival.world.take(part);
      if (!taken.ok && taken.why === 'order') return refusal(409, 'out-of-order', taken.message);
      if (!taken.ok) {
        await this.#forget(name);
        return refusal(400, 'damaged', taken.message);
      }
      if (!taken.done) return { ok: true, next: taken.next };
      return this.#place(name, arrival.world, part);
    });
  }

  abandon(name: string): Promise<boolean> {
    return this.#inTurn(() => this.#forget(name));
  }

  get #folder(): string {
    return arrivingFolder(join(this.#parts.directory, HOST_FOLDER));
  }

  async #place(
    name: string,
    { header, paths }: ArrivingWorld,
    last: string,
  ): ReturnType<HostArchives['take']> {
    const { directory, arrived, log } = this.#parts;
    const wrong = this.#fault(header);
    if (wrong !== null) {
      await this.#forget(name);
      return wrong;
    }
    const place = join(directory, name);
    const worlds = header.worlds.map(each => each.name);
    const note: ArrivalNote = { last, worlds };
    await writeWhole(paths.arrived, `${JSON.stringify(note)}\n`);
    await mkdir(dirname(place), { recursive: true });
    try {
      await rename(paths.folder, place);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      await this.#forget(name);
      if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(code)) return taken(name);
      throw error;
    }
    await this.#forget(name);
    const rows = await arrived(worlds);
    log.info({ world: name, branches: header.worlds.length - 1 }, 'a world has moved here');
    return { ok: true, rows };
  }

  /** Its last part once more: nobody heard that it came. Null for any other. */
  async #arrivedBy(
    name: string,
    part: string,
  ): Promise<{ readonly ok: true; readonly rows: readonly InventoryRow[] } | null> {
    const { directory, known, arrived } = this.#parts;
    if (known(name) !== 'world') return null;
    const text = await readIfThere(worldPaths(join(directory, name)).arrived);
    const read = parseJson(text ?? 'null');
    const note = read.ok ? (read.value as ArrivalNote | null) : null;
    return note?.last === part ? { ok: true, rows: await arrived(note.worlds) } : null;
  }

  #untilGivenUp(name: string): NodeJS.Timeout {
    const { log } = this.#parts;
    const giveUp = (): void => {
      log.warn({ world: name }, 'a world stopped arriving; what had come of it is removed');
      this.abandon(name).catch(error => log.error({ err: error }, 'what had arrived could not be removed'));
    };
    return setTimeout(giveUp, ARRIVAL_MS_MAX).unref();
  }

  async #forget(name: string): Promise<boolean> {
    const arrival = this.#arriving.get(name);
    if (arrival === undefined) return false;
    this.#arriving.delete(name);
    clearTimeout(arrival.timer);
    await arrival.world[Symbol.asyncDispose]();
    return true;
  }

  #fault({ worlds, twins }: ArchiveHeader): HostProblem | null {
    const { known, isBusy, tooLong, directory } = this.#parts;
    const org = orgOf(worlds[0]!.name);
    for (const { name } of worlds) {
      const parsed = parseWorldName(name);
      const why = parsed.ok ? tooLong(name) : parsed.why;
      if (why !== null) return badName(name, why);
      if (known(name) !== null || isBusy(name) || existsSync(join(directory, name))) return taken(name);
      if (orgOf(name) !== org)
        return refusal(
          400,
          'other-org',
          `${name} is a branch of another org’s; here all of a world’s branches are of its org.`,
        );
    }
    const missing = twins.find(({ twin }) => !SHIPPED_TWINS.includes(twin));
    if (missing === undefined) return null;
    return refusal(
      400,
      'no-such-vendor',
      `There is no twin “${missing.twin.slice(0, 64)}” here, and without it ${missing.vendor} has no history; there are ${SHIPPED_TWINS.join(', ')}.`,
    );
  }

  /** `folder`: of the world, in which a key of its own is made where nothing else seals; null only looks. */
  #opening({ worlds }: ArchiveHeader, folder: string | null): Promise<OpeningSeals> {
    if (worlds.every(({ seals }) => seals.length === 0)) return openingSeals(worlds, () => null);
    const sealing = sealingOfEnvironment();
    // A key that would be made new opens nothing.
    if (sealing.hostKey === null && sealing.vault === null) return openingSeals(worlds, () => null);
    const { sealKey } = worldPaths(folder ?? this.#folder);
    return openingSeals(worlds, openSealers(sealing, sealKey, this.#parts.log));
  }

  async *#partsOf(name: string, given: GivenWorld): AsyncGenerator<string> {
    using world = given;
    try {
      yield* world.parts();
    } catch (error) {
      if (error instanceof MissingBytes) this.#parts.log.error({ world: name }, error.message);
      throw error;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

const UNREADABLE = 'This world cannot be read; the host’s log and its inventory say why.';

function orgOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}
