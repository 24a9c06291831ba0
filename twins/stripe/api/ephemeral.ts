// What an ephemeral key opens: a mobile client shows and changes how one customer pays, for an hour, and nothing else.
import { type Act, find } from './act.ts';
import { expiredKey, invalidKey, missing, StripeRefusal } from './errors.ts';
import type { Opened } from './keys.ts';

const ID_CHARS = 24;

/** The secret says whose it is: it is answered once and not kept. */
export function secretOf(act: Act, id: string): string {
  return `ek_test_${id.slice('ephkey_'.length)}${act.tx.id('', ID_CHARS)}`;
}

type CustomerOf = (act: Act, opened: Opened) => unknown;

const inPath: CustomerOf = (_act, { path }) => path['customer'];
const inParams: CustomerOf = (_act, { params }) => params['customer'];
const ofMethod: CustomerOf = (act, { path }) =>
  find(act, 'payment_method', path['payment_method'] ?? '')?.customer;

/** Where each operation that is open says whose it is, by its name. */
const OPEN: ReadonlyMap<string, CustomerOf> = new Map([
  ['customers.retrieve', inPath],
  ['customers.listPaymentMethods', inPath],
  ['customers.retrievePaymentMethod', inPath],
  ['paymentMethods.list', inParams],
  ['paymentMethods.attach', inParams],
  ['paymentMethods.detach', ofMethod],
]);

/** Throws for a key that is gone, for an operation that it does not open and for anybody else's. */
export function checkEphemeral(act: Act, key: string, opened: Opened): void {
  const id = key.slice('ek_test_'.length).slice(0, ID_CHARS);
  const held = find(act, 'ephemeral_key', `ephkey_${id}`);
  if (held === undefined) throw invalidKey(key);
  if (held.expires <= act.at) throw expiredKey(key);
  const customerOf = OPEN.get(opened.operation);
  if (customerOf === undefined)
    throw new StripeRefusal(
      403,
      'This API call cannot be made with an ephemeral API key. Please use a secret API key. You can find a list of ' +
        'your API keys at https://dashboard.stripe.com/account/apikeys.',
      { code: 'secret_key_required' },
    );
  const customer = customerOf(act, opened);
  if (held.$customer !== null && customer === held.$customer) return;
  // What it may not see is not there.
  const method = opened.path['payment_method'];
  throw customerOf === ofMethod && method !== undefined
    ? missing('PaymentMethod', method, { param: 'payment_method', inPath: true })
    : missing('customer', String(customer ?? ''), { param: 'customer', inPath: customerOf === inPath });
}
