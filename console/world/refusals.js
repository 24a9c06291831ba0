// What was refused, and the narrowest grant that lets it pass: shown as the change that it is, and made when somebody says so.

import { empty, h, instant } from '../shared/dom.js';
import { ask } from './api.js';

const KINDS = /** @type {{ [kind: string]: string }} */ ({
  exact: 'this path alone, with any query',
  subtree: 'every path below it: a grant of a path that ends in / can say no less',
  origin: 'everything at this origin: a grant of its first page can say no less',
});

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function refusalsView({ write, notice }) {
  const body = h('div');
  const panel = h('section', {
    class: 'panel',
    'aria-labelledby': 'grant-title',
    hidden: true,
    tabindex: '-1',
  });
  const refresh = async () => {
    const { refusals } = await ask('refusals');
    const items = refusals.map((/** @type {any} */ seen) => refusal(seen, write ? offer : null));
    body.replaceChildren(
      items.length === 0
        ? empty('Nothing was refused since the proxy started.')
        : h('ul', { class: 'plain refusals' }, ...items),
    );
  };
  const close = () => {
    panel.hidden = true;
    panel.replaceChildren();
  };
  const offer = async (/** @type {number} */ nth) => {
    try {
      show(nth, await ask(`refusals/${nth}/grant`));
    } catch (problem) {
      close();
      notice(/** @type {Error} */ (problem).message, true);
    }
  };
  const grant = async (/** @type {number} */ nth) => {
    try {
      const { grant: granted } = await ask(`refusals/${nth}/grant`, { method: 'POST' });
      close();
      notice(`${granted} is granted; what asks for it again passes.`);
    } catch (problem) {
      notice(/** @type {Error} */ (problem).message, true);
    }
  };
  const show = (/** @type {number} */ nth, /** @type {any} */ told) => {
    const lines = changedLines(told.lines);
    panel.replaceChildren(
      h('h3', { id: 'grant-title' }, 'Grant ', h('code', {}, told.grant)),
      h('p', {}, 'In ', h('code', {}, told.field), `: ${KINDS[told.kind] ?? ''}.`),
      ...(lines.length === 0 ? [] : [h('p', { class: 'soft' }, told.file), h('pre', {}, ...lines)]),
      told.here
        ? h(
            'p',
            { class: 'with' },
            h('button', { onclick: () => void grant(nth) }, `Write it to ${told.file}`),
            h('button', { onclick: close }, 'Leave it'),
          )
        : h(
            'p',
            {},
            `Write it to ${told.file} on the machine that the world runs on; it is in force when it is saved.`,
          ),
    );
    panel.hidden = false;
    panel.focus();
  };
  return {
    element: h('section', {}, h('h2', {}, 'Refusals'), panel, body),
    kinds: ['refusal'],
    refresh,
  };
}

/** @param {any} seen @param {((nth: number) => Promise<void>) | null} offer null for whoever reads only */
function refusal({ nth, at, run, record }, offer) {
  const { rule, see, target, reason, grantField } = record;
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'with' },
      instant(at),
      h('a', { href: see }, rule),
      h('span', { class: 'soft' }, `run ${run}`),
    ),
    h('div', {}, h('code', {}, target)),
    h('p', {}, reason),
    offer !== null && rule === 'not-granted' && grantField
      ? h('button', { onclick: () => void offer(nth), 'aria-label': `Grant this… ${target}` }, 'Grant this…')
      : null,
  );
}

/** @param {readonly { is: string; text: string }[]} lines */
function changedLines(lines) {
  return lines.map(({ is, text }) =>
    is === 'kept'
      ? `  ${text}\n`
      : h(is === 'added' ? 'ins' : 'del', {}, `${is === 'added' ? '+' : '−'} ${text}\n`),
  );
}
