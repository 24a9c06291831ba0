// Pushing (storage.md): a changeset of another world becomes entries of this one, all of them or none, where this world is
// still where that one began. Its entries are replayed as data: no twin runs again.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Sql } from '../../ports/sql.ts';
import { askedMembers } from '../log/asked.ts';
import type { Change, Entry } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { Root } from '../roots/root.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { hex } from '../store/identifier.ts';
import { RecordTooLarge } from '../store/outcome.ts';
import { mergeRecord } from '../store/three-way.ts';
import type { Threshold } from '../store/threshold.ts';
import type { Transaction } from '../store/transaction.ts';
import type { CatchUp } from '../work/catch-up.ts';
import type { Hydration } from '../work/hydration.ts';
import type { Ledger } from '../work/ledger.ts';
import type { Seat } from '../work/seat.ts';
import type { WorldClock } from '../work/world-clock.ts';
import { canonical } from './canonical.ts';
import type { ChangesetRecord, Changesets } from './changesets.ts';
import { type Head, LANDED } from './cut.ts';
import type { Deploys } from './deploy.ts';
import { wantDeploy } from './lease.ts';
import { netChanges } from './net-changes.ts';
import { type PushedChangeset, readPushed } from './pushed-body.ts';
import { land } from './receipts.ts';

/** Who pushes: as the log names it, and the person, where there is one. */
export type Pusher = { readonly by: string; readonly person: string | null };

/** Where a twin is that went on since the changeset began, and which records both sides changed. */
export type Drift = {
  readonly twin: string;
  readonly base: number;
  readonly head: number;
  readonly entries: number;
  readonly overlaps: readonly {
    readonly type: string;
    readonly id: string;
    readonly fields: readonly string[];
  }[];
};

export type PushResult =
  | { readonly ok: true; readonly changeset: ChangesetRecord }
  | {
      readonly ok: false;
      readonly why:
        | 'bad-changeset'
        | 'bad-hash'
        | 'no-such-twin'
        | 'name-taken'
        | 'base-not-current'
        | 'too-large';
      readonly message: string;
      readonly drift?: readonly Drift[];
    };

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly digest: Digest;
  readonly wall: WallClock;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly log: EntryLog;
  readonly clock: WorldClock;
  readonly catchUp: CatchUp;
  readonly ledger: Ledger;
  readonly hydration: Hydration | null;
  readonly threshold: Threshold;
  readonly changesets: Changesets;
  readonly deploys: Deploys;
  readonly root: (twin: string) => Root | null;
};

/** Undoes what was replayed so far. */
class Drifted extends Error {
  readonly drift: Drift;

  constructor(drift: Drift) {
    super('drifted');
    this.drift = drift;
  }
}

