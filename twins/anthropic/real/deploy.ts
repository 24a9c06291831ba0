// How what was done at the twin is done at Anthropic (3). It documents no idempotency header, and its SDK sends none; what it
// makes has no metadata either, so that of a creation whose answer was lost nobody knows.
import { objectField, readJson, textField } from '../../kit/json.ts';
import { cancelled, GONE, objectIn } from '../../kit/lookups.ts';
import type { Deploys, Done } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';

/** What leaves nothing at Anthropic. */
const UNABLE: readonly (readonly [path: RegExp, reason: string])[] = [
  [
    /^\/v1\/messages$/,
    'a model answered it here: asked again, Anthropic would charge for another answer than the one the app went on with',
  ],
  [/^\/v1\/messages\/count_tokens$/, 'it counts tokens, and leaves nothing at Anthropic'],
];

const READABLE = /^\/v1\/(?:files|messages\/batches)\/[^/?]+(?:\?|$)/;
const CANCELS = /^\/v1\/messages\/batches\/[^/?]+\/cancel(?:\?|$)/;

export const anthropicDeploys: Deploys = {
  once: null,
  unable: ({ path }) => UNABLE.find(([pattern]) => pattern.test(path))?.[1] ?? null,
  done: (_request, answer) => doneOf(objectIn(answer)),
  refusal: ({ body }) => textField(objectField(readJson(body), 'error'), 'message') ?? '',
  lookup: ({ method, path }) => {
    if (method === 'DELETE') return READABLE.test(path) ? GONE : null;
    return CANCELS.test(path) ? CANCELLED : null;
  },
};

const doneOf = (object: RecordBody): Done => {
  const id = textField(object, 'id');
  return { ...(id === null ? {} : { id }), object };
};

const CANCELLED = cancelled(
  object =>
    textField(object, 'processing_status') === 'canceling' ||
    textField(object, 'cancel_initiated_at') !== null,
  doneOf,
);
