// The webhooks of a world for whoever looks at them (4.4): what was sent to whom, what came of each attempt, whether its
// signature holds; and one of them once more.
import { maskField } from '../../../twins/kit/secrets.ts';
import { proveWebhook, readSignature } from '../../../twins/kit/webhook-proof.ts';
import type { SignatureHeaders } from '../../../twins/kit/webhooks.ts';
import type { Sql } from '../../ports/sql.ts';
import { WEBHOOKS_PAGE_ROWS_DEFAULT, WEBHOOKS_PAGE_ROWS_MAX, WEBHOOKS_SCAN_ROWS_MAX } from '../limits.ts';
import type { EntryLog } from '../log/entry-log.ts';
import { BlobError, type BlobStore } from '../store/blob-store.ts';
import { formatInstant } from '../store/instant.ts';
import type { Threshold } from '../store/threshold.ts';
import type { Deliveries } from './deliveries.ts';
import { urlWithoutSecrets } from './delivery-notes.ts';
import type { Attempt } from './delivery-rows.ts';
import type { Seat } from './seat.ts';
import type { WorldClock } from './world-clock.ts';

/** `sending`: an attempt is under way, or is made as soon as those before it are through. `waiting`: for its next instant. */
export type WebhookState = 'sending' | 'waiting' | 'delivered' | 'failed';

export type Webhook = {
  /** `<twin>:delivery:<number>`, as the entries of its attempts have it. */
  readonly id: string;
  readonly twin: string;
  readonly event: { readonly id: string; readonly type: string };
  /** What it tells of, in the twin's words; null where it has none. */
  readonly text: string | null;
  readonly endpoint: { readonly id: string; readonly url: string };
  readonly state: WebhookState;
  readonly attempts: number;
  /** How the last attempt ended; absent before the first. */
  readonly last?: Omit<Attempt, 'signed' | 'answer'>;
  /** World time; null where none is to come. */
  readonly nextAt: string | null;
  /** Id of the entry that caused it. */
  readonly cause: string | null;
  readonly trace: string;
  /** Whether it can be sent again. */
  readonly bodyKept: boolean;
};

/**
 * `holds`: it is what the secret that the endpoint has now makes of the body. `differs`: it is not, as after the secret was
 * changed. `unsigned`: the twin signs nothing. `gone`: the endpoint is. `unknown`: nothing is kept to tell it by, or the
 * twin signs in a way of its own.
 */
export type SignatureCheck = 'holds' | 'differs' | 'unsigned' | 'gone' | 'unknown';

export type WholeWebhook = Webhook & {
  readonly tries: readonly (Omit<Attempt, 'signed'> & {
    /** Values only for who may write: within its minutes a signature is as good as the secret. */
    readonly signed: readonly { readonly name: string; readonly value: string | null }[];
    readonly signature: SignatureCheck;
  })[];
  /** Of the request, but for the signature's. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Null where it is kept no more. */
  readonly body: string | null;
};

export type WebhookPage = { readonly webhooks: readonly Webhook[]; readonly next: string | null };

export type ResendOutcome =
  | { readonly ok: true; readonly webhook: Webhook }
  | {
      readonly ok: false;
      readonly why: 'no-such-webhook' | 'on-its-way' | 'body-not-kept' | 'no-such-twin';
      readonly message: string;
    };

type Row = {
  readonly id: number;
  readonly twin: string;
  readonly cause: string | null;
  readonly trace: string;
  readonly endpoint: string;
  readonly url: string;
  readonly event: string;
  readonly event_type: string;
  readonly headers: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: string;
  readonly next_at: number | null;
  readonly kept: number;
};

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly clock: WorldClock;
  readonly log: EntryLog;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly threshold: Threshold;
  readonly deliveries: Deliveries;
  readonly story: {
    events(
      events: readonly { readonly twin: string; readonly id: string }[],
    ): Promise<readonly (string | null)[]>;
  };
};

const COLUMNS =
  'id, twin, cause, trace, endpoint, url, event, event_type, headers, state, attempts, next_at, body IS NOT NULL AS kept';
const FAILED = `AND id > ? AND (state = 'failed' OR (state = 'pending' AND next_at IS NOT NULL))`;

