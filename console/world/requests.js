// Every request as it happens, the newest on top: to twins, to what is granted, and refused. What arrives while somebody
// reads waits behind a button, so that nothing moves under the pointer.

import { empty, h, instant, table } from '../shared/dom.js';
import { ask } from './api.js';
import { charts } from './charts.js';
import { CHART_LOOK_MS, CHART_MINUTES, LINES_MAX, NEW_REQUESTS_MAX, PAGE_ENTRIES } from './limits.js';
import { wholeRequest } from './request.js';

const FILTERS = ['outcome', 'host', 'text'];

/** @type {readonly (readonly [value: string, words: string])[]} */
const OUTCOMES = [
  ['', 'all'],
  ['twin', 'to twins'],
  ['granted', 'granted'],
  ['refused', 'refused'],
  ['failed', 'failed'],
];

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function requestsView({ search, go, notice }) {
  const hour = new Hour();
  const panel = h('section', { class: 'panel', 'aria-label': 'The request', hidden: true, tabindex: '-1' });
  const news = h('button', { class: 'new', hidden: true, onclick: () => void showNew() });
  const nothing = empty('Nothing was asked yet. Run something in the world: wrld world run -- <command>');
  const more = h('button', { hidden: true, onclick: () => void older() }, 'Older');
  const lines = new Rows(notice);
  const live = new Live(lines);

  const read = (/** @type {{ [name: string]: string }} */ more) => {
    const query = new URLSearchParams(more);
    for (const name of FILTERS) if (search.get(name)) query.set(name, search.get(name) ?? '');
    return ask(`requests/lines?${query}`);
  };
  const told = () => {
    const { count, over } = live.waiting;
    news.hidden = count === 0;
    news.textContent = over ? `more than ${count} new` : `${count} new`;
    nothing.hidden = lines.count > 0 || count > 0;
    more.hidden = live.rest === null || lines.full;
  };
  const begin = async () => {
    live.begin(await read({ limit: String(PAGE_ENTRIES) }));
    told();
  };
  const showNew = async () => {
    if (live.waiting.over) await begin();
    else live.show();
    told();
    lines.focus();
  };
  const older = async () => {
    if (live.rest === null) return;
    live.older(await read({ limit: String(PAGE_ENTRIES), before: live.rest }));
    told();
  };
  const openOne = async () => {
    const id = search.get('open');
    if (id === null) return;
    const whole = await ask(`requests/lines/${encodeURIComponent(id)}`);
    panel.replaceChildren(lineOf(whole.line), ...wholeRequest(whole, notice));
    panel.hidden = false;
    panel.focus();
  };
  const refresh = async (/** @type {boolean} */ first) => {
    // First, since the list is below it and must not move.
    await hour.draw();
    if (first) {
      await openOne();
      await begin();
    } else {
      live.take(await read({ limit: String(NEW_REQUESTS_MAX), since: live.newest }));
      if (!live.waiting.over && !lines.isRead() && !news.matches(':hover, :focus')) live.show();
      told();
    }
  };
  let asked = Promise.resolve();
  return {
    element: h(
      'section',
      { 'aria-labelledby': 'requests-title' },
      h('h2', { id: 'requests-title' }, 'Requests'),
      panel,
      hour.element,
      filterForm(search, go),
      h('p', { class: 'arrived', role: 'status' }, news),
      lines.element,
      nothing,
      more,
      byRoute(),
    ),
    kinds: ['requests', 'refusal'],
    due: () => live.outside,
    refresh(first = false) {
      // One after the other: what is asked since a page is asked when it is there.
      asked = asked.catch(() => {}).then(() => refresh(first));
      return asked;
    },
  };
}

/** The charts of the last hour, which say no more by being drawn more often. */
class Hour {
  element = h('section', { 'aria-label': 'The last hour' });
  #drawnAt = Number.NEGATIVE_INFINITY;

  async draw() {
    if (performance.now() - this.#drawnAt < CHART_LOOK_MS) return;
    this.#drawnAt = performance.now();
    const told = await ask(`requests/minutes?minutes=${CHART_MINUTES}`);
    // Who has the table open reads it.
    if (this.element.querySelector('details[open]') === null) this.element.replaceChildren(...charts(told));
  }
}

/** What is shown, and what waits to be. */
class Live {
  newest = '0.0';
  /** Where older ones go on. @type {string | null} */
  rest = null;
  /** Whether the world has a proxy, of whose requests nobody tells. */
  outside = false;
  /** Newest first. @type {any[]} */
  #waiting = [];
  #over = false;
  #lines;

  /** @param {Rows} lines */
  constructor(lines) {
    this.#lines = lines;
  }

