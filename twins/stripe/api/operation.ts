// An operation of the API as data: its route, what it takes, and what it does.
import type { Ask as KitAsk, Operation as KitOperation } from '../../kit/operation.ts';
import type { Act } from './act.ts';
import { type Decoded, list, type Shape, text } from './params.ts';
import type { View } from './view.ts';

/** The records are reached through `act`, as the account that asks sees them; the query is among `params`. */
export type Ask<S extends Shape> = Pick<KitAsk, 'call' | 'path'> & {
  readonly act: Act;
  readonly params: Decoded<S>;
};

/**
 * Answers the object before expansion, or a file as its `$bytes` of its `$type`. Throws `StripeRefusal` before its first
 * write, or not at all.
 */
export type Operation = KitOperation<Ask<Shape>, View> & {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly shape: Shape;
  /** Parameters Stripe has and this twin does not model, as `name` or `items[][name]`. */
  readonly unmodelled: readonly string[];
  readonly body: 'form' | 'json' | 'multipart';
};

/** `GET /v1/customers/{customer}` is the route; every operation takes `expand`. */
export function operation<const S extends Shape>(
  name: string,
  route: `${'GET' | 'POST' | 'DELETE'} /${string}`,
  shape: S,
  run: (ask: Ask<S>) => View,
  unmodelled: readonly string[] = [],
  body: Operation['body'] = 'form',
): Operation {
  const [method, path] = route.split(' ') as ['GET' | 'POST' | 'DELETE', string];
  return {
    name,
    method,
    path,
    shape: { ...shape, expand: list(text()) },
    unmodelled,
    body,
    // The decoder makes what the shape says; that it is of this shape, no type of a list of operations can tell.
    run: run as unknown as Operation['run'],
  };
}
