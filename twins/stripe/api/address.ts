// Addresses: what a caller gives of one, and the whole of it as Stripe answers.
import type { Address } from './wire.ts';

export const EMPTY_ADDRESS: Address = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
};

type Lines = { readonly [line: string]: string | null | undefined };

/** Every line of an address is answered, null where it was not given. */
export function fullAddress(given: Lines): Address;
export function fullAddress(given: Lines | null): Address | null;
export function fullAddress(given: Lines | null): Address | null {
  if (given === null) return null;
  return Object.fromEntries(
    Object.keys(EMPTY_ADDRESS).map(line => [line, given[line] ?? null]),
  ) as unknown as Address;
}
