// The world's endpoints, as the page asks them: same origin, by the session's cookie.

import { GATHER_MS } from './limits.js';

/** `/-/<org>/<world>/`, the page's own place. */
const OWN = new URL('.', location.href).pathname;
const [, , ORG = '', NAME = ''] = OWN.split('/');

/** `<org>/<world>` */
export const WORLD = `${ORG}/${NAME}`;

export class Problem extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.error?.message ?? `The world answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/**
 * Answers the parsed body; throws `Problem` for anything but a success.
 *
 * @param {string} path relative to the page's place, without its first slash
 * @param {{ method?: string; body?: unknown; headers?: Record<string, string> }} [options]
 * @returns {Promise<any>}
 */
export async function ask(path, { method = 'GET', body, headers = {} } = {}) {
  const answer = await fetch(OWN + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const parsed = text === '' ? null : JSON.parse(text);
  if (!answer.ok) throw new Problem(answer.status, parsed);
  return parsed;
}

/**
 * What changes in the world, by kind, for as long as the page is open. The browser opens the stream again by
 * itself; `live` tells whether it is open.
 *
 * @param {(kinds: ReadonlySet<string>) => void} take
 * @param {(live: boolean) => void} tell
 */
export function follow(take, tell) {
  /** @type {Set<string>} */
  let gathered = new Set();
  const source = new EventSource(`${OWN}events`);
  for (const kind of ['entry', 'clock', 'refusal', 'requests', 'branches', 'keys'])
    source.addEventListener(kind, () => {
      if (gathered.size === 0)
        setTimeout(() => {
          const kinds = gathered;
          gathered = new Set();
          take(kinds);
        }, GATHER_MS);
      gathered.add(kind);
    });
  source.addEventListener('open', () => {
    tell(true);
    // What happened while it was closed was not told.
    take(new Set(['entry', 'clock', 'refusal', 'requests', 'branches', 'keys']));
  });
  source.addEventListener('error', () => tell(false));
}
