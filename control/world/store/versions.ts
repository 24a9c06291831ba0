// One version of a record: it stands still, or it was written over. In a branch, what is below its base is the parent's.
import type { Sql } from '../../ports/sql.ts';
import type { BlobStore } from './blob-store.ts';
import type { BranchBase } from './branch-base.ts';

/** As it stands in its row (blob-store.ts); undefined when there is no such version. */
export type VersionOf = (
  twin: string,
  type: string,
  id: string,
  pos: number,
) => string | undefined | Promise<string | undefined>;

const VERSION = `SELECT body FROM head WHERE twin = ?1 AND type = ?2 AND id = ?3 AND pos = ?4
  UNION ALL SELECT body FROM ver WHERE twin = ?1 AND type = ?2 AND id = ?3 AND pos = ?4 AND body IS NOT NULL LIMIT 1`;

export const versionRow = (sql: Pick<Sql, 'get'>, ...key: readonly [string, string, string, number]) =>
  sql.get<{ body: string }>(VERSION, ...key)?.body;

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly base: BranchBase;
  /** The vendor id. */
  readonly twin: string;
  /** Of the world that this one branched off. */
  readonly inherited?: VersionOf | undefined;
};

export class Versions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Its text. Throws `BlobAway` for what has to be waited for. */
  text(type: string, id: string, pos: number): string {
    const { sql, blobs, twin } = this.#parts;
    const row = versionRow(sql, twin, type, id, pos) ?? this.#inherited(type, id, pos);
    if (row === undefined) throw new Error(`There is no version ${pos} of the ${type} ${id}.`);
    return blobs.text(row);
  }

  #inherited(type: string, id: string, pos: number): string | undefined {
    const { blobs, base, twin, inherited } = this.#parts;
    if (inherited === undefined || pos > base.position(twin)) return undefined;
    const bytes = blobs.fetched(`${twin}/${type}/${id}@${pos}`, () => {
      const row = inherited(twin, type, id, pos);
      return row instanceof Promise ? row.then(bytesOf) : bytesOf(row);
    });
    return bytes === undefined ? undefined : decoder.decode(bytes);
  }
}

const bytesOf = (row: string | undefined): Uint8Array | undefined =>
  row === undefined ? undefined : encoder.encode(row);

const encoder = new TextEncoder();
const decoder = new TextDecoder();
