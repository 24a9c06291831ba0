// A line of a twin's log (twins.md `Entry`, 2.13): its name, how it is answered, how it stands in its row, and where it
// is in the order of all.
import type { SqlRow } from '../../ports/sql.ts';
import { formatInstant } from '../store/instant.ts';
import { type AskedRequest, askedJson } from './asked.ts';

export type Actor = {
  readonly type: 'client' | 'system' | 'root' | 'webhook' | 'origin';
  readonly id?: string;
};

export type Change = {
  readonly op: 'put' | 'delete' | 'blob' | 'ref';
  readonly type: string;
  readonly id: string;
  readonly before?: unknown;
  readonly after?: unknown;
};

/** Which webhook a `webhook.delivered` or `webhook.failed` entry tells of. */
export type DeliveryNote = {
  readonly id: string;
  readonly endpoint: { readonly id: string; readonly url: string };
  readonly event: { readonly id: string; readonly type: string };
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly status?: number;
  readonly error?: string;
};

export type Entry = {
  /** `<twin>:<position>`. */
  readonly id: string;
  readonly twin: string;
  /** 1 for a twin's first entry; dense. */
  readonly position: number;
  readonly kind: string;
  /** ISO 8601, world time. */
  readonly occurredAt: string;
  /** ISO 8601, wall time. */
  readonly recordedAt: string;
  readonly actor: Actor;
  readonly caller?: string;
  readonly changes: readonly Change[];
  readonly request?: AskedRequest;
  readonly trace?: { readonly traceId: string; readonly spanId: string; readonly parentId: string | null };
  /** The entry that caused this one, for what the system does on its own. */
  readonly cause?: string;
  readonly delivery?: DeliveryNote;
  /** The changeset that it was cut into, or came with. */
  readonly changeset?: string;
  /** What became of its request at the vendor (3), where its changeset was pushed or deployed. */
  readonly receipt?: Receipt;
};

/** One action's, as a deploy left it (2.6). */
export type Receipt = {
  readonly service: string;
  readonly actionId: string;
  readonly status: 'deployed' | 'landed' | 'refused' | 'failed' | 'skipped';
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly externalId?: string;
  readonly url?: string;
  readonly reason?: string;
};

/** An entry as the endpoints pass it on: its text, and what a page has to know of it. */
export type EntryLine = {
  readonly twin: string;
  readonly pos: number;
  readonly at: number;
  readonly caller: string | null;
  /** The whole `Entry`. The bodies in it are the texts of their rows: nobody parsed them. */
  readonly json: string;
};

/** `next`: the `after` that follows; null at the end. `json`: the page as it is answered. */
export type EntryPage = {
  readonly entries: readonly Entry[];
  readonly next: string | null;
  readonly json: string;
};

/** `entries` are read out of the text when somebody asks for them. */
export const entryPage = (lines: readonly EntryLine[], next: string | null): EntryPage => {
  const json = `{"entries":[${lines.map(line => line.json).join(',')}],"next":${JSON.stringify(next)}}`;
  return {
    next,
    json,
    get entries() {
      return (JSON.parse(json) as { entries: readonly Entry[] }).entries;
    },
  };
};

export const entryId = (twin: string, position: number): string => `${twin}:${position}`;

export type EntryRow = SqlRow & {
  readonly twin: string;
  readonly pos: number;
  readonly at: number;
  readonly wall: number;
  readonly kind: string;
  readonly actor: string;
  readonly actor_id: string | null;
  readonly caller: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly trace: string | null;
  readonly span: string | null;
  readonly parent_span: string | null;
  readonly cause: string | null;
  readonly delivery: string | null;
  readonly changes: string;
  /** Members of the request besides (asked.ts). */
  readonly asked: string | null;
  readonly changeset: string | null;
  /** Of those whose changeset was pushed or deployed. */
  readonly action: string | null;
  /** Where that is not `at`. */
  readonly occurred: number | null;
};

/** Of `EntryRow`, for a SELECT. */
export const ENTRY_COLUMNS =
  'twin, pos, at, wall, kind, actor, actor_id, caller, method, path, trace, span, parent_span, cause, delivery, changes, asked, changeset, action, occurred';

/**
 * How the changeset of an entry that came from the origin stands in its row: no name of a changeset of this world, and
 * never cut here again.
 */
export const originChangeset = (name: string | undefined): string => `@${name ?? ''}`;

const shownChangeset = (stored: string | null): string | null =>
  stored?.startsWith('@') === true ? stored.slice(1) || null : stored;

/** `changes`: as JSON. A twin's name is of letters that JSON takes as they are. */
export const entryLine = (row: EntryRow, changes: string, receipt: Receipt | null = null): EntryLine => {
  const { twin, pos, at, caller, method, path, trace, span, parent_span: parent } = row;
  const actor = row.actor_id === null ? '' : `,"id":${JSON.stringify(row.actor_id)}`;
  let json = `{"id":"${entryId(twin, pos)}","twin":"${twin}","position":${pos},"kind":${JSON.stringify(row.kind)},"occurredAt":"${formatInstant(row.occurred ?? at)}","recordedAt":"${formatInstant(row.wall)}","actor":{"type":"${row.actor}"${actor}}`;
  if (caller !== null) json += `,"caller":${JSON.stringify(caller)}`;
  json += `,"changes":${changes}`;
  if (method !== null && path !== null) json += `,"request":${askedJson(method, path, row.asked)}`;
  if (trace !== null && span !== null)
    json += `,"trace":{"traceId":"${trace}","spanId":"${span}","parentId":${parent === null ? 'null' : `"${parent}"`}}`;
  if (row.cause !== null) json += `,"cause":${JSON.stringify(row.cause)}`;
  if (row.delivery !== null) json += `,"delivery":${row.delivery}`;
  const changeset = shownChangeset(row.changeset);
  if (changeset !== null) json += `,"changeset":"${changeset}"`;
  if (receipt !== null) json += `,"receipt":${JSON.stringify(receipt)}`;
  return { twin, pos, at, caller, json: `${json}}` };
};

/** An entry's place among those of all twins. */
export type Cursor = { readonly at: number; readonly twin: string; readonly pos: number };

/** Negative when `a` comes first in the timeline. */
export const newerFirst = (a: Cursor, b: Cursor): number =>
  b.at - a.at || (a.twin === b.twin ? b.pos - a.pos : a.twin < b.twin ? 1 : -1);

export const formatCursor = ({ at, twin, pos }: Cursor): string =>
  btoa(`${at}:${twin}:${pos}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

export const parseCursor = (text: string): Cursor | null => {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(text)) return null;
  let plain: string;
  try {
    plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return null;
  }
  const parts = /^(\d{1,15}):([a-z0-9-]{1,100}):(\d{1,15})$/.exec(plain);
  if (parts === null) return null;
  return { at: Number(parts[1]), twin: parts[2]!, pos: Number(parts[3]) };
};
