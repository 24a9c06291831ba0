// What a twin waits for on the world's clock. Each twin names its kinds once, as a type, and has a handler for every one
// of them; what is scheduled is one of those kinds and nothing else.
import type { Instant, RecordBody, Tx } from './tx.ts';

/** Kind → what its handler is given. The payload is JSON and small: ids, not records. */
export type DueKinds = { readonly [kind: string]: RecordBody };

/** A payload as it is stored: `{ kind: 'renew', subscription: 'sub_…' }`. */
export type DuePayload<Kinds extends DueKinds> = {
  readonly [Kind in keyof Kinds]: { readonly kind: Kind } & Kinds[Kind];
}[keyof Kinds];

/** One handler a kind; the compiler holds the table complete. `Context` is the twin's own. */
export type DueHandlers<Kinds extends DueKinds, Context> = {
  readonly [Kind in keyof Kinds]: (payload: Kinds[Kind], context: Context) => void;
};

/** `Tx.schedule` for the kinds of one twin. A key replaces its earlier event. */
export function schedule<Kinds extends DueKinds>(
  tx: Pick<Tx, 'schedule'>,
  key: string,
  at: Instant,
  payload: DuePayload<Kinds>,
): void {
  tx.schedule(key, at, payload as RecordBody);
}

/** Hands a stored payload to the handler of its kind. Throws on a kind that no handler is for. */
export function handleDue<Kinds extends DueKinds, Context>(
  handlers: DueHandlers<Kinds, Context>,
  payload: RecordBody,
  context: Context,
): void {
  const { kind } = payload;
  if (typeof kind !== 'string' || !Object.hasOwn(handlers, kind))
    throw new Error(`nothing waits for ${kind}`);
  handlers[kind as keyof Kinds](payload as Kinds[keyof Kinds], context);
}
