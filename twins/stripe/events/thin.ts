// Thin events of the API's second version: they name what happened and to what, and the receiver asks for the rest.
// They go to event destinations that take them; those of the first version's objects go to webhook endpoints too.

import { type Act, find, save, select } from '../api/act.ts';
import { missing } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { integer, list, text, tree } from '../api/params.ts';
import type { View } from '../api/view.ts';
import { DELIVERY_HEADERS, listeners } from './events.ts';

const LIST_DEFAULT = 20;
const LIST_MAX = 100;

type Told = {
  readonly related?: { readonly id: string; readonly type: string; readonly url: string };
  readonly data?: object;
  /** To this destination alone. */
  readonly only?: string;
};

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Saves the event and sends it; returns it as it was sent. */
export function tellThin(act: Act, type: string, told: Told = {}): View {
  const takers = told.only === undefined ? listeners(act, type, 'thin') : one(act, told.only);
  const id = act.tx.id('evt_test_', 24);
  const more = {
    ...(told.data === undefined ? {} : { data: told.data }),
    ...(told.related === undefined ? {} : { related_object: told.related }),
  };
  act.tx.kind(type);
  save(act, 'event', {
    id,
    object: 'event',
    api_version: null,
    created: act.at,
    data: { object: { ...told.data } },
    livemode: false,
    pending_webhooks: takers.length,
    request: act.request,
    type,
    ...(told.related === undefined ? {} : { related_object: told.related }),
  });
  const thin = { ...blank(act.at, id, type), ...more };
  const body = JSON.stringify(thin, null, 2);
  for (const { id: taker, url } of takers) {
    act.tx.deliver({ endpoint: { id: taker, url }, event: { id, type }, body, headers: DELIVERY_HEADERS });
  }
  return thin;
}

function blank(at: number, id: string, type: string) {
  return {
    id,
    object: 'v2.core.event',
    context: null,
    created: iso(at),
    livemode: false,
    reason: null,
    type,
  };
}

function one(act: Act, id: string) {
  const held = find(act, 'webhook_endpoint', id);
  return held === undefined ? [] : [held];
}

type Held = {
  readonly id: string;
  readonly api_version: string | null;
  readonly created: number;
  readonly data: { readonly object: object };
  readonly type: string;
  readonly related_object?: { readonly id: string };
};

function asAnswer({ id, created, type, data, related_object }: Held): View {
  const has = Object.keys(data.object).length > 0;
  return {
    ...blank(created, id, type),
    ...(has ? { data: data.object } : {}),
    ...(related_object === undefined ? {} : { related_object }),
  };
}

const retrieve = operation('v2.core.events.retrieve', 'GET /v2/core/events/{id}', {}, ({ act, path }) => {
  const held = find(act, 'event', path['id'] ?? '') as Held | undefined;
  if (held === undefined || held.api_version !== null) {
    throw missing('event', path['id'] ?? '', { param: 'id', inPath: true });
  }
  return asAnswer(held);
});

const listAll = operation(
  'v2.core.events.list',
  'GET /v2/core/events',
  { created: tree(), limit: integer(1, LIST_MAX), object_id: text(), page: text(), types: list(text()) },
  ({ act, params }) => {
    const limit = params.limit ?? LIST_DEFAULT;
    const bound = (name: string): number => Date.parse(String(params.created?.[name] ?? '')) / 1000;
    const { gt, gte, lt, lte } = { gt: bound('gt'), gte: bound('gte'), lt: bound('lt'), lte: bound('lte') };
    const keep = (body: object): boolean => {
      const { api_version, created, related_object } = body as Held;
      return (
        api_version === null &&
        (params.object_id === undefined || related_object?.id === params.object_id) &&
        !(created <= gt || created < gte || created >= lt || created > lte)
      );
    };
    const types = params.types ?? THIN_TYPES;
    const after =
      params.page === undefined ? undefined : (find(act, 'event', params.page) as Held | undefined);
    // A few of each type, newest first; together they are the newest of all.
    const found = types
      .flatMap(type => {
        const own = after?.type === type ? { after: after.id } : {};
        const upTo = after === undefined ? {} : { createdBefore: (after.created + 1) * 1000 };
        return select(act.tx, 'event', { where: { type }, limit: limit + 1, keep, ...own, ...upTo }).items;
      })
      .sort((a, b) => b.created - a.created) as readonly Held[];
    const data = found.slice(0, limit);
    const last = data.at(-1)?.id;
    const more = found.length > limit && last !== undefined;
    return {
      data: data.map(asAnswer),
      next_page_url: more ? `/v2/core/events?page=${last}&limit=${limit}` : null,
      previous_page_url: null,
    };
  },
);

/** Every type that this twin tells of in this way. */
const THIN_TYPES = [
  'v1.billing.meter.error_report_triggered',
  'v1.billing.meter.no_meter_found',
  'v2.core.account.closed',
  'v2.core.account.created',
  'v2.core.account.updated',
  'v2.core.account[configuration.customer].capability_status_updated',
  'v2.core.account[configuration.customer].updated',
  'v2.core.account[configuration.merchant].capability_status_updated',
  'v2.core.account[configuration.merchant].updated',
  'v2.core.account[configuration.recipient].capability_status_updated',
  'v2.core.account[configuration.recipient].updated',
  'v2.core.account[defaults].updated',
  'v2.core.account[identity].updated',
  'v2.core.account_person.created',
  'v2.core.account_person.deleted',
  'v2.core.account_person.updated',
  'v2.core.event_destination.ping',
];

export const thinEventOperations = [retrieve, listAll];
