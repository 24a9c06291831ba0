// The entries that were shown last, as they were. An entry never changes, and who follows a world's timeline asks for
// the newest page again with each entry that is new.
import { KEPT_LINES_CHARS_MAX } from '../limits.ts';
import { type Cursor, type EntryLine, entryId } from './entry.ts';

type Place = Pick<Cursor, 'twin' | 'pos'>;

export class KeptLines {
  readonly #lines = new Map<string, EntryLine>();
  readonly #charsMax: number;
  #chars = 0;

  constructor(charsMax: number = KEPT_LINES_CHARS_MAX) {
    this.#charsMax = charsMax;
  }

  get({ twin, pos }: Place): EntryLine | undefined {
    return this.#lines.get(entryId(twin, pos));
  }

  /** Those that came first go for it. */
  keep(line: EntryLine): void {
    const { length } = line.json;
    const id = entryId(line.twin, line.pos);
    if (length > this.#charsMax || this.#lines.has(id)) return;
    this.#lines.set(id, line);
    this.#chars += length;
    for (const [oldest, { json }] of this.#lines) {
      if (this.#chars <= this.#charsMax) break;
      this.#lines.delete(oldest);
      this.#chars -= json.length;
    }
  }

  forget(): void {
    this.#lines.clear();
    this.#chars = 0;
  }
}
