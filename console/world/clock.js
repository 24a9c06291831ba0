// The clock in the page's head: shows the instant every twin stamps from, and moves it where the session may.

import { h, instant } from '../shared/dom.js';
import { ask } from './api.js';

const STEPS = ['1h', '1d', '7d', '31d'];

/** @param {{ write: boolean; notice: (text: string, bad?: boolean) => void }} page */
export function clockControl({ write, notice }) {
  const form = /** @type {HTMLFormElement} */ (document.getElementById('clock'));
  const at = h('span', {});
  const state = h('span', { class: 'soft' });
  const buttons = STEPS.map(by =>
    h(
      'button',
      { type: 'button', title: `Advance by ${by}`, onclick: () => move('clock/advance', 'POST', { by }) },
      `+${by}`,
    ),
  );
  const text = /** @type {HTMLInputElement} */ (
    h('input', {
      'aria-label': 'Instant to set',
      placeholder: '2026-03-01T00:00:00Z',
      size: 21,
      required: true,
      spellcheck: 'false',
    })
  );
  const set = h('button', {}, 'Set');
  form.replaceChildren(at, state, ...(write ? [...buttons, text, set] : []));
  form.hidden = false;
  form.onsubmit = event => {
    event.preventDefault();
    void move('clock', 'PUT', { at: text.value.trim() });
  };
  /** @typedef {{ done: number; left: number; at: string }} Progress */
  const show = (/** @type {{ at: string; frozen: boolean; catchingUp?: Progress }} */ clock) => {
    at.replaceChildren(instant(clock.at));
    const { catchingUp } = clock;
    if (catchingUp === undefined) state.textContent = clock.frozen ? 'set' : 'wall clock';
    else
      state.replaceChildren(
        'catching up, at ',
        instant(catchingUp.at),
        `: ${catchingUp.done} events, ${catchingUp.left} waiting`,
      );
    // Only a clock that stands can be advanced.
    for (const button of buttons) /** @type {HTMLButtonElement} */ (button).disabled = !clock.frozen;
    if (text.value === '') text.value = `${clock.at.slice(0, 19)}Z`;
  };
  const move = async (
    /** @type {string} */ path,
    /** @type {string} */ method,
    /** @type {unknown} */ body,
  ) => {
    notice('Moving the clock; what falls due happens now…');
    try {
      text.value = '';
      show(await ask(path, { method, body }));
      notice('');
    } catch (problem) {
      notice(/** @type {Error} */ (problem).message, true);
    }
  };
  return {
    refresh: async () => show(await ask('clock')),
  };
}
