// The world's endpoints, as the page asks them: same origin, by the session's cookie.

import { ask as askAt } from '../shared/asking.js';
import { GATHER_MS } from './limits.js';

/** `/-/<org>/<world>/`, the page's own place. */
const OWN = new URL('.', location.href).pathname;
const [, , ORG = '', NAME = ''] = OWN.split('/');

/** `<org>/<world>` */
export const WORLD = `${ORG}/${NAME}`;

/**
 * Answers the parsed body; throws `Problem` for anything but a success, and `Unreachable`.
 *
 * @param {string} path relative to the page's place, without its first slash
 * @param {Parameters<typeof askAt>[1]} [options]
 */
export const ask = (path, options) => askAt(OWN + path, options);

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
