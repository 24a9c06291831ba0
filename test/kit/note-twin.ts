// The smallest twin with everything a world has to keep: records with indexes, events by clock, webhooks,
// idempotency. It speaks JSON; its operations are its paths, so a test says what it means.
import type { Call } from '../../twins/kit/call.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { RealVendor } from '../../twins/kit/real-vendor.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { MountedTwin, Twin } from '../../twins/kit/twin.ts';
import type { ListQuery, RecordBody, Tx } from '../../twins/kit/tx.ts';

export type NoteTwinOptions = {
  readonly vendor?: string;
  readonly requestScopes?: readonly ['read'];
  /** World milliseconds before each retry of a webhook; none when it is missing. */
  readonly retries?: readonly number[];
  /** Another declaration of indexes than the usual. */
  readonly indexes?: readonly (readonly string[])[];
  readonly words?: readonly string[];
  /** Of its vendor; none unless told. */
  readonly real?: RealVendor;
};

/**
 * `PUT /notes/<id>` body: the note · `DELETE /notes/<id>` · `GET /notes/<id>` · `POST /notes` makes an id ·
 * `POST /list` a query · `POST /due/<key>` `{at, payload}` · `DELETE /due/<key>` · `PUT /hooks/<id>` `{url,
 * secret}` · `POST /bulk` `{puts: [[id, body]], deletes: [id]}` · `POST /once/<key>` · `POST /throw` ·
 * `GET /writes` · `PUT /files/<id>` keeps the bytes and puts a note that names them · `GET /files/<sha256>`. A due
 * event puts the note of its key, and again after `payload.every` while `payload.times` lasts. Every put of a note is
 * told to every hook.
 */
export const noteTwin = (options: NoteTwinOptions = {}): MountedTwin => {
  const { vendor = 'note', retries = [] } = options;
  const twin: Twin = {
    manifest: manifest(vendor, options),
    records: {
      note: { indexes: options.indexes ?? [['tag'], ['tag', 'done']], words: options.words ?? [] },
      hook: { indexes: [] },
    },
    respond: (call, tx) => respond(call, tx),
    due: ({ key, at, payload }, tx) => {
      if (payload['throw'] === true) throw new Error('the note is lost');
      const { times, every } = payload as { times?: number; every?: number };
      putNote(tx, key, { tag: 'due', at, times: times ?? 1 });
      if (times !== undefined && every !== undefined && times > 1) {
        tx.schedule(key, at + every, { times: times - 1, every });
      }
    },
    signature: ({ endpoint }, state) => {
      const hook = state.get<{ secret: string }>('hook', endpoint.id);
      return hook === undefined ? null : { scheme: 'stripe', secret: hook.secret };
    },
    retryAfter: attempts => retries[attempts] ?? null,
    error: (status, code, message) => json(status, { note_error: code, message }),
    ...(options.real && { real: options.real }),
  };
  return { twin, respond: twin.respond };
};

const respond = (call: Call, tx: Tx): Reply => {
  const [, area = '', id = ''] = call.path.split('/');
  const body = (): RecordBody => JSON.parse(new TextDecoder().decode(call.body)) as RecordBody;
  switch (`${call.method} ${area}`) {
    case 'PUT notes':
      putNote(tx, id, body());
      return json(200, tx.get('note', id));
    case 'POST notes': {
      const made = tx.id('note_', 16);
      putNote(tx, made, body());
      return json(201, { id: made });
    }
    case 'DELETE notes':
      tx.delete('note', id);
      return json(200, {});
    case 'GET notes': {
      const note = tx.get('note', id);
      return note === undefined ? json(404, { note_error: 'missing' }) : json(200, note);
    }
    case 'GET writes':
      putNote(tx, 'written', {});
      return json(200, {});
    case 'POST list':
      return json(200, tx.list('note', body() as unknown as ListQuery));
    case 'POST due': {
      const { at, payload } = body() as { at: number; payload?: RecordBody };
      tx.schedule(id, at, payload ?? {});
      return json(200, {});
    }
    case 'DELETE due':
      tx.cancel(id);
      return json(200, {});
    case 'PUT hooks':
      tx.put('hook', id, { id, ...body() });
      return json(200, {});
    case 'DELETE hooks':
      tx.delete('hook', id);
      return json(200, {});
    case 'POST bulk': {
      const { puts = [], deletes = [] } = body() as { puts?: [string, RecordBody][]; deletes?: string[] };
      for (const [key, note] of puts) tx.put('note', key, { id: key, ...note });
      for (const key of deletes) tx.delete('note', key);
      return json(200, {});
    }
    case 'POST once': {
      const kept = tx.recall(id);
      if (kept !== undefined) return { status: kept.status, headers: kept.headers, body: kept.body };
      const reply = json(200, { n: tx.hex(8) });
      const { seconds } = body() as { seconds: number };
      tx.remember(id, { fingerprint: '', ...reply, body: reply.body as string }, tx.now + seconds * 1000);
      return reply;
    }
    case 'PUT files': {
      const file = tx.putBlob(call.body);
      putNote(tx, id, { file });
      return json(200, { file });
    }
    case 'GET files': {
      const bytes = tx.blob(id);
      return bytes === undefined
        ? json(404, { note_error: 'missing' })
        : { status: 200, headers: [['Content-Type', 'application/octet-stream']], body: bytes };
    }
    case 'POST throw':
      putNote(tx, 'half', {});
      throw new Error(`thrown with ${new TextDecoder().decode(call.body)}`);
    default:
      return json(404, { note_error: 'no-such-path' });
  }
};

const putNote = (tx: Tx, id: string, note: RecordBody): void => {
  const body = { id, ...note };
  tx.put('note', id, body);
  for (const hook of tx.list<{ id: string; url: string }>('hook', { order: 'oldest', limit: 100 }).items) {
    tx.deliver({
      endpoint: { id: hook.id, url: hook.url },
      event: { id: tx.id('evt_', 8), type: 'note.put' },
      body: JSON.stringify(body),
      headers: [['Content-Type', 'application/json']],
    });
  }
};

const json = (status: number, body: unknown): Reply => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(body),
});

const manifest = (vendor: string, { requestScopes }: NoteTwinOptions): Manifest => ({
  kind: 'wrld-twin',
  vendor,
  version: '1.0.0',
  protocol: 'http',
  api: { sdks: [] },
  models: [{ type: 'note', operations: ['put', 'get', 'delete', 'list'] }],
  coverage: { modelled: 1, generic: 0, catalog: 0 },
  hosts: [{ host: `${vendor}.test`, paths: ['/'] }],
  generative: false,
  matchers: [],
  root: false,
  screens: [{ id: 'board', path: '/board' }],
  ...(requestScopes === undefined ? {} : { requestScopes }),
});