  get waiting() {
    return { count: this.#waiting.length, over: this.#over };
  }

  /** @param {any} page */
  begin({ lines, next, newest, outside }) {
    this.newest = newest;
    this.rest = next;
    this.outside = outside;
    this.#waiting = [];
    this.#over = false;
    this.#lines.begin(lines);
  }

  /** What came since. @param {any} page */
  take({ lines, next, newest }) {
    this.newest = newest;
    this.#waiting = [...lines, ...this.#waiting];
    if (next === null && this.#waiting.length <= NEW_REQUESTS_MAX) return;
    this.#over = true;
    this.#waiting = this.#waiting.slice(0, NEW_REQUESTS_MAX);
  }

  show() {
    this.#lines.prepend(this.#waiting);
    this.#waiting = [];
  }

  /** @param {any} page */
  older({ lines, next }) {
    this.rest = next;
    this.#lines.append(lines);
  }
}

/** The list, each request a line that opens. */
class Rows {
  element = h('ol', { class: 'requests', 'aria-label': 'Requests, the newest first' });
  #notice;

  /** @param {(text: string, bad?: boolean) => void} notice */
  constructor(notice) {
    this.#notice = notice;
  }

  get count() {
    return this.element.childElementCount;
  }

  get full() {
    return this.count >= LINES_MAX;
  }

  /** Somebody has the pointer or the focus in it, has opened a line, or has gone down the page. */
  isRead() {
    const { element } = this;
    return (
      element.matches(':hover') ||
      element.contains(document.activeElement) ||
      element.querySelector('details[open]') !== null ||
      element.getBoundingClientRect().top < 0
    );
  }

  focus() {
    /** @type {HTMLElement | null} */ (this.element.querySelector('summary'))?.focus();
  }

  /** @param {readonly any[]} lines */
  begin(lines) {
    this.element.replaceChildren(...lines.map(line => this.#row(line)));
  }

  /** @param {readonly any[]} lines */
  append(lines) {
    this.element.append(...lines.map(line => this.#row(line)));
  }

  /** @param {readonly any[]} lines */
  prepend(lines) {
    this.element.prepend(...lines.map(line => this.#row(line)));
    while (this.count > LINES_MAX) this.element.lastElementChild?.remove();
  }

  /** @param {any} line */
  #row(line) {
    const body = h('div');
    const open = async (/** @type {Event} */ event) => {
      const details = /** @type {HTMLDetailsElement} */ (event.currentTarget);
      if (event.target !== details || !details.open || body.childElementCount > 0) return;
      try {
        body.replaceChildren(...wholeRequest(await ask(`requests/lines/${line.id}`), this.#notice));
      } catch (problem) {
        this.#notice(/** @type {Error} */ (problem).message, true);
      }
    };
    return h(
      'li',
      { 'data-id': line.id },
      h('details', { ontoggle: open }, h('summary', {}, lineOf(line)), body),
    );
  }
}

/** @param {any} line */
function lineOf({ at, outcome, twin, caller, method, host, path, rule, status, ms }) {
  const bad = outcome === 'refused' || status >= 400 || (status === 0 && method !== 'CONNECT');
  return h(
    'span',
    { class: 'line' },
    instant(at),
    h('span', { class: `outcome ${outcome}` }, outcome === 'twin' ? twin : (rule ?? outcome)),
    h(
      'span',
      { class: 'asked' },
      h('strong', {}, method),
      ' ',
      h('span', { class: 'soft' }, host ?? ''),
      path ?? '',
    ),
    h(
      'span',
      { class: bad ? 'status bad' : 'status' },
      status === 0 ? (method === 'CONNECT' ? '–' : 'cut') : status,
    ),
    h('span', { class: 'ms' }, ms === null ? '' : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`),
    h('span', { class: 'soft who' }, caller ?? ''),
  );
}

/** @param {URLSearchParams} search @param {(hash: string) => void} go */
function filterForm(search, go) {
  const outcome = /** @type {HTMLSelectElement} */ (
    h(
      'select',
      { name: 'outcome', onchange: () => apply() },
      ...OUTCOMES.map(([value, words]) =>
        h('option', { value, selected: value === (search.get('outcome') ?? '') }, words),
      ),
    )
  );
  const input = (/** @type {string} */ name, /** @type {number} */ size) =>
    /** @type {HTMLInputElement} */ (
      h('input', { name, size, value: search.get(name) ?? '', autocomplete: 'off', spellcheck: 'false' })
    );
  const [host, text] = [input('host', 18), input('text', 24)];
  const apply = () => {
    const next = new URLSearchParams();
    for (const { name, value } of [outcome, host, text])
      if (value.trim() !== '') next.set(name, value.trim());
    go(`requests${next.size > 0 ? `?${next}` : ''}`);
  };
  return h(
    'form',
    {
      class: 'row',
      role: 'search',
      'aria-label': 'Requests',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        apply();
      },
    },
    h('label', {}, 'What became of it', outcome),
    h('label', {}, 'Host or twin', host),
    h('label', {}, 'In the address', text),
    h('button', {}, 'Show'),
  );
}

/** The report of a day, for whoever opens it. */
function byRoute() {
  const body = h('div');
  const open = async (/** @type {Event} */ event) => {
    if (!(/** @type {HTMLDetailsElement} */ (event.currentTarget).open)) return;
    const report = await ask('requests?hours=24');
    const rows = [...report.twins, ...report.links].filter((/** @type {any} */ { requests }) => requests > 0);
    body.replaceChildren(
      ...(rows.length === 0
        ? [empty('No twin was asked anything in the last 24 hours.')]
        : rows.flatMap(routesOf)),
    );
  };
  return h(
    'details',
    { class: 'by-route', ontoggle: open },
    h('summary', { class: 'plainly' }, 'By route, of the last 24 hours'),
    body,
  );
}

/** @param {any} row of the report */
function routesOf(row) {
  const groups = Object.entries(row.status).filter(([, count]) => Number(count) > 0);
  const number = (/** @type {string} */ title) => /** @type {const} */ ({ title, number: true });
  return [
    h('h3', {}, row.name),
    h(
      'p',
      { class: 'soft' },
      `${row.requests} requests (${groups.map(([group, count]) => `${count} ${group}`).join(', ')}), p50 ${row.ms.p50} ms, p95 ${row.ms.p95} ms, ${row.unmatched} unmatched`,
    ),
    table(
      ['Route', number('Requests'), number('Errors'), number('p50 ms'), number('p95 ms')],
      row.routes.map((/** @type {any} */ each) => [
        h('code', {}, each.route),
        each.requests,
        each.errors,
        each.p50,
        each.p95,
      ]),
    ),
  ];
}
