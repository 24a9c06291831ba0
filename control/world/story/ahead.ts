// What waits for the world's clock, in words. Only what is known now: what falls due makes other things fall due, so what
// will have happened by an instant is seen in a branch whose clock is moved there.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { type DueRow, waitingUntil } from '../log/due.ts';
import type { Past } from '../past/past.ts';
import { formatInstant } from '../store/instant.ts';
import type { Threshold } from '../store/threshold.ts';
import { RETRY_KEY } from '../work/delivery-notes.ts';
import type { Hydration } from '../work/hydration.ts';
import type { Seat } from '../work/seat.ts';
import { DUE_EVENTS_SHOWN_MAX } from './limits.ts';
import type { Seen, Words } from './wording.ts';

export type Awaited = {
  readonly twin: string;
  /** ISO 8601, world time. */
  readonly at: string;
  /** What the twin calls it: `renew`; `webhook` for another attempt at one. */
  readonly kind: string;
  /** In words, the record that it is about; empty where the twin names none. */
  readonly text: string;
  readonly record: { readonly type: string; readonly id: string } | null;
  /** The entry that scheduled it. */
  readonly cause: string | null;
};

/** Soonest first; `more`: others follow by that instant. */
export type AwaitedList = { readonly due: readonly Awaited[]; readonly more: boolean };

type Parts = {
  readonly sql: Sql;
  readonly vendors: readonly string[];
  readonly seats: ReadonlyMap<string, Seat>;
  readonly past: Past;
  readonly hydration: Hydration | null;
  readonly threshold: Threshold;
  /** Of `Story`. */
  readonly words: (records: readonly Seen[]) => Promise<readonly Words[]>;
};

export const readAhead = async (parts: Parts, until: Instant): Promise<AwaitedList> => {
  const { sql, vendors, past, threshold } = parts;
  await parts.hydration?.due();
  const rows = waitingUntil(sql, vendors, until, DUE_EVENTS_SHOWN_MAX + 1);
  const shown = rows.slice(0, DUE_EVENTS_SHOWN_MAX);
  const about: (Seen | null)[] = [];
  for (const row of shown) {
    const named = recordOf(parts, row);
    const held = named === null ? null : await past.record(row.twin, named.type, named.id);
    about.push(held === null ? null : { twin: row.twin, type: held.type, id: held.id, body: held.body });
  }
  const seen = about.filter(each => each !== null);
  const words = await parts.words(seen);
  const due = shown.map((row, index): Awaited => {
    const record = about[index] ?? null;
    return {
      twin: row.twin,
      at: formatInstant(row.at),
      kind: row.key.startsWith(RETRY_KEY) ? 'webhook' : kindOf(row),
      text: record === null ? retryText(sql, row) : textOf(words[seen.indexOf(record)]!),
      record: record === null ? null : { type: record.type, id: record.id },
      cause: row.cause,
    };
  });
  return threshold.pass({ due, more: rows.length > shown.length });
};

const textOf = ({ title, summary }: Words): string => (summary === null ? title : `${title}, ${summary}`);

const payloadOf = ({ payload }: DueRow): { readonly [field: string]: unknown } => {
  const read: unknown = JSON.parse(payload);
  return typeof read === 'object' && read !== null ? (read as { readonly [field: string]: unknown }) : {};
};

/** The kit's twins name the kind of each (twins/kit/due.ts); of another's, the key is what is known. */
const kindOf = (row: DueRow): string => {
  const { kind } = payloadOf(row);
  return typeof kind === 'string' && kind !== '' ? kind : row.key;
};

/** What a payload holds under the name of a type is the id of such a record: `{ kind: 'renew', subscription: 'sub_…' }`. */
const recordOf = (
  { seats }: Pick<Parts, 'seats'>,
  row: DueRow,
): { readonly type: string; readonly id: string } | null => {
  if (row.key.startsWith(RETRY_KEY)) return null;
  const types = seats.get(row.twin)?.twin.records ?? {};
  for (const [name, id] of Object.entries(payloadOf(row)))
    if (Object.hasOwn(types, name) && typeof id === 'string') return { type: name, id };
  return null;
};

const retryText = (sql: Sql, { key }: DueRow): string => {
  if (!key.startsWith(RETRY_KEY)) return '';
  const sent = sql.get<{ event_type: string; url: string }>(
    'SELECT event_type, url FROM delivery WHERE id = ?',
    Number(key.slice(RETRY_KEY.length)),
  );
  return sent === undefined ? '' : `${sent.event_type} to ${sent.url}, once more`;
};
