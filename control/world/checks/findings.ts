// What the checks of a world found in a changeset, as its verification keeps it: bounded, whatever they say.
import type { CheckFailure, Verification } from '../changesets/changeset.ts';
import { CHECK_FAILURES_MAX, CHECK_MESSAGE_CHARS_MAX } from '../limits.ts';

export class Findings {
  readonly #failures: CheckFailure[] = [];
  readonly #printed: { readonly check: string; readonly text: string }[] = [];
  #more = 0;

  /** `entry`: empty where it was the check itself. */
  add(check: string, entry: string, message: string): void {
    if (this.#failures.length === CHECK_FAILURES_MAX) this.#more += 1;
    else this.#failures.push({ check, entry, message: message.slice(0, CHECK_MESSAGE_CHARS_MAX) });
  }

  print(check: string, text: string): void {
    if (text !== '') this.#printed.push({ check, text });
  }

  told(): Omit<Verification, 'hash' | 'at'> {
    return {
      ok: this.#failures.length === 0,
      failures: this.#failures,
      ...(this.#more === 0 ? {} : { more: this.#more }),
      ...(this.#printed.length === 0 ? {} : { printed: this.#printed }),
    };
  }
}
