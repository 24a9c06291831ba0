// What waits for the clock, up to a day that one picks, and the way there: each thing that falls due may bring others, so what
// will have happened by then is seen by going there, in a branch first.

import { empty, h, instant, table } from '../shared/dom.js';
import { acting } from './acting.js';
import { ask } from './api.js';
import { PREVIEW_SECONDS } from './limits.js';
import { recordHash } from './record-hash.js';
import { pageOf } from './views.js';

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function aheadView({ write, search, go, notice, moveClock }) {
  const until = /** @type {HTMLInputElement} */ (
    h('input', {
      name: 'until',
      size: 21,
      placeholder: '2026-03-01T00:00:00Z',
      spellcheck: 'false',
      autocomplete: 'off',
      required: true,
    })
  );
  const list = h('div');
  const made = h('div', { role: 'status' });
  const address = () => `ahead?${new URLSearchParams({ until: until.value.trim() })}`;
  const refresh = async (first = false) => {
    if (first) until.value = search.get('until') ?? endOfFirst((await ask('clock')).at);
    const { due, more } = await ask(`due?${new URLSearchParams({ until: until.value.trim() })}`);
    list.replaceChildren(...awaited(due, more));
  };
  const act = acting(notice, refresh);
  const branch = () =>
    act(async () => {
      const body = { ttl: PREVIEW_SECONDS, label: 'ahead' };
      const { name } = await ask('branches', { method: 'POST', body });
      made.replaceChildren(h('p', {}, 'Go on in ', pageOf(name, address()), ', which is gone in an hour.'));
    }, 'The branch is made.');
  const move = async () => {
    if (await moveClock(until.value.trim())) go('timeline');
  };
  const form = h(
    'form',
    {
      class: 'row',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        go(address());
      },
    },
    h('label', {}, 'Until', until),
    h('button', {}, 'Show'),
    write && h('button', { type: 'button', onclick: () => void branch() }, 'Try it in a branch'),
    write && h('button', { type: 'button', onclick: () => void move() }, 'Move the clock there'),
  );
  return {
    element: h('section', {}, h('h2', {}, 'Ahead'), form, ...(write ? [WARNING()] : []), made, list),
    kinds: ['entry', 'clock'],
    refresh,
  };
}

const WARNING = () =>
  h(
    'p',
    { class: 'soft' },
    'This is what is known now; each may bring others. A branch whose clock is moved there shows what will have happened, and this world stays as it is. Webhooks of a branch go where this world’s go.',
  );

/** Of the first day of the month after. @param {string} at ISO 8601 */
function endOfFirst(at) {
  const now = new Date(at);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2) - 1000)
    .toISOString()
    .replace('.000', '');
}

/** @param {readonly any[]} due @param {boolean} more */
function awaited(due, more) {
  if (due.length === 0) return [empty('Nothing waits until then.')];
  return [
    table(
      ['When', 'What'],
      due.map(({ at, kind, text, record, twin }) => [
        instant(at),
        h(
          'div',
          { class: 'wraps' },
          `${words(kind)}${text === '' ? '' : ': '}`,
          record === null
            ? text
            : h('a', { href: `#${recordHash(twin, record.type, record.id)}`, class: 'wraps' }, text),
          h('span', { class: 'soft' }, ` ${twin}`),
        ),
      ]),
    ),
    ...(more ? [h('p', { class: 'soft' }, 'More waits behind these.')] : []),
  ];
}

/** `endTrial`, `end-trial` → `end trial` @param {string} kind */
const words = kind =>
  kind
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.:]+/g, ' ')
    .toLowerCase();
