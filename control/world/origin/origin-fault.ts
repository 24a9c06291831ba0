// Why something with the origin did not come to be; nothing of this world was changed.
import type { Conflict } from './conflict.ts';

export type OriginWhy =
  | 'no-origin'
  | 'no-sealer'
  | 'bad-url'
  | 'bad-token'
  | 'is-branch'
  | 'other-origin'
  | 'same-history'
  | 'seal-away'
  | 'seal-unreadable'
  | 'origin-away'
  | 'origin-refuses'
  | 'origin-rewritten'
  | 'origin-moved'
  | 'no-world'
  | 'twin-differs'
  | 'branch-stands-on'
  | 'hash-changed'
  | 'conflict';

export class OriginFault extends Error {
  override readonly name = 'OriginFault';
  readonly why: OriginWhy;
  readonly details: {
    readonly conflicts?: readonly Conflict[];
    readonly pushed?: readonly string[];
    readonly drift?: unknown;
  };

  constructor(why: OriginWhy, message: string, details: OriginFault['details'] = {}) {
    super(message);
    this.why = why;
    this.details = details;
  }
}
