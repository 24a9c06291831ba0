// What the API asks of an older version of itself: the products know only today's.
import type { Call } from '../../kit/call.ts';
import type { FormMap } from '../../kit/form.ts';
import type { RecordBody } from '../../kit/tx.ts';
import type { VendorField } from './vendor.ts';
import { objectFields } from './vendor.ts';
import type { View, Viewer } from './view.ts';

export type Older = {
  /**
   * Today's objects as this version showed them, those inside others too. In place, where they are the answer's alone:
   * what was written may be told of by the same views.
   */
  readonly turned: (by: Viewer, view: View, how?: { readonly inPlace: boolean }) => View;
  /** What of an object could be expanded in this version and is elsewhere today. */
  readonly fields: (object: string) => readonly VendorField[];
  /** Makes today's parameters of this version's, in place. */
  readonly today: (operation: string, form: FormMap) => void;
};

/** Who looks at objects as an older version has them. */
export type AsOf = Viewer & { readonly older: Older };

export type AskedIn = {
  readonly version: string;
  /** The caller says so; another's is the account's default, and what it sends may be of any age. */
  readonly named: boolean;
};

/** How the twin is told of versions. */
export type Versions = {
  /** Null for the version that the products speak. */
  readonly older: (version: string) => Older | null;
  /** Throws for an operation, or a parameter, that a version has no more. */
  readonly check: (operation: string, form: FormMap, asked: AskedIn, call: Call) => void;
};

/** On a view: the record that it is of. Copies of the view have it too; what is answered or stored has it not. */
export const KEPT: unique symbol = Symbol('kept');

/** So that turning it back need not read the record again. */
export function keepWith(view: View, record: RecordBody): void {
  (view as { [KEPT]?: RecordBody })[KEPT] = record;
}

export function keptOf<T extends RecordBody>(view: View): T | undefined {
  return (view as { readonly [KEPT]?: T })[KEPT];
}

/** What an answer has in every version though the vendor no longer declares it. */
export const UNDECLARED: { readonly [object: string]: readonly VendorField[] } = {
  subscription: [{ name: 'plan', optional: false, nullable: true, shape: '&plan' }],
};

/** The fields of an object as a version has them; undefined when the API knows no such object. */
export function fieldsIn(object: string, older: Older | undefined): readonly VendorField[] | undefined {
  const fields = objectFields(object);
  const more = [...(UNDECLARED[object] ?? []), ...(older?.fields(object) ?? [])];
  return fields === undefined || more.length === 0 ? fields : [...more, ...fields];
}
