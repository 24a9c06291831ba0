// What a product says of one type of its records: a row of its `records.ts`. A record is the vendor's object with ids
// where it may be expanded, and names with a `$` that are the twin's own.
import type { RecordType } from '../../kit/twin.ts';
import type { Records } from '../records.ts';
import type { View, Viewer } from './view.ts';

export type RecordRow<Held> = RecordType & {
  /** As Stripe's messages name it, where that is not the type's own name. */
  readonly noun?: string;
  /** What a view of it has besides the record's own fields, or in place of them. */
  readonly inlined?: (by: Viewer, record: Held) => View;
  /** What `expand[]` finds by a path inside it, where the vendor's declarations do not say so already. */
  readonly expandable?: { readonly [path: string]: Expandable };
};

/** A reference to a record of one of several types, or a field that only shows when it is expanded, or one that is never expanded here. */
export type Expandable =
  | { readonly refs: readonly string[] }
  | { readonly include: (by: Viewer, view: View) => unknown }
  | 'empty';

/** The rows of one product, by its map of types: `RecordRows<IssuingRecords>`. */
export type RecordRows<Held> = { readonly [Name in keyof Held]: RecordRow<Held[Name]> };

/** The rows of all products. */
export type RecordTable = RecordRows<Records>;
