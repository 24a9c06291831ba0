// Customers as other objects' pages name them, and as a person's words find them.
import { type Html, html } from '../../kit/html.ts';
import { byWord } from '../../kit/tx.ts';
import { find, select } from '../api/act.ts';
import type { Customer } from '../customers/records.ts';
import type { RecordName, Records } from '../records.ts';
import { refer, type Visit } from './visit.ts';

const FOUND_MAX = 20;
/** What Stripe's own search finds customers by, besides their metadata. */
const FIELDS = ['email', 'name', 'phone'] as const;

export function customerName({ name, email, id }: Customer): string {
  return name || email || id;
}

/** A link to a customer by the name that people know. */
export function person(visit: Visit, id: string | null): Html {
  if (id === null) return html`<span class="quiet">none</span>`;
  const held = find(visit.act, 'customer', id);
  return refer(visit, id, held === undefined ? id : customerName(held));
}

/** Those whose email, name or phone is what was typed, in whatever letters. */
export function customersCalled({ act }: Visit, words: string): readonly Customer[] {
  const found = new Map<string, Customer>();
  const known = find(act, 'customer', words);
  if (known !== undefined) found.set(known.id, known);
  for (const field of FIELDS) {
    const where = byWord(field, words);
    const keep = (body: { readonly [name: string]: unknown }) => body['deleted'] !== true;
    for (const held of select(act.tx, 'customer', { where, keep, limit: FOUND_MAX }).items)
      found.set(held.id, held);
  }
  return [...found.values()].slice(0, FOUND_MAX);
}

/** What belongs to the customers that the words name, and the object whose id they are. */
export function ofPeople<Name extends RecordName>(
  visit: Visit,
  type: Name,
  words: string,
): readonly Records[Name][] {
  const { act } = visit;
  const itself = find(act, type, words);
  if (itself !== undefined) return [itself];
  return customersCalled(visit, words)
    .flatMap(({ id }) => select(act.tx, type, { where: { customer: id }, limit: FOUND_MAX }).items)
    .slice(0, FOUND_MAX);
}
