// One breaking change of the API, as a row of a table that is read backwards from today: what an object showed before it,
// what callers sent before it, and what they may not send since.
import type { Call } from '../../kit/call.ts';
import type { FormMap } from '../../kit/form.ts';
import type { RecordBody } from '../../kit/tx.ts';
import type { VendorShape } from '../api/vendor.ts';
import type { View, Viewer } from '../api/view.ts';
import type { RecordName } from '../records.ts';

export type Change = {
  /** The first version that has it. */
  readonly since: string;
  /** Its page at docs.stripe.com/changelog; where that is a whole release's, the SDK's changelog has the line. */
  readonly log: string;
  /** By the name of an object: gives it the fields that it had, from how the object is since. */
  readonly before?: { readonly [object: string]: Before };
  /** By the name of an object: what of it could be expanded, as the vendor's declarations would say it. */
  readonly fields?: { readonly [object: string]: { readonly [field: string]: VendorShape } };
  /** By operation: makes the parameters that it takes since of those it took, in place. */
  readonly params?: { readonly [operation: string]: (form: FormMap) => void };
  /** By operation: throws for what it takes no longer. Asked of callers that name their version. */
  readonly gone?: { readonly [operation: string]: (form: FormMap) => void };
  /** By operation: what is said of one that is no more. */
  readonly ended?: { readonly [operation: string]: (call: Call) => Error };
};

/**
 * Writes over an object that is nobody else's. Field by field, each by its name: what is copied over by names that are
 * only known then has the engine make a hash table of the object, which takes twice as long to copy and to write.
 */
export type Before = (view: Shown, by: Turning) => void;

export type Shown = { [field: string]: unknown };

/** Who turns an answer back. */
export type Turning = Viewer & {
  /** The record that a view is of, with what the twin keeps of it; undefined for what is in no store. */
  readonly kept: <T extends RecordBody = RecordBody>(type: RecordName, view: View) => T | undefined;
  /** The record that an id names: not read again where that of the object around was asked for. */
  readonly record: (type: RecordName, id: string) => RecordBody | undefined;
  /** The object that an id names, null when there is none. Read once an answer. */
  readonly found: (type: RecordName, id: unknown) => View | null;
};
