// The clock in the page's head: shows the instant every twin stamps from, and moves it where the session may.

import { h, instant } from '../shared/dom.js';
import { ask } from './api.js';
import { CLOCK_LOOK_MS } from './limits.js';

const STEPS = ['1h', '1d', '7d', '31d'];

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `7d`. @param {string} by */
const durationOf = by =>
  Number.parseInt(by, 10) * UNITS_MS[/** @type {keyof typeof UNITS_MS} */ (by.slice(-1))];

/** @param {{ write: boolean; notice: (text: string, bad?: boolean) => void }} page */
export function clockControl({ write, notice }) {
  const form = /** @type {HTMLFormElement} */ (document.getElementById('clock'));
  const at = h('span', {});
  const state = h('span', { class: 'soft' });
  /** @type {{ at: string; frozen: boolean } | null} */
  let known = null;
  const advance = (/** @type {string} */ by) =>
    // What follows the wall clock is set first; both are one step.
    known?.frozen === false
      ? move('clock', 'PUT', { at: new Date(Date.parse(known.at) + durationOf(by)).toISOString() })
      : move('clock/advance', 'POST', { by });
  const buttons = STEPS.map(by => h('button', { type: 'button', onclick: () => advance(by) }, `+${by}`));
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
    known = clock;
    at.replaceChildren(instant(clock.at));
    const { catchingUp } = clock;
    if (catchingUp === undefined)
      state.textContent = clock.frozen
        ? 'set'
        : write
          ? 'wall clock; advancing sets it, and it stands'
          : 'wall clock';
    else
      state.replaceChildren(
        'catching up, at ',
        instant(catchingUp.at),
        `: ${catchingUp.done} events, ${catchingUp.left} waiting`,
      );
    for (const [index, button] of buttons.entries())
      button.title = clock.frozen
        ? `Advance by ${STEPS[index]}`
        : `Set the clock to ${STEPS[index]} from now: it follows the wall clock no more, and what is due by then happens`;
    if (text.value === '') text.value = `${clock.at.slice(0, 19)}Z`;
  };
  /** Whether the world has arrived there; why not is told. */
  const move = async (
    /** @type {string} */ path,
    /** @type {string} */ method,
    /** @type {unknown} */ body,
  ) => {
    notice('Moving the clock; what falls due happens now…');
    const stop = whileMoving(show);
    try {
      text.value = '';
      const clock = await ask(path, { method, body });
      stop();
      show(clock);
      notice('');
      return true;
    } catch (problem) {
      stop();
      notice(/** @type {Error} */ (problem).message, true);
      return false;
    }
  };
  return {
    refresh: async () => show(await ask('clock')),
    /** @param {string} at ISO 8601 */
    moveTo: at => move('clock', 'PUT', { at }),
  };
}

/** Says how far the world is, until it is stopped. @param {(clock: any) => void} show */
function whileMoving(show) {
  let moving = true;
  const take = (/** @type {any} */ clock) => moving && show(clock);
  const looking = setInterval(() => void ask('clock').then(take, () => {}), CLOCK_LOOK_MS);
  return () => {
    moving = false;
    clearInterval(looking);
  };
}
