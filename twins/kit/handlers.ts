// The handlers file of a twin: what to answer instead of the twin, and when. Written by users, so every fault is
// named by its JSON pointer, unknown keys are refused, and a pattern cannot be slow (pattern.ts).
import { compilePattern } from './pattern.ts';

export type Text =
  | string
  | { readonly equals: string }
  | { readonly contains: string }
  | { readonly containsAll: readonly string[] }
  | { readonly regex: string; readonly flags?: string };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export type Match = {
  readonly method?: Text;
  /** Exact; `*` or `{name}` stands for one segment. */
  readonly path?: Text;
  readonly query?: { readonly [name: string]: Text };
  readonly header?: { readonly [name: string]: Text };
  /** What the body holds: JSON, or a form as the tree its brackets write. */
  readonly body?: Json;
  readonly all?: readonly Match[];
  readonly any?: readonly Match[];
  readonly not?: Match;
};

type HandlerError = {
  readonly status: number;
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  /** Seconds. */
  readonly retryAfter?: number;
};

export type HandlerReply = {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly json?: Json;
  readonly text?: string;
  readonly error?: HandlerError | 'timeout' | 'reset';
  /** Milliseconds of wall time. */
  readonly delayMs?: number;
};

export type Handler = {
  readonly id: string;
  readonly match: Match;
  /** Matches at most so often. */
  readonly times?: number;
  readonly reply?: HandlerReply;
  readonly replies?: readonly HandlerReply[];
  /** After the last of `replies`: repeat it (the default), begin again, or leave the request to the next handler. */
  readonly then?: 'repeat-last' | 'cycle' | 'next';
};

export type Handlers = {
  readonly version: 1;
  /** What `times` and `replies` count by; the world unless said otherwise. */
  readonly scope?: 'key' | 'world';
  readonly unmatched?: 'error' | HandlerReply;
  readonly defaults?: { readonly delayMs?: number };
  readonly handlers: readonly Handler[];
};

type HandlersFault = { readonly pointer: string; readonly message: string };
export type HandlersResult =
  | { readonly ok: true; readonly handlers: Handlers }
  | { readonly ok: false; readonly faults: readonly HandlersFault[] };

/** The matchers of a twin that is not generative. */
export const HANDLER_MATCHERS: readonly string[] = [
  'method',
  'path',
  'query',
  'header',
  'body',
  'all',
  'any',
  'not',
];

const HANDLERS_MAX = 1_000;
const HANDLER_DELAY_MS_MAX = 600_000;
const REPLIES_MAX = 1_000;
const MATCH_DEPTH_MAX = 16;

/** Parses the text of a handlers file. */
export function parseHandlers(text: string): HandlersResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { ok: false, faults: [{ pointer: '', message: `not JSON: ${(thrown as Error).message}` }] };
  }
  return checkHandlers(value);
}

export function checkHandlers(value: unknown): HandlersResult {
  const faults: HandlersFault[] = [];
  new Checker(faults).document(value);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, handlers: value as Handlers };
}

type Fields = { readonly [name: string]: (value: unknown, pointer: string) => void };

class Checker {
  readonly #faults: HandlersFault[];

  constructor(faults: HandlersFault[]) {
    this.#faults = faults;
  }

