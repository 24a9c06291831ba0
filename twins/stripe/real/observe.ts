// How the real Stripe is copied: everything once, list by list, each from its oldest object on; from then on what its events
// say that changed. An event names an object and shows it in the version of the account, so that the object itself is asked
// for, in the version of the twin.
import { field, isJsonObject, type JsonObject, objectField, readJson, textField } from '../../kit/json.ts';
import type { AskVendor, Observed, ObservedPage, Observes } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';
import { adopt } from './adopt.ts';
import { ascending, get, type Listed, type ListPlace, page, rest } from './lists.ts';

/** A list that is copied, and what is asked for with each of its objects. */
type Source = {
  readonly object: string;
  readonly path: string;
  readonly expand: readonly string[];
  /** Lists inside it that show only their first. */
  readonly inside?: readonly string[];
  readonly query?: string;
};

/** What others refer to comes first. */
export const SOURCES: readonly Source[] = [
  { object: 'tax_rate', path: '/v1/tax_rates', expand: [] },
  { object: 'coupon', path: '/v1/coupons', expand: ['applies_to'] },
  { object: 'promotion_code', path: '/v1/promotion_codes', expand: [] },
  { object: 'product', path: '/v1/products', expand: [] },
  { object: 'price', path: '/v1/prices', expand: ['tiers'] },
  { object: 'customer', path: '/v1/customers', expand: ['invoice_settings.default_payment_method'] },
  {
    object: 'subscription',
    path: '/v1/subscriptions',
    query: 'status=all',
    expand: ['default_payment_method', 'discounts'],
    inside: ['items'],
  },
  { object: 'invoice', path: '/v1/invoices', expand: ['payments'], inside: ['lines', 'payments'] },
  { object: 'payment_intent', path: '/v1/payment_intents', expand: ['payment_method'] },
  { object: 'charge', path: '/v1/charges', expand: [] },
  { object: 'refund', path: '/v1/refunds', expand: [] },
];

/** Told of by events alone, or inside of others: no list has all of them. */
const BESIDE: readonly Source[] = [{ object: 'payment_method', path: '/v1/payment_methods', expand: [] }];

const BY_OBJECT: ReadonlyMap<string, Source> = new Map(
  [...SOURCES, ...BESIDE].map(source => [source.object, source]),
);

/** What lists of the twin go by once there are records whose own instants are older than their entries (api/list.ts). */
const MARK: Observed = { type: 'observed_mark', id: 'any', body: { id: 'any' } };

/** Stripe keeps events for thirty days; a day is left for what comes late. */
const EVENTS_SECONDS = 29 * 24 * 60 * 60;

type Cursor = {
  readonly v: 1;
  /** While everything is copied: which list, and where in it. */
  readonly full?: { readonly list: number; readonly place: ListPlace | null };
  /** The newest event that is known of; null where there was none. */
  readonly event: ListPlace | null;
  /** When that was, by Stripe's clock; null where it did not say. */
  readonly seen: number | null;
};

export const stripeObserves: Observes = {
  every: '15m',
  atMost: '1m',
  pages: async function* (ask, cursor) {
    const known = cursor === null ? null : readCursor(cursor);
    if (known === null || known.full !== undefined) return yield* everything(ask, known);
    yield* changes(ask, known);
  },
};

async function* everything(ask: AskVendor, from: Cursor | null): AsyncGenerator<ObservedPage> {
  // Before the first list is read: what happens from here on is told by events.
  const base = from ?? (await newestEvent(ask));
  let { list, place } = from?.full ?? { list: 0, place: null };
  if (from === null)
    yield { anew: true, put: [MARK], gone: [], cursor: write({ ...base, full: { list, place } }) };
  for (; list < SOURCES.length; list++, place = null) {
    const source = SOURCES[list]!;
    for await (const objects of ascending(ask, listPath(source), place)) {
      const last = objects.at(-1)!;
      place = { after: last.id, created: last.created };
      const put = await adoptAll(ask, source, objects);
      yield { put, gone: [], cursor: write({ ...base, full: { list, place } }) };
    }
  }
  const { full: _done, ...rest } = base;
  yield { put: [], gone: [], whole: SOURCES.map(({ object }) => object), cursor: write(rest) };
}

