// What was done in the world: by one run of a program, or since it began. What changed, what was asked, what was refused.

import { empty, h, instant, table } from '../shared/dom.js';
import { ask } from './api.js';
import { actionsOf, changesOf } from './report-parts.js';

/** `?run=` in the address: of all that was done, and not of one run. */
const ALL = 'all';

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function reportView({ search, go }) {
  const choice = /** @type {HTMLSelectElement} */ (
    h('select', { name: 'run', onchange: () => go(`report?${new URLSearchParams({ run: choice.value })}`) })
  );
  const body = h('div');
  let shown = '';
  const refresh = async () => {
    const runs = await runsOf();
    const run = search.get('run') ?? runs[0]?.name ?? ALL;
    choice.replaceChildren(
      ...runs.map(({ name, openedAt, closedAt }) =>
        h(
          'option',
          { value: name },
          `${name}, ${time(openedAt)} – ${closedAt === null ? 'now' : time(closedAt)}`,
        ),
      ),
      h('option', { value: ALL }, 'all that was done in this world'),
    );
    choice.value = run;
    const report = await ask(run === ALL ? 'report' : `report?${new URLSearchParams({ run })}`);
    // Its clock and its end are of the moment; what somebody has opened stays open while nothing else changed.
    const text = JSON.stringify([run, report.twins, report.refusals, report.actions]);
    if (text === shown) return;
    shown = text;
    body.replaceChildren(...inside(report));
  };
  return {
    element: h(
      'section',
      {},
      h('h2', {}, 'What changed'),
      h(
        'form',
        { class: 'row', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
        h('label', {}, 'By', choice),
      ),
      body,
    ),
    kinds: ['entry', 'refusal'],
    refresh,
  };
}

/** Newest first; none where the world's host runs no proxy. @returns {Promise<readonly any[]>} */
async function runsOf() {
  try {
    return (await ask('runs')).runs;
  } catch (problem) {
    if (/** @type {any} */ (problem).status === 404) return [];
    throw problem;
  }
}

const time = (/** @type {string} */ at) => at.slice(0, 19).replace('T', ' ');

/** @param {any} report @returns {readonly Node[]} */
function inside(report) {
  const { from, to, entries, entriesLeft, twins, refusals, refusalsLeft } = report;
  const span = h(
    'p',
    { class: 'soft' },
    ...(from === null ? ['All of it, until '] : ['From ', instant(from), ' to ']),
    instant(to),
    ` of the wall clock: ${entries} entries.`,
    entriesLeft > 0 && ` ${entriesLeft} newer ones were not read.`,
  );
  if (twins.length + refusals.length === 0) return [span, empty('Nothing was changed, asked or refused.')];
  const changed = twins.filter((/** @type {any} */ { records, told }) => records.length + told.length > 0);
  return [
    span,
    h('h3', {}, 'What it changed'),
    ...(changed.length === 0 ? [empty('No record of any twin.')] : changed.flatMap(changesOf)),
    ...askedOf(twins),
    ...webhooksOf(twins),
    ...(refusals.length === 0 ? [] : refusedOf(refusals, refusalsLeft)),
    h('h3', {}, 'What a deploy of it would ask'),
    actionsOf(report, []),
  ];
}

/** @param {readonly any[]} twins @returns {readonly Node[]} */
function askedOf(twins) {
  const rows = twins.flatMap(({ twin, operations }) =>
    operations.map((/** @type {any} */ { route, tier, requests, errors }) => [
      h(
        'div',
        { class: 'wraps' },
        h('code', {}, route),
        h('span', { class: tier === 'modelled' ? 'soft' : 'bad' }, ` ${twin}, ${tier}`),
      ),
      requests,
      errors === 0 ? '' : h('span', { class: 'bad' }, errors),
    ]),
  );
  if (rows.length === 0) return [];
  const left = twins.reduce((sum, { operationsLeft }) => sum + operationsLeft, 0);
  return [
    h('h3', {}, 'What it asked'),
    table(['Operation', { title: 'Asked', number: true }, { title: 'Failed', number: true }], rows),
    ...(left > 0 ? [h('p', { class: 'soft' }, `and ${left} more operations`)] : []),
  ];
}

/** @param {readonly any[]} twins @returns {readonly Node[]} */
function webhooksOf(twins) {
  const sent = twins.filter(({ webhooks }) => webhooks.delivered + webhooks.failed > 0);
  if (sent.length === 0) return [];
  const lines = sent.map(({ twin, webhooks: { delivered, failed } }) =>
    h(
      'li',
      {},
      `${twin}: ${delivered} delivered`,
      failed > 0 && ', ',
      failed > 0 && h('a', { href: '#webhooks?failed=true', class: 'bad' }, `${failed} failed`),
    ),
  );
  return [h('h3', {}, 'Webhooks'), h('ul', { class: 'plain' }, ...lines)];
}

/** @param {readonly any[]} refusals @param {number} left @returns {readonly Node[]} */
function refusedOf(refusals, left) {
  const rows = refusals.map(({ rule, target, count, agent }) => [
    h('a', { href: '#refusals' }, rule),
    h('span', { class: 'wraps' }, target),
    agent ?? '',
    count,
  ]);
  return [
    h('h3', {}, 'What was refused'),
    table(['Rule', 'Target', 'Who', { title: 'Times', number: true }], rows),
    ...(left > 0 ? [h('p', { class: 'soft' }, `and ${left} more`)] : []),
  ];
}