  document(value: unknown): void {
    const whole = this.#object(value, '', {
      $schema: (held, at) => this.#string(held, at),
      version: (held, at) => held === 1 || this.#fault(at, 'must be 1'),
      scope: (held, at) => this.#oneOf(held, at, ['key', 'world'], 'conversation is for generative twins'),
      unmatched: (held, at) => {
        if (held !== 'error') this.#reply(held, at);
      },
      defaults: (held, at) => void this.#object(held, at, { delayMs: (ms, inner) => this.#delay(ms, inner) }),
      handlers: (held, at) => this.#handlers(held, at),
    });
    if (whole === null) return;
    for (const name of ['version', 'handlers']) {
      if (!Object.hasOwn(whole, name)) this.#fault('', `${name} is missing`);
    }
  }

  #handlers(value: unknown, pointer: string): void {
    const handlers = this.#array(value, pointer, HANDLERS_MAX);
    const ids = new Set<string>();
    handlers?.forEach((held, index) => {
      const at = `${pointer}/${index}`;
      const handler = this.#object(held, at, {
        id: (id, inner) => this.#string(id, inner),
        match: (match, inner) => this.#match(match, inner, 0),
        times: (times, inner) => this.#integer(times, inner, 1, 1_000_000),
        reply: (reply, inner) => this.#reply(reply, inner),
        replies: (replies, inner) => this.#replies(replies, inner),
        // biome-ignore lint/suspicious/noThenProperty: the file's own word; this object is never awaited
        then: (then, inner) => this.#oneOf(then, inner, ['repeat-last', 'cycle', 'next']),
      });
      if (handler === null) return;
      for (const name of ['id', 'match']) {
        if (!Object.hasOwn(handler, name)) this.#fault(at, `${name} is missing`);
      }
      if (Object.hasOwn(handler, 'reply') === Object.hasOwn(handler, 'replies')) {
        this.#fault(at, 'exactly one of reply and replies is needed');
      }
      const id = handler['id'];
      if (typeof id === 'string' && ids.has(id)) this.#fault(`${at}/id`, `a second handler is called ${id}`);
      ids.add(String(id));
    });
  }

  #replies(value: unknown, pointer: string): void {
    const replies = this.#array(value, pointer, REPLIES_MAX);
    if (replies?.length === 0) this.#fault(pointer, 'at least one reply is needed');
    replies?.forEach((reply, index) => {
      this.#reply(reply, `${pointer}/${index}`);
    });
  }

  #match(value: unknown, pointer: string, depth: number): void {
    if (depth > MATCH_DEPTH_MAX) return this.#fault(pointer, `nests deeper than ${MATCH_DEPTH_MAX}`);
    const inner = (held: unknown, at: string): void => this.#match(held, at, depth + 1);
    const each = (held: unknown, at: string): void =>
      this.#array(held, at, HANDLERS_MAX)?.forEach((match, index) => {
        inner(match, `${at}/${index}`);
      });
    this.#object(value, pointer, {
      method: (held, at) => this.#text(held, at),
      path: (held, at) => this.#text(held, at),
      query: (held, at) => this.#texts(held, at),
      header: (held, at) => this.#texts(held, at),
      body: () => undefined,
      all: each,
      any: each,
      not: inner,
    });
  }

  #texts(value: unknown, pointer: string): void {
    if (!isObject(value)) return this.#fault(pointer, 'must be an object of names and texts');
    for (const [name, text] of Object.entries(value)) this.#text(text, `${pointer}/${escaped(name)}`);
  }

  #text(value: unknown, pointer: string): void {
    if (typeof value === 'string') return;
    const text = this.#object(value, pointer, {
      equals: (held, at) => this.#string(held, at),
      contains: (held, at) => this.#string(held, at),
      containsAll: (held, at) =>
        this.#array(held, at, HANDLERS_MAX)?.forEach((part, index) => {
          this.#string(part, `${at}/${index}`);
        }),
      regex: (held, at) => this.#string(held, at),
      flags: (held, at) => this.#string(held, at),
    });
    if (text === null) return;
    const ways = ['equals', 'contains', 'containsAll', 'regex'].filter(way => Object.hasOwn(text, way));
    if (ways.length !== 1) {
      return this.#fault(
        pointer,
        'must be a string, or have exactly one of equals, contains, containsAll, regex',
      );
    }
    if (typeof text['regex'] === 'string') {
      const compiled = compilePattern(text['regex'], typeof text['flags'] === 'string' ? text['flags'] : '');
      if (!compiled.ok) this.#fault(`${pointer}/regex`, compiled.message);
    } else if (Object.hasOwn(text, 'flags')) {
      this.#fault(`${pointer}/flags`, 'flags go with regex only');
    }
  }

  #reply(value: unknown, pointer: string): void {
    const reply = this.#object(value, pointer, {
      status: (held, at) => this.#integer(held, at, 200, 599),
      headers: (held, at) => this.#headers(held, at),
      json: () => undefined,
      text: (held, at) => this.#string(held, at),
      error: (held, at) => this.#error(held, at),
      delayMs: (held, at) => this.#delay(held, at),
    });
    if (reply === null) return;
    const bodies = ['json', 'text', 'error'].filter(name => Object.hasOwn(reply, name));
    if (bodies.length > 1) this.#fault(pointer, `${bodies.join(' and ')} cannot be together`);
  }

  #error(value: unknown, pointer: string): void {
    if (value === 'timeout' || value === 'reset') return;
    if (typeof value === 'string') return this.#fault(pointer, 'must be timeout, reset or an object');
    const error = this.#object(value, pointer, {
      status: (held, at) => this.#integer(held, at, 400, 599),
      type: (held, at) => this.#string(held, at),
      code: (held, at) => this.#string(held, at),
      message: (held, at) => this.#string(held, at),
      retryAfter: (held, at) => this.#integer(held, at, 0, 86_400),
    });
    if (error === null) return;
    for (const name of ['status', 'type', 'message']) {
      if (!Object.hasOwn(error, name)) this.#fault(pointer, `${name} is missing`);
    }
  }

  #headers(value: unknown, pointer: string): void {
    if (!isObject(value)) return this.#fault(pointer, 'must be an object of names and values');
    for (const [name, text] of Object.entries(value)) {
      const at = `${pointer}/${escaped(name)}`;
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) this.#fault(at, 'is no header name');
      else if (typeof text !== 'string' || /[\r\n\0]/.test(text)) this.#fault(at, 'is no header value');
    }
  }

  #delay(value: unknown, pointer: string): void {
    this.#integer(value, pointer, 0, HANDLER_DELAY_MS_MAX);
  }

  #object(value: unknown, pointer: string, fields: Fields): { readonly [name: string]: unknown } | null {
    if (!isObject(value)) {
      this.#fault(pointer, 'must be an object');
      return null;
    }
    for (const [name, held] of Object.entries(value)) {
      const at = `${pointer}/${escaped(name)}`;
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (check === undefined)
        this.#fault(at, `is not known here; there are ${Object.keys(fields).join(', ')}`);
      else check(held, at);
    }
    return value;
  }

  #array(value: unknown, pointer: string, max: number): readonly unknown[] | null {
    if (!Array.isArray(value)) this.#fault(pointer, 'must be an array');
    else if (value.length > max) this.#fault(pointer, `has more than ${max} elements`);
    else return value;
    return null;
  }

  #string(value: unknown, pointer: string): void {
    if (typeof value !== 'string') this.#fault(pointer, 'must be a string');
  }

  #integer(value: unknown, pointer: string, min: number, max: number): void {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      this.#fault(pointer, `must be an integer from ${min} to ${max}`);
    }
  }

  #oneOf(value: unknown, pointer: string, values: readonly string[], hint = ''): void {
    if (typeof value === 'string' && values.includes(value)) return;
    this.#fault(pointer, `must be one of ${values.join(', ')}${hint === '' ? '' : ` (${hint})`}`);
  }

  #fault(pointer: string, message: string): void {
    this.#faults.push({ pointer, message });
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name as a segment of a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
