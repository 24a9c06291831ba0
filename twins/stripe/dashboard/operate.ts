// The API's own operations, as the dashboard has them done: what a form or a list asks for is what a request would ask for.
import type { Call } from '../../kit/call.ts';
import { decodeForm } from '../../kit/form.ts';
import type { Act } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import type { Operation } from '../api/operation.ts';
import { decode } from '../api/params.ts';
import { onItsClock } from '../api/test-clock.ts';
import { declares } from '../api/vendor.ts';
import type { View } from '../api/view.ts';
import { OPERATIONS } from '../operations.ts';

const BY_NAME: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map(each => [each.name, each]));

/** As the SDK names it, with its form's fields: `customers.list`, `refunds.create`. */
export type Asking = {
  readonly operation: string;
  readonly path?: { readonly [name: string]: string };
  readonly params?: { readonly [field: string]: string };
};

/** What the operation answers. Throws what it throws: `StripeRefusal` for what the API would refuse. */
export function operate(act: Act, { operation: name, path = {}, params = {} }: Asking): View {
  const operation = BY_NAME.get(name);
  if (operation === undefined) throw new Error(`no operation is called ${name}`);
  const decoded = decodeForm(new URLSearchParams(params).toString());
  if (!decoded.ok) throw invalid(`Invalid request: the parameters are ${decoded.why}.`);
  const given = decode(decoded.form, operation.shape, {
    names: operation.unmodelled,
    operation: `${operation.method} ${operation.path}`,
    declares: (field, value) => declares(name, field, value),
  });
  return operation.run({ act: onItsClock(act, path, given), path, params: given, call: NO_CALL });
}

/** Only operations that take files look at the call itself. */
const NO_CALL: Call = {
  method: 'POST',
  host: 'dashboard.stripe.com',
  via: 'host',
  path: '/',
  query: '',
  headers: {},
  body: new Uint8Array(),
  caller: null,
  scope: 'write',
  trace: { traceId: '', spanId: '', parentId: null },
};
