// A write that is asked twice under one key is done once: the second time the first answer is given again, nothing is
// changed, and the log gets no entry.

import { digest } from './fingerprint.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX } from './limits.ts';
import { type Asked, headerOf } from './operation.ts';
import { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

/** How long an answer is kept, in milliseconds of the world's clock. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** What of it differs from vendor to vendor; whatever is missing is as said here. */
export type Idempotency<Request, Body> = {
  /** Whose keys these are; each caller's own, by a digest of what it showed of itself. */
  readonly owner?: (asked: Asked, request: Request) => string;
  /** What the same request says again; its body, byte for byte. */
  readonly said?: (body: Body, asked: Asked) => string;
  /** Whether an answer is kept; one that refuses (400 and up) is not, so that the client may ask again. */
  readonly keeps?: (status: number) => boolean;
  /** Sent besides with an answer that is given again. */
  readonly replayed?: (headers: Reply['headers']) => Reply['headers'];
  readonly keyTooLong?: (charsMax: number) => Refusal;
  /** Another request came under the key before. */
  readonly keyReused?: (key: string, asked: Asked, first: FirstUse) => Refusal;
};

/** The request that a key was used for first. */
export type FirstUse = { readonly method: string; readonly path: string };

/** Does `work`, once for the key in `idempotency-key`; at once where the call has none. */
export function once<Request, Body, Told extends { readonly request: Request; readonly body: Body }>(
  how: Idempotency<Request, Body>,
  asked: Asked,
  told: Told,
  work: (asked: Asked, told: Told) => Reply,
): Reply {
  const { call, tx } = asked;
  const key = headerOf(call, 'idempotency-key');
  if (key === null || key === '') return work(asked, told);
  if (key.length > IDEMPOTENCY_KEY_CHARS_MAX) throw (how.keyTooLong ?? keyTooLong)(IDEMPOTENCY_KEY_CHARS_MAX);
  const { owner = callerOf, said = bodyText, keeps = isDone } = how;
  const name = `idempotency:${owner(asked, told.request)}:${key}`;
  const fingerprint = `${digest(said(told.body, asked))} ${call.method} ${call.path}`;
  const kept = tx.recall(name);
  if (kept !== undefined) {
    if (kept.fingerprint !== fingerprint)
      throw (how.keyReused ?? keyReused)(key, asked, firstUse(kept.fingerprint));
    const { status, headers, body } = kept;
    return { status, headers: [...headers, ...(how.replayed?.(headers) ?? [])], body };
  }
  const made = work(asked, told);
  const { status, headers, body } = made;
  if (keeps(status) && (body === null || typeof body === 'string'))
    tx.remember(name, { fingerprint, status, headers, body: body ?? '' }, tx.now + KEPT_MS);
  return made;
}

function callerOf({ call }: Asked): string {
  return digest(headerOf(call, 'authorization') ?? '');
}

function bodyText(_body: unknown, { call }: Asked): string {
  return new TextDecoder().decode(call.body);
}

function isDone(status: number): boolean {
  return status < 400;
}

function firstUse(fingerprint: string): FirstUse {
  const [, method = '', path = ''] = fingerprint.split(' ');
  return { method, path };
}

function keyTooLong(charsMax: number): Refusal {
  return new Refusal(400, 'invalid_idempotency_key', `A key may hold ${charsMax} characters.`);
}

function keyReused(key: string): Refusal {
  return new Refusal(409, 'idempotency_key_reused', `The key ${key} was used for another request.`);
}
