// Addresses under a customer's that no SDK asks any more and that Stripe still answers: each does what an operation does
// that has an address of its own.
import { find } from './api/act.ts';
import { missing } from './api/errors.ts';
import type { Ask, Operation } from './api/operation.ts';
import type { Shape } from './api/params.ts';
import type { View } from './api/view.ts';
import { OPERATIONS } from './operations.ts';

type Nested = { readonly [field: string]: string };

function operationNamed(name: string): Operation {
  const found = OPERATIONS.find(operation => operation.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

/** `fixed` are parameters that the path says. */
function nested(
  method: Operation['method'],
  path: string,
  name: string,
  fixed: (ask: Ask<Shape>) => Nested,
): Operation {
  const target = operationNamed(name);
  return {
    ...pick(target),
    method,
    path,
    get shape() {
      const { customer: _said, object: _too, ...shape } = target.shape;
      return shape;
    },
    run: (ask): View => {
      const view = target.run({ ...ask, params: { ...ask.params, ...fixed(ask) } });
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

const SUBSCRIPTIONS = '/v1/customers/{customer}/subscriptions';
const CARDS = '/v1/customers/{customer}/cards';

export const NESTED_OPERATIONS: readonly Operation[] = [
  nested('GET', SUBSCRIPTIONS, 'subscriptions.list', itsCustomer),
  nested('POST', SUBSCRIPTIONS, 'subscriptions.create', itsCustomer),
  nested('GET', `${SUBSCRIPTIONS}/{subscription}`, 'subscriptions.retrieve', itsOwn),
  nested('POST', `${SUBSCRIPTIONS}/{subscription}`, 'subscriptions.update', itsOwn),
  nested('DELETE', `${SUBSCRIPTIONS}/{subscription}`, 'subscriptions.cancel', itsOwn),
  nested('GET', CARDS, 'customers.listSources', () => ({ object: 'card' })),
  nested('POST', CARDS, 'customers.createSource', none),
  nested('GET', `${CARDS}/{id}`, 'customers.retrieveSource', none),
  nested('POST', `${CARDS}/{id}`, 'customers.updateSource', none),
  nested('DELETE', `${CARDS}/{id}`, 'customers.deleteSource', none),
];
