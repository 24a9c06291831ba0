// The bytes of a world's answers that its clients have not taken yet. Each is in memory until it is sent, so a few clients
// that ask for much and read nothing would take the memory of every world of the process. Over the bound no request is
// carried out; and then an answer that nobody has read of for a while is cut, so that those who read are served.
import { ANSWER_STALL_MS_MAX, ANSWERS_IN_FLIGHT_BYTES_MAX } from '../world/limits.ts';

/** One answer, from its first byte to its last. */
export type AnswerInFlight = {
  /** The client took so many bytes of it. */
  took(bytes: number): void;
  /** It is sent, or its client is gone. */
  end(): void;
};

type Held = { left: number; movedAt: number; readonly cut: () => void };

export class AnswersInFlight {
  readonly #now: () => number;
  readonly #held = new Set<Held>();
  #bytes = 0;

  /** `now`: milliseconds that never go back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether there is no room for another answer. */
  get full(): boolean {
    if (this.#bytes < ANSWERS_IN_FLIGHT_BYTES_MAX) return false;
    const stalled = this.#now() - ANSWER_STALL_MS_MAX;
    for (const held of this.#held) {
      if (held.movedAt > stalled) continue;
      this.#end(held);
      held.cut();
    }
    return this.#bytes >= ANSWERS_IN_FLIGHT_BYTES_MAX;
  }

  /** `cut` ends the answer's connection. */
  begin(bytes: number, cut: () => void): AnswerInFlight {
    const held: Held = { left: bytes, movedAt: this.#now(), cut };
    this.#held.add(held);
    this.#bytes += bytes;
    return {
      took: taken => {
        if (!this.#held.has(held)) return;
        held.left -= taken;
        held.movedAt = this.#now();
        this.#bytes -= taken;
      },
      end: () => this.#end(held),
    };
  }

  #end(held: Held): void {
    if (this.#held.delete(held)) this.#bytes -= held.left;
  }
}
