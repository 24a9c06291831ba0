// The real vendors behind the twins: where each is, when it was last seen whole, what goes on, and what both sides changed.

import { empty, h, instant } from '../shared/dom.js';
import { acting } from './acting.js';
import { ask } from './api.js';
import { CONFLICTS_SHOWN_MAX, REFRESH_LOOK_MS } from './limits.js';

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function rootsView({ write, notice }) {
  const body = h('div');
  let shown = '';
  const act = acting(notice, () => refresh());
  const refresh = async () => {
    const { twins } = await ask('twins');
    const text = JSON.stringify(
      twins.map((/** @type {any} */ { twin, root, credential, refresh }) => [
        twin,
        root,
        credential,
        refresh,
      ]),
    );
    // What has the keyboard keeps it while nothing has changed.
    if (text !== shown) body.replaceChildren(...inside(twins, write ? act : null));
    shown = text;
    if (twins.some((/** @type {any} */ each) => each.refresh.progress !== null))
      setTimeout(() => body.isConnected && void refresh().catch(() => {}), REFRESH_LOOK_MS);
  };
  return { element: h('section', {}, h('h2', {}, 'Roots'), body), kinds: ['entry'], refresh };
}

/** @typedef {ReturnType<typeof acting> | null} Act */

/** @param {readonly any[]} twins @param {Act} act @returns {readonly Node[]} */
function inside(twins, act) {
  const rooted = twins.filter(({ root }) => root !== null);
  const bare = twins.filter(({ root }) => root === null);
  const nodes = rooted.flatMap(twin => rootOf(twin, act));
  if (rooted.length === 0)
    nodes.push(
      empty(
        'No twin has a real vendor behind it. Put one there: wrld world root set stripe https://api.stripe.com',
      ),
    );
  else if (bare.length > 0)
    nodes.push(h('p', { class: 'soft' }, `Without a root: ${bare.map(({ twin }) => twin).join(', ')}.`));
  return nodes;
}

/** @param {any} status @param {Act} act @returns {readonly Node[]} */
function rootOf({ twin, root, credential, refresh }, act) {
  const { lastAt, nextAt, progress, fault, conflicts } = refresh;
  const facts = h('dl');
  const fact = (/** @type {string} */ title, /** @type {Node | string} */ value) =>
    facts.append(h('dt', {}, title), h('dd', {}, value));
  fact('Vendor', h('code', {}, root.url));
  fact('Deploys', DEPLOYS.get(root.deploy) ?? root.deploy);
  fact(
    'Credential',
    credential.sealed ? 'sealed' : h('span', { class: 'bad' }, `none: wrld world credential set ${twin}`),
  );
  fact('Copied', root.refresh.every === null ? 'only when asked' : `every ${root.refresh.every}`);
  fact('Last seen whole', lastAt === null ? 'never' : instant(lastAt));
  if (progress !== null)
    fact(
      'Now',
      h('span', {}, `${progress.done.toLocaleString('en')} records since `, instant(progress.since)),
    );
  else if (nextAt !== null) fact('Next', instant(nextAt));
  if (fault !== null) fact('Fault', h('span', { class: 'bad' }, instant(fault.at), ` ${fault.message}`));
  const nodes = [h('h3', {}, twin), facts];
  if (act !== null)
    nodes.push(
      h(
        'p',
        { class: 'row' },
        h(
          'button',
          {
            'aria-label': `Refresh ${twin} now`,
            disabled: progress !== null,
            onclick: () =>
              act(
                () => refreshNow(twin),
                said => said,
              ),
          },
          progress === null ? 'Refresh now' : 'Refreshing …',
        ),
      ),
    );
  if (conflicts.length > 0) nodes.push(...conflictsOf(twin, conflicts, act));
  return nodes;
}

/** @param {string} twin */
async function refreshNow(twin) {
  const { started, nextAt, refresh } = await ask(`twins/${twin}/refresh?force=1`, { method: 'POST' });
  if (started) return `${twin} is being looked at.`;
  return refresh.progress === null && nextAt !== null
    ? `${twin} was seen a moment ago; again from ${nextAt.slice(0, 19).replace('T', ' ')}.`
    : `${twin} is being looked at already.`;
}

/** @param {string} twin @param {readonly any[]} conflicts @param {Act} act @returns {readonly HTMLElement[]} */
function conflictsOf(twin, conflicts, act) {
  const take = (/** @type {'ours' | 'theirs'} */ side, /** @type {any} */ { type, id }) =>
    h(
      'button',
      {
        'aria-label': `${side === 'ours' ? 'Keep' : 'Take'} ${side} of ${type} ${id}`,
        onclick: () =>
          act?.(
            () => ask(`twins/${twin}/conflicts`, { method: 'POST', body: { take: side, type, id } }),
            ({ resolved }) => `${resolved === 1 ? 'One record is' : `${resolved} records are`} resolved.`,
          ),
      },
      side === 'ours' ? 'Keep ours' : 'Take theirs',
    );
  const items = conflicts.slice(0, CONFLICTS_SHOWN_MAX).map(conflict => {
    const { type, id, field, ours, theirs } = conflict;
    const values = h(
      'dl',
      {},
      h('dt', {}, 'Here'),
      h('dd', {}, h('code', {}, textOf(ours))),
      h('dt', {}, 'At the vendor'),
      h('dd', {}, h('code', {}, textOf(theirs))),
    );
    const title = h('p', {}, `${type} `, h('code', {}, id), ' ', h('code', {}, field));
    const sides = h('p', { class: 'row' }, take('ours', conflict), take('theirs', conflict));
    return h('li', {}, title, values, act !== null && sides);
  });
  const left = conflicts.length - items.length;
  return [
    h('h4', {}, 'Changed on both sides'),
    h('ul', { class: 'cards' }, ...items),
    ...(left > 0 ? [h('p', { class: 'soft' }, `and ${left} more: wrld world root ${twin} --json`)] : []),
  ];
}

/** @param {unknown} value */
function textOf(value) {
  return value === undefined ? 'not there' : typeof value === 'string' ? value : JSON.stringify(value);
}

const DEPLOYS = new Map([
  ['auto', 'what is pushed, at once'],
  ['manual', 'when somebody deploys'],
  ['never', 'never'],
]);
