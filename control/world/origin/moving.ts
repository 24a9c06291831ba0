// This world moved onto what its origin has (storage.md, Pull): the origin's entries take the places that they have there,
// and this world's own follow them, each record merged of three sides. All of it is one transaction, or nothing.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { ORIGIN_ENTRIES_PER_TURN_MAX } from '../limits.ts';
import { type Change, ENTRY_COLUMNS, type Entry, type EntryRow, originChangeset } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import { LEFT_BY_ENTRIES, rewindRecords } from '../past/rewind.ts';
import { recordAt } from '../past/state-at.ts';
import { readObserved, writeObserved } from '../roots/observed-row.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { mergeRecord } from '../store/three-way.ts';
import type { Circumstances, Ledger } from '../work/ledger.ts';
import type { Seat } from '../work/seat.ts';
import { type Conflict, type Resolution, resolved } from './conflict.ts';
import { OriginFault } from './origin-fault.ts';
import { shiftPlaces } from './places.ts';
import { afterOf, keyOf, printOf } from './remote-entry.ts';
import type { SharedHistory } from './shared-history.ts';

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly log: EntryLog;
  readonly ledger: Ledger;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly shared: SharedHistory;
};

/** A record that both sides changed. */
type Both = {
  readonly type: string;
  readonly id: string;
  readonly base: RecordBody | null;
  readonly theirs: RecordBody | null;
  /** As it stands when all of this world's own entries have happened. */
  readonly merged: RecordBody | null;
  /** The last of them that changes it. */
  readonly last: number;
};

type Own = { readonly row: EntryRow; readonly changes: readonly Change[] };

/** What moving one twin comes to. */
export type Move = {
  readonly twin: string;
  /** The last position that stays. */
  readonly from: number;
  /** The last of the origin's. */
  readonly to: number;
  readonly own: readonly Own[];
  readonly both: ReadonlyMap<string, Both>;
  readonly conflicts: readonly Conflict[];
};

export class Moving {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The twins of which something was fetched that is not part of this world yet. */
  get waiting(): readonly string[] {
    const { seats, shared } = this.#parts;
    return [...seats.keys()].filter(twin => shared.fetched(twin) > shared.share(twin).pos);
  }

  /** Whether it has entries of its own, which would have to move. */
  hasOwn(twin: string): boolean {
    const { log, shared } = this.#parts;
    return log.tip(twin) > shared.share(twin).pos;
  }

  /** Reads only. */
  plan(twin: string, resolutions: readonly Resolution[]): Move {
    const { shared } = this.#parts;
    const from = shared.share(twin).pos;
    const own = this.#own(twin, from);
    const last = new Map<string, { readonly n: number; readonly change: Change }>();
    for (const [n, { changes }] of own.entries())
      for (const change of changes) if (isRecord(change)) last.set(keyOf(change), { n, change });
    const theirs = this.#theirs(twin, from, last);
    const both = new Map<string, Both>();
    const conflicts: Conflict[] = [];
    for (const [key, body] of theirs) {
      const { n, change } = last.get(key)!;
      const { type, id } = change;
      const base = this.#at(twin, from, type, id);
      const ours = afterOf(change);
      const merge = mergeRecord(base, ours, body);
      const place = { twin, type, id };
      const settled = resolved(merge, ours, place, resolutions);
      conflicts.push(...settled.left.map(conflict => ({ ...place, ...conflict })));
      both.set(key, { type, id, base, theirs: body, merged: settled.merged, last: n });
    }
    return { twin, from, to: shared.fetched(twin), own, both, conflicts };
  }

  /** All at once; what `rewrite` of the world does. The rows that lists scan are to be made anew. */
  apply(moves: readonly Move[]): void {
    const { sql, log, ledger, seats, shared } = this.#parts;
    ledger.together(write => {
      const shift = (cause: string | null): string | null => shiftPlaces(cause, moves);
      for (const move of moves) {
        const { twin, from } = move;
        this.#keepTheirs(move);
        rewindRecords(sql, twin, from);
        sql.run('DELETE FROM idx WHERE twin = ?', twin);
        sql.run('DELETE FROM meta WHERE k = ?', `indexes:${twin}`);
        seats.get(twin)!.records.forget();
      }
      log.forget();
      for (const move of moves) {
        let at = this.#adopt(write, move.twin, move.from, Number.MAX_SAFE_INTEGER);
        for (const [n, own] of move.own.entries()) {
          at = Math.max(at, own.row.at);
          this.#again(write, move, { n, own, at, cause: shift(own.row.cause) });
        }
      }
      this.#follow(moves, shift);
      for (const { twin } of moves) shared.drop(twin);
    });
  }

