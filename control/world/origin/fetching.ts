// The origin's log, brought here page by page (4.7): what has come stays, so that whatever ends it, the next time goes on
// from there. Nothing of it is part of this world yet.
import type { Digest } from '../../ports/digest.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Entry } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { hex } from '../store/identifier.ts';
import { turn } from '../store/turn.ts';
import type { OriginClient } from './client.ts';
import { OriginFault } from './origin-fault.ts';
import { madeBy, printOf, readRemote } from './remote-entry.ts';
import type { SharedHistory } from './shared-history.ts';

type Parts = {
  readonly sql: DurableSql;
  readonly blobs: BlobStore;
  readonly digest: Digest;
  readonly log: EntryLog;
  readonly shared: SharedHistory;
};

export class Fetching {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Everything that the origin has of a twin. Throws `OriginFault`. */
  async twin(client: OriginClient, twin: string): Promise<void> {
    const { sql, shared } = this.#parts;
    const { pos, print } = shared.share(twin);
    const isShared = print === '' && pos > 0 ? this.#isOurs(twin, pos) : hasPrint(print);
    await this.#recognize(client, twin, pos, isShared);
    for (let after = shared.fetched(twin); ; ) {
      const page = await this.#page(client, twin, after);
      for (const entry of page.entries) for (const sha256 of blobsOf(entry)) await this.#blob(client, sha256);
      sql.transaction(() => shared.keep(page.entries));
      after = page.entries.at(-1)?.position ?? after;
      if (page.next === null || page.entries.length === 0) return;
      await turn();
    }
  }

  /** That it is neither this world nor a copy of it. `first`: of this world's first entry; null where that is the origin's. */
  async isAnother(client: OriginClient, twin: string, first: string | null): Promise<void> {
    if (first === null || !(await this.#isThere(client, twin, 1, hasPrint(first)))) return;
    throw new OriginFault(
      'same-history',
      'What is at that URL is this world itself, or a copy of it: an origin is another world.',
    );
  }

  /**
   * Where this world was reset to before what it shared: the entry there is the origin's as well. Not the print: one that
   * was pushed was recorded at another time there.
   */
  #isOurs(twin: string, position: number): IsThat {
    const [line] = this.#parts.log.page(twin, position - 1, position).lines;
    const ours = madeBy(JSON.parse(line!.json) as Entry);
    return entry => madeBy(entry) === ours;
  }

  /** That the origin still is what it was up to where its history is this world's. */
  async #recognize(client: OriginClient, twin: string, pos: number, isShared: IsThat): Promise<void> {
    const { sql, shared } = this.#parts;
    // What was fetched and is not part of this world is of the origin as it was then.
    const fetched = shared.fetched(twin);
    const last = fetched > pos ? shared.next(twin, fetched - 1, 1)[0] : undefined;
    if (last !== undefined) {
      if (await this.#isThere(client, twin, fetched, hasPrint(printOf(last)))) return;
      sql.transaction(() => shared.drop(twin));
    }
    if (pos === 0 || (await this.#isThere(client, twin, pos, isShared))) return;
    throw new OriginFault(
      'origin-rewritten',
      `The origin’s ${twin} is not what it was: its history up to ${twin}:${pos} was rewritten since it was pulled, so that this world does not follow it any more. Bring the origin back (reset, restore), or make a new world of it and do there what this one has to push.`,
    );
  }

  async #isThere(client: OriginClient, twin: string, pos: number, isThat: IsThat): Promise<boolean> {
    const { entries } = await this.#page(client, twin, pos - 1);
    return entries[0] !== undefined && isThat(entries[0]);
  }

  async #page(
    client: OriginClient,
    twin: string,
    after: number,
  ): Promise<{ readonly entries: readonly Entry[]; readonly next: unknown }> {
    const { status, value } = await client.get(`log/${encodeURIComponent(twin)}?after=${after}`);
    // A twin that is not there has no history there.
    if (status === 404) return { entries: [], next: null };
    const { entries, next } = (value ?? {}) as { readonly entries?: unknown; readonly next?: unknown };
    const read = Array.isArray(entries)
      ? entries.map((each, n) => readRemote(each, twin, after + n + 1))
      : [null];
    if (status !== 200 || read.some(entry => entry === null))
      throw new OriginFault(
        'no-world',
        `What the origin tells of ${twin} is no log of a world (status ${status}).`,
      );
    return { entries: read as readonly Entry[], next: next ?? null };
  }

  async #blob(client: OriginClient, sha256: string): Promise<void> {
    const { sql, blobs, digest } = this.#parts;
    if (blobs.get(sha256) !== undefined) return;
    const { status, value } = await client.get(`blobs/${sha256}`, { bytes: true });
    if (status !== 200 || !(value instanceof Uint8Array) || hex(digest.sha256(value)) !== sha256)
      throw new OriginFault(
        'no-world',
        `The origin has an entry with the bytes ${sha256}, and gives others or none.`,
      );
    sql.transaction(() => blobs.put(value));
  }
}

type IsThat = (entry: Entry) => boolean;

const hasPrint =
  (print: string): IsThat =>
  entry =>
    printOf(entry) === print;

const SHA256 = /^[0-9a-f]{64}$/;

const blobsOf = ({ changes, request }: Entry): readonly string[] => {
  const named = changes.filter(({ op }) => op === 'blob').map(({ id }) => id);
  if (request?.blob !== undefined) named.push(request.blob.sha256);
  return named.filter(sha256 => SHA256.test(sha256));
};
