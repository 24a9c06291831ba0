// The way in: the admin token, typed or pasted. It is tried against the host, and then known to this page alone.
import { Problem } from '../shared/asking.js';
import { h } from '../shared/dom.js';
import { ask, presentToken } from './api.js';

const TOKEN = /^[A-Za-z0-9_-]+$/;
const OF_A_WORLD = /^tok_[wrk]_/;

/**
 * Resolves when the host took a token. `why`: for whom it did until now.
 *
 * @param {HTMLElement} main @param {string} [why]
 * @returns {Promise<void>}
 */
export function signIn(main, why = '') {
  return new Promise(resolve => {
    const alert = h('p', { role: 'alert', class: 'bad', id: 'why' }, why);
    const input = /** @type {HTMLInputElement} */ (
      h('input', {
        type: 'password',
        autocomplete: 'off',
        required: true,
        spellcheck: 'false',
        'aria-describedby': 'why',
      })
    );
    const button = /** @type {HTMLButtonElement} */ (h('button', {}, 'Open'));
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      button.disabled = true;
      const refused = await attempt(input.value.trim());
      button.disabled = false;
      if (refused === null) return resolve();
      alert.textContent = refused;
      input.focus();
      input.select();
    };
    main.replaceChildren(
      h('h2', {}, 'Open the console'),
      h('form', { class: 'row enter', onsubmit: submit }, h('label', {}, 'Admin token', input), button),
      alert,
      h(
        'p',
        { class: 'soft' },
        'wrld host printed it at its first start and keeps it in ',
        h('code', {}, '.wrld-host/admin-token'),
        ' of its directory, unless it was given another (ADMIN_TOKEN). This page keeps it in memory: a reload forgets it.',
      ),
    );
    input.focus();
  });
}

/** Null when it opens the host. @param {string} token @returns {Promise<string | null>} */
async function attempt(token) {
  if (OF_A_WORLD.test(token))
    return 'This is a token of one world: it opens that world’s page, and nothing here. The admin token is another.';
  if (!TOKEN.test(token))
    return 'This is no token: one has letters, digits, - and _ alone. Copy it once more, without what stands around it.';
  presentToken(token);
  try {
    await ask('vendors');
    return null;
  } catch (problem) {
    presentToken('');
    if (problem instanceof Problem && problem.status === 401)
      return 'The host does not take this token. Look whether it is of this host, and whether all of it was copied.';
    return `${/** @type {Error} */ (problem).message} Start wrld host, and try again.`;
  }
}
