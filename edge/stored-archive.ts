// The store of an object as an archive gives it out and takes it in: the world is closed meanwhile, or not there yet.
import type { ArchivedSeal, ArchivedWorld } from '../control/world/archive/archive.ts';
import {
  type ArchiveSource,
  describeStore,
  firstPlace,
  type GivingPlace,
  givePart,
  isDeploying,
} from '../control/world/archive/giving.ts';
import {
  type ArchiveTarget,
  beginStore,
  finishStore,
  type Placed,
  placePart,
} from '../control/world/archive/taking.ts';
import { BranchList } from '../control/world/past/branch-list.ts';
import { bytesInRows } from '../control/world/store/blob-puts.ts';
import { openBlobs } from './blobs.ts';
import { openBrowsers } from './browsers.ts';
import { digest } from './digest.ts';
import { blobPrefix } from './hosted-world.ts';
import { GIVING_MS_MAX } from './limits.ts';
import { keepScenario, keptScenarios } from './scenario.ts';
import type { EdgeSql } from './sql.ts';

/** Of an archive that arrives, the part that came last. */
const ARRIVED = 'arrived';

export type GivenStore = {
  readonly world: ArchivedWorld;
  readonly branches: readonly string[];
  readonly first: GivingPlace;
  readonly deploying: boolean;
};

export type PlaceAsk = { readonly schema: number; readonly n: number; readonly body: string };

export type SettleAsk = {
  readonly world: ArchivedWorld;
  readonly seals: readonly ArchivedSeal[];
  readonly schema: number;
};

type Parts = {
  readonly sql: EdgeSql;
  readonly kv: SyncKvStorage;
  readonly bucket: R2Bucket;
  /** Of the world among all that ever had its name. */
  readonly id: string;
};

export class StoredArchive {
  readonly #parts: Parts;
  #branches: readonly string[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  give(name: string, branches: boolean): GivenStore {
    const { sql } = this.#parts;
    this.#branches = branches ? new BranchList(sql).all().map(({ world }) => world) : [];
    return {
      world: describeStore(this.#source, { name, parent: null, expires: null }),
      branches: this.#branches,
      first: firstPlace(sql),
      deploying: isDeploying(sql),
    };
  }

  givePart(name: string, place: GivingPlace): ReturnType<typeof givePart> {
    return givePart(this.#source, name, place);
  }

  async place({ schema, n, body }: PlaceAsk): Promise<Placed> {
    const { sql, kv } = this.#parts;
    if ((kv.get<number>(ARRIVED) ?? 0) >= n) return { ok: true };
    beginStore(sql, schema);
    return placePart(this.#target, body, () => kv.put(ARRIVED, n));
  }

  /** All of it is there. What is wrong with it, in words. */
  async settle({ world, seals, schema }: SettleAsk): Promise<readonly string[]> {
    beginStore(this.#parts.sql, schema);
    return finishStore(this.#target, world, seals);
  }

  get #source(): ArchiveSource {
    const { sql, kv, bucket, id } = this.#parts;
    return {
      sql,
      bytes: async (sha256, at, length) => {
        const object = await bucket.get(blobPrefix({ id }) + sha256, { range: { offset: at, length } });
        if (object !== null) return new Uint8Array(await object.arrayBuffer());
        return bytesInRows(sql, sha256)?.slice(at, at + length);
      },
      browsers: openBrowsers(kv),
      handlers: async () => keptScenarios(kv),
      branches: this.#branches,
    };
  }

  get #target(): ArchiveTarget {
    const { sql, kv, bucket, id } = this.#parts;
    return {
      sql,
      blobs: openBlobs(bucket, blobPrefix({ id })),
      digest,
      browsers: openBrowsers(kv),
      putHandlers: (vendor, text) => keepScenario(kv, vendor, text),
    };
  }
}

/** What stands between a world that is read and those who ask for it. */
export class Standing {
  readonly over: Promise<void>;
  readonly archive: StoredArchive;
  readonly #late: () => void;
  #release = (): void => {};
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `late`: nobody read on. */
  constructor(archive: StoredArchive, late: () => void) {
    this.archive = archive;
    this.#late = late;
    this.over = new Promise(resolve => {
      this.#release = resolve;
    });
    this.keep();
  }

  /** It is read on: it stands for as long again. */
  keep(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#late, GIVING_MS_MAX);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#release();
  }

  /** Whether it is over by then. */
  within(ms: number): Promise<boolean> {
    return Promise.race([this.over.then(() => true), pause(ms).then(() => false)]);
  }
}

export const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
