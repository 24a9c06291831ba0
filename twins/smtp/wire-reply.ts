// What a twin answered, as SMTP says it: a code of the protocol and one line of text.
import { field, readJson, textField } from '../kit/json.ts';
import type { Reply } from '../kit/reply.ts';

/** As smtp-server takes a refusal. */
export type Refusal = Error & { responseCode?: number };

export function refusal(code: number, message: string): Refusal {
  const error: Refusal = new Error(message);
  error.responseCode = code;
  return error;
}

/** A reply's status as a code of SMTP: handlers may name either kind. */
export function codeOf(status: number, otherwise: number): number {
  if (SMTP_CODES.has(status)) return status;
  return status === 429 || (status >= 500 && status < 510) ? 451 : otherwise;
}

const SMTP_CODES = new Set([
  421, 450, 451, 452, 454, 455, 521, 523, 530, 534, 535, 538, 550, 551, 552, 553, 554, 555, 556,
]);

/** One line: what a handler wrote may have several. */
export function textOf({ body }: Reply): string {
  if (typeof body !== 'string') return '';
  const read = readJson(body);
  // What is no JSON is words as they are.
  const text =
    read === undefined
      ? body
      : (textField(field(read, 'error'), 'message') ?? textField(read, 'message') ?? '');
  return text.replace(/[\x00-\x1f\x7f]+/g, ' ').trim();
}
