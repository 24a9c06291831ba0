// How this browser gets into the world: a session it has already; on the machine's own loopback without a token;
// with a token or a read-only key that somebody types, or that a shared link carries behind its `#key=`.
import { Problem } from '../shared/asking.js';
import { h } from '../shared/dom.js';
import { ask, WORLD } from './api.js';

/** @typedef {{ scope: 'read' | 'write'; local?: boolean; who?: string }} Session */

/** @returns {Promise<Session>} */
export async function openSession() {
  const shared = /^#key=(tok_[A-Za-z0-9_-]+)$/.exec(location.hash)?.[1];
  // The key is a secret: out of the address bar and the history before anything else.
  if (shared !== undefined) history.replaceState(null, '', location.pathname);
  const opened =
    shared === undefined
      ? ((await existing()) ?? (await enter({})))
      : await enter({ 'x-wrld-token': shared });
  return opened ?? (await signIn());
}

/** @returns {Promise<Session | null>} */
async function existing() {
  try {
    return await ask('session');
  } catch (problem) {
    if (problem instanceof Problem && (problem.status === 401 || problem.status === 403)) return null;
    throw problem;
  }
}

/** @param {Record<string, string>} headers @returns {Promise<Session | null>} */
async function enter(headers) {
  try {
    return await ask('session', { method: 'POST', headers });
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    // Sessions live at the world's own origin alone (5.3).
    const origin = problem.body?.origin;
    if (problem.status === 409 && typeof origin === 'string') {
      location.replace(new URL(location.pathname + location.hash, origin));
      return new Promise(() => {});
    }
    if (problem.status === 401 || problem.status === 403) return null;
    throw problem;
  }
}

/** @returns {Promise<Session>} */
function signIn() {
  return new Promise(resolve => {
    const main = document.getElementById('main');
    const why = h('p', { role: 'alert', class: 'bad' });
    const input = /** @type {HTMLInputElement} */ (
      h('input', {
        type: 'password',
        name: 'token',
        autocomplete: 'off',
        required: true,
        size: 48,
        spellcheck: 'false',
      })
    );
    const form = h(
      'form',
      {
        class: 'row',
        onsubmit: async (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          const session = await enter({ 'x-wrld-token': input.value.trim() }).catch(() => null);
          if (session !== null) resolve(session);
          else why.textContent = 'This token or key does not open the world.';
        },
      },
      h('label', {}, 'Token, or a read-only key', input),
      h('button', {}, 'Open'),
    );
    main?.replaceChildren(
      h('h2', {}, `Open ${WORLD}`),
      h(
        'p',
        {},
        'The tokens are in ',
        h('code', {}, '.wrld/token'),
        ' of the world’s folder: the first line writes, the second reads.',
      ),
      form,
      why,
    );
    input.focus();
  });
}
