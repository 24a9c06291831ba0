// One of Stripe's products as this twin models it: what is called, what is kept, what falls due, what is told of.
import type { DueHandlers, DueKinds, DuePayload } from '../../kit/due.ts';
import type { Due } from '../due.ts';
import type { Act } from './act.ts';
import type { Operation } from './operation.ts';
import type { RecordRows } from './record-row.ts';

export type Product<Held = object, Kinds extends DueKinds = NothingDue> = {
  readonly operations: readonly Operation[];
  readonly records: RecordRows<Held>;
  readonly due: DueHandlers<Kinds, Falling>;
  /** The types of the events it tells of. */
  readonly events: readonly string[];
  /** What the manifest lists its operations under. */
  readonly models: readonly Model[];
};

// biome-ignore lint/complexity/noBannedTypes: a product for which nothing falls due has no kinds at all
export type NothingDue = {};

/** Object type, the prefix of its ids (none for what has no id of its own), and the SDK's resource. */
export type Model = readonly [type: string, idPrefix: string, resource: string];

/** An instant that fell due, by the world's clock or by a test clock's. */
export type Falling = {
  readonly act: Act;
  /** Lets another event happen, which waited for a test clock. */
  readonly happen: (act: Act, payload: DuePayload<Due>) => void;
};
