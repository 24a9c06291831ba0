// A write that is asked twice under one key is done once: the second time the first answer is given again, nothing is
// changed, and the log gets no entry.
import type { Call } from './call.ts';
import { digest } from './fingerprint.ts';
import { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';
import type { Tx } from './tx.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEY_CHARS_MAX = 255;

export type Idempotency = {
  /** Lower case; `idempotency-key` unless the vendor's is another. */
  readonly header?: string;
  /** How long an answer is kept, in milliseconds of the world's clock; a day unless the vendor says otherwise. */
  readonly keepMs?: number;
  /** Sent with an answer that is given again: `['Idempotent-Replayed', 'true']`. */
  readonly replayed?: readonly (readonly [name: string, value: string])[];
};

/**
 * Does `work`, once for a key. Another request under the same key is refused with 409 `idempotency_key_reused`; an answer
 * that refuses (400 and up) is not kept, so that the client may ask again.
 */
export function once(call: Call, tx: Tx, how: Idempotency, work: () => Reply): Reply {
  const { header = 'idempotency-key', keepMs = DAY_MS, replayed = [] } = how;
  const [key = ''] = [call.headers[header] ?? ''].flat();
  if (key === '') return work();
  if (key.length > KEY_CHARS_MAX)
    throw new Refusal(400, 'invalid_idempotency_key', `A key may hold ${KEY_CHARS_MAX} characters.`);
  // Each caller's keys are its own; what it showed of itself is not kept.
  const caller = digest([call.headers['authorization'] ?? ''].flat().join());
  const name = `idempotency:${caller}:${key}`;
  const fingerprint = `${call.method} ${call.path} ${digest(new TextDecoder().decode(call.body))}`;
  const kept = tx.recall(name);
  if (kept !== undefined) {
    if (kept.fingerprint === fingerprint)
      return { status: kept.status, headers: [...kept.headers, ...replayed], body: kept.body };
    throw new Refusal(409, 'idempotency_key_reused', `The key ${key} was used for another request.`);
  }
  const made = work();
  const { status, headers, body } = made;
  if (status < 400 && (body === null || typeof body === 'string'))
    tx.remember(name, { fingerprint, status, headers, body: body ?? '' }, tx.now + keepMs);
  return made;
}
