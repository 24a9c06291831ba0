// Where a customer is for its taxes: as good as its addresses say it, because none is looked up here.
import type { Stripe } from 'stripe';
import type { Customer } from './records.ts';

/** Null where it would not do to find a tax by. */
export function taxLocation({
  address,
  shipping,
}: Pick<Customer, 'address' | 'shipping'>): NonNullable<Stripe.Customer['tax']>['location'] {
  const shipped = shipping?.address;
  const at = shipped ?? address;
  if (at?.country == null || (at.country === 'US' && at.postal_code === null)) return null;
  return {
    country: at.country,
    source: shipped == null ? 'billing_address' : 'shipping_destination',
    state: at.state ?? null,
  };
}

/** `tax` of a customer, which shows when it is asked for. */
export function taxOf(
  customer: Pick<Customer, 'address' | 'shipping' | '$ip'>,
): NonNullable<Stripe.Customer['tax']> {
  const location = taxLocation(customer);
  const automatic_tax = location === null ? 'unrecognized_location' : 'supported';
  return { automatic_tax, ip_address: customer.$ip ?? null, location, provider: 'stripe' };
}
