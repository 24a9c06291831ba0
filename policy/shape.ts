// Reads JSON of unknown shape field by field. The first problem is kept, with its place, and every read after
// it answers an empty value, so that a reader is written straight down and asks once, at its end, what failed.
import { printable } from './printable.ts';

export type Fields = { readonly [key: string]: unknown };

export class ShapeReader {
  #problem: string | null = null;

  /** The first problem (`network.egress[3]: expected a string, found 7`), or null. */
  get problem(): string | null {
    return this.#problem;
  }

  complain(at: string, what: string): void {
    this.#problem ??= at === '' ? what : `${at}: ${what}`;
  }

  /** An object with no keys but `keys`; an unknown one could be a restriction that this reader would ignore. */
  object(value: unknown, at: string, keys: readonly string[]): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#expected('an object', value, at);
      return {};
    }
    for (const key of Object.keys(value)) {
      if (!keys.includes(key)) this.complain(at, `unknown key ${quoted(key)}; accepted: ${keys.join(', ')}`);
    }
    return value as Fields;
  }

  /** An object whose keys are names. */
  map(value: unknown, at: string): Fields {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
    this.#expected('an object', value, at);
    return {};
  }

  list(value: unknown, at: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.#expected('a list', value, at);
    return [];
  }

  strings(value: unknown, at: string): readonly string[] {
    const list = this.list(value, at);
    for (let i = 0; i < list.length; i++) {
      if (typeof list[i] !== 'string') {
        this.#expected('a string', list[i], `${at}[${i}]`);
        return [];
      }
    }
    return list as readonly string[];
  }

  string(value: unknown, at: string): string {
    if (typeof value === 'string') return value;
    this.#expected('a string', value, at);
    return '';
  }

  boolean(value: unknown, at: string): boolean {
    if (typeof value === 'boolean') return value;
    this.#expected('true or false', value, at);
    return false;
  }

  integer(value: unknown, at: string, range: { readonly min: number; readonly max: number }): number {
    if (Number.isSafeInteger(value) && (value as number) >= range.min && (value as number) <= range.max) {
      return value as number;
    }
    this.#expected(`a whole number from ${range.min} to ${range.max}`, value, at);
    return range.min;
  }

  #expected(what: string, value: unknown, at: string): void {
    this.complain(at, `expected ${what}, found ${found(value)}`);
  }
}

function found(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? quoted(value) : String(value);
}

function quoted(text: string): string {
  return `"${printable(text, 80)}"`;
}
