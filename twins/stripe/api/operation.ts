// An operation of the API as data: its route, what it takes, and what it does.
import type { Call } from '../../kit/call.ts';
import type { Act } from './act.ts';
import { type Decoded, list, type Shape, text } from './params.ts';
import type { View } from './view.ts';

export type Ask<S extends Shape> = {
  readonly act: Act;
  /** The segments that the path names. */
  readonly path: { readonly [name: string]: string };
  readonly params: Decoded<S>;
  /** As it came, for what no form holds. */
  readonly call: Call;
};

export type Operation = {
  /** As the SDK names it: `customers.create`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly shape: Shape;
  /** Parameters Stripe has and this twin does not model, as `name` or `items[][name]`. */
  readonly unmodelled: readonly string[];
  readonly body: 'form' | 'json' | 'multipart';
  /**
   * Answers the object before expansion, or a file as its `$bytes` of its `$type`. Throws `StripeRefusal` before its
   * first write, or not at all.
   */
  readonly run: (ask: Ask<Shape>) => View;
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
    run: run as unknown as Operation['run'],
  };
}
