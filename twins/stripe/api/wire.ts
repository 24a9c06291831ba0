// The vendor's own published types, bent to what a record holds: decimals are strings, and a field that may be
// expanded holds the id. So the compiler proves every object complete (test of `tsconfig.json`; the neutral
// configurations map `stripe` to sdk-opaque.d.ts, because the SDK's types pull in Node's). Types only: nothing
// of the SDK is loaded at run time.
import type { Stripe } from 'stripe';

/** `string | Customer | DeletedCustomer | null` → `string | null`. */
type Unexpanded<F> = string extends F ? Exclude<F, { id: string; object: string }> : F;

export type Wire<T> = 0 extends 1 & T
  ? T // `any`: the opaque types stay as they are
  : T extends string
    ? T
    : T extends Stripe.Decimal
      ? string
      : T extends readonly (infer Item)[]
        ? Wire<Unexpanded<Item>>[]
        : T extends object
          ? { [K in keyof T]: Wire<Unexpanded<T[K]>> }
          : T;

/** What a record adds for the twin's own use: names with a `$`, never answered. */
export type Stored<T, Gone extends keyof T, Own> = 0 extends 1 & T
  ? T
  : Omit<Wire<T>, Gone | 'deleted'> & Own;

export type Address = Stripe.Address;

/** Of a type whose declarations say too little: kept as it is answered. */
export type Kept = { id: string; object: string; [field: string]: unknown };
