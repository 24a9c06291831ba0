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

const KINDS = ['entry', 'clock', 'refusal', 'requests', 'branches', 'keys'];

/**
 * What changes in the world, by kind, for as long as somebody can see the page: a tab that is hidden asks for nothing. The
 * browser opens the stream again by itself; `live` tells whether it is open.
 *
 * @param {(kinds: ReadonlySet<string>) => void} take
 * @param {(live: boolean) => void} tell
 */
export function follow(take, tell) {
  /** @type {Set<string>} */
  let gathered = new Set();
  let timer = 0;
  const gather = (/** @type {string} */ kind) => {
    if (gathered.size === 0)
      timer = setTimeout(() => {
        const kinds = gathered;
        gathered = new Set();
        take(kinds);
      }, GATHER_MS);
    gathered.add(kind);
  };
  const open = () => {
    const source = new EventSource(`${OWN}events`);
    for (const kind of KINDS) source.addEventListener(kind, () => gather(kind));
    source.addEventListener('open', () => {
      tell(true);
      // What happened while it was closed was not told.
      take(new Set(KINDS));
    });
    source.addEventListener('error', () => tell(false));
    return source;
  };
  /** @type {EventSource | null} */
  let source = null;
  const look = () => {
    if (!document.hidden) source ??= open();
    else {
      source?.close();
      source = null;
      clearTimeout(timer);
      gathered = new Set();
    }
  };
  document.addEventListener('visibilitychange', look);
  look();
}