export class Webhooks {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Newest first. `before`: the `next` of the page before. `failed`: those whose last attempt did, of the newest. */
  async page({
    limit = WEBHOOKS_PAGE_ROWS_DEFAULT,
    before = null,
    failed = false,
  }: {
    readonly limit?: number;
    readonly before?: number | null;
    readonly failed?: boolean;
  }): Promise<WebhookPage> {
    const { sql, threshold } = this.#parts;
    const rows = Math.min(Math.max(Math.floor(limit), 1), WEBHOOKS_PAGE_ROWS_MAX);
    const newest = sql.get<{ id: number | null }>('SELECT max(id) AS id FROM delivery')?.id ?? 0;
    const found = sql.all<Row>(
      `SELECT ${COLUMNS} FROM delivery WHERE id < ? ${failed ? FAILED : ''} ORDER BY id DESC LIMIT +?`,
      before ?? Number.MAX_SAFE_INTEGER,
      ...(failed ? [newest - WEBHOOKS_SCAN_ROWS_MAX] : []),
      rows + 1,
    );
    const shown = found.slice(0, rows);
    const next = found.length > rows ? String(shown.at(-1)!.id) : null;
    return threshold.pass({ webhooks: await this.#told(shown), next });
  }

  /** One with its attempts; null where there is none. `values`: whoever asks may see what it was signed with. */
  async one(twin: string, number: number, values: boolean): Promise<WholeWebhook | null> {
    const { threshold } = this.#parts;
    const row = this.#row(twin, number);
    if (row === undefined) return null;
    const [webhook] = await this.#told([row]);
    const body = await this.#body(row);
    const attempts = JSON.parse(row.attempts) as Attempt[];
    const tries = await Promise.all(
      attempts.map(async ({ signed = [], ...attempt }) => ({
        ...attempt,
        signed: signed.map(([name, value]) => ({ name, value: values ? value : null })),
        signature: await this.#check(row, signed, body),
      })),
    );
    const headers = (JSON.parse(row.headers) as [string, string][]).map(([name, value]) => ({
      name,
      value: values ? value : maskField(name, value),
    }));
    return threshold.pass({ ...webhook!, tries, headers, body });
  }

  /** The same event to the same endpoint once more, as the vendor's dashboard does it: an attempt like any other. */
  async again(twin: string, number: number): Promise<ResendOutcome> {
    const { seats, deliveries, threshold } = this.#parts;
    const row = this.#row(twin, number);
    if (row === undefined)
      return {
        ok: false,
        why: 'no-such-webhook',
        message: `${twin} sent no webhook ${number}: wrld world webhooks lists them.`,
      };
    if (!seats.has(twin))
      return {
        ok: false,
        why: 'no-such-twin',
        message: `The world has no twin “${twin}” any more, which would sign it.`,
      };
    if (row.state === 'pending' && row.next_at === null)
      return {
        ok: false,
        why: 'on-its-way',
        message: 'It is on its way already; what comes of that is in the log.',
      };
    if (!deliveries.again(twin, number))
      return {
        ok: false,
        why: 'body-not-kept',
        message:
          'What was sent is not kept any more: only the newest webhooks of a world are. Cause it anew.',
      };
    const [webhook] = await this.#told([this.#row(twin, number) ?? row]);
    return threshold.pass({ ok: true, webhook: webhook! });
  }

  #row(twin: string, number: number): Row | undefined {
    return this.#parts.sql.get<Row>(
      `SELECT ${COLUMNS} FROM delivery WHERE id = ? AND twin = ?`,
      number,
      twin,
    );
  }

  async #told(rows: readonly Row[]): Promise<readonly Webhook[]> {
    const texts = await this.#parts.story.events(rows.map(({ twin, event }) => ({ twin, id: event })));
    return rows.map((row, at) => webhookOf(row, texts[at] ?? null));
  }

  /** Null for one that is kept no more, or cannot be read. */
  async #body({ id }: Row): Promise<string | null> {
    const { sql, blobs } = this.#parts;
    const held = sql.get<{ body: string | null }>('SELECT body FROM delivery WHERE id = ?', id)?.body ?? null;
    if (held === null) return null;
    try {
      return await blobs.reading(() => blobs.text(held));
    } catch (error) {
      if (error instanceof BlobError) return null;
      throw error;
    }
  }

  /** By the secret that the endpoint has now; it leaves this place as a word alone. */
  async #check(row: Row, signed: SignatureHeaders, body: string | null): Promise<SignatureCheck> {
    const { blobs, clock, log, seats } = this.#parts;
    const seat = seats.get(row.twin);
    if (seat === undefined || body === null) return 'unknown';
    const { twin, records } = seat;
    if (twin.signature === undefined) return 'unsigned';
    const request = {
      endpoint: { id: row.endpoint, url: row.url },
      event: { id: row.event, type: row.event_type },
      headers: JSON.parse(row.headers) as [string, string][],
      body,
    };
    try {
      const signature = await blobs.reading(() =>
        twin.signature!(request, records.reader(clock.stamp(), log.tip(row.twin) + 1)),
      );
      if (signature === null) return 'gone';
      if (signature.scheme === 'none') return 'unsigned';
      if (signature.scheme === 'own' || signed.length === 0) return 'unknown';
      const headers = Object.fromEntries(signed.map(([name, value]) => [name.toLowerCase(), value]));
      const bytes = new TextEncoder().encode(body);
      const read = readSignature(signature.scheme, { headers, body: bytes });
      if (read === null) return 'differs';
      // How old it is says nothing of whether it was right.
      const age = { wallMillis: 0, ageMsMax: Number.MAX_SAFE_INTEGER };
      return (await proveWebhook(read, signature.secret, bytes, age)) === 'holds' ? 'holds' : 'differs';
    } catch {
      // A twin that cannot say how it signs says nothing of this one.
      return 'unknown';
    }
  }
}

const webhookOf = (row: Row, text: string | null): Webhook => {
  const attempts = JSON.parse(row.attempts) as Attempt[];
  const last = attempts.at(-1);
  const state = row.state !== 'pending' ? row.state : row.next_at === null ? 'sending' : 'waiting';
  return {
    id: `${row.twin}:delivery:${row.id}`,
    twin: row.twin,
    event: { id: row.event, type: row.event_type },
    text,
    endpoint: { id: row.endpoint, url: urlWithoutSecrets(row.url) },
    state,
    attempts: attempts.length,
    ...(last === undefined ? {} : { last: outcomeOf(last) }),
    nextAt: row.next_at === null ? null : formatInstant(row.next_at),
    cause: row.cause,
    trace: row.trace,
    bodyKept: row.kept === 1,
  };
};

const outcomeOf = ({ signed: _signed, answer: _answer, ...outcome }: Attempt): NonNullable<Webhook['last']> =>
  outcome;
