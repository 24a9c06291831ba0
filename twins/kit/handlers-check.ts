// Checks a handlers file that somebody wrote (handlers.ts): every fault is named by its JSON pointer, and a key
// that is not known is one. What schema/handlers.schema.json tells an editor is told here for certain.

import type { HandlersFault, HandlersFor } from './handlers.ts';
import {
  CHUNK_CHARS_MAX,
  CHUNKS_MAX,
  EMBEDDING_DIMENSIONS_MAX,
  HANDLER_DELAY_MS_MAX,
  HANDLERS_MAX,
  MATCH_DEPTH_MAX,
  REPLIES_MAX,
  TOKENS_MAX,
  TOOL_CALLS_MAX,
} from './limits.ts';
import { compilePattern } from './pattern.ts';
import { exactFaults, rawFaults } from './recorded-check.ts';
import { templateFault } from './template.ts';

export function checkDocument(value: unknown, of: HandlersFor): readonly HandlersFault[] {
  const faults: HandlersFault[] = [];
  new Checker(faults, of).document(value);
  return faults;
}

type Fields = { readonly [name: string]: (value: unknown, pointer: string) => void };

const BESIDE_RAW = ['raw', 'status', 'headers', 'delayMs'];

class Checker {
  readonly #faults: HandlersFault[];
  readonly #generative: boolean;
  #templates = false;

  constructor(faults: HandlersFault[], { generative }: HandlersFor) {
    this.#faults = faults;
    this.#generative = generative;
  }

