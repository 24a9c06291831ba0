// The bar over the world's history: an instant is picked, by pointer or by keys, and the views that can be of the past are of
// then, as the address says; from there a branch is made.

import { h, instant } from '../shared/dom.js';
import { ask } from './api.js';
import { asOf } from './as-of.js';
import { TIME_STEPS } from './limits.js';
import { pageOf } from './views.js';

/** @param {boolean} write @param {(at: string | null) => void} look @param {() => void} branchOff */
function partsOf(write, look, branchOff) {
  const element = /** @type {HTMLElement} */ (document.getElementById('time'));
  const range = /** @type {HTMLInputElement} */ (
    h('input', { type: 'range', min: 0, max: TIME_STEPS, step: 1, 'aria-label': 'Instant to look at' })
  );
  const text = /** @type {HTMLInputElement} */ (
    h('input', {
      'aria-label': 'Look at the world as of',
      placeholder: '2026-03-01T00:00:00Z',
      size: 21,
      spellcheck: 'false',
      autocomplete: 'off',
      required: true,
    })
  );
  const said = h('p', { class: 'as-of', role: 'status' });
  const acts = h(
    'span',
    { class: 'with' },
    h('button', { type: 'button', onclick: () => look(null) }, 'Back to now'),
    write && h('button', { type: 'button', onclick: branchOff }, 'Branch from here'),
  );
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    look(text.value.trim());
  };
  const form = h(
    'form',
    { class: 'time', onsubmit },
    h('span', { class: 'soft' }, 'History'),
    range,
    text,
    h('button', {}, 'Look back'),
  );
  element.replaceChildren(form, said, acts);
  return { element, range, text, said, acts };
}

/**
 * @param {{ write: boolean; notice: (text: string, bad?: boolean) => void; tell: (...said: (Node | string)[]) => void; go: (hash: string) => void }} page
 */
export function timeBar({ write, notice, tell, go }) {
  const { element, range, text, said, acts } = partsOf(
    write,
    at => look(at),
    () => void branchOff(),
  );
  let first = 0;
  let now = 0;

  /** The same view as of an instant; now when it is null. @param {string | null} at */
  const look = at => {
    const [view = '', query = ''] = location.hash.slice(1).split('?');
    const search = new URLSearchParams(query);
    if (at === null) search.delete('at');
    else search.set('at', at);
    go(`${view === '' ? 'timeline' : view}${search.size > 0 ? `?${search}` : ''}`);
  };
  /** To the second where there is one: what happened within it has happened by its end. */
  const picked = () => {
    const at = first + ((now - first) * Number(range.value)) / TIME_STEPS;
    return new Date(Math.min(Math.ceil(at / 1000) * 1000, now)).toISOString().replace('.000', '');
  };
  const say = (/** @type {string} */ at) => {
    range.setAttribute('aria-valuetext', at.slice(0, 19).replace('T', ' '));
  };
  range.addEventListener('input', () => {
    say(picked());
    text.value = picked();
  });
  range.addEventListener('change', () => look(Number(range.value) === TIME_STEPS ? null : picked()));
  const branchOff = async () => {
    const at = asOf();
    if (at === null) return;
    try {
      const { name } = await ask('branches', { method: 'POST', body: { at: { instant: at } } });
      tell('The branch is made: ', pageOf(name));
    } catch (problem) {
      notice(/** @type {Error} */ (problem).message, true);
    }
  };

  /** @param {boolean} shown whether the view can be of the past */
  const show = shown => {
    const at = asOf();
    element.hidden = !shown || now === 0;
    acts.hidden = at === null;
    said.hidden = at === null;
    if (at === null) said.replaceChildren();
    else said.replaceChildren('As of ', instant(at), ': this is what was then, and not what is now.');
    const place = at === null ? 1 : (Date.parse(at) - first) / Math.max(now - first, 1);
    if (!Number.isNaN(place)) range.value = String(Math.round(Math.min(Math.max(place, 0), 1) * TIME_STEPS));
    // What somebody is writing stays.
    if (document.activeElement !== text) text.value = at ?? '';
    say(at ?? 'now');
  };
  return {
    show,
    /** False until the world has an entry. */
    begun: () => first > 0,
    /** Where the history begins and ends. @param {boolean} shown */
    refresh: async shown => {
      const [clock, { twins }] = await Promise.all([ask('clock'), ask('map')]);
      now = Date.parse(clock.at);
      // It never changes once it is known.
      if (first === 0) {
        const began = await Promise.all(
          twins
            .filter((/** @type {any} */ { position }) => position > 0)
            .map((/** @type {any} */ { twin }) => ask(`log/${twin}/1`)),
        );
        const times = began.map(({ occurredAt }) => Date.parse(occurredAt));
        first = times.length === 0 ? 0 : Math.min(...times);
      }
      if (first === 0) now = 0;
      show(shown);
    },
  };
}