  /** Of a record that both sides changed, what the root has of it: the version that says so will have the origin's too. */
  #keepTheirs({ twin, from, both }: Move): void {
    const { sql, blobs } = this.#parts;
    for (const { type, id } of both.values()) {
      const row = readObserved(sql, twin, type, id);
      if (row === undefined || row.theirs !== null || row.pos <= from) continue;
      const theirs = blobs.rowText(JSON.stringify(this.#at(twin, row.pos, type, id)));
      writeObserved(sql, twin, [{ type, id, ...row, theirs }]);
    }
  }

  /** Some of what was fetched of a twin that has nothing of its own. False when there is no more. */
  append(twin: string): boolean {
    const { log, ledger, shared } = this.#parts;
    const { pos } = shared.share(twin);
    if (this.hasOwn(twin)) return false;
    ledger.together(write => {
      this.#adopt(write, twin, pos, ORIGIN_ENTRIES_PER_TURN_MAX);
      shared.drop(twin, shared.share(twin).pos);
    });
    // The instants of other twins are later, maybe.
    log.forget();
    return shared.fetched(twin) > shared.share(twin).pos;
  }

  /** The origin's entries, as they are there. Returns the instant of the last. */
  #adopt(write: Ledger['write'], twin: string, after: number, max: number): number {
    const { sql, seats, shared } = this.#parts;
    const seat = seats.get(twin)!;
    let at = sql.get<{ at: number }>('SELECT at FROM entry WHERE twin = ? AND pos = ?', twin, after)?.at ?? 0;
    let last: Entry | undefined;
    for (let from = after, left = max; left > 0; ) {
      const entries = shared.next(twin, from, Math.min(left, ORIGIN_ENTRIES_PER_TURN_MAX));
      for (const entry of entries) {
        const occurred = Date.parse(entry.occurredAt);
        at = Math.max(at, occurred);
        for (const { op, type } of entry.changes)
          if ((op === 'put' || op === 'delete') && !seat.records.declares(type))
            throw new OriginFault(
              'twin-differs',
              `The origin’s ${twin} has records of the type ${type}, which this world’s ${twin} does not know: use the same version of the twin.`,
            );
        const { actor, caller, trace, cause, delivery, request, kind, changes } = entry;
        const circumstances: Circumstances = {
          now: at,
          actor,
          caller: caller ?? null,
          trace: trace ?? null,
          cause: cause ?? null,
          ...(delivery && { delivery }),
          ...(request && { asked: keptOf(request) }),
          replayed: {
            occurred,
            wall: Date.parse(entry.recordedAt),
            changeset: originChangeset(entry.changeset),
            action: null,
          },
        };
        this.#write(write, seat, { circumstances, kind, changes, bodyOf: afterOf });
      }
      last = entries.at(-1) ?? last;
      if (last === undefined || entries.length === 0) break;
      from = last.position;
      left -= entries.length;
    }
    if (last !== undefined) {
      const { head } = shared.share(twin);
      shared.put({ twin, pos: last.position, print: printOf(last), head });
    }
    return at;
  }