  document(value: unknown): void {
    this.#templates = isObject(value) && value['templates'] === true;
    const whole = this.#object(value, '', {
      $schema: (held, at) => this.#string(held, at),
      version: (held, at) => held === 1 || this.#fault(at, 'must be 1'),
      scope: (held, at) =>
        this.#generative
          ? this.#oneOf(held, at, ['conversation', 'key', 'world'])
          : this.#oneOf(held, at, ['key', 'world'], 'conversation is for generative twins'),
      unmatched: (held, at) => {
        if (held !== 'error') this.#reply(held, at);
      },
      templates: (held, at) => this.#boolean(held, at),
      defaults: (held, at) =>
        void this.#object(held, at, {
          delayMs: (ms, inner) => this.#delay(ms, inner),
          ...(this.#generative && {
            chunkSize: (size, inner) => this.#integer(size, inner, 1, CHUNK_CHARS_MAX),
            chunkDelayMs: (ms, inner) => this.#delay(ms, inner),
          }),
        }),
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
      exact: (held, at) => void this.#faults.push(...exactFaults(held, at)),
      ...(this.#generative ? this.#generativeMatchers() : {}),
      all: each,
      any: each,
      not: inner,
    });
  }

  #generativeMatchers(): Fields {
    const text = (held: unknown, at: string): void => this.#text(held, at);
    return {
      endpoint: text,
      model: text,
      lastUser: text,
      system: text,
      input: text,
      tool: (held, at) => {
        const tool = this.#object(held, at, { offered: (names, inner) => this.#offered(names, inner) });
        if (tool !== null && !Object.hasOwn(tool, 'offered')) this.#fault(at, 'offered is missing');
      },
      toolResult: (held, at) => this.#toolResult(held, at),
      turn: (held, at) => this.#integer(held, at, 1, 1_000_000),
      call: (held, at) => this.#integer(held, at, 1, 1_000_000),
      stream: (held, at) => this.#boolean(held, at),
      responseFormat: (held, at) => this.#oneOf(held, at, ['text', 'json_object', 'json_schema']),
    };
  }

  #offered(value: unknown, pointer: string): void {
    if (!Array.isArray(value)) return this.#text(value, pointer);
    this.#array(value, pointer, TOOL_CALLS_MAX)?.forEach((name, index) => {
      this.#text(name, `${pointer}/${index}`);
    });
  }

  #toolResult(value: unknown, pointer: string): void {
    if (typeof value === 'boolean') return;
    const parts = isObject(value) && (Object.hasOwn(value, 'name') || Object.hasOwn(value, 'text'));
    if (!parts) return this.#text(value, pointer);
    this.#object(value, pointer, {
      name: (held, at) => this.#text(held, at),
      text: (held, at) => this.#text(held, at),
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
      raw: (held, at) => void this.#faults.push(...rawFaults(held, at)),
      delayMs: (held, at) => this.#delay(held, at),
      ...(this.#generative ? this.#spoken() : {}),
    });
    if (reply === null) return;
    if (Object.hasOwn(reply, 'raw')) {
      // What was recorded may well hold what looks like a place of a template.
      const beside = Object.keys(reply).filter(name => !BESIDE_RAW.includes(name));
      if (beside.length > 0) this.#fault(pointer, `raw and ${beside.join(', ')} cannot be together`);
      return;
    }
    if (this.#templates) this.#places(reply, pointer);
    // What a model said before its stream broke is beside the error; else there is one body.
    const bodies = this.#generative ? ['json', 'text', 'embedding'] : ['json', 'text', 'error'];
    const given = bodies.filter(name => Object.hasOwn(reply, name));
    if (given.length > 1) this.#fault(pointer, `${given.join(' and ')} cannot be together`);
    const stream = reply['stream'];
    const chunks = isObject(stream) ? stream['chunks'] : undefined;
    if (!Array.isArray(chunks)) return;
    if (Object.hasOwn(reply, 'json')) this.#fault(`${pointer}/stream/chunks`, 'are of text, not of json');
    const { text } = reply as { readonly text?: unknown };
    if (text !== undefined && chunks.join('') !== text)
      this.#fault(`${pointer}/stream/chunks`, 'are not the pieces of text');
  }

  /** Where values of the request go: in each text, however deep. */
  #places(value: unknown, pointer: string): void {
    if (typeof value === 'string') {
      const fault = templateFault(value);
      if (fault !== null) this.#fault(pointer, fault);
    } else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) this.#places(each, `${pointer}/${escaped(name)}`);
  }

  #spoken(): Fields {
    const tokens = (held: unknown, at: string): void => this.#integer(held, at, 0, TOKENS_MAX);
    return {
      toolCalls: (held, at) =>
        this.#array(held, at, TOOL_CALLS_MAX)?.forEach((call, index) => {
          this.#toolCall(call, `${at}/${index}`);
        }),
      reasoning: (held, at) => this.#string(held, at),
      embedding: (held, at) => this.#embedding(held, at),
      usage: (held, at) =>
        void this.#object(held, at, { input: tokens, output: tokens, cached: tokens, reasoning: tokens }),
      finish: (held, at) => this.#string(held, at),
      stream: (held, at) =>
        void this.#object(held, at, {
          chunks: (chunks, inner) =>
            this.#array(chunks, inner, CHUNKS_MAX)?.forEach((chunk, index) => {
              this.#string(chunk, `${inner}/${index}`);
            }),
          chunkSize: (size, inner) => this.#integer(size, inner, 1, CHUNK_CHARS_MAX),
          firstDelayMs: (ms, inner) => this.#delay(ms, inner),
          chunkDelayMs: (ms, inner) => this.#delay(ms, inner),
          cutAfterChunks: (count, inner) => this.#integer(count, inner, 0, CHUNKS_MAX),
        }),
    };
  }

  #toolCall(value: unknown, pointer: string): void {
    const call = this.#object(value, pointer, {
      name: (held, at) => this.#string(held, at),
      arguments: () => undefined,
      id: (held, at) => this.#string(held, at),
    });
    if (call !== null && !Object.hasOwn(call, 'name')) this.#fault(pointer, 'name is missing');
  }

  #embedding(value: unknown, pointer: string): void {
    const vectors = this.#array(value, pointer, EMBEDDING_DIMENSIONS_MAX);
    const isVector = (held: unknown): boolean =>
      Array.isArray(held) &&
      held.length > 0 &&
      held.length <= EMBEDDING_DIMENSIONS_MAX &&
      held.every(number => typeof number === 'number');
    if (vectors === null || isVector(vectors) || (vectors.length > 0 && vectors.every(isVector))) return;
    this.#fault(pointer, 'must be numbers, or arrays of numbers');
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

  #boolean(value: unknown, pointer: string): void {
    if (typeof value !== 'boolean') this.#fault(pointer, 'must be true or false');
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