export class Pushes {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `value`: the body, as JSON. */
  async push(value: unknown, pusher: Pusher): Promise<PushResult> {
    const { digest, changesets, catchUp, hydration, threshold, log, deploys } = this.#parts;
    const read = readPushed(digest, value);
    if (!read.ok) return read;
    const { changeset } = read;
    const { name } = changeset;
    const unfit = this.#unfit(changeset);
    if (unfit !== null) return unfit;
    for (const twin of Object.keys(changeset.base.twins)) {
      await hydration?.due();
      await hydration?.twin(twin);
    }
    await catchUp.all();
    // Nobody else runs from here to the commit.
    const known = changesets.storedHash(name);
    if (known !== null && known !== changeset.contentHash)
      return { ok: false, why: 'name-taken', message: `There is another changeset ${name} here.` };
    if (known === null) {
      const failed = this.#land(changeset, pusher);
      if (failed !== null) return failed;
      log.forgetLines();
    }
    await threshold.waiting();
    if (known === null && this.#isAuto(changeset)) await deploys.one(name, 'auto');
    return { ok: true, changeset: (await changesets.get(name))! };
  }

  #unfit({ changes, blobs }: PushedChangeset): PushResult | null {
    const { seats } = this.#parts;
    const bad = (message: string): PushResult => ({ ok: false, why: 'bad-changeset', message });
    const lacking = new Set<string>();
    for (const { twin, entry } of changes) {
      const seat = seats.get(twin);
      if (seat === undefined)
        return {
          ok: false,
          why: 'no-such-twin',
          message: `This world has no twin ${twin}; add it, and push again.`,
        };
      for (const { op, type, id } of entry.changes) {
        if (op === 'blob') lacking.add(id);
        else if (!seat.records.declares(type))
          return bad(`The twin ${twin} has no records of the type ${type}: it is another version of it.`);
      }
      if (entry.request?.blob !== undefined) lacking.add(entry.request.blob.sha256);
    }
    for (const sha256 of lacking) {
      if (!Object.hasOwn(blobs, sha256))
        return bad(`The bytes ${sha256} did not come with it, in \`blobs\`.`);
      const bytes = bytesOf(blobs[sha256]!);
      if (bytes === null || !this.#is(bytes, sha256))
        return bad(`\`blobs.${sha256}\` are other bytes than that.`);
    }
    return null;
  }

  #is(bytes: Uint8Array, sha256: string): boolean {
    return bytes.length > 0 && hex(this.#parts.digest.sha256(bytes)) === sha256;
  }

  #isAuto({ base }: PushedChangeset): boolean {
    return Object.keys(base.twins).some(twin => this.#parts.root(twin)?.deploy === 'auto');
  }

  /** Null when all of it stands. */
  #land(changeset: PushedChangeset, { by, person }: Pusher): Exclude<PushResult, { ok: true }> | null {
    const { sql, wall, ledger, log } = this.#parts;
    const { name, message, base, changes, actions, owner, cutBy, at, contentHash } = changeset;
    const drifts = Object.keys(base.twins)
      .filter(twin => log.tip(twin) !== base.twins[twin])
      .map(twin => this.#drift(changeset, twin));
    if (drifts.length > 0) return driftedResult(drifts);
    const head: Head = { message, twins: base.twins, world: base.world, at };
    const byEntry = new Map(actions.map(({ actionId, entries }) => [entries[0], actionId]));
    try {
      ledger.together(write => {
        sql.run(
          `INSERT INTO changeset(name, body, hash, owner, cut_by, pushed_by, applied, landed)
           VALUES (?, ?, ?, ?, ?, ?, 'replayed', ${LANDED})`,
          name,
          JSON.stringify(head),
          contentHash,
          owner ?? person,
          cutBy,
          by,
          wall.now(),
        );
        for (const { entry } of changes) this.#replay(write, changeset, entry, byEntry.get(entry.id) ?? null);
        for (const action of actions) land(sql, name, action, wall.now());
        // A crash right after does not make it forget that it is to deploy.
        if (this.#isAuto(changeset)) wantDeploy(sql, { name, mode: 'auto' });
      });
      return null;
    } catch (error) {
      if (error instanceof Drifted) return driftedResult([error.drift]);
      if (error instanceof RecordTooLarge) return { ok: false, why: 'too-large', message: error.message };
      throw error;
    }
  }

  #replay(
    write: Ledger['write'],
    { name, blobs }: PushedChangeset,
    entry: Entry,
    action: string | null,
  ): void {
    const { seats, clock } = this.#parts;
    const { twin, kind, actor, caller, request, trace, cause, delivery } = entry;
    const circumstances = {
      now: clock.now(),
      actor,
      caller: caller ?? null,
      trace: trace ?? null,
      cause: cause ?? null,
      ...(delivery && { delivery }),
      ...(request && {
        asked: { request: { method: request.method, path: request.path }, asked: askedMembers(request) },
      }),
      replayed: {
        occurred: Date.parse(entry.occurredAt),
        wall: Date.parse(entry.recordedAt),
        changeset: name,
        action,
      },
    };
    write(seats.get(twin)!, circumstances, tx => {
      tx.kind(kind);
      for (const change of entry.changes) {
        if (change.op === 'blob') tx.putBlob(bytesOf(blobs[change.id]!)!);
        else apply(tx, entry, change);
      }
      if (request?.blob !== undefined) this.#parts.blobs.put(bytesOf(blobs[request.blob.sha256]!)!);
    });
  }

  #drift({ base, changes }: PushedChangeset, twin: string): Drift {
    const { sql, seats, log } = this.#parts;
    const from = base.twins[twin]!;
    const head = log.tip(twin);
    const rows = sql.all<{ type: string; id: string }>(
      `SELECT DISTINCT change.value ->> 'type' AS type, change.value ->> 'id' AS id
       FROM entry, json_each(entry.changes) AS change
       WHERE twin = ? AND pos > ? AND change.value ->> 'op' <> 'blob'`,
      twin,
      from,
    );
    const here = new Set(rows.map(({ type, id }) => `${type} ${id}`));
    const { records } = seats.get(twin)!;
    const overlaps: { type: string; id: string; fields: readonly string[] }[] = [];
    for (const [key, { type, id, before, after }] of netChanges(changes, twin)) {
      if (!here.has(key)) continue;
      const now = records.head(type, id);
      const ours = now === undefined ? null : (JSON.parse(records.whole(type, now.body)) as RecordBody);
      const { conflicts } = mergeRecord(before, after, ours);
      overlaps.push({ type, id, fields: conflicts.map(({ field }) => field) });
    }
    return { twin, base: from, head, entries: Math.max(head - from, 0), overlaps };
  }
}

const driftedResult = (drift: readonly Drift[]): Exclude<PushResult, { ok: true }> => {
  const where = drift.map(({ twin, base, head }) => `${twin} is at ${head}, not ${base}`).join('; ');
  return {
    ok: false,
    why: 'base-not-current',
    message: `This world is not where the changeset began (${where}): pull, and push again.`,
    drift,
  };
};

/** Throws where the record is not what it was when the entry was made. */
const apply = (tx: Transaction, { twin, position }: Entry, { op, type, id, before, after }: Change): void => {
  const found = tx.get(type, id);
  if (canonical(found ?? null) !== canonical(before ?? null))
    throw new Drifted({
      twin,
      base: position - 1,
      head: position - 1,
      entries: 0,
      overlaps: [{ type, id, fields: differing(found ?? null, (before ?? null) as RecordBody | null) }],
    });
  if (op === 'delete') tx.delete(type, id);
  else tx.put(type, id, after as RecordBody);
};

const differing = (found: RecordBody | null, before: RecordBody | null): readonly string[] =>
  mergeRecord({}, found, before).conflicts.map(({ field }) => field);

const bytesOf = (base64: string): Uint8Array | null => {
  try {
    return Uint8Array.from(atob(base64), mark => mark.charCodeAt(0));
  } catch {
    return null;
  }
};
