// Regular expressions written by users, in time linear in the text: a set of states is moved over it (Thompson),
// so no pattern can make it slow. What needs backtracking (backreferences, lookaround) is refused.
import {
  PATTERN_CHARS_MAX,
  PATTERN_COUNT_MAX,
  PATTERN_DEPTH_MAX,
  PATTERN_STATES_MAX,
  PATTERN_TEXT_CHARS_MAX,
} from './limits.ts';

export type Pattern = { readonly test: (text: string) => boolean };
export type PatternResult =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly message: string };

type Test = (unit: string) => boolean;

type Tree =
  | { readonly is: 'empty' }
  | { readonly is: 'one'; readonly test: Test }
  | { readonly is: 'edge'; readonly edge: 'start' | 'end' | 'word' | 'inside' }
  | { readonly is: 'sequence' | 'choice'; readonly of: readonly Tree[] }
  | { readonly is: 'repeat'; readonly of: Tree; readonly min: number; readonly max: number | null };

type State =
  | { readonly does: 'match' }
  | { readonly does: 'take'; readonly test: Test; readonly next: number }
  | { readonly does: 'split'; readonly next: number; readonly other: number }
  | { readonly does: 'edge'; readonly edge: 'start' | 'end' | 'word' | 'inside'; readonly next: number };

class Unreadable extends Error {}

/** Flags `i` (case), `m` (`^` and `$` at lines) and `s` (dot takes line ends). */
export function compilePattern(source: string, flags = ''): PatternResult {
  if (source.length > PATTERN_CHARS_MAX) {
    return { ok: false, message: `a pattern has at most ${PATTERN_CHARS_MAX} characters` };
  }
  const odd = [...flags].find(flag => !'ims'.includes(flag));
  if (odd !== undefined) return { ok: false, message: `the flag ${odd} is not known; there are i, m and s` };
  try {
    const tree = new Parser(source, flags).read();
    const states: State[] = [];
    const start = compile(tree, states, push(states, { does: 'match' }));
    return { ok: true, pattern: { test: text => run(states, start, text, flags) } };
  } catch (thrown) {
    if (thrown instanceof Unreadable) return { ok: false, message: thrown.message };
    throw thrown;
  }
}

