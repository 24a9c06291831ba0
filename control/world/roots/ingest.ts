// Webhooks of real vendors come into the log (4.6, 6.2): verified by the vendor's signature with the secret that was sealed
// for it, each event once, and none that is older than what is known of a record already.

import { parseJson } from '../../../policy/json-text.ts';
import type { Call } from '../../../twins/kit/call.ts';
import type { ArrivedWebhook, FoldedEvent, Ingests } from '../../../twins/kit/real-vendor.ts';
import type { RecordBody, Tx } from '../../../twins/kit/tx.ts';
import { proveWebhook, readSignature } from '../../../twins/kit/webhook-proof.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Sql } from '../../ports/sql.ts';
import { RECORD_ID_CHARS_MAX, WEBHOOK_AGE_MS_MAX } from '../limits.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Acts } from '../work/acts.ts';
import type { Seat } from '../work/seat.ts';
import { type Credentials, credentialWords } from './credentials.ts';
import { Fold } from './fold.ts';
import { readRefresh } from './refresh-row.ts';
import type { Rooted } from './vendor-places.ts';

export type IngestResult =
  | {
      readonly ok: true;
      /** False: it came before, or is nothing that the twin keeps. */
      readonly ingested: boolean;
      /** What the vendor wants to be answered, to see that somebody is here. */
      readonly challenge?: string;
    }
  | {
      readonly ok: false;
      readonly why:
        | 'no-such-twin'
        | 'takes-none'
        | 'no-secret'
        | 'vault-away'
        | 'bad-signature'
        | 'too-old'
        | 'bad-body'
        | 'not-now'
        | 'failed';
      readonly message: string;
    };

/** How a record that the vendor has becomes one here: as it is, unless the world has changed its own. */
export type Bringing = {
  /** Null: the vendor has none of that id any more. */
  take(key: { readonly type: string; readonly id: string }, theirs: RecordBody | null): void;
  end(): void;
};

type Parts = {
  readonly sql: Sql;
  readonly log: EntryLog;
  readonly acts: Acts;
  readonly wall: WallClock;
  readonly credentials: Credentials;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly blobs: BlobStore;
  readonly roots: Rooted;
};

type Failure = Extract<IngestResult, { ok: false }>;

export class Ingest {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `call`: as it came, with its bytes. `ready`: resolves when the twin's records are here. */
  async take(twin: string, call: Call, ready: (seat: Seat) => Promise<unknown>): Promise<IngestResult> {
    const { seats, credentials, wall } = this.#parts;
    const seat = seats.get(twin);
    if (seat === undefined) return no('no-such-twin', `The world has no twin “${twin}”.`);
    const ingests = seat.twin.real?.ingests;
    if (ingests === undefined) return no('takes-none', `The twin ${twin} takes no webhooks of its vendor.`);
    const state = credentials.state(twin);
    if (!state.sealed) return noSecret(twin);
    const webhook: ArrivedWebhook = { headers: call.headers, body: call.body };
    const read = readSignature(ingests.scheme, webhook);
    if (read === null) return FORGED;
    const opened = await credentials.open(twin);
    if (!opened.ok)
      return no(opened.why === 'away' ? 'vault-away' : 'no-secret', credentialWords(twin, opened.why));
    const { signingSecret } = opened.credential;
    if (signingSecret === null) return noSecret(twin);
    const proof = await proveWebhook(read, signingSecret.reveal(), call.body, {
      wallMillis: wall.now(),
      ageMsMax: WEBHOOK_AGE_MS_MAX,
    });
    if (proof === 'too-old')
      return no(
        'too-old',
        'The signature is more than five minutes from this machine’s time; is its clock right?',
      );
    if (proof !== 'holds') return FORGED;
    const body = bodyOf(call);
    if (body === null) return no('bad-body', 'The body is no JSON object.');
    const challenge = ingests.scheme === 'slack' ? challengeOf(body) : null;
    if (challenge !== null) return { ok: true, ingested: false, challenge };
    await ready(seat);
    return this.#fold(seat, call, { ingests, body, webhook });
  }

