// What a transaction knows of the records that it has touched: as it found them, as the tables have them by now, and as
// the twin wants them.
import type { Instant, Page, RecordBody } from '../../../twins/kit/tx.ts';
import type { IndexValues } from './records.ts';

export type Slot = {
  readonly type: string;
  readonly id: string;
  readonly index: number;
  /** As the transaction found it. */
  readonly before: Stored | null;
  /** As the tables have it now. */
  stored: Stored | null;
  /** As the twin wants it; null when deleted. */
  wanted: Stored | null;
};

export type Stored = {
  /** Null until it is known which entry wrote it. */
  readonly pos: number | null;
  readonly ord: number;
  /** When it was made. */
  readonly at: Instant;
  /** Of what shows other records, a text when it is known how those stand in the end; null until then. */
  body: string | null;
  /** Null until they are asked for: most of what is only read never needs them. */
  values: IndexValues | null;
  /** The body as it stands in a row; null until it does. */
  row: string | null;
  /** As the twin put it; missing of what was found. */
  readonly value?: RecordBody;
};

/** A page of a list, and the texts of what is on it. */
export type Held = { readonly page: Page<never>; readonly texts: readonly string[] };

/** Of the slot of a record. */
export const slotKey = (type: string, id: string): string => `${type}\0${id}`;
