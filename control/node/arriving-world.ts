// A world that comes here as an archive, on its way: in a folder of its own, which is a whole world in the end, or is
// removed. Nobody serves it before it is in its place.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ARCHIVE_END,
  ARCHIVE_START,
  type ArchivedSeal,
  type ArchivedWorld,
  type ArchiveHeader,
  type ArchivePlace,
  readPart,
} from '../world/archive/archive.ts';
import { beginStore, finishStore, placePart, worldOfPart } from '../world/archive/taking.ts';
import { BranchList } from '../world/past/branch-list.ts';
import { openBlobs } from './blobs.ts';
import { branchFiles } from './branch-files.ts';
import { writeBranchNote } from './branch-note.ts';
import { openBrowserFiles } from './browser-files.ts';
import { digest } from './digest.ts';
import { writeWhole } from './files.ts';
import { type WorldPaths, worldPaths } from './paths.ts';
import { openSqlite, type SqliteFile } from './sqlite.ts';
import { changeStore } from './stopped-world.ts';
import type { WorldFiles } from './store-guard.ts';

export type TakenPart =
  | { readonly ok: true; readonly next: number; readonly done: boolean }
  | { readonly ok: false; readonly why: 'twisted' | 'order'; readonly message: string };

type Arriving = {
  readonly world: ArchivedWorld;
  readonly files: Pick<WorldFiles, 'store' | 'database' | 'blobs' | 'browsers' | 'marks'>;
  readonly sql: SqliteFile;
};

type Parts = {
  /** Must not be there yet. */
  readonly folder: string;
  readonly header: ArchiveHeader;
  /** Those that open here, by world. */
  readonly seals: ReadonlyMap<string, readonly ArchivedSeal[]>;
};

export class ArrivingWorld implements AsyncDisposable {
  readonly header: ArchiveHeader;
  readonly paths: WorldPaths;
  readonly #parts: Parts;
  readonly #stores: ReadonlyMap<string, Arriving>;
  readonly #handlers = new Map<string, string>();
  #place: ArchivePlace = ARCHIVE_START;
  /** The part before, in case nobody heard that it came. */
  #last = '';

  private constructor(parts: Parts, paths: WorldPaths, stores: ReadonlyMap<string, Arriving>) {
    this.#parts = parts;
    this.header = parts.header;
    this.paths = paths;
    this.#stores = stores;
  }

  static async begin(parts: Parts): Promise<ArrivingWorld> {
    const { folder, header } = parts;
    const [first] = header.worlds;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const paths = worldPaths(folder);
    const line = { name: first!.name, branches: paths.branches };
    const stores = new Map<string, Arriving>();
    for (const world of header.worlds) {
      const files = world.parent === null ? paths : branchFiles(line, world.name);
      await mkdir(files.store, { recursive: true, mode: 0o700 });
      const sql = openSqlite(files.database);
      beginStore(sql, header.schema);
      stores.set(world.name, { world, files, sql });
    }
    return new ArrivingWorld(parts, paths, stores);
  }

  /** The next part, the header first; the one before again is taken for taken. */
  async take(text: string): Promise<TakenPart> {
    if (text !== '' && text === this.#last) return { ok: true, next: this.#place.n, done: false };
    const part = readPart(text, this.#place, digest);
    if (!part.ok) return part;
    const { body, after } = part;
    if (body === `${ARCHIVE_END}\n`) {
      const faults = await this.#finish();
      if (faults.length > 0) return twisted(`What came is not whole: ${faults.join('; ')}.`);
      return { ok: true, next: after.n, done: true };
    }
    if (this.#place.n > 0) {
      const name = worldOfPart(body);
      const store = name === null ? undefined : this.#stores.get(name);
      if (store === undefined) return twisted('The archive cannot be taken in: a part is of no world of it.');
      const placed = await placePart(this.#target(store), body);
      if (!placed.ok) return twisted(placed.message);
    }
    this.#place = after;
    this.#last = text;
    return { ok: true, next: after.n, done: false };
  }

  /** Nothing of it is left, unless it was moved to its place. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { sql } of this.#stores.values()) sql.close();
    await rm(this.#parts.folder, { recursive: true, force: true });
  }

  #target({ world, files, sql }: Arriving): Parameters<typeof placePart>[0] {
    return {
      sql,
      blobs: openBlobs(files.blobs),
      digest,
      browsers: openBrowserFiles(files.browsers),
      // Branches here have the handlers of the world that they left.
      putHandlers: (vendor, text) => {
        const known = this.header.twins.some(twin => twin.vendor === vendor);
        if (known && world.parent === null) this.#handlers.set(vendor, text);
      },
    };
  }

  async #finish(): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const { world, files, sql } of this.#stores.values()) {
      const seals = this.#parts.seals.get(world.name) ?? [];
      faults.push(...(await finishStore({ sql, blobs: openBlobs(files.blobs) }, world, seals)));
    }
    if (faults.length > 0) return faults;
    for (const { world, files } of this.#stores.values()) {
      if (world.parent !== null) await this.#note(world, files);
    }
    for (const { files, sql } of this.#stores.values()) {
      sql.close();
      await changeStore(files, () => {});
    }
    await this.#writeConfig();
    return [];
  }

  /** What its folder says of a branch, which its parent's row says too. */
  async #note({ name, parent }: ArchivedWorld, { store }: Arriving['files']): Promise<void> {
    const left = this.#stores.get(parent!)!;
    const row = new BranchList(left.sql).all().find(({ world }) => world === name);
    if (row !== undefined) await writeBranchNote(store, { parent: parent!, row });
  }

  async #writeConfig(): Promise<void> {
    const services = this.header.twins.map(({ vendor, twin }) => {
      const handlers = this.#handlers.get(vendor);
      const colocate = handlers === undefined ? {} : { colocate: { scenarioPath: handlersPath(vendor) } };
      return [vendor, { twin, ...colocate }];
    });
    for (const [vendor, text] of this.#handlers)
      await writeWhole(join(this.paths.folder, handlersPath(vendor)), text);
    const config = {
      name: this.header.worlds[0]!.name,
      services: Object.fromEntries(services),
      runtime: { network: { egress: [], writes: [] } },
    };
    await writeWhole(this.paths.config, `${JSON.stringify(config, null, 2)}\n`);
  }
}

/** Relative to the world's folder; a bare world has nothing beside `.wrld`. */
function handlersPath(vendor: string): string {
  return `.wrld/${vendor}.handlers.json`;
}

function twisted(message: string): TakenPart {
  return { ok: false, why: 'twisted', message };
}