  /** One of this world's own, after them. */
  #again(
    write: Ledger['write'],
    { twin, both }: Move,
    { n, own, at, cause }: { n: number; own: Own; at: number; cause: string | null },
  ): void {
    const { row, changes } = own;
    const { actor, actor_id: id, trace, span, method, path } = row;
    const circumstances: Circumstances = {
      now: at,
      actor: { type: actor as Entry['actor']['type'], ...(id === null ? {} : { id }) },
      caller: row.caller,
      trace:
        trace === null || span === null ? null : { traceId: trace, spanId: span, parentId: row.parent_span },
      cause,
      ...(row.delivery === null
        ? {}
        : { delivery: JSON.parse(row.delivery) as NonNullable<Entry['delivery']> }),
      ...(method === null || path === null ? {} : { asked: { request: { method, path }, asked: row.asked } }),
      replayed: {
        occurred: row.occurred ?? row.at,
        wall: row.wall,
        changeset: row.changeset,
        action: row.action,
      },
    };
    const bodyOf = (change: Change): RecordBody | null => {
      const found = both.get(keyOf(change));
      if (found === undefined) return afterOf(change);
      return found.last === n ? found.merged : mergeRecord(found.base, afterOf(change), found.theirs).merged;
    };
    this.#write(write, this.#parts.seats.get(twin)!, { circumstances, kind: row.kind, changes, bodyOf });
  }

  #write(
    write: Ledger['write'],
    seat: Seat,
    {
      circumstances,
      kind,
      changes,
      bodyOf,
    }: {
      readonly circumstances: Circumstances;
      readonly kind: string;
      readonly changes: readonly Change[];
      readonly bodyOf: (change: Change) => RecordBody | null;
    },
  ): void {
    const { blobs } = this.#parts;
    write(seat, circumstances, tx => {
      tx.kind(kind);
      for (const change of changes) {
        const { op, type, id } = change;
        if (op === 'blob') {
          const bytes = blobs.get(id);
          if (bytes === undefined)
            throw new OriginFault('no-world', `The bytes ${id} of ${seat.id} are not here.`);
          tx.putBlob(bytes);
        }
        if (!isRecord(change)) continue;
        const body = bodyOf(change);
        if (body === null) tx.delete(type, id);
        else tx.put(type, id, body);
      }
    });
  }

  /** What names a position that moved: events that wait, webhooks, changesets. */
  #follow(moves: readonly Move[], shift: (cause: string | null) => string | null): void {
    const { sql } = this.#parts;
    for (const table of ['due', 'delivery'])
      for (const { cause } of sql.all<{ cause: string }>(
        `SELECT DISTINCT cause FROM ${table} WHERE cause IS NOT NULL ORDER BY length(cause) DESC, cause DESC`,
      )) {
        // From the last on: no place is taken that is still to move.
        const now = shift(cause);
        if (now !== cause) sql.run(`UPDATE ${table} SET cause = ? WHERE cause = ?`, now, cause);
      }
    for (const { twin, from, to } of moves)
      for (const table of ['due_past', ...LEFT_BY_ENTRIES])
        sql.run(`UPDATE ${table} SET pos = pos + ? WHERE twin = ? AND pos > ?`, to - from, twin, from);
    for (const { name, body } of sql.all<{ name: string; body: string }>(
      'SELECT name, body FROM changeset',
    )) {
      const head = JSON.parse(body) as { twins: { [twin: string]: number } };
      let moved = false;
      for (const { twin, from, to } of moves) {
        const base = head.twins[twin];
        if (base === undefined || base < from) continue;
        head.twins[twin] = base + to - from;
        moved = true;
      }
      // What it says is another text now: who approved the other has not approved this one.
      if (moved)
        sql.run("UPDATE changeset SET body = ?, hash = '' WHERE name = ?", JSON.stringify(head), name);
    }
  }

  #own(twin: string, from: number): readonly Own[] {
    const { sql, log } = this.#parts;
    const rows = sql.all<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM entry WHERE twin = ? AND pos > ? ORDER BY pos`,
      twin,
      from,
    );
    const own: Own[] = [];
    while (own.length < rows.length) {
      const rest = rows.slice(own.length);
      for (const { json } of log.lines(rest, rest.length).lines)
        own.push({ row: rows[own.length]!, changes: (JSON.parse(json) as Entry).changes });
    }
    return own;
  }

  /** Of the records that this world changed too, how they stand there. */
  #theirs(
    twin: string,
    from: number,
    wanted: ReadonlyMap<string, unknown>,
  ): ReadonlyMap<string, RecordBody | null> {
    const theirs = new Map<string, RecordBody | null>();
    for (let after = from; wanted.size > 0; ) {
      const entries = this.#parts.shared.next(twin, after, ORIGIN_ENTRIES_PER_TURN_MAX);
      if (entries.length === 0) break;
      for (const { changes } of entries)
        for (const change of changes)
          if (isRecord(change) && wanted.has(keyOf(change))) theirs.set(keyOf(change), afterOf(change));
      after = entries.at(-1)!.position;
    }
    return theirs;
  }

  #at(twin: string, position: number, type: string, id: string): RecordBody | null {
    const { sql, blobs, seats } = this.#parts;
    const found = recordAt(sql, twin, position, type, id);
    if (found === null) return null;
    return JSON.parse(seats.get(twin)!.records.whole(type, blobs.text(found.body))) as RecordBody;
  }
}

const isRecord = ({ op }: Change): boolean => op === 'put' || op === 'delete';

const keptOf = ({
  method,
  path,
  ...rest
}: NonNullable<Entry['request']>): NonNullable<Circumstances['asked']> => {
  const members = JSON.stringify(rest).slice(1, -1);
  return { request: { method, path }, asked: members === '' ? null : `,${members}` };
};
