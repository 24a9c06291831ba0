// Keys for requests that are to be done once, as Stripe takes them: each account's own, for a day, for one endpoint and the
// same parameters in any order.
import type { FormMap } from '../../kit/form.ts';
import type { Idempotency } from '../../kit/idempotency.ts';
import { invalid } from './errors.ts';
import type { Request } from './request.ts';

export const IDEMPOTENCY: Idempotency<Request, FormMap> = {
  owner: (_asked, { account }) => account ?? '',
  said: canonical,
  // What fails validation did not begin, and may be asked again with the same key.
  keeps: status => status < 300 || status === 402,
  replayed: headers => [
    ['Idempotent-Replayed', 'true'],
    ['Original-Request', headers.find(([name]) => name === 'Request-Id')?.[1] ?? ''],
  ],
  keyTooLong: charsMax =>
    invalid(`Idempotency keys must be at most ${charsMax} characters.`, { type: 'idempotency_error' }),
  keyReused: (key, { call }, first) => {
    const why =
      first.method === call.method && first.path === call.path
        ? 'Keys for idempotent requests can only be used with the same parameters they were first used with.'
        : `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${first.path}' vs '${call.path}').`;
    return invalid(
      `${why} Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: 'idempotency_error' },
    );
  },
};

function canonical(form: FormMap): string {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted.map(([name, node]) => [name, node instanceof Map ? canonical(node) : node]));
}