  async #fold(
    seat: Seat,
    call: Call,
    { ingests, body, webhook }: { ingests: Ingests; body: RecordBody; webhook: ArrivedWebhook },
  ): Promise<IngestResult> {
    // What comes in is the vendor's, and nobody of this world made it.
    const arrived: Call = { ...call, scope: 'write', caller: null, method: 'POST' };
    const work = (_call: Call, tx: Tx): IngestResult => {
      const event = ingests.fold(body, tx, webhook);
      if (event === null) return { ok: true, ingested: false };
      if (event.id === '' || event.id.length > RECORD_ID_CHARS_MAX)
        return no('bad-body', 'The event has no id that can be kept.');
      return { ok: true, ingested: this.#once(seat, tx, event) };
    };
    const answered = await this.#parts.acts.run(seat, arrived, work, { type: 'webhook' });
    if (!('status' in answered)) return answered;
    const why = answered.status === 503 ? 'not-now' : 'failed';
    return no(why, 'The world could not take it now; send it again.');
  }

  /** False when it came before. */
  #once(seat: Seat, tx: Tx, event: FoldedEvent): boolean {
    const { sql, log } = this.#parts;
    const twin = seat.id;
    if (sql.get('SELECT 1 AS found FROM ingested WHERE twin = ? AND event = ?', twin, event.id) !== undefined)
      return false;
    const position = log.tip(twin) + 1;
    const bringing = this.#bringing(seat, tx, position);
    const before = tx.writes;
    for (const { type, id, body } of event.put)
      if (this.#isNews(twin, { type, id }, event, position)) bringing.take({ type, id }, body);
    for (const { type, id } of event.gone)
      if (this.#isNews(twin, { type, id }, event, position)) bringing.take({ type, id }, null);
    bringing.end();
    tx.kind(event.kind === '' ? 'twin.ingested' : event.kind);
    sql.run('INSERT INTO ingested(twin, event, pos) VALUES (?, ?, ?)', twin, event.id, position);
    return tx.writes > before;
  }

  /** `position`: of the entry that it becomes. A twin without a root has no changes of its own to keep. */
  #bringing({ id: twin, records }: Seat, tx: Tx, position: number): Bringing {
    const { sql, blobs, roots } = this.#parts;
    if (roots.get(twin) === null) return plainly(tx);
    const { pass } = readRefresh(sql, twin);
    return new Fold({ sql, blobs, records, twin }, { tx, position, pass });
  }

  /** Vendors send in no order: what happened before something that is known of the record is no news of it. */
  #isNews(
    twin: string,
    { type, id }: { readonly type: string; readonly id: string },
    { at }: FoldedEvent,
    position: number,
  ): boolean {
    if (at === undefined) return true;
    const { sql } = this.#parts;
    const key = [twin, type, id] as const;
    const known = sql.get<{ at: number }>(
      'SELECT at FROM ingested_record WHERE twin = ? AND type = ? AND id = ?',
      ...key,
    );
    if (known !== undefined && known.at > at) return false;
    sql.run(
      `INSERT INTO ingested_record(twin, type, id, at, pos) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT(twin, type, id) DO UPDATE SET at = excluded.at, pos = excluded.pos`,
      ...key,
      at,
      position,
    );
    return true;
  }
}

const no = (why: Failure['why'], message: string): Failure => ({ ok: false, why, message });

/** One answer for whatever is wrong with a signature. */
const FORGED = no('bad-signature', 'The signature does not hold.');

const noSecret = (twin: string): Failure =>
  no(
    'no-secret',
    `No signing secret is sealed for ${twin}, so that nothing says whose a webhook is. Set the credential again with its signingSecret: wrld world credential set ${twin}`,
  );

const plainly = (tx: Tx): Bringing => ({
  take: ({ type, id }, theirs) => {
    if (theirs !== null) tx.put(type, id, theirs);
    else if (tx.get(type, id) !== undefined) tx.delete(type, id);
  },
  end: () => {},
});

/** JSON, or a form whose field `payload` is JSON. */
const bodyOf = ({ body, headers }: Call): RecordBody | null => {
  const type = headers['content-type'];
  const isForm = typeof type === 'string' && /^application\/x-www-form-urlencoded\b/i.test(type);
  const source = isForm ? new URLSearchParams(new TextDecoder().decode(body)).get('payload') : body;
  const read = source === null ? null : parseJson(source);
  return read?.ok === true &&
    typeof read.value === 'object' &&
    read.value !== null &&
    !Array.isArray(read.value)
    ? (read.value as RecordBody)
    : null;
};

/** Slack asks once whether somebody is here who knows the secret. */
const challengeOf = (body: RecordBody): string | null => {
  const { type, challenge } = body;
  return type === 'url_verification' &&
    typeof challenge === 'string' &&
    challenge.length <= RECORD_ID_CHARS_MAX
    ? challenge
    : null;
};
