// A call that is refused, thrown wherever that is found out; one place of each twin writes it in the vendor's own shape
// (`errors.ts`). What was written before is undone with it, unless the vendor takes the refusal for an outcome.
import type { Reply } from './reply.ts';

export type RefusalDetails = { readonly [name: string]: unknown };

/** V8's: how many frames a new error notes. */
const stacks = Error as { stackTraceLimit?: number };

/** An answer and no bug, so nobody reads where it was thrown: to note that costs as much as some answers do. */
class Unwinding extends Error {
  constructor(message: string) {
    const { stackTraceLimit = 0 } = stacks;
    stacks.stackTraceLimit = 0;
    super(message);
    stacks.stackTraceLimit = stackTraceLimit;
  }
}

export class Refusal extends Unwinding {
  override readonly name = 'Refusal';
  /** HTTP status. */
  readonly status: number;
  /** The vendor's own word for it: `not_found`, `resource_missing`; empty where it has none. */
  readonly code: string;
  /** What else the vendor says of it, by the vendor's names. */
  readonly details: RefusalDetails;

  constructor(status: number, code: string, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** A refusal in the vendor's shape, on its way out of `Twin.respond`: the world undoes the call and sends the answer. */
export class RefusedReply extends Unwinding {
  override readonly name = 'RefusedReply';
  readonly reply: Reply;

  constructor(reply: Reply) {
    super('refused');
    this.reply = reply;
  }
}
