// Where a payment's goods are sent to.
import { fullAddress } from '../api/address.ts';
import { addressParam, type Decoded, hash, required, text } from '../api/params.ts';
import type { PaymentIntent } from './records.ts';

const shipping = hash({
  address: required(addressParam()),
  carrier: text(),
  name: required(text()),
  phone: text(),
  tracking_number: text(),
});
export function shippingParam(): typeof shipping {
  return shipping;
}

export function shippingOf(given: Decoded<{ s: typeof shipping }>['s'] | null): PaymentIntent['shipping'] {
  if (given === null || given === undefined) return null;
  return {
    address: fullAddress(given.address) as NonNullable<ReturnType<typeof fullAddress>>,
    carrier: given.carrier ?? null,
    name: given.name,
    phone: given.phone ?? null,
    tracking_number: given.tracking_number ?? null,
  };
}
