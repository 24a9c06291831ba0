// A twin of a made-up vendor that carries parcels: docs/writing-a-twin.md leads through it.
import {
  buildTwin,
  type DueHandlers,
  handleDue,
  html,
  JSON_API,
  type JsonAsk,
  type JsonOperation,
  jsonReply,
  manifestOf,
  modelsOf,
  numberField,
  type PageStyle,
  pageById,
  pageReply,
  type RecordBody,
  Refusal,
  type Reply,
  schedule,
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

const OPERATIONS: readonly JsonOperation[] = [
  { name: 'parcels.create', method: 'POST', path: '/v1/parcels', run: sendParcel },
  { name: 'parcels.list', method: 'GET', path: '/v1/parcels', run: listParcels },
  {
    name: 'parcels.get',
    method: 'GET',
    path: '/v1/parcels/{parcel}',
    run: ask => jsonReply(200, parcelOf(ask)),
  },
  { name: 'parcels.cancel', method: 'POST', path: '/v1/parcels/{parcel}/cancel', run: cancelParcel },
  { name: 'hooks.create', method: 'POST', path: '/v1/hooks', run: addHook },
  { name: 'hooks.delete', method: 'DELETE', path: '/v1/hooks/{hook}', run: removeHook },
];
const SCREENS = [{ id: 'track', host: 'track.parcel.example', path: '/{parcel}', run: trackParcel }];
/** The vendor has one more, which this twin does not model. */
const CATALOG = ['GET /v1/depots'];

export const twin: Twin = buildTwin({
  ...JSON_API,
  manifest: manifestOf({
    vendor: 'parcel',
    version: '1.0.0',
    hosts: [
      { host: 'api.parcel.example', paths: ['/v1/'] },
      { host: 'track.parcel.example', paths: ['/'] },
    ],
    models: modelsOf(
      [
        ['parcel', 'prc_', 'parcels'],
        ['hook', 'hook_', 'hooks'],
      ],
      OPERATIONS,
    ),
    coverage: { modelled: OPERATIONS.length, generic: 0, catalog: OPERATIONS.length + CATALOG.length },
    screens: SCREENS,
    webhooks: { scheme: 'standard', events: ['parcel.collected', 'parcel.delivered', 'parcel.canceled'] },
  }),
  records: {
    parcel: {
      indexes: [['status']],
      title: ({ to }) => `parcel to ${to}`,
      summary: ({ grams, status }) => `${grams} g, ${status}`,
      columns: { To: ({ to }) => String(to), Status: ({ status }) => String(status) },
    },
    hook: { indexes: [], title: ({ url }) => `webhooks to ${url}` },
  },
  operations: OPERATIONS,
  catalog: CATALOG,
  screens: {
    list: SCREENS,
    page: ask => ask,
    error: ({ status, message }) => pageReply('Parcel', html`<h1>${message}</h1>`, { status }),
  },
  authenticate: ({ headers }) => {
    if (!/^Bearer pk_/.test(String(headers['authorization'])))
      throw new Refusal(401, 'no_key', 'Send your key: Authorization: Bearer pk_…');
  },
  error: ({ status, code, message, details }) => jsonReply(status, { error: { code, message, ...details } }),
  idempotency: {},
  due: ({ payload }, { tx }) => handleDue(DUE, payload, tx),
  signature: ({ endpoint }, state) => {
    const hook = state.get<Hook>('hook', endpoint.id);
    return hook === undefined ? null : { scheme: 'standard', secret: hook.secret };
  },
  retryAfter: attempts => RETRIES_MS[attempts] ?? null,
});

function sendParcel({ tx, body }: JsonAsk) {
  const to = textField(body, 'to');
  const grams = numberField(body, 'grams');
  if (to === null) throw new Refusal(422, 'missing_field', 'to: where shall it go?', { field: 'to' });
  if (grams === null || grams > GRAMS_MAX)
    throw new Refusal(422, 'too_heavy', `grams: up to ${GRAMS_MAX}.`, { field: 'grams' });
  const parcel: Parcel = {
    id: tx.recordId('prc_', 16),
    to,
    grams,
    status: 'announced',
    created: new Date(tx.now).toISOString(),
  };
  tx.put('parcel', parcel.id, parcel);
  for (const { status, afterMs } of JOURNEY)
    schedule<Due>(tx, `${parcel.id} ${status}`, tx.now + afterMs, {
      kind: 'move',
      parcel: parcel.id,
      status,
    });
  return jsonReply(201, parcel);
}

/** What the twin waits for: each kind, and what its handler is given. */
type Due = { readonly move: { readonly parcel: string; readonly status: string } };

const DUE: DueHandlers<Due, Tx> = {
  move: ({ parcel, status }, tx) => {
    const held = tx.get<Parcel>('parcel', parcel);
    if (held !== undefined) move(tx, held, status);
  },
};

/** `?limit=20&after=prc_…` */
const PAGES: PageStyle = {
  usual: 20,
  max: 100,
  after: 'after',
  wrongLimit: (_asked, max) => new Refusal(400, 'bad_limit', `limit: from 1 to ${max}.`, { field: 'limit' }),
};

function listParcels(ask: JsonAsk) {
  const status = ask.query.get('status');
  const listed = status === null ? {} : { where: { status } };
  const { items, more } = pageById<Parcel>(ask, 'parcel', PAGES, listed);
  return jsonReply(200, { data: items, has_more: more });
}

function parcelOf({ tx, path }: Pick<JsonAsk, 'tx' | 'path'>): Parcel {
  const parcel = tx.get<Parcel>('parcel', path['parcel']!);
  if (parcel === undefined) throw new Refusal(404, 'not_found', `No parcel ${path['parcel']}.`);
  return parcel;
}

function cancelParcel(ask: JsonAsk) {
  const parcel = parcelOf(ask);
  if (parcel.status !== 'announced') throw new Refusal(409, 'on_its_way', `It is ${parcel.status}.`);
  for (const { status } of JOURNEY) ask.tx.cancel(`${parcel.id} ${status}`);
  return jsonReply(200, move(ask.tx, parcel, 'canceled'));
}

function addHook({ tx, body }: JsonAsk) {
  const url = textField(body, 'url');
  if (url === null) throw new Refusal(422, 'missing_field', 'url: where shall it be told?', { field: 'url' });
  const hook: Hook = { id: tx.recordId('hook_', 16), url, secret: `whsec_${btoa(tx.hex(16))}` };
  tx.put('hook', hook.id, hook);
  return jsonReply(201, hook);
}

/** Answers nothing, as the vendor does. */
function removeHook({ tx, path }: JsonAsk): Reply {
  const id = path['hook']!;
  if (tx.get('hook', id) === undefined) throw new Refusal(404, 'not_found', `No hook ${id}.`);
  tx.delete('hook', id);
  return { status: 204, headers: [], body: null };
}

/** One entry of the log, by the vendor's own name of the event; every hook is told of it. */
function move(tx: Tx, parcel: Parcel, status: string): Parcel {
  const moved = { ...parcel, status };
  tx.put('parcel', moved.id, moved);
  tx.kind(`parcel.${status}`);
  const event = { id: tx.recordId('evt_', 16), type: `parcel.${status}` };
  const body = JSON.stringify({ ...event, data: moved });
  for (const { id, url } of tx.list<Hook>('hook', { order: 'oldest', limit: 100 }).items)
    tx.deliver({ endpoint: { id, url }, event, body, headers: [['Content-Type', 'application/json']] });
  return moved;
}

function trackParcel(ask: Pick<JsonAsk, 'tx' | 'path'>) {
  const { id, to, status } = parcelOf(ask);
  return pageReply(`Parcel ${id}`, html`<h1>${status}</h1><p>To ${to}.</p>`);
}
