// What a twin calls its records (`RecordType.title`, `summary`, `columns`). Twins answer at once, and a branch may have to
// fetch what they look at from its parent: what was missing is read, and the words are asked for once more.
import type { Cell, Look, Wording } from '../../../twins/kit/twin.ts';
import type { RecordBody } from '../../../twins/kit/tx.ts';
import { WORDING_CHARS_MAX, WORDING_RECORDS_MAX, WORDING_TRIES_MAX } from './limits.ts';

/** A record as somebody looks at it. */
export type Seen = {
  readonly twin: string;
  readonly type: string;
  readonly id: string;
  readonly body: unknown;
};

/** `title` is there whatever the twin says: by its type and id, where it says nothing. */
export type Words = { readonly title: string; readonly summary: string | null };

type Parts = {
  readonly wordingOf: (twin: string, type: string) => Wording | undefined;
  readonly read: (twin: string, type: string, id: string) => Promise<unknown>;
};

/** Of the records of one page, which share what they look at. */
export class Wordings {
  readonly #parts: Parts;
  /** By twin, type and id; undefined where there is none. */
  readonly #read = new Map<string, RecordBody | undefined>();
  #wanted = new Map<string, readonly [twin: string, type: string, id: string]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the twin says how such records are called. */
  isTitled(twin: string, type: string): boolean {
    return this.#parts.wordingOf(twin, type)?.title !== undefined;
  }

  words(records: readonly Seen[]): Promise<readonly Words[]> {
    return this.#settled(() => records.map(record => this.#wordsOf(record)));
  }

  /** By the headings of its type, in their order; empty where the twin names none. */
  cells(records: readonly Seen[]): Promise<readonly (readonly Cell[])[]> {
    return this.#settled(() =>
      records.map(({ twin, type, body }) => {
        const columns = this.#parts.wordingOf(twin, type)?.columns ?? {};
        const look = this.#lookIn(twin);
        return Object.values(columns).map(of => cellOf(() => of(body as RecordBody, look)));
      }),
    );
  }

  async #settled<T>(work: () => T): Promise<T> {
    for (let round = 1; ; round++) {
      const made = work();
      const wanted = [...this.#wanted];
      this.#wanted = new Map();
      if (wanted.length === 0 || round === WORDING_TRIES_MAX) return made;
      for (const [key, place] of wanted) {
        const body = await this.#parts.read(...place);
        this.#read.set(key, isObject(body) ? body : undefined);
      }
    }
  }

  #wordsOf({ twin, type, id, body }: Seen): Words {
    const { title, summary } = this.#parts.wordingOf(twin, type) ?? {};
    const look = this.#lookIn(twin);
    const called = isObject(body) && title !== undefined ? textOf(() => title(body, look)) : null;
    const matters = isObject(body) && summary !== undefined ? textOf(() => summary(body, look)) : null;
    return { title: called ?? `${type} ${id}`, summary: matters };
  }

  #lookIn(twin: string): Look {
    return (type, id) => {
      if (typeof id !== 'string' || id === '') return undefined;
      const key = `${twin} ${type} ${id}`;
      if (!this.#read.has(key) && this.#read.size + this.#wanted.size < WORDING_RECORDS_MAX)
        this.#wanted.set(key, [twin, type, id]);
      return this.#read.get(key);
    };
  }
}

const isObject = (value: unknown): value is RecordBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null for no text: a twin of somebody else's may throw, or answer anything. */
const textOf = (say: () => unknown): string | null => {
  try {
    const said = say();
    if (typeof said !== 'string') return null;
    const line = said.replaceAll(/\s+/g, ' ').trim();
    if (line === '') return null;
    return line.length > WORDING_CHARS_MAX ? `${line.slice(0, WORDING_CHARS_MAX)}…` : line;
  } catch {
    return null;
  }
};

const cellOf = (say: () => unknown): Cell => {
  try {
    const said = say();
    if (typeof said === 'number' || typeof said === 'boolean') return said;
    return textOf(() => said);
  } catch {
    return null;
  }
};
