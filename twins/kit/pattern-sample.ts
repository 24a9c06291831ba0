// A text that a regular expression takes, for schemas that ask for one: found by walking the pattern, always the
// least repetition and the first choice, and tested before it is given out.
import { compilePattern } from './pattern.ts';

/** Characters that a class is tried with, the likeliest first. */
const ALPHABET = [...'a0A1bB-_. @/:+#,;!?()[]{}\'"\n'];

/** Null when there is none, or the pattern is beyond this. */
export function patternSample(source: string): string | null {
  const compiled = compilePattern(source);
  if (!compiled.ok) return null;
  const written = new Writer(source).choice();
  return written !== null && compiled.pattern.test(written) ? written : null;
}

class Writer {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(): string | null {
    let written = this.#sequence();
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      const other = this.#sequence();
      written ??= other;
    }
    return written;
  }

  #sequence(): string | null {
    let written: string | null = '';
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      const one: string | null = this.#atom();
      const least = this.#least();
      written = written === null || (one === null && least > 0) ? null : written + (one ?? '').repeat(least);
    }
    return written;
  }

  #least(): number {
    const rest = this.#source.slice(this.#at);
    const [whole = '', mark = '', count] = /^(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/.exec(rest) ?? [];
    this.#at += whole.length;
    if (whole === '') return 1;
    return count === undefined ? (mark === '+' ? 1 : 0) : Number(count);
  }

  #atom(): string | null {
    const unit = this.#source[this.#at] ?? '';
    if (unit === '(') {
      this.#at += this.#source.startsWith('(?:', this.#at) ? 3 : 1;
      const inside = this.choice();
      this.#at += 1;
      return inside;
    }
    const [atom = ''] =
      /^(?:\[\^?(?:\\.|[^\]\\])*\]|\\x..|\\u....|\\.|.)/s.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += atom.length;
    if (/^(?:[\^$]|\\[bB])$/.test(atom)) return '';
    if (atom.length === 1 && atom !== '.') return atom;
    const compiled = compilePattern(`^${atom}$`, 's');
    if (!compiled.ok) return null;
    const literal = atom.startsWith('\\')
      ? atom.slice(1)
      : [...atom.slice(1, -1)].find(letter => letter !== '^');
    return (
      [literal ?? '', ...ALPHABET].find(letter => letter !== '' && compiled.pattern.test(letter)) ?? null
    );
  }
}
