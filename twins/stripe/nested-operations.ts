// Addresses under a customer's that no SDK asks any more and that Stripe still answers: each does what an operation does
// that has an address of its own.
import { find } from './api/act.ts';
import { invalid, missing } from './api/errors.ts';
import type { Ask, Operation } from './api/operation.ts';
import { integer, type Shape, text } from './api/params.ts';
import type { View } from './api/view.ts';
import { OPERATIONS } from './operations.ts';

type Nested = { readonly [field: string]: string };

function operationNamed(name: string): Operation {
  const found = OPERATIONS.find(operation => operation.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

/** Parameters that an address took and that the operation has under another name. */
type Former = { readonly shape: Shape; readonly turn: (params: Params) => Params };
type Params = { readonly [name: string]: unknown };

/** `fixed` are parameters that the path says. */
function nested(
  method: Operation['method'],
  path: string,
  name: string,
  fixed: (ask: Ask<Shape>) => Nested,
  former: Former = { shape: {}, turn: params => params },
): Operation {
  const target = operationNamed(name);
  return {
    ...pick(target),
    method,
    path,
    get shape() {
      const { customer: _said, object: _too, ...shape } = target.shape;
      return { ...shape, ...former.shape };
    },
    run: (ask): View => {
      const view = target.run({ ...ask, params: { ...former.turn(ask.params), ...fixed(ask) } });
      return view['object'] === 'list' ? { ...view, url: ask.call.path } : view;
    },
  };
}

const pick = ({ name, unmodelled, body }: Operation): Pick<Operation, 'name' | 'unmodelled' | 'body'> => ({
  name,
  unmodelled,
  body,
});

const itsCustomer = ({ path }: Ask<Shape>): Nested => ({ customer: path['customer'] ?? '' });

/** Throws for a subscription of somebody else. */
function itsOwn({ act, path }: Ask<Shape>): Nested {
  const id = path['subscription'] ?? '';
  if (find(act, 'subscription', id)?.customer !== path['customer'])
    throw missing('subscription', id, { param: 'id', inPath: true });
  return {};
}

const none = (): Nested => ({});

/** A subscription of one plan said so beside its other fields. */
const ONE_PLAN: Former = {
  get shape() {
    const { items } = operationNamed('subscriptions.create').shape;
    const { required: _now, ...optional } = items as NonNullable<typeof items>;
    return { items: optional as Shape[string], plan: text(), quantity: integer(0) };
  },
  turn: ({ plan, quantity, items, ...others }) => {
    if (plan !== undefined && items !== undefined) {
      throw invalid('You may only specify one of these parameters: plan, items.', {
        code: 'parameters_exclusive',
        param: 'plan',
      });
    }
    if (plan === undefined && items === undefined)
      throw invalid('Missing required param: items.', { code: 'parameter_missing', param: 'items' });
    if (plan === undefined) return { ...others, items };
    return { ...others, items: [{ plan, ...(quantity === undefined ? {} : { quantity }) }] };
  },
};

const ONE_CARD: Former = {
  get shape() {
    const { source } = operationNamed('customers.createSource').shape;
    const { required: _now, ...optional } = source as NonNullable<typeof source>;
    return { source: optional as Shape[string], card: optional as Shape[string] };
  },
  turn: ({ card, source = card, ...others }) => {
    if (source === undefined)
      throw invalid('Missing required param: source.', { code: 'parameter_missing', param: 'source' });
    return { ...others, source };
  },
};

const SUBSCRIPTIONS = '/v1/customers/{customer}/subscriptions';
const CARDS = '/v1/customers/{customer}/cards';

export const NESTED_OPERATIONS: readonly Operation[] = [
  nested('GET', SUBSCRIPTIONS, 'subscriptions.list', itsCustomer),
  nested('POST', SUBSCRIPTIONS, 'subscriptions.create', itsCustomer, ONE_PLAN),
  nested('GET', `${SUBSCRIPTIONS}/{subscription}`, 'subscriptions.retrieve', itsOwn),
  nested('POST', `${SUBSCRIPTIONS}/{subscription}`, 'subscriptions.update', itsOwn),
  nested('DELETE', `${SUBSCRIPTIONS}/{subscription}`, 'subscriptions.cancel', itsOwn),
  nested('GET', CARDS, 'customers.listSources', () => ({ object: 'card' })),
  nested('POST', CARDS, 'customers.createSource', none, ONE_CARD),
  nested('GET', `${CARDS}/{id}`, 'customers.retrieveSource', none),
  nested('POST', `${CARDS}/{id}`, 'customers.updateSource', none),
  nested('DELETE', `${CARDS}/{id}`, 'customers.deleteSource', none),
];
