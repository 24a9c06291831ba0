// A twin of a made-up vendor that carries parcels: docs/writing-a-twin.md leads through it.
import {
  html,
  jsonReply,
  numberField,
  once,
  pageById,
  pageReply,
  plainError,
  type RecordBody,
  Refusal,
  type RestAsk,
  restTwin,
  type Twin,
  type Tx,
  textField,
} from 'wrld/twin';

const HOUR_MS = 3_600_000;
/** What the vendor promises: collected after four hours, delivered after two days. */
const JOURNEY = [
  { status: 'collected', afterMs: 4 * HOUR_MS },
  { status: 'delivered', afterMs: 48 * HOUR_MS },
] as const;
const GRAMS_MAX = 30_000;
/** The vendor sends a webhook again after a minute, an hour and a day. */
const RETRIES_MS = [60_000, HOUR_MS, 24 * HOUR_MS];

type Parcel = RecordBody & {
  readonly id: string;
  readonly to: string;
  readonly grams: number;
  readonly status: string;
};
type Hook = RecordBody & { readonly id: string; readonly url: string; readonly secret: string };

export const twin: Twin = restTwin({
  vendor: 'parcel',
  version: '1.0.0',
  hosts: [
    { host: 'api.parcel.example', paths: ['/v1/'] },
    { host: 'track.parcel.example', paths: ['/'] },
  ],
  records: { parcel: { indexes: [['status']] }, hook: { indexes: [] } },
  idPrefixes: { parcel: 'prc_', hook: 'hook_' },
  error: plainError,
  authenticate: ({ headers }) => {
    if (!/^Bearer pk_/.test(String(headers['authorization'])))
      throw new Refusal(401, 'no_key', 'Send your key: Authorization: Bearer pk_…');
  },
  routes: [
    { method: 'POST', path: '/v1/parcels', operation: 'parcel.create', run: sendParcel },
    { method: 'GET', path: '/v1/parcels', operation: 'parcel.list', run: listParcels },
    {
      method: 'GET',
      path: '/v1/parcels/{parcel}',
      operation: 'parcel.get',
      run: asked => jsonReply(200, parcelOf(asked)),
    },
    { method: 'POST', path: '/v1/parcels/{parcel}/cancel', operation: 'parcel.cancel', run: cancelParcel },
    { method: 'POST', path: '/v1/hooks', operation: 'hook.create', run: addHook },
  ],
  catalog: ['GET /v1/depots'],
  screens: [{ id: 'track', host: 'track.parcel.example', path: '/{parcel}', run: trackParcel }],
  due: ({ payload }, tx) => {
    const parcel = tx.get<Parcel>('parcel', String(payload['parcel']));
    if (parcel !== undefined) move(tx, parcel, String(payload['status']));
  },
  webhooks: { scheme: 'standard', events: ['parcel.collected', 'parcel.delivered', 'parcel.canceled'] },
  signature: ({ endpoint }, state) => {
    const hook = state.get<Hook>('hook', endpoint.id);
    return hook === undefined ? null : { scheme: 'standard', secret: hook.secret };
  },
  retryAfter: attempts => RETRIES_MS[attempts] ?? null,
});

/** Asked twice under one key, it is sent once. */
function sendParcel({ call, tx, body }: RestAsk) {
  return once(call, tx, {}, () => {
    const to = textField(body, 'to');
    const grams = numberField(body, 'grams');
    if (to === null) throw new Refusal(422, 'missing_field', 'to: where shall it go?', { field: 'to' });
    if (grams === null || grams > GRAMS_MAX)
      throw new Refusal(422, 'too_heavy', `grams: up to ${GRAMS_MAX}.`, { field: 'grams' });
    const parcel: Parcel = {
      id: tx.id('prc_', 16),
      to,
      grams,
      status: 'announced',
      created: new Date(tx.now).toISOString(),
    };
    tx.put('parcel', parcel.id, parcel);
    for (const { status, afterMs } of JOURNEY)
      tx.schedule(`${parcel.id} ${status}`, tx.now + afterMs, { parcel: parcel.id, status });
    return jsonReply(201, parcel);
  });
}

function listParcels({ tx, query }: RestAsk) {
  const status = query.get('status');
  const { items, more } = pageById<Parcel>(tx, 'parcel', {
    query,
    size: { param: 'limit', usual: 20, max: 100 },
    after: 'after',
    of: status === null ? {} : { where: { status } },
  });
  return jsonReply(200, { data: items, has_more: more });
}

function parcelOf({ tx, path }: RestAsk): Parcel {
  const parcel = tx.get<Parcel>('parcel', path['parcel']!);
  if (parcel === undefined) throw new Refusal(404, 'not_found', `No parcel ${path['parcel']}.`);
  return parcel;
}

function cancelParcel(asked: RestAsk) {
  const parcel = parcelOf(asked);
  if (parcel.status !== 'announced') throw new Refusal(409, 'on_its_way', `It is ${parcel.status}.`);
  for (const { status } of JOURNEY) asked.tx.cancel(`${parcel.id} ${status}`);
  return jsonReply(200, move(asked.tx, parcel, 'canceled'));
}

function addHook({ tx, body }: RestAsk) {
  const url = textField(body, 'url');
  if (url === null) throw new Refusal(422, 'missing_field', 'url: where shall it be told?', { field: 'url' });
  const hook: Hook = { id: tx.id('hook_', 16), url, secret: `whsec_${btoa(tx.hex(16))}` };
  tx.put('hook', hook.id, hook);
  return jsonReply(201, hook);
}

/** One entry of the log, by the vendor's own name of the event; every hook is told of it. */
function move(tx: Tx, parcel: Parcel, status: string): Parcel {
  const moved = { ...parcel, status };
  tx.put('parcel', moved.id, moved);
  tx.kind(`parcel.${status}`);
  const event = { id: tx.id('evt_', 16), type: `parcel.${status}` };
  const body = JSON.stringify({ ...event, data: moved });
  for (const { id, url } of tx.list<Hook>('hook', { order: 'oldest', limit: 100 }).items)
    tx.deliver({ endpoint: { id, url }, event, body, headers: [['Content-Type', 'application/json']] });
  return moved;
}

function trackParcel(asked: RestAsk) {
  const { id, to, status } = parcelOf(asked);
  return pageReply(`Parcel ${id}`, html`<h1>${status}</h1><p>To ${to}.</p>`);
}
