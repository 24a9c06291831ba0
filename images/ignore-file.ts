// `.dockerignore`: what of a build context no COPY and no ADD sees. The last pattern that names a path, or a folder that it
// lies in, decides. Patterns are followed letter by letter, with all the places that they may be in at once: no pattern makes
// that longer than its length, and the whole has a bound.
import { posix } from 'node:path';
import { IGNORE_PATTERN_CHARS_MAX, IGNORE_PATTERNS_MAX, IGNORE_STEPS_MAX } from './limits.ts';
import { Unreadable } from './note.ts';

type Token =
  | { readonly is: 'char'; readonly char: string }
  /** One letter of a name: `?`, `[a-z]`. */
  | { readonly is: 'one'; readonly of: (char: string) => boolean }
  /** `*` */
  | { readonly is: 'name' }
  /** `**` at the end. */
  | { readonly is: 'rest' }
  /** `**` before more: no folders, or those that `folders` goes through. */
  | { readonly is: 'maybe' }
  | { readonly is: 'folders' };

type Rule = {
  readonly keeps: boolean;
  readonly tokens: readonly Token[];
  /** What it is without wildcards. */
  readonly plain: string | null;
  /** Its last name is written out. */
  readonly named: boolean;
};

/** `named`: by its name, and by no wildcard. */
export type Ignored = { readonly named: boolean };

export class IgnoreRules {
  readonly file: string;
  readonly #rules: readonly Rule[];
  #steps = 0;

  constructor(file: string, rules: readonly Rule[]) {
    this.file = file;
    this.#rules = rules;
  }

  /** Some of what is in an ignored folder may be there all the same. */
  get exceptions(): boolean {
    return this.#rules.some(({ keeps }) => keeps);
  }

  /** `path` is relative to the context. @throws Unreadable */
  ignored(path: string): Ignored | null {
    for (const rule of this.#rules.toReversed())
      if (this.#matches(rule, path)) return rule.keeps ? null : { named: rule.named };
    return null;
  }

  #matches({ tokens, plain }: Rule, path: string): boolean {
    if (plain !== null) return path === plain || path.startsWith(`${plain}/`);
    let places = new Set<number>();
    arrive(places, tokens, 0);
    for (const char of path) {
      if (char === '/' && places.has(tokens.length)) return true;
      const next = new Set<number>();
      for (const place of places) advance(next, tokens, place, char);
      this.#steps += places.size;
      if (this.#steps > IGNORE_STEPS_MAX)
        throw new Unreadable(
          { file: this.file, line: 1 },
          'its patterns take too long for so many files; name what it ignores',
        );
      if (next.size === 0) return false;
      places = next;
    }
    return places.has(tokens.length);
  }
}

function arrive(places: Set<number>, tokens: readonly Token[], place: number): void {
  for (let at = place; !places.has(at); at += 1) {
    places.add(at);
    const is = tokens[at]?.is;
    if (is === 'maybe') arrive(places, tokens, at + 2);
    else if (is !== 'name' && is !== 'rest') return;
  }
}

function advance(next: Set<number>, tokens: readonly Token[], place: number, char: string): void {
  const token = tokens[place];
  switch (token?.is) {
    case 'char':
      if (token.char === char) arrive(next, tokens, place + 1);
      return;
    case 'one':
      if (char !== '/' && token.of(char)) arrive(next, tokens, place + 1);
      return;
    case 'name':
      if (char !== '/') arrive(next, tokens, place);
      return;
    case 'rest':
      return arrive(next, tokens, place);
    case 'folders':
      next.add(place);
      if (char === '/') arrive(next, tokens, place + 1);
  }
}

/** @throws Unreadable */
export function readIgnoreFile(text: string, file: string): IgnoreRules {
  const rules: Rule[] = [];
  for (const [nth, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const place = { file, line: nth + 1 };
    const written = line.trim();
    // A `#` after a blank is a name, as builders have it.
    if (line.startsWith('#') || written === '') continue;
    const keeps = written.startsWith('!');
    const rest = keeps ? written.slice(1).trim() : written;
    if (rest === '') throw new Unreadable(place, 'nothing follows the ! of this line');
    if (rest.length > IGNORE_PATTERN_CHARS_MAX)
      throw new Unreadable(place, `a pattern has at most ${IGNORE_PATTERN_CHARS_MAX} characters`);
    const pattern = posix.normalize(rest).replace(/^\/+|\/+$/g, '');
    if (pattern === '' || pattern === '.') continue;
    if (rules.length === IGNORE_PATTERNS_MAX)
      throw new Unreadable(place, `more than ${IGNORE_PATTERNS_MAX} patterns`);
    const tokens = tokensOf([...pattern]);
    if (tokens === null)
      throw new Unreadable(place, `${rest.slice(0, 200)} is no pattern: its [ or \\ is not ended`);
    const plain = tokens.every(each => each.is === 'char')
      ? tokens.map(each => (each.is === 'char' ? each.char : '')).join('')
      : null;
    const last = tokens.findLastIndex(
      each => each.is === 'folders' || (each.is === 'char' && each.char === '/'),
    );
    const named = tokens.slice(last + 1).every(each => each.is === 'char');
    rules.push({ keeps, tokens, plain, named });
  }
  return new IgnoreRules(file, rules);
}

function tokensOf(pattern: readonly string[]): readonly Token[] | null {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at]!;
    if (char === '*' && pattern[at + 1] === '*') {
      while (pattern[at + 1] === '*') at += 1;
      if (pattern[at + 1] === '/') at += 1;
      if (at + 1 === pattern.length) tokens.push({ is: 'rest' });
      else tokens.push({ is: 'maybe' }, { is: 'folders' });
    } else if (char === '*') tokens.push({ is: 'name' });
    else if (char === '?') tokens.push({ is: 'one', of: () => true });
    else if (char === '\\') {
      at += 1;
      if (at === pattern.length) return null;
      tokens.push({ is: 'char', char: pattern[at]! });
    } else if (char === '[') {
      const read = classAt(pattern, at + 1);
      if (read === null) return null;
      tokens.push({ is: 'one', of: read.of });
      at = read.end;
    } else tokens.push({ is: 'char', char });
  }
  return tokens;
}

/** `[a-z]`, from after its bracket to the one that ends it. */
function classAt(
  pattern: readonly string[],
  from: number,
): { readonly of: (char: string) => boolean; readonly end: number } | null {
  const others = pattern[from] === '^';
  const ranges: [string, string][] = [];
  let at = others ? from + 1 : from;
  const one = (): string | null => {
    if (pattern[at] === '\\') at += 1;
    return pattern[at++] ?? null;
  };
  while (pattern[at] !== ']') {
    const low = one();
    if (low === null) return null;
    if (pattern[at] !== '-' || pattern[at + 1] === ']') {
      ranges.push([low, low]);
      continue;
    }
    at += 1;
    const high = one();
    if (high === null || high < low) return null;
    ranges.push([low, high]);
  }
  if (ranges.length === 0) return null;
  return { end: at, of: char => ranges.some(([low, high]) => char >= low && char <= high) !== others };
}
