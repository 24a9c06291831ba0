// Requests by the minute: how many and what became of them, and how long they took. Drawn as SVG by hand (docs/decisions),
// with the same numbers as a table for whoever cannot see it.

import { empty, h, table } from '../shared/dom.js';
import { CHART_MINUTES } from './limits.js';

/** @typedef {{ at: string; twin: number; failed: number; granted: number; refused: number; p50: number; p95: number }} Minute */

const SVG = 'http://www.w3.org/2000/svg';
const MINUTE_MS = 60_000;
const HEIGHT = 100;
/** Of a minute: what stands between two. */
const GAP = 0.15;

/** What becomes of a request, as the chart stacks it, and in words. */
const OUTCOMES = /** @type {const} */ ([
  ['twin', 'twin'],
  ['failed', 'twin, failed'],
  ['granted', 'granted'],
  ['refused', 'refused'],
]);

/** @param {{ to: string; outsideSince: string | null; minutes: readonly Minute[] }} told `GET …/requests/minutes` */
export function charts({ to, minutes }) {
  const last = Math.floor(Date.parse(to) / MINUTE_MS);
  const placed = minutes.map(minute => ({
    minute,
    x: CHART_MINUTES - 1 - (last - Math.floor(Date.parse(minute.at) / MINUTE_MS)),
  }));
  const most = Math.max(1, ...minutes.map(sumOf));
  const slowest = Math.max(0.001, ...minutes.map(({ p95 }) => p95));
  const total = minutes.reduce((sum, minute) => sum + sumOf(minute), 0);
  return [
    h(
      'div',
      { class: 'charts' },
      figure(
        'Requests a minute',
        `${most} at most`,
        `${total} requests in the last ${CHART_MINUTES} minutes, at most ${most} in one`,
        OUTCOMES.map(([name, words]) => [name, words]),
        placed.map(({ minute, x }) => bar(minute, x, most)),
      ),
      figure(
        'Milliseconds',
        `${shown(slowest)} ms at most`,
        `response times by the minute, at most ${shown(slowest)} ms`,
        [
          ['p50', 'p50'],
          ['p95', 'p95'],
        ],
        /** @type {const} */ (['p95', 'p50']).map(which => steps(which, placed, slowest)),
      ),
    ),
    asTable(minutes),
  ];
}

/** The same numbers, laid out when somebody opens them. @param {readonly Minute[]} minutes */
function asTable(minutes) {
  const body = h('div');
  const head = [...OUTCOMES.map(([, words]) => words), 'p50 ms', 'p95 ms'];
  const open = () => {
    if (body.childElementCount > 0) return;
    const rows = minutes
      .toReversed()
      .map(minute => [
        minute.at.slice(11, 16),
        ...OUTCOMES.map(([name]) => minute[name]),
        shown(minute.p50),
        shown(minute.p95),
      ]);
    const numbers = head.map(title => ({ title, number: /** @type {const} */ (true) }));
    body.append(
      rows.length === 0 ? empty('Nothing was asked in the last hour.') : table(['Minute', ...numbers], rows),
    );
  };
  return h('details', { ontoggle: open }, h('summary', { class: 'plainly' }, 'As a table'), body);
}

/** @param {Minute} minute */
const sumOf = ({ twin, failed, granted, refused }) => twin + failed + granted + refused;

/** @param {number} ms */
const shown = ms => (ms >= 100 ? String(Math.round(ms)) : String(Number(ms.toPrecision(2))));

/**
 * @param {string} title @param {string} most @param {string} label
 * @param {readonly (readonly [name: string, words: string])[]} legend @param {readonly Element[]} drawn
 */
function figure(title, most, label, legend, drawn) {
  const svg = element('svg', {
    viewBox: `0 0 ${CHART_MINUTES} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': label,
  });
  svg.append(...drawn);
  return h(
    'figure',
    {},
    h('figcaption', { class: 'with' }, title, h('span', { class: 'soft' }, most)),
    svg,
    h(
      'p',
      { class: 'axis soft', 'aria-hidden': 'true' },
      h('span', {}, `${CHART_MINUTES} minutes ago`),
      ...legend.map(([name, words]) => h('span', { class: `legend ${name}` }, words)),
      h('span', {}, 'now'),
    ),
  );
}

/** @param {Minute} minute @param {number} x @param {number} most */
function bar(minute, x, most) {
  const group = element('g', {});
  let y = HEIGHT;
  for (const [name] of OUTCOMES) {
    const height = (minute[name] / most) * HEIGHT;
    if (height === 0) continue;
    y -= height;
    group.append(element('rect', { class: name, x: x + GAP / 2, y, width: 1 - GAP, height }));
  }
  const title = element('title', {});
  title.textContent = `${minute.at.slice(11, 16)}: ${OUTCOMES.filter(([name]) => minute[name] > 0)
    .map(([name, words]) => `${minute[name]} ${words}`)
    .join(', ')}`;
  group.append(title);
  return group;
}

/** A step for each minute, none where nothing was asked. @param {'p50' | 'p95'} which @param {readonly { minute: Minute; x: number }[]} placed @param {number} slowest */
function steps(which, placed, slowest) {
  // A line at the very top or bottom would be half a line.
  const y = (/** @type {Minute} */ minute) =>
    (HEIGHT - 4 - (minute[which] / slowest) * (HEIGHT - 8)).toFixed(2);
  const d = placed.map(({ minute, x }) => `M${x} ${y(minute)}h1`).join('');
  return element('path', { class: `step ${which}`, d });
}

/** @param {string} name @param {{ [name: string]: string | number }} attributes */
function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
