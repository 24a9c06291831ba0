// The handlers file of a twin: what to answer instead of the twin, and when. Written by users, so every fault is
// named by its JSON pointer, unknown keys are refused, and a pattern cannot be slow (pattern.ts).
import { parseJson } from '../../policy/json-text.ts';
import type { ExactRequest } from './exact-request.ts';
import type { ResponseFormat, SpokenUsage } from './generative.ts';
import { checkDocument } from './handlers-check.ts';
import type { RawReply } from './raw-reply.ts';

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
  /** The request is this one and no other: what a recording goes by. */
  readonly exact?: ExactRequest;
  // Of generative twins only:
  /** The operation, with dots: `chat.completions`, `responses`, `embeddings`, `messages`. */
  readonly endpoint?: Text;
  readonly model?: Text;
  /** The last message of the user's. */
  readonly lastUser?: Text;
  readonly system?: Text;
  /** All text of the request but its instructions. */
  readonly input?: Text;
  /** Tools the model may call: a name, or several that are all offered. */
  readonly tool?: { readonly offered: Text | readonly Text[] };
  /** The last message is a tool's result; `false`: it is none. */
  readonly toolResult?: boolean | Text | { readonly name?: Text; readonly text?: Text };
  /** Which answer of the conversation this is: 1 for the first. */
  readonly turn?: number;
  /** Which call of the scope this is: 1 for the first. */
  readonly call?: number;
  readonly stream?: boolean;
  readonly responseFormat?: ResponseFormat;
  readonly all?: readonly Match[];
  readonly any?: readonly Match[];
  readonly not?: Match;
};

export type HandlerError = {
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
  /** The bytes of the body, of any twin: what a recording kept. Alone but for `status`, `headers` and `delayMs`. */
  readonly raw?: RawReply;
  /** Milliseconds of wall time. */
  readonly delayMs?: number;
  // Of generative twins only; there `text` and `json` are what the model says, and an error beside them comes in
  // the middle of the stream.
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: Json; readonly id?: string }[];
  readonly reasoning?: string;
  /** One vector for every input, or one each. */
  readonly embedding?: readonly number[] | readonly (readonly number[])[];
  /** Tokens. */
  readonly usage?: SpokenUsage;
  readonly finish?: string;
  readonly stream?: {
    /** The text in its pieces. */
    readonly chunks?: readonly string[];
    /** Characters. */
    readonly chunkSize?: number;
    readonly firstDelayMs?: number;
    readonly chunkDelayMs?: number;
    /** Cut, or fail with `error`, after so many pieces. */
    readonly cutAfterChunks?: number;
  };
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
  readonly scope?: 'conversation' | 'key' | 'world';
  readonly unmatched?: 'error' | HandlerReply;
  /** `{{request.body.name}}` in the texts of replies is the request's; without it, it is said as it is written. */
  readonly templates?: boolean;
  readonly defaults?: {
    readonly delayMs?: number;
    readonly chunkSize?: number;
    readonly chunkDelayMs?: number;
  };
  readonly handlers: readonly Handler[];
};

export type HandlersFault = { readonly pointer: string; readonly message: string };
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
  'exact',
  'all',
  'any',
  'not',
];

/** Those of a generative twin. */
export const GENERATIVE_MATCHERS: readonly string[] = [
  ...HANDLER_MATCHERS.slice(0, 6),
  'endpoint',
  'model',
  'lastUser',
  'system',
  'input',
  'tool',
  'toolResult',
  'turn',
  'call',
  'stream',
  'responseFormat',
  ...HANDLER_MATCHERS.slice(6),
];

export type HandlersFor = { readonly generative: boolean };

/** Parses the text of a handlers file. */
export function parseHandlers(text: string, of: HandlersFor = { generative: false }): HandlersResult {
  const read = parseJson(text);
  if (!read.ok) return { ok: false, faults: [{ pointer: '', message: read.fault }] };
  return checkHandlers(read.value, of);
}

export function checkHandlers(value: unknown, of: HandlersFor = { generative: false }): HandlersResult {
  const faults = checkDocument(value, of);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, handlers: value as Handlers };
}

/** What is wrong with a reply that somebody gives by itself; null for a good one. */
export function replyFault(reply: unknown, of: HandlersFor): string | null {
  const place = '/handlers/0/reply';
  const faults = checkDocument({ version: 1, handlers: [{ id: 'given', match: {}, reply }] }, of);
  const told = faults.map(({ pointer, message }) => `${pointer.replace(place, '') || 'it'}: ${message}`);
  return told.length === 0 ? null : told.join('; ');
}
