// Words as a shell and a build file write them: quotes, escapes and variables. Nothing of it is run.
import { VALUE_CHARS_MAX, VARIABLE_DEPTH_MAX } from './limits.ts';

/** The value of a variable; undefined where it is not set. */
export type Lookup = (name: string) => string | undefined;

export type Expanded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

export type SplitOptions = {
  readonly escapeChar: '\\' | '`';
  /** Null: a `$` is a character as any other. */
  readonly lookup: Lookup | null;
};

export type Words =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** Splits at spaces outside of quotes, takes quotes away, and puts in the values of variables. */
export function splitWords(text: string, options: SplitOptions): Words {
  const words: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at]!)) {
      at += 1;
      continue;
    }
    const word = readWord(text, at, options);
    if (!word.ok) return word;
    words.push(word.word);
    at = word.end;
  }
  return { ok: true, words };
}

type Word =
  | { readonly ok: true; readonly word: string; readonly end: number }
  | { readonly ok: false; readonly why: string };

function readWord(text: string, start: number, { escapeChar, lookup }: SplitOptions): Word {
  let word = '';
  let quote: string | null = null;
  let at = start;
  for (; at < text.length; at += 1) {
    const char = text[at]!;
    if (quote === null && /\s/.test(char)) break;
    if (char === quote) quote = null;
    else if (quote === null && (char === '"' || char === "'")) quote = char;
    else if (char === escapeChar && quote !== "'" && at + 1 < text.length) {
      at += 1;
      const next = text[at]!;
      // Inside of double quotes only these mean something else than themselves.
      word += quote === '"' && !['"', '$', escapeChar].includes(next) ? char + next : next;
    } else if (char === '$' && quote !== "'" && lookup !== null) {
      const read = readVariable(text, at, lookup, BUILD_OPERATORS, 0);
      if (!read.ok) return read;
      word += read.text;
      at = read.end - 1;
    } else word += char;
    if (word.length > VALUE_CHARS_MAX) return TOO_LONG;
  }
  if (quote !== null) return { ok: false, why: `a ${quote} that is not closed` };
  return { ok: true, word, end: at };
}

const TOO_LONG = {
  ok: false,
  why: `longer than ${VALUE_CHARS_MAX} characters with its variables put in`,
} as const;

/** Of a compose file: `$$` is a `$`, and there are no quotes. */
export function expandComposeText(text: string, lookup: Lookup): Expanded {
  return expand(text, lookup, COMPOSE_OPERATORS, 0);
}

function expand(text: string, lookup: Lookup, operators: readonly string[], depth: number): Expanded {
  let out = '';
  for (let at = 0; at < text.length; ) {
    const dollar = text.indexOf('$', at);
    if (dollar === -1) {
      out += text.slice(at);
      break;
    }
    out += text.slice(at, dollar);
    if (operators === COMPOSE_OPERATORS && text[dollar + 1] === '$') {
      out += '$';
      at = dollar + 2;
    } else {
      const read = readVariable(text, dollar, lookup, operators, depth);
      if (!read.ok) return read;
      out += read.text;
      at = read.end;
    }
    if (out.length > VALUE_CHARS_MAX) return TOO_LONG;
  }
  return { ok: true, text: out };
}

const BUILD_OPERATORS: readonly string[] = [':-', ':+', '-', '+'];
const COMPOSE_OPERATORS: readonly string[] = [':-', ':+', ':?', '-', '+', '?'];

type Variable =
  | { readonly ok: true; readonly text: string; readonly end: number }
  | { readonly ok: false; readonly why: string };

/** `$` stands at `at`. What is no variable is a `$`. */
function readVariable(
  text: string,
  at: number,
  lookup: Lookup,
  operators: readonly string[],
  depth: number,
): Variable {
  if (depth > VARIABLE_DEPTH_MAX)
    return { ok: false, why: `variables nested deeper than ${VARIABLE_DEPTH_MAX} levels` };
  const bare = /^[A-Za-z_]\w*/.exec(text.slice(at + 1, at + 257));
  if (bare !== null) return { ok: true, text: lookup(bare[0]) ?? '', end: at + 1 + bare[0].length };
  if (text[at + 1] !== '{') return { ok: true, text: '$', end: at + 1 };
  const end = closing(text, at + 2);
  if (end === -1) return { ok: false, why: 'a ${ that is not closed' };
  const inside = text.slice(at + 2, end);
  const name = /^[A-Za-z_]\w*/.exec(inside)?.[0];
  if (name === undefined) return { ok: false, why: `no variable: ${text.slice(at, end + 1).slice(0, 80)}` };
  const after = inside.slice(name.length);
  const value = lookup(name);
  if (after === '') return { ok: true, text: value ?? '', end: end + 1 };
  const operator = operators.find(each => after.startsWith(each));
  if (operator === undefined)
    return { ok: false, why: `no such form of a variable: ${text.slice(at, end + 1).slice(0, 80)}` };
  const isSet = value !== undefined && (!operator.startsWith(':') || value !== '');
  const argument = (): Variable => {
    const expanded = expand(after.slice(operator.length), lookup, operators, depth + 1);
    return expanded.ok ? { ...expanded, end: end + 1 } : expanded;
  };
  if (operator.endsWith('-')) return isSet ? { ok: true, text: value, end: end + 1 } : argument();
  if (operator.endsWith('+')) return isSet ? argument() : { ok: true, text: '', end: end + 1 };
  if (isSet) return { ok: true, text: value, end: end + 1 };
  const message = argument();
  return {
    ok: false,
    why: `${name} is not set, and is required${message.ok && message.text !== '' ? `: ${message.text}` : ''}`,
  };
}

/** Where the brace that was opened before `from` closes; -1 where it does not. */
function closing(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{' && text[at - 1] === '$') depth += 1;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}
