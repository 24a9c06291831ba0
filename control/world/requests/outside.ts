// What goes through a world's proxy to no twin: to what is granted, or nowhere. The host reads it of the proxy's own journal
// when somebody looks; a host without a proxy has none.
import type { Tally } from './tally.ts';

export type OutsideLine = {
  /** Grows with every line. */
  readonly seq: number;
  /** Wall time. */
  readonly at: number;
  readonly outcome: 'granted' | 'refused';
  readonly run: string | null;
  readonly method: string | null;
  readonly host: string | null;
  /** Without its query; null for a tunnel. */
  readonly path: string | null;
  readonly rule: string | null;
  /** 0: it was cut, or a tunnel. */
  readonly status: number;
  readonly ms: number | null;
  readonly trace: string | null;
};

/** Of one minute. */
export type OutsideMinute = { granted: number; refused: number; readonly times: Tally };

export type OutsideSeen = {
  /** Oldest first; the newest there are. */
  readonly lines: readonly OutsideLine[];
  /** By the beginning of the minute. */
  readonly minutes: ReadonlyMap<number, OutsideMinute>;
  /** From when on all are counted; null for none yet. */
  readonly since: number | null;
};

export type Outside = {
  /** All that the proxy has written by now. */
  look(): Promise<OutsideSeen>;
};

export const NOTHING_OUTSIDE: OutsideSeen = { lines: [], minutes: new Map(), since: null };
