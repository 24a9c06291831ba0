// W3C trace context of a call (4.9): the sender's trace continued, or a new one; the span is always ours.
import type { Trace } from '../../twins/kit/call.ts';
import type { Entropy } from '../ports/entropy.ts';

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZERO_TRACE = '0'.repeat(32);
const ZERO_SPAN = '0'.repeat(16);

// Ids come out of one draw of this many bytes: a draw per request costs more than the rest of its head.
const POOL_BYTES = 4_096;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export class Tracer {
  readonly #entropy: Entropy;
  #pool: Uint8Array = new Uint8Array(0);
  #used = 0;

  constructor(entropy: Entropy) {
    this.#entropy = entropy;
  }

  /** `traceparent` as it came; one that is malformed or doubled starts a new trace, as the standard asks. */
  open(traceparent: string | readonly string[] | undefined): Trace {
    if (typeof traceparent === 'string') {
      const parts = TRACEPARENT.exec(traceparent);
      if (parts) {
        const [, version = '', traceId = '', parentId = '', more] = parts;
        const known = version !== 'ff' && (version !== '00' || more === undefined);
        if (known && traceId !== ZERO_TRACE && parentId !== ZERO_SPAN)
          return { traceId, spanId: this.#hex(8), parentId };
      }
    }
    return { traceId: this.#hex(16), spanId: this.#hex(8), parentId: null };
  }

  #hex(bytes: number): string {
    if (this.#used + bytes > this.#pool.length) {
      this.#pool = this.#entropy.bytes(POOL_BYTES);
      this.#used = 0;
    }
    let text = '';
    for (const end = this.#used + bytes; this.#used < end; this.#used++) text += HEX[this.#pool[this.#used]!];
    return text;
  }
}
