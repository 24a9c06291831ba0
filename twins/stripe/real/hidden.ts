// What Stripe shows of its objects that opens something: an app's page pays with a client secret, and a webhook's secret
// signs. None of it is kept of what was seen at the real vendor, so that it is in no answer, log, diff or changeset (2.8).
import type { RecordBody } from '../../kit/tx.ts';

/** Wherever they are in an object, but for its metadata, which is its owner's. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'access_token',
  'client_secret',
  'ephemeral_key',
  'persistent_token',
  'refresh_token',
  'secret',
  'signing_secret',
]);

const HIDDEN = 'hidden';

/** The object with its secrets hidden; the same each time, so that a change of one is none here. */
export function withoutSecrets(object: RecordBody): RecordBody {
  return hide(object) as RecordBody;
}

function hide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hide);
  if (typeof value !== 'object' || value === null) return value;
  const made: { [name: string]: unknown } = {};
  for (const [name, held] of Object.entries(value)) {
    const is = name === 'metadata' ? held : secretIn(name, held);
    Object.defineProperty(made, name, { value: is, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function secretIn(name: string, held: unknown): unknown {
  if (typeof held !== 'string' || !SECRET_FIELDS.has(name)) return hide(held);
  // `pi_123_secret_abc`: what it is of stays, since the vendor's own scripts read that much of it.
  const at = held.indexOf('_secret_');
  return at === -1 ? HIDDEN : `${held.slice(0, at)}_secret_${HIDDEN}`;
}
