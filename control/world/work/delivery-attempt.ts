// One attempt at a webhook: signed as its twin signs, sent, and its answer's status read. Of what a receiver that did not
// take it says, the beginning is kept for whoever looks why.
import { maskText } from '../../../twins/kit/secrets.ts';
import type { DeliveryRequest } from '../../../twins/kit/tx.ts';
import { type SignatureHeaders, signatureHeaders } from '../../../twins/kit/webhooks.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Outbound, OutboundAnswer } from '../../ports/outbound.ts';
import { DELIVERY_ANSWER_BYTES_MAX, DELIVERY_TIMEOUT_MS } from '../limits.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { DeliveryRow } from './delivery-rows.ts';
import type { Seat } from './seat.ts';
import type { WorldClock } from './world-clock.ts';

/** What came of it; `final` when another would not help. */
export type AttemptResult = {
  readonly ok: boolean;
  readonly status?: number;
  readonly error?: string;
  readonly ms: number;
  readonly final: boolean;
  /** The headers that it was signed with; absent where it was not sent. */
  readonly signed?: SignatureHeaders;
  /** How the answer of a receiver that did not take it begins. */
  readonly answer?: string;
};

export type AttemptParts = {
  readonly blobs: BlobStore;
  readonly wall: WallClock;
  readonly clock: WorldClock;
  readonly log: EntryLog;
  readonly outbound: Outbound;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly processLog: Log;
};

/** `span`: of this attempt, as its receiver sees it. */
export const attempt = async (
  { blobs, wall, clock, log, outbound, seats, processLog }: AttemptParts,
  row: DeliveryRow,
  span: string,
): Promise<AttemptResult> => {
  const { twin, records } = seats.get(row.twin)!;
  const body = await blobs.reading(() => blobs.text(row.body));
  const request: DeliveryRequest = {
    endpoint: { id: row.endpoint, url: row.url },
    event: { id: row.event, type: row.event_type },
    headers: JSON.parse(row.headers) as DeliveryRequest['headers'],
    body,
  };
  let signed: SignatureHeaders;
  try {
    const signature = await blobs.reading(() => {
      const state = records.reader(clock.stamp(), log.tip(row.twin) + 1);
      return twin.signature === undefined ? UNSIGNED : twin.signature(request, state);
    });
    if (signature === null) return { ok: false, error: 'the endpoint is gone', ms: 0, final: true };
    // Wall time: vendors' SDKs reject a signature that is more than five minutes old.
    signed = await signatureHeaders(signature, { body, wallMillis: wall.now(), event: request.event });
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    processLog.error({ twin: row.twin, delivery: row.id, error: name }, 'a webhook could not be signed');
    return { ok: false, error: 'the twin could not sign it', ms: 0, final: false };
  }
  const answer = await outbound.send({
    url: row.url,
    method: 'POST',
    headers: [...request.headers, ...signed, ['traceparent', `00-${row.trace}-${span}-01`]],
    body,
    timeoutMs: DELIVERY_TIMEOUT_MS,
  });
  // A refusal by policy too: a grant may come before the vendor gives up.
  if (!answer.ok) return { ok: false, error: answer.why, ms: answer.ms, final: false, signed };
  const { status, ms } = answer;
  const ok = status >= 200 && status < 300;
  const said = ok ? '' : await beginningOf(answer);
  answer.discard();
  return { ok, status, ms, final: ok, signed, ...(said === '' ? {} : { answer: said }) };
};

/** Its first bytes as they came, as text; empty for none. A receiver that is silent after its head says nothing. */
const beginningOf = async ({ body }: OutboundAnswer): Promise<string> => {
  try {
    for await (const bytes of body)
      return maskText(new TextDecoder().decode(bytes.subarray(0, DELIVERY_ANSWER_BYTES_MAX)));
  } catch {
    // What it answered is known by its status.
  }
  return '';
};

const UNSIGNED = { scheme: 'none', secret: '' } as const;