async function* changes(ask: AskVendor, from: Cursor): AsyncGenerator<ObservedPage> {
  const newest = await newestEvent(ask);
  const isLate = from.seen !== null && newest.seen !== null && newest.seen - from.seen > EVENTS_SECONDS;
  const isForgotten =
    from.event !== null && (await get(ask, `/v1/events/${encodeURIComponent(from.event.after)}`)) === null;
  if (isLate || isForgotten) return yield* everything(ask, null);
  for await (const events of ascending(ask, '/v1/events', from.event)) {
    const last = events.at(-1)!;
    const event = { after: last.id, created: last.created };
    yield { ...(await changed(ask, events)), cursor: write({ v: 1, event, seen: newest.seen }) };
  }
  // Of a pass that saw nothing, too, it is known when it was.
  if (newest.event?.after === from.event?.after)
    yield { put: [], gone: [], cursor: write({ ...from, seen: newest.seen }) };
}

/** Each object that the events name, once, as it is now. */
async function changed(
  ask: AskVendor,
  events: readonly Listed[],
): Promise<Pick<ObservedPage, 'put' | 'gone'>> {
  const named = new Map<
    string,
    { readonly source: Source; readonly object: JsonObject; readonly type: string }
  >();
  for (const event of events) {
    const type = textField(event, 'type') ?? '';
    for (const object of namedBy(event)) {
      const source = BY_OBJECT.get(textField(object, 'object') ?? '');
      const id = textField(object, 'id');
      if (source !== undefined && id !== null) named.set(`${source.object} ${id}`, { source, object, type });
    }
  }
  const put: Observed[] = [];
  const gone: Pick<Observed, 'type' | 'id'>[] = [];
  for (const { source, object, type } of named.values()) {
    const id = textField(object, 'id')!;
    const ended = type === `${source.object}.deleted`;
    const found = ended && source.object !== 'customer' ? null : await get(ask, onePath(source, id));
    if (found === null) gone.push({ type: source.object, id });
    else put.push(...adopt((await wholeOf(ask, source, found.body)) as RecordBody));
  }
  return { put, gone };
}

/** What is another with it, though no event of its own may say so: by an object, the fields that name it. */
const CHANGED_WITH: { readonly [object: string]: readonly string[] } = {
  charge: ['payment_intent'],
  refund: ['charge', 'payment_intent'],
  discount: ['customer', 'subscription'],
  invoice: ['customer'],
  invoice_payment: ['invoice'],
};

function namedBy(event: Listed): readonly JsonObject[] {
  const object = objectField(objectField(event, 'data'), 'object');
  if (object === null) return [];
  const with_ = CHANGED_WITH[textField(object, 'object') ?? ''] ?? [];
  const others = with_.map(name => ({ object: name, id: textField(object, name) }));
  return [object, ...others.filter(({ id }) => id !== null)];
}

async function adoptAll(ask: AskVendor, source: Source, objects: readonly Listed[]): Promise<Observed[]> {
  const put: Observed[] = [];
  for (const object of objects) put.push(...adopt((await wholeOf(ask, source, object)) as RecordBody));
  return put;
}

async function wholeOf(ask: AskVendor, { inside = [] }: Source, object: JsonObject): Promise<JsonObject> {
  let made = object;
  for (const name of inside) {
    const list = field(made, name);
    if (isJsonObject(list) && list['has_more'] === true) made = { ...made, [name]: await rest(ask, list) };
  }
  return made;
}

async function newestEvent(ask: AskVendor): Promise<Cursor> {
  const found = await page(ask, '/v1/events', { limit: 1 });
  const newest = found?.data[0];
  return {
    v: 1,
    event: newest === undefined ? null : { after: newest.id, created: newest.created },
    seen: found?.at ?? null,
  };
}

function listPath({ path, query, expand }: Source): string {
  const params = new URLSearchParams(query);
  for (const each of expand) params.append('expand[]', `data.${each}`);
  return `${path}?${params}`;
}

function onePath({ path, expand }: Source, id: string): string {
  const params = new URLSearchParams(expand.map(each => ['expand[]', each]));
  return `${path}/${encodeURIComponent(id)}?${params}`;
}

const write = (cursor: Cursor): string => JSON.stringify(cursor);

/** One that another version of this twin wrote begins anew. */
function readCursor(text: string): Cursor | null {
  const read = readJson(text);
  return field(read, 'v') === 1 ? (read as unknown as Cursor) : null;
}
