// The one place where the proxy's own answers become bytes: refusals in the form their client can read
// (7.1), and the words for an upstream that did not answer.

import { printable } from '../policy/printable.ts';
import {
  REFUSAL_HEADER,
  REFUSAL_PAGE_HEADERS,
  REFUSAL_RECORD_HEADER,
  type RefusalRecord,
  refusalBody,
  refusalDocument,
  refusalField,
  refusalPage,
} from '../policy/refusal.ts';
import { http } from '../process/http.ts';
import { AGENT_CHARS_SHOWN_MAX } from './limits.ts';
import type { FailureStage, UpstreamFailure } from './upstream/failure.ts';

/** An answer of the proxy's own, ready to be framed. */
export type Answer = {
  readonly status: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** It stands for an answer that an upstream did not give. */
  readonly failure?: FailureStage;
};

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const TEXT = ['Content-Type', 'text/plain; charset=utf-8'] as const;
export const RETRY_SOON = ['Retry-After', '1'] as const;
const NO_STORE = ['Cache-Control', 'no-store'] as const;

/**
 * 7.1: 502, the missing side in a header, text and record in the body; a page where a browser navigates, and JSON for
 * who reads nothing else. `fields`: the request's, as they came.
 */
export function refusalAnswer(record: RefusalRecord, fields: string): Answer {
  const field = refusalField(record);
  const told: Answer['fields'] = [
    [REFUSAL_HEADER, record.missing],
    ...(field === null ? [] : [[REFUSAL_RECORD_HEADER, field] as const]),
  ];
  switch (formOf(fields)) {
    case 'page':
      return {
        status: 502,
        fields: [...told, ...Object.entries(REFUSAL_PAGE_HEADERS), NO_STORE],
        body: refusalPage(record),
      };
    case 'json':
      return { status: 502, fields: [...told, JSON_TYPE, NO_STORE], body: refusalDocument(record) };
    case 'text':
      return { status: 502, fields: [...told, TEXT, NO_STORE], body: refusalBody(record) };
  }
}

/** Java's own client offers `text/html` as browsers do, for a person who is not there: a navigation says that it is one. */
const NAVIGATES = /^(?:sec-fetch-mode:[ \t]*navigate|upgrade-insecure-requests:[ \t]*1)[ \t]*\r?$/im;
const ACCEPT = /^accept:[ \t]*(.*?)[ \t]*\r?$/im;

const AGENT = /^user-agent:[ \t]*(.*?)[ \t]*\r?$/im;

/** What a refused client calls itself; null where it says nothing. */
export function agentOf(fields: string): string | null {
  const agent = AGENT.exec(fields)?.[1] ?? '';
  return agent === '' ? null : printable(agent, AGENT_CHARS_SHOWN_MAX);
}

/** What the client can read, found only when it is refused: other requests pay nothing for it. */
function formOf(fields: string): 'page' | 'json' | 'text' {
  const accept = ACCEPT.exec(fields)?.[1]?.toLowerCase() ?? '*/*';
  if (accept.includes('text/html') && NAVIGATES.test(fields)) return 'page';
  return /\bjson\b/.test(accept) && !/\*\/\*|text\//.test(accept) ? 'json' : 'text';
}

const STAGE_WORDS: { readonly [stage in UpstreamFailure['stage']]: string } = {
  resolve: 'its name did not resolve',
  connect: 'it took no connection',
  proxy: 'the proxy on the way to it gave no connection',
  tls: 'TLS with it failed',
  closed: 'its answer did not come',
  unreadable: 'its answer could not be read',
  stalled: 'it stopped answering',
  loop: 'the request would go round in a circle',
  descriptors:
    'this proxy has no file descriptors left for it; raise the limit (ulimit -n) or open fewer connections',
};

/** 7.1 "a host that does not answer": 502 without the header, and what failed. */
export function failureAnswer(who: string, failure: UpstreamFailure): Answer {
  // What ends by itself is worth another try.
  const passing = failure.stage === 'descriptors';
  return {
    status: passing ? 503 : 502,
    fields: passing ? [RETRY_SOON, TEXT, NO_STORE] : [TEXT, NO_STORE],
    body: `wrld: no answer from ${who}: ${STAGE_WORDS[failure.stage]} (${failure.why}). No rule refused this request.\n`,
    failure: failure.stage,
  };
}

export function plainAnswer(status: number, why: string, fields: Answer['fields'] = []): Answer {
  return { status, fields: [...fields, TEXT, NO_STORE], body: `wrld: ${why}\n` };
}

/** The answer as HTTP/1.1 bytes; HEAD gets the head alone. */
export function answerBytes(
  answer: Answer,
  options: { readonly close: boolean; readonly head: boolean },
): Buffer {
  const body = Buffer.from(answer.body, 'utf8');
  let head = `HTTP/1.1 ${answer.status} ${http.STATUS_CODES[answer.status] ?? ''}\r\n`;
  for (const [name, value] of answer.fields) head += `${name}: ${value}\r\n`;
  head += `Content-Length: ${body.length}\r\n${options.close ? 'Connection: close\r\n' : ''}\r\n`;
  return options.head ? Buffer.from(head, 'latin1') : Buffer.concat([Buffer.from(head, 'latin1'), body]);
}
