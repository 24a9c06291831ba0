// What two answers to the same request differ in, field by field: the status, which fields there are and of which kind,
// and every value that is not chance. An id is held against where it was met before: the same on one side must be the
// same on the other.
import type { Answered } from './story.ts';

export type Difference = {
  /** `items.data[0].price.id`; empty for the status. */
  readonly field: string;
  readonly what: 'status' | 'missing' | 'surplus' | 'kind' | 'value' | 'reference' | 'length' | 'not-asked';
  readonly twin: unknown;
  readonly vendor: unknown;
};

/** Fields whose value nobody foretells, by name: only whether it is there, and its kind, is compared. */
export const CHANCE: { readonly [field: string]: string } = {
  attempt_count: 'a number of attempts',
  authorization_code: 'made by the card’s bank',
  client_secret: 'a secret',
  fingerprint: 'made of the account and the card',
  invoice_prefix: 'drawn for the customer',
  network_transaction_id: 'made by the card’s network',
  next_invoice_sequence: 'counted in the account, or by the customer',
  number: 'counted behind a prefix that was drawn',
  pending_webhooks: 'how many endpoints the account has',
  receipt_number: 'drawn',
  request_log_url: 'an address in the account’s dashboard',
  risk_score: 'Radar’s',
  secret: 'a secret',
  transaction_id: 'made by the card’s network',
};

/** Fields that say whose account it is: not compared at all. */
export const OF_THE_ACCOUNT: { readonly [field: string]: string } = {
  account_country: 'where the account is',
  account_name: 'what the account is called',
  calculated_statement_descriptor: 'the account’s, unless it is given',
  payment_method_configuration_details: 'what the account has switched on',
  payment_method_types: 'what the account has switched on, unless it is given',
};

/** Seconds since 1970: a number from 2001 on in both places is a time. */
const TIME_MIN = 1_000_000_000;
/** An id has its type before it, and at least so many characters of its own. */
const ID = /\b[a-z][a-z0-9]*(?:_[a-z]+)*_[A-Za-z0-9]{14,}\b/g;

export type Alike = {
  /** What this answer of the twin differs in from the vendor's. Remembers which id stands for which. */
  readonly compare: (twin: Answered, vendor: Answered) => Difference[];
};

/** For one story: ids mean nothing in another. */
export function openAlike(): Alike {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  const meet = (twin: string, vendor: string): boolean => {
    const known = ids.get(twin);
    if (known !== undefined) return known === vendor;
    if (taken.has(vendor)) return false;
    ids.set(twin, vendor);
    taken.add(vendor);
    return typeOf(twin) === typeOf(vendor);
  };

  function texts(twin: string, vendor: string, field: string): Difference[] {
    const differs = (what: Difference['what']): Difference[] => [{ field, what, twin, vendor }];
    const known = ids.has(twin) || taken.has(vendor);
    if (known || lastOf(field) === 'id' || (isId(twin) && isId(vendor)))
      return meet(twin, vendor) ? [] : differs('reference');
    if (twin === vendor) return [];
    if (hostOf(twin) !== null && hostOf(twin) === hostOf(vendor)) return [];
    // A message or a path that names ids says the same when they stand for each other.
    const told = twin.replaceAll(ID, id => ids.get(id) ?? id);
    return told === vendor ? [] : differs('value');
  }

  function hashes(twin: Hash, vendor: Hash, at: string): Difference[] {
    const found: Difference[] = [];
    // What an object calls itself is met first: other fields may name it.
    const names = [...new Set([...Object.keys(vendor), ...Object.keys(twin)])];
    for (const name of names.sort((a, b) => Number(b === 'id') - Number(a === 'id'))) {
      const field = at === '' ? name : `${at}.${name}`;
      if (Object.hasOwn(OF_THE_ACCOUNT, name)) continue;
      if (!Object.hasOwn(twin, name))
        found.push({ field, what: 'missing', twin: undefined, vendor: vendor[name] });
      else if (!Object.hasOwn(vendor, name))
        found.push({ field, what: 'surplus', twin: twin[name], vendor: undefined });
      else found.push(...values(twin[name], vendor[name], field));
    }
    return found;
  }

  function values(twin: unknown, vendor: unknown, field: string): Difference[] {
    if (kindOf(twin) !== kindOf(vendor)) return [{ field, what: 'kind', twin, vendor }];
    if (Array.isArray(twin) && Array.isArray(vendor)) {
      const length: Difference[] =
        twin.length === vendor.length
          ? []
          : [{ field, what: 'length', twin: twin.length, vendor: vendor.length }];
      const both = twin.slice(0, vendor.length);
      return [...length, ...both.flatMap((item, at) => values(item, vendor[at], `${field}[${at}]`))];
    }
    if (typeof twin === 'object' && twin !== null) return hashes(twin as Hash, vendor as Hash, field);
    if (Object.hasOwn(CHANCE, lastOf(field))) return [];
    if (typeof twin === 'string') return texts(twin, vendor as string, field);
    if (typeof twin === 'number' && twin >= TIME_MIN && (vendor as number) >= TIME_MIN) return [];
    return twin === vendor ? [] : [{ field, what: 'value', twin, vendor }];
  }

  return {
    compare: (twin, vendor) => [
      ...(twin.status === vendor.status
        ? []
        : [{ field: '', what: 'status' as const, twin: twin.status, vendor: vendor.status }]),
      ...values(twin.body, vendor.body, ''),
    ],
  };
}

type Hash = { readonly [field: string]: unknown };

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
const lastOf = (field: string): string => (field.split('.').at(-1) ?? '').replace(/\[\d+\]$/, '');
const isId = (text: string): boolean => text.replaceAll(ID, '') === '' && text !== '';
const typeOf = (id: string): string => id.slice(0, id.lastIndexOf('_') + 1);

function hostOf(text: string): string | null {
  return text.startsWith('https://') && URL.canParse(text) ? new URL(text).host : null;
}
