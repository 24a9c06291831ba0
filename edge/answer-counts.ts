// What a world has answered, counted in its object and told to the inventory, which Prometheus is answered from: whoever
// looks wakes no world. The first answer is told at once, those after it together, a while later.
import { classOf, noAnswers } from '../control/hosting/host-metrics.ts';
import { COUNTS_TELL_MS } from './limits.ts';

/** Of `opened`: times that the object opened its world, and could not. */
export type ToldCounts = {
  readonly answers: readonly number[];
  readonly opened: number;
  readonly unopened: number;
};

export class AnswerCounts {
  readonly #tell: (counts: ToldCounts) => Promise<void>;
  #answers = noAnswers();
  #opened = 0;
  #unopened = 0;
  #waits = false;

  /** What `tell` could not is not told again: they are counts. */
  constructor(tell: (counts: ToldCounts) => Promise<void>) {
    this.#tell = tell;
  }

  opened(ok: boolean): void {
    if (ok) this.#opened += 1;
    else this.#unopened += 1;
  }

  answered(status: number): void {
    this.#answers[classOf(status)]! += 1;
    if (this.#waits) return;
    this.#waits = true;
    void this.#send();
  }

  async #send(): Promise<void> {
    const told = { answers: this.#answers, opened: this.#opened, unopened: this.#unopened };
    this.#answers = noAnswers();
    this.#opened = 0;
    this.#unopened = 0;
    await this.#tell(told).catch(() => {});
    setTimeout(() => {
      this.#waits = false;
      if (this.#answers.some(n => n > 0)) {
        this.#waits = true;
        void this.#send();
      }
    }, COUNTS_TELL_MS);
  }
}
