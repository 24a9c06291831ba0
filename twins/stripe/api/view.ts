// From a record to the object Stripe answers: the twin's own fields are left out, and what is held as records of its
// own (a subscription's items, an invoice's lines) is put in, as the type's row says (record-row.ts).
import type { RecordBody, Reader as TxReader } from '../../kit/tx.ts';
import type { RecordName, Records } from '../records.ts';
import { KEPT, keepWith, type Older } from './older.ts';
import type { RecordRow, RecordTable } from './record-row.ts';

export type View = { readonly [field: string]: unknown };

export type Reader = Pick<TxReader, 'get' | 'list' | 'now'>;

/** Who views: an act is one. */
export type Viewer = {
  readonly tx: Reader;
  readonly records: RecordTable;
  /** The version whose objects are looked at, where that is not today's. */
  readonly older?: Older;
};

export function viewOf<Name extends RecordName>(by: Viewer, type: Name, record: Records[Name]): View {
  const view: { [field: string]: unknown } = {};
  const held = record as RecordBody;
  let fields = 0;
  for (const name in held) {
    if (name.startsWith('$')) continue;
    view[name] = held[name];
    fields += 1;
  }
  const row: RecordRow<Records[Name]> = by.records[type];
  if (row.inlined !== undefined) Object.assign(view, row.inlined(by, record));
  keepShape(type, fields, view);
  if (by.older !== undefined) keepWith(view, held);
  return view;
}

/** By type and number of fields: an object of the names that such a view has, and of nothing else. */
const SHAPES = new Map<string, Map<number, object>>();

/**
 * What is filled by names that are only known then becomes a hash table to the engine, which takes twice as long to copy
 * and to write, unless there is an object of the same names that was made otherwise.
 */
function keepShape(type: string, fields: number, view: View): void {
  const held = SHAPES.get(type) ?? new Map<number, object>();
  if (held.has(fields)) return;
  const shape = Object.fromEntries(Object.keys(view).map(name => [name, null]));
  Object.defineProperty(shape, KEPT, { value: null, configurable: true, enumerable: true, writable: true });
  SHAPES.set(type, held.set(fields, shape));
}

/**
 * The view of a record where another object holds it whole. It is the vendor's object by how it is made, which the type of
 * a view cannot tell.
 */
export function embedded<T>(by: Viewer, type: RecordName, record: Records[RecordName]): T {
  return viewOf(by, type, record) as T;
}

/** Reads and views; undefined when there is none. A deleted customer is viewed as deleted. */
export function viewById(by: Viewer, type: RecordName, id: string): View | undefined {
  const record = by.tx.get<Records[RecordName] & RecordBody>(type, id);
  return record === undefined ? undefined : viewOf(by, type, record);
}

export function listView(data: readonly View[], more: boolean, url: string): View {
  return { object: 'list', data, has_more: more, url };
}

/** The views of the first records under one index value, as a list inside another object shows them. */
export function viewsUnder(
  by: Viewer,
  type: RecordName,
  where: { readonly [field: string]: string },
  limit: number = INLINE_RECORDS,
): { readonly data: View[]; readonly more: boolean } {
  const { items, more } = by.tx.list<Records[RecordName] & RecordBody>(type, { where, limit });
  return { data: items.map(record => viewOf(by, type, record)), more };
}

/** With the count that some of the older lists have. */
export function countedView(data: readonly View[], more: boolean, url: string): View {
  return { object: 'list', data, has_more: more, url, total_count: data.length };
}

/** The views under one index value, so counted. */
export function countedUnder(
  by: Viewer,
  type: RecordName,
  where: { readonly [field: string]: string },
  url: string,
): View {
  const { data, more } = viewsUnder(by, type, where);
  return countedView(data, more, url);
}

/** How many records a list inside another object shows; the rest is on the list's own address. */
export const INLINE_RECORDS = 10;

/** Such a list whole, with its address. */
export function listUnder(
  by: Viewer,
  type: RecordName,
  where: { readonly [field: string]: string },
  url: string,
): View {
  const { data, more } = viewsUnder(by, type, where);
  return listView(data, more, url);
}
