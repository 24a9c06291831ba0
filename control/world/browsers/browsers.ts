// The browsers of a world (2.5, 4.3): profiles by name, and which version of its state each has. They are no state of a
// twin: outside the log, the diff, the changesets and push.
import { parseJson } from '../../../policy/json-text.ts';
import type { BrowserStore } from '../../ports/browsers.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Entropy } from '../../ports/entropy.ts';
import { checkLabels, isBrowserName, type SitePlace } from '../config/site-label.ts';
import { BROWSER_NAME_CHARS_MAX, BROWSERS_MAX } from '../limits.ts';
import { hex } from '../store/identifier.ts';
import type { Left } from './loading.ts';
import { type BrowserNote, NOTHING_LEFT, noteOf, readNotes, writeNotes } from './notes.ts';
import { type BrowserProfile, parseProfile } from './profile.ts';

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

/** A profile in force, with what earlier ones left behind. */
export type BrowserState = {
  readonly ok: true;
  /** URL-safe; another one with each profile, be it the same, and after a reset of the world. */
  readonly version: string;
  readonly profile: BrowserProfile;
  readonly left: Left;
};

export type BrowsersParts = {
  readonly store: BrowserStore;
  readonly digest: Pick<Digest, 'sha256'>;
  readonly entropy: Entropy;
  /** Of the sites that the world's twins claim, and where those are. */
  readonly sites: () => { readonly hosts: readonly string[]; readonly place: SitePlace | null };
};

const VERSION_BYTES = 12;

export class Browsers {
  readonly #parts: BrowsersParts;
  readonly #store: BrowserStore;
  /** One change at a time: how many there are is read and then written. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Read when they are first needed. */
  #notes: Map<string, BrowserNote> | null = null;
  /** What a page asks for at once is parsed once. */
  readonly #parsed = new Map<string, { readonly print: string; readonly profile: BrowserProfile }>();

  constructor(parts: BrowsersParts) {
    this.#parts = parts;
    this.#store = parts.store;
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

  /** The profile in force and its version; null when there is none. An edit by hand is another version. */
  async state(name: string): Promise<BrowserState | BrowserProblem | null> {
    const text = isBrowserName(name) ? await this.#store.read(name) : null;
    if (text === null) return null;
    const print = hex(this.#parts.digest.sha256(text));
    let known = this.#parsed.get(name);
    if (known?.print !== print) {
      const stored = parseJson(text);
      if (!stored.ok) return unreadable(name, [`it is ${stored.why}`]);
      const parsed = parseProfile(stored.value);
      if (!parsed.ok) return unreadable(name, parsed.faults);
      known = { print, profile: parsed.profile };
      this.#parsed.set(name, known);
    }
    const { profile } = known;
    const note = this.#notes?.get(name);
    if (note !== undefined && note.version !== null && note.print === print)
      return { ok: true, version: note.version, profile, left: note };
    return this.#inTurn(() => this.#newState(name, print, profile));
  }

  /** Replaces it wholesale. `value` is parsed JSON. */
  put(name: string, value: unknown): Promise<BrowserResult> {
    return this.#inTurn(() => this.#put(name, value));
  }

  /** False when there is none. */
  remove(name: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const removed = isBrowserName(name) && (await this.#store.remove(name));
      this.#parsed.delete(name);
      if (removed) await this.#unversion([name]);
      return removed;
    });
  }

  /** The world was reset: every browser begins anew from its profile. */
  renew(): Promise<void> {
    return this.#inTurn(async () => this.#unversion([...(await this.#noted()).keys()]));
  }

  /** Noted before anybody is given it, so that whatever it leaves somewhere is known. */
  async #newState(name: string, print: string, profile: BrowserProfile): Promise<BrowserState> {
    const notes = await this.#noted();
    const before = notes.get(name) ?? NOTHING_LEFT;
    let note = before;
    if (note.version === null || note.print !== print) {
      note = noteOf(before, profile, { print, version: hex(this.#parts.entropy.bytes(VERSION_BYTES)) });
      await this.#note(new Map([...notes, [name, note]]));
    }
    return { ok: true, version: note.version!, profile, left: note };
  }

  /** The next state of each is another, and what they left stays known. */
  async #unversion(names: readonly string[]): Promise<void> {
    const notes = new Map(await this.#noted());
    for (const name of names) {
      const note = notes.get(name);
      if (note !== undefined) notes.set(name, { ...note, version: null });
    }
    if (names.length > 0) await this.#note(notes);
  }

  async #noted(): Promise<Map<string, BrowserNote>> {
    return (this.#notes ??= readNotes(await this.#store.notes()));
  }

  async #note(notes: Map<string, BrowserNote>): Promise<void> {
    await this.#store.keepNotes(writeNotes(notes));
    this.#notes = notes;
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
    const { hosts, place } = this.#parts.sites();
    const labels = checkLabels(name, hosts, others, place);
    if (!labels.ok) return labels;
    if (!others.includes(name) && others.length >= BROWSERS_MAX)
      return {
        ok: false,
        why: 'too-many-browsers',
        message: `A world has at most ${BROWSERS_MAX} browsers; remove one first.`,
      };
    await this.#store.write(name, `${JSON.stringify(parsed.profile, null, 2)}\n`);
    await this.#unversion([name]);
    return parsed;
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

function unreadable(name: string, faults: readonly string[]): BrowserProblem {
  return {
    ok: false,
    why: 'unreadable',
    message: `The stored profile “${name}” was changed by hand into none: ${faults[0]}. Mend it, put it again, or remove it.`,
    faults,
  };
}
