// How a page of ours asks what serves it, and what it makes of an answer that is no success.

/** What was asked answered, and not with a success. */
export class Problem extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.error?.message ?? `The answer was ${status}, and does not say why.`);
    this.status = status;
    this.body = body;
  }

  /** @returns {string | undefined} */
  get code() {
    return this.body?.error?.code;
  }
}

/** Nothing answered, or something that stands in front of it. */
export class Unreachable extends Error {}

const GATEWAY = new Set([502, 503, 504]);

/**
 * Throws `Problem` for anything but a success, and `Unreachable`.
 *
 * @param {string | URL} place
 * @param {{ method?: string; body?: unknown; text?: string; headers?: Record<string, string> }} [options] `body` is sent as
 *   JSON; `text` is JSON, and sent as it is written
 * @returns {Promise<Response>}
 */
export async function answerOf(place, { method = 'GET', body, text, headers = {} } = {}) {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const answer = await fetch(place, {
    method,
    headers: { ...headers, ...(sent === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(sent === undefined ? {} : { body: sent }),
  }).catch(() => {
    throw new Unreachable('No answer came: what serves this page is not up, or cannot be reached.');
  });
  if (answer.ok) return answer;
  const told = parsed(await answer.text());
  if (told === undefined && GATEWAY.has(answer.status))
    throw new Unreachable(
      `What stands in front answered ${answer.status}: what it leads to does not answer.`,
    );
  throw new Problem(answer.status, told);
}

/** The parsed body; null for none. @param {Parameters<typeof answerOf>} asked @returns {Promise<any>} */
export async function ask(...asked) {
  const text = await (await answerOf(...asked)).text();
  return text === '' ? null : JSON.parse(text);
}

/** Undefined for what is no JSON. @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