class Parser {
  readonly #source: string;
  readonly #fold: boolean;
  readonly #dotAll: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#fold = flags.includes('i');
    this.#dotAll = flags.includes('s');
  }

  read(): Tree {
    const tree = this.#choice();
    if (this.#at < this.#source.length) throw new Unreadable(`an unmatched ) at ${this.#at}`);
    return tree;
  }

  #choice(): Tree {
    const of = [this.#sequence()];
    while (this.#eat('|')) of.push(this.#sequence());
    return of.length === 1 ? of[0]! : { is: 'choice', of };
  }

  #sequence(): Tree {
    const of: Tree[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek())) of.push(this.#repeated());
    return of.length === 0 ? { is: 'empty' } : { is: 'sequence', of };
  }

  #repeated(): Tree {
    const one = this.#atom();
    const count = this.#count();
    if (count === null) return one;
    this.#eat('?'); // lazy or greedy is the same to a test
    if (this.#count() !== null) throw new Unreadable(`a quantifier of a quantifier at ${this.#at}`);
    return { is: 'repeat', of: one, ...count };
  }

  #count(): { min: number; max: number | null } | null {
    if (this.#eat('*')) return { min: 0, max: null };
    if (this.#eat('+')) return { min: 1, max: null };
    if (this.#eat('?')) return { min: 0, max: 1 };
    const braces = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.#source.slice(this.#at, this.#at + 12));
    if (braces === null) return null;
    this.#at += braces[0].length;
    const min = Number(braces[1]);
    const max = braces[2] === undefined ? min : braces[3] === '' ? null : Number(braces[3]);
    if (min > PATTERN_COUNT_MAX || (max !== null && (max > PATTERN_COUNT_MAX || max < min))) {
      throw new Unreadable(`a count over ${PATTERN_COUNT_MAX}, or out of order`);
    }
    return { min, max };
  }

  #atom(): Tree {
    const unit = this.#next();
    switch (unit) {
      case '(':
        return this.#group();
      case '[':
        return { is: 'one', test: this.#set() };
      case '.':
        return { is: 'one', test: this.#dotAll ? () => true : letter => letter !== '\n' && letter !== '\r' };
      case '^':
        return { is: 'edge', edge: 'start' };
      case '$':
        return { is: 'edge', edge: 'end' };
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        throw new Unreadable(`nothing to repeat at ${this.#at - 1}`);
      default:
        return { is: 'one', test: this.#folded(letter => letter === unit) };
    }
  }

  #group(): Tree {
    if (this.#eat('?') && !this.#eat(':')) {
      throw new Unreadable('lookaround and named groups are not supported; (…) and (?:…) are');
    }
    this.#depth += 1;
    if (this.#depth > PATTERN_DEPTH_MAX)
      throw new Unreadable(`groups nest at most ${PATTERN_DEPTH_MAX} deep`);
    const inside = this.#choice();
    this.#depth -= 1;
    if (!this.#eat(')')) throw new Unreadable('an unclosed (');
    return inside;
  }

  #escape(): Tree {
    const unit = this.#next();
    if (unit === 'b') return { is: 'edge', edge: 'word' };
    if (unit === 'B') return { is: 'edge', edge: 'inside' };
    if (/[1-9k]/.test(unit)) throw new Unreadable('backreferences are not supported');
    return { is: 'one', test: this.#folded(this.#escaped(unit)) };
  }

  /** `\d`, `\n`, `\x41`, `A`, or the character itself. */
  #escaped(unit: string): Test {
    const known = CLASSES[unit];
    if (known !== undefined) return known;
    const literal = this.#literal(unit);
    return letter => letter === literal;
  }

  #literal(unit: string): string {
    const control = CONTROLS[unit];
    if (control !== undefined) return control;
    const digits = unit === 'x' ? 2 : unit === 'u' ? 4 : 0;
    if (digits === 0) {
      if (/[A-Za-z0-9]/.test(unit)) throw new Unreadable(`\\${unit} is not known`);
      return unit;
    }
    const code = this.#source.slice(this.#at, this.#at + digits);
    if (!new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(code))
      throw new Unreadable(`\\${unit} wants ${digits} hex digits`);
    this.#at += digits;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #set(): Test {
    const negated = this.#eat('^');
    const tests: Test[] = [];
    while (!this.#eat(']')) {
      const from = this.#member();
      if (typeof from === 'function' || this.#peek() !== '-' || this.#source[this.#at + 1] === ']') {
        tests.push(typeof from === 'function' ? from : letter => letter === from);
        continue;
      }
      this.#at += 1;
      const to = this.#member();
      if (typeof to === 'function' || to < from) throw new Unreadable('a range out of order');
      tests.push(letter => letter >= from && letter <= to);
    }
    // Case is folded before the set is negated: /[^a]/i takes no A either.
    const inside = this.#folded(letter => tests.some(test => test(letter)));
    return letter => inside(letter) !== negated;
  }

  #member(): string | Test {
    const unit = this.#next();
    if (unit !== '\\') return unit;
    const escaped = this.#next();
    return escaped === 'b' ? '\b' : (CLASSES[escaped] ?? this.#literal(escaped));
  }

  #folded(test: Test): Test {
    if (!this.#fold) return test;
    return letter => test(letter) || test(letter.toLowerCase()) || test(letter.toUpperCase());
  }

  #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #next(): string {
    const unit = this.#source[this.#at];
    if (unit === undefined) throw new Unreadable('the pattern ends too early');
    this.#at += 1;
    return unit;
  }

  #eat(unit: string): boolean {
    if (this.#source[this.#at] !== unit) return false;
    this.#at += 1;
    return true;
  }
}

const isWord: Test = letter => /[A-Za-z0-9_]/.test(letter);
const isDigit: Test = letter => letter >= '0' && letter <= '9';
const isSpace: Test = letter => /\s/.test(letter);
const CLASSES: { readonly [letter: string]: Test | undefined } = {
  d: isDigit,
  D: letter => !isDigit(letter),
  w: isWord,
  W: letter => !isWord(letter),
  s: isSpace,
  S: letter => !isSpace(letter),
};
const CONTROLS: { readonly [letter: string]: string | undefined } = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  0: '\0',
};

function push(states: State[], state: State): number {
  if (states.length >= PATTERN_STATES_MAX) throw new Unreadable('the pattern is too large');
  states.push(state);
  return states.length - 1;
}

/** States that take what the tree takes and go on at `next`; returns where they begin. */
function compile(tree: Tree, states: State[], next: number): number {
  switch (tree.is) {
    case 'empty':
      return next;
    case 'one':
      return push(states, { does: 'take', test: tree.test, next });
    case 'edge':
      return push(states, { does: 'edge', edge: tree.edge, next });
    case 'sequence':
      return tree.of.reduceRight((after, part) => compile(part, states, after), next);
    case 'choice':
      return tree.of
        .map(part => compile(part, states, next))
        .reduceRight((other, begin) => push(states, { does: 'split', next: begin, other }));
    case 'repeat':
      return compileRepeat(tree, states, next);
  }
}

function compileRepeat(tree: Tree & { is: 'repeat' }, states: State[], next: number): number {
  let begin = next;
  if (tree.max === null) {
    const loop = push(states, { does: 'split', next, other: next });
    const inside = compile(tree.of, states, loop);
    states[loop] = { does: 'split', next: inside, other: next };
    begin = loop;
  } else {
    for (let n = tree.min; n < tree.max; n += 1) {
      const inside = compile(tree.of, states, begin);
      begin = push(states, { does: 'split', next: inside, other: next });
    }
  }
  for (let n = 0; n < tree.min; n += 1) begin = compile(tree.of, states, begin);
  return begin;
}

function run(states: readonly State[], start: number, whole: string, flags: string): boolean {
  const text = whole.slice(0, PATTERN_TEXT_CHARS_MAX);
  const lines = flags.includes('m');
  const seen = new Int32Array(states.length).fill(-1);
  let current: number[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    // Each state is entered once at each place, so the work is places times states and no more.
    const takes: number[] = [];
    const waiting = [start, ...current.reverse()];
    while (waiting.length > 0) {
      const index = waiting.pop()!;
      if (seen[index] === at) continue;
      seen[index] = at;
      const state = states[index]!;
      if (state.does === 'match') return true;
      if (state.does === 'take') takes.push(index);
      else if (state.does === 'split') waiting.push(state.other, state.next);
      else if (holds(state.edge, text, at, lines)) waiting.push(state.next);
    }
    const unit = text[at];
    if (unit === undefined) return false;
    current = [];
    for (const index of takes) {
      const state = states[index]!;
      if (state.does === 'take' && state.test(unit)) current.push(state.next);
    }
  }
  return false;
}

function holds(edge: 'start' | 'end' | 'word' | 'inside', text: string, at: number, lines: boolean): boolean {
  if (edge === 'start') return at === 0 || (lines && text[at - 1] === '\n');
  if (edge === 'end') return at === text.length || (lines && text[at] === '\n');
  const border = isWord(text[at - 1] ?? '') !== isWord(text[at] ?? '');
  return border === (edge === 'word');
}
