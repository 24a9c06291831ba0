// An entry as the origin tells it: read with bounds, since what is at that URL is somebody else's.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import { ENTRY_CHANGES_MAX, ENTRY_PATH_CHARS_MAX, RECORD_ID_CHARS_MAX } from '../limits.ts';
import type { Actor, Change, Entry } from '../log/entry.ts';
import { parseInstant } from '../store/instant.ts';

const ACTORS: readonly Actor['type'][] = ['client', 'system', 'root', 'webhook', 'origin'];

/** Null for what is no entry of that twin at that position. */
export const readRemote = (value: unknown, twin: string, position: number): Entry | null => {
  const entry = fieldsOf(value) as { readonly [field in keyof Entry]?: unknown } | null;
  if (entry === null || entry.twin !== twin || entry.position !== position) return null;
  const { kind, occurredAt, recordedAt, actor, changes, request, caller, cause, changeset, trace } = entry;
  const named = [kind, occurredAt, recordedAt].every(isText);
  const optional = [caller, cause, changeset].every(text => text === undefined || isText(text));
  if (!named || !optional) return null;
  if (parseInstant(occurredAt as string) === null || parseInstant(recordedAt as string) === null) return null;
  const by = fieldsOf(actor);
  if (by === null || !ACTORS.includes(by['type'] as Actor['type'])) return null;
  if (by['id'] !== undefined && !isText(by['id'])) return null;
  if (!Array.isArray(changes) || changes.length > ENTRY_CHANGES_MAX || !changes.every(isChange)) return null;
  if (request !== undefined && !isRequest(request)) return null;
  if (trace !== undefined && !isTrace(trace)) return null;
  return entry as unknown as Entry;
};

/** What an entry is known by: who changed its past has another there. */
export const printOf = ({ kind, occurredAt, recordedAt, changes }: Entry): string =>
  JSON.stringify([kind, occurredAt, recordedAt, changes.map(placeOf)]);

/** What it did, wherever and whenever it was recorded. */
export const madeBy = ({ kind, changes }: Entry): string => JSON.stringify([kind, changes.map(placeOf)]);

const placeOf = ({ op, type, id }: Change): readonly string[] => [op, type, id];

/** What is left of each record when all of the entries have happened; null for one that has ended. */
export const keyOf = ({ type, id }: Pick<Change, 'type' | 'id'>): string => `${type} ${id}`;

export const afterOf = ({ op, after }: Change): RecordBody | null =>
  op === 'put' ? (after as RecordBody) : null;

const isChange = (value: unknown): boolean => {
  const change = fieldsOf(value);
  if (change === null || !isText(change['type']) || !isText(change['id'])) return false;
  const { op, id, after } = change;
  if ((id as string) === '' || (id as string).length > RECORD_ID_CHARS_MAX) return false;
  if (op === 'put') return fieldsOf(after) !== null;
  return op === 'delete' || op === 'blob' || op === 'ref';
};

const isRequest = (value: unknown): boolean => {
  const request = fieldsOf(value);
  if (request === null || !isText(request['method']) || !isText(request['path'])) return false;
  return (request['path'] as string).length <= ENTRY_PATH_CHARS_MAX;
};

const isTrace = (value: unknown): boolean => {
  const { traceId, spanId, parentId } = fieldsOf(value) ?? {};
  const hex = (text: unknown): boolean => isText(text) && /^[0-9a-f]{16,32}$/.test(text as string);
  return hex(traceId) && hex(spanId) && (parentId === null || hex(parentId));
};

const isText = (value: unknown): boolean => typeof value === 'string';

const fieldsOf = (value: unknown): { readonly [name: string]: unknown } | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: unknown })
    : null;
