// The browsers of a world (2.5, 4.3): profiles by name. They are no state of a twin: outside the log, the diff, the
// changesets and push.
import { parseJson } from '../../../policy/json-text.ts';
import type { BrowserStore } from '../../ports/browsers.ts';
import { checkLabels } from '../config/site-label.ts';
import { BROWSER_NAME_CHARS_MAX, BROWSERS_MAX } from '../limits.ts';
import { type BrowserProfile, parseProfile } from './profile.ts';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export type BrowserProblem = {
  readonly ok: false;
  readonly why:
    | 'bad-name'
    | 'bad-profile'
    | 'no-site-fits'
    | 'label-taken'
    | 'too-many-browsers'
    | 'unreadable';
  readonly message: string;
  readonly faults?: readonly string[];
};

export type BrowserResult = { readonly ok: true; readonly profile: BrowserProfile } | BrowserProblem;

export class Browsers {
  readonly #store: BrowserStore;
  /** The real hosts that the world's twins have. */
  readonly #hosts: () => readonly string[];
  /** One change at a time: how many there are is read and then written. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: BrowserStore, hosts: () => readonly string[]) {
    this.#store = store;
    this.#hosts = hosts;
  }

  /** Sorted. */
  async names(): Promise<readonly string[]> {
    return (await this.#store.names()).filter(isBrowserName).sort();
  }

  /** Null when there is none. */
  async read(name: string): Promise<BrowserResult | null> {
    const text = isBrowserName(name) ? await this.#store.read(name) : null;
    if (text === null) return null;
    const stored = parseJson(text);
    if (!stored.ok) return unreadable(name, [`it is ${stored.why}`]);
    const parsed = parseProfile(stored.value);
    return parsed.ok ? parsed : unreadable(name, parsed.faults);
  }

  /** Replaces it wholesale. `value` is parsed JSON. */
  put(name: string, value: unknown): Promise<BrowserResult> {
    return this.#inTurn(() => this.#put(name, value));
  }

  /** False when there is none. */
  remove(name: string): Promise<boolean> {
    return this.#inTurn(async () => isBrowserName(name) && (await this.#store.remove(name)));
  }

  async #put(name: string, value: unknown): Promise<BrowserResult> {
    if (!isBrowserName(name))
      return {
        ok: false,
        why: 'bad-name',
        message: `A browser’s name is 1 to ${BROWSER_NAME_CHARS_MAX} lower-case letters, digits and single hyphens, with a letter or digit at both ends.`,
      };
    const parsed = parseProfile(value);
    if (!parsed.ok)
      return {
        ok: false,
        why: 'bad-profile',
        message: `The body is no browser profile. ${parsed.faults[0]}.`,
        faults: parsed.faults,
      };
    const others = await this.names();
    const labels = checkLabels(name, this.#hosts(), others);
    if (!labels.ok) return labels;
    if (!others.includes(name) && others.length >= BROWSERS_MAX)
      return {
        ok: false,
        why: 'too-many-browsers',
        message: `A world has at most ${BROWSERS_MAX} browsers; remove one first.`,
      };
    await this.#store.write(name, `${JSON.stringify(parsed.profile, null, 2)}\n`);
    return parsed;
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

function isBrowserName(name: string): boolean {
  return name.length <= BROWSER_NAME_CHARS_MAX && NAME.test(name);
}

function unreadable(name: string, faults: readonly string[]): BrowserProblem {
  return {
    ok: false,
    why: 'unreadable',
    message: `The stored profile “${name}” was changed by hand into none: ${faults[0]}. Mend it, put it again, or remove it.`,
    faults,
  };
}
