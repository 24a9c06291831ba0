// One request, or one instant that fell due, at work on the twin's records. Every read and write of a record goes
// through here.
import type { ListQuery, Page, RecordBody, Tx } from '../../kit/tx.ts';
import type { RecordName, Records } from '../records.ts';
import { missing } from './errors.ts';
import type { Older } from './older.ts';
import type { RecordTable } from './record-row.ts';

export type Act = {
  readonly tx: Tx;
  /** What there is to know of each type of record, handed in by the twin: the API knows of no product. */
  readonly records: RecordTable;
  /** The world's clock in seconds, as every Stripe timestamp is. */
  readonly at: number;
  /** Nulls for what Stripe does on its own. */
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null };
  /** The connected account that `Stripe-Account` names; null for the platform's own. */
  readonly account: string | null;
  /** The version that is asked in, where that is not today's. */
  readonly older?: Older;
  /** Its list is counted (total-count.ts). */
  readonly counts?: true;
  /** Set by the first write; a refusal after it is a bug (answer.ts). */
  wrote: boolean;
};

export function actOf(
  records: RecordTable,
  tx: Tx,
  request: Act['request'],
  account: string | null = null,
  older?: Older,
): Act {
  const act = { tx, records, at: Math.floor(tx.now / 1000), request, account, wrote: false };
  return older === undefined ? act : { ...act, older };
}

export function find<Name extends RecordName>(act: Act, type: Name, id: string): Records[Name] | undefined {
  const body = act.tx.get<Records[Name] & RecordBody>(type, id);
  return body === undefined || body['deleted'] === true ? undefined : body;
}

/** Throws Stripe's `resource_missing`, worded with the noun and the parameter that named the id. */
export function need<Name extends RecordName>(
  act: Act,
  type: Name,
  id: string,
  at: { readonly param: string; readonly inPath?: boolean },
): Records[Name] {
  const record = find(act, type, id);
  if (record === undefined) throw missing(nounOf(act, type), id, at);
  return record;
}

/** The type of a record as Stripe's messages word it. */
export function nounOf(act: Act, type: RecordName): string {
  return act.records[type].noun ?? type;
}

export function save<Name extends RecordName>(act: Act, type: Name, record: Records[Name]): void {
  act.wrote = true;
  act.tx.put(type, record.id, record as RecordBody);
}

export function remove(act: Act, type: RecordName, id: string): void {
  act.wrote = true;
  act.tx.delete(type, id);
}

export function select<Name extends RecordName>(
  reader: Pick<Tx, 'list'>,
  type: Name,
  query: ListQuery,
): Page<Records[Name]> {
  return reader.list<Records[Name] & RecordBody>(type, query);
}

/** All records under one index value (that are kept); for the few that one parent holds. Throws past the limit. */
export function all<Name extends RecordName>(
  act: Act,
  type: Name,
  where: { readonly [field: string]: string },
  keep?: (record: Records[Name]) => boolean,
): readonly Records[Name][] {
  const page = select(act.tx, type, {
    where,
    order: 'oldest',
    limit: CHILDREN_MAX,
    ...(keep === undefined ? {} : { keep: body => keep(body as unknown as Records[Name]) }),
  });
  if (page.more) throw new Error(`more than ${CHILDREN_MAX} ${type} records under ${JSON.stringify(where)}`);
  return page.items;
}

/** Items of a subscription, lines of an invoice: what one parent may hold. */
const CHILDREN_MAX = 1_000;
