// JSON that came from outside, read with a bound on its depth: `JSON.parse` takes any, and whatever walks the value
// afterwards (a validator, a schema's sample, `JSON.stringify`) is a function that calls itself.
import { JSON_DEPTH_MAX } from './limits.ts';

export type JsonText =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      /** Completes "it is". It quotes nothing of what was read, which may hold a secret. */
      readonly why: string;
      /** The parser's own words, with the place: for the person whose file it is. */
      readonly fault: string;
    };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

export function parseJson(source: string | Uint8Array): JsonText {
  try {
    const text = typeof source === 'string' ? source : UTF8.decode(source);
    if (isTooDeep(text)) return TOO_DEEP;
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, why: 'no JSON', fault: `not JSON: ${(error as Error).message}` };
  }
}

const TOO_DEEP: JsonText = {
  ok: false,
  why: `JSON nested deeper than ${JSON_DEPTH_MAX} levels`,
  fault: `nested deeper than ${JSON_DEPTH_MAX} levels`,
};

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Of text that may be no JSON at all: then the parser says so. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at + 1);
      if (at < 0) return false;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > JSON_DEPTH_MAX) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return false;
}

/** Where the string that begins before `start` ends; -1 where it never does. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (before >= start && text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
