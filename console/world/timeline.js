// The live timeline: newest first, each line opens to what it changed, field by field.

import { empty, h, instant } from '../shared/dom.js';
import { ask } from './api.js';
import { LINES_MAX, PAGE_ENTRIES } from './limits.js';

/** @param {{ search: URLSearchParams; go: (hash: string) => void }} view */
export function timelineView({ search, go }) {
  const filter = (/** @type {string} */ name, /** @type {string} */ value) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    go(`timeline${next.size > 0 ? `?${next}` : ''}`);
  };
  const lines = new Lines(trace => filter('trace', trace));
  const more = h('button', { hidden: true, onclick: () => void older() }, 'Older');
  const nothing = empty('Nothing happened yet. Run something in the world: wrld world run -- <command>');
  nothing.hidden = true;
  const { element: filters, twin } = filterForm(search.get('trace'), filter);
  /** @type {string | null} */
  let cursor = null;

  const read = (/** @type {string | null} */ before) => {
    const query = new URLSearchParams(search);
    query.set('limit', String(PAGE_ENTRIES));
    if (before !== null) query.set('before', before);
    return ask(`timeline?${query}`);
  };
  const turn = (/** @type {string | null} */ next) => {
    cursor = next;
    more.hidden = next === null;
    nothing.hidden = lines.element.childElementCount > 0;
  };
  const older = async () => {
    const page = await read(cursor);
    for (const line of page.entries) lines.add(line, false);
    turn(page.next);
  };
  const newest = async (/** @type {boolean} */ first) => {
    const page = await read(null);
    const known = page.entries.findIndex((/** @type {any} */ line) => lines.has(line));
    // More came than one page holds: what is shown would have a gap, so it begins anew.
    if (first || known === -1) {
      lines.clear();
      for (const line of page.entries) lines.add(line, false);
      turn(page.next);
      return;
    }
    for (const line of page.entries.slice(0, known).reverse()) lines.add(line, true);
    if (lines.trim()) more.hidden = true;
  };
  return {
    element: h(
      'section',
      { 'aria-labelledby': 'timeline-title' },
      h('h2', { id: 'timeline-title' }, 'Timeline'),
      filters,
      lines.element,
      nothing,
      more,
    ),
    kinds: ['entry'],
    async refresh(/** @type {boolean} */ first = false) {
      if (first) {
        const { twins } = await ask('map');
        twin.append(...twins.map((/** @type {any} */ each) => h('option', { value: each.twin }, each.twin)));
        twin.value = search.get('twin') ?? '';
      }
      await newest(first);
    },
  };
}

/** @param {string | null} trace @param {(name: string, value: string) => void} filter */
function filterForm(trace, filter) {
  const twin = /** @type {HTMLSelectElement} */ (
    h(
      'select',
      { name: 'twin', onchange: () => filter('twin', twin.value) },
      h('option', { value: '' }, 'all twins'),
    )
  );
  const element = h(
    'form',
    { class: 'row', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    h('label', {}, 'Twin', twin),
    trace !== null &&
      h('button', { type: 'button', onclick: () => filter('trace', '') }, `trace ${trace.slice(0, 8)}… ✕`),
  );
  return { element, twin };
}

/** What the timeline shows: every entry once, the newest on top. */
class Lines {
  element = h('ol', { class: 'timeline', 'aria-label': 'Timeline' });
  /** @type {Set<string>} ids of the entries that are shown */
  #shown = new Set();
  #byTrace;

  /** @param {(trace: string) => void} byTrace */
  constructor(byTrace) {
    this.#byTrace = byTrace;
  }

  /** @param {any} line */
  has(line) {
    return this.#shown.has(line.entry.id);
  }

  /** @param {any} line @param {boolean} fresh on top, and marked as new */
  add(line, fresh) {
    if (this.has(line)) return;
    this.#shown.add(line.entry.id);
    const item = row(line, this.#byTrace);
    if (fresh) item.classList.add('new');
    if (fresh) this.element.prepend(item);
    else this.element.append(item);
  }

  clear() {
    this.#shown.clear();
    this.element.replaceChildren();
  }

  /** Whether older lines had to go. */
  trim() {
    const over = this.element.childElementCount > LINES_MAX;
    while (this.element.childElementCount > LINES_MAX) {
      const last = /** @type {HTMLElement} */ (this.element.lastElementChild);
      this.#shown.delete(last.dataset['id'] ?? '');
      last.remove();
    }
    return over;
  }
}

/** @param {any} line @param {(id: string) => void} byTrace */
function row({ twin, position, entry, caller }, byTrace) {
  const details = h('div');
  const records = entry.changes.map(
    (/** @type {any} */ { op, type, id }) => `${op === 'delete' ? '− ' : ''}${type} ${id}`,
  );
  const { delivery } = entry;
  if (delivery)
    records.push(`${delivery.event.type} → ${delivery.endpoint.url} ${delivery.status ?? delivery.error}`);
  const failed = entry.kind === 'webhook.failed';
  const item = h(
    'li',
    { 'data-id': entry.id },
    h(
      'details',
      {
        ontoggle: (/** @type {Event} */ event) => {
          if (/** @type {HTMLDetailsElement} */ (event.target).open && details.childElementCount === 0)
            details.append(...inside(entry, byTrace));
        },
      },
      h(
        'summary',
        {},
        instant(entry.occurredAt),
        h('span', { class: 'soft' }, `${twin} ${position}`),
        h('span', { class: failed ? 'kind bad' : 'kind' }, entry.kind),
        h(
          'span',
          { class: 'records soft' },
          records.slice(0, 4).join(', '),
          records.length > 4 && ` and ${records.length - 4} more`,
        ),
        h('span', { class: 'soft' }, caller ?? entry.actor.type),
      ),
      details,
    ),
  );
  return item;
}

/** @param {any} entry @param {(id: string) => void} byTrace */
function inside(entry, byTrace) {
  const { request, trace, cause, changes, recordedAt } = entry;
  const facts = h('dl');
  const fact = (/** @type {string} */ name, /** @type {Node | string} */ value) =>
    facts.append(h('dt', {}, name), h('dd', {}, value));
  if (request) fact('Request', h('div', {}, ...requestLines(request)));
  if (trace) fact('Trace', h('button', { onclick: () => byTrace(trace.traceId) }, trace.traceId));
  if (cause) fact('Caused by', h('code', {}, cause));
  fact('Recorded', instant(recordedAt));
  return [facts, ...changes.map(change)];
}

/** As it was sent: a form by its fields, JSON indented. @param {any} request */
function requestLines({ method, path, query, headers = {}, body, blob }) {
  const lines = [h('code', {}, `${method} ${path}${query === undefined ? '' : `?${query}`}`)];
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (body !== undefined) more.push('', laidOut(headers['content-type'] ?? '', body));
  if (blob !== undefined) more.push('', `${blob.bytes} bytes, SHA-256 ${blob.sha256}`);
  if (more.length > 0) lines.push(h('pre', {}, more.join('\n')));
  return lines;
}

/** @param {string} type @param {string} body */
function laidOut(type, body) {
  if (type.startsWith('application/x-www-form-urlencoded'))
    return [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${value}`).join('\n');
  try {
    return /json/.test(type) ? JSON.stringify(JSON.parse(body), null, 2) : body;
  } catch {
    return body;
  }
}

/** @param {any} change */
function change({ op, type, id, before, after }) {
  const title = h(
    'h3',
    {},
    h('code', {}, `${type} ${id}`),
    ` ${op === 'delete' ? 'deleted' : before === undefined ? 'created' : 'changed'}`,
  );
  if (before === undefined || after === undefined)
    return h('div', {}, title, h('pre', {}, JSON.stringify(after ?? before ?? null, null, 2)));
  const rows = differences(before, after, '');
  return h(
    'div',
    {},
    title,
    h(
      'dl',
      {},
      ...rows.flatMap(([path, was, is]) => [
        h('dt', {}, h('code', {}, path)),
        h(
          'dd',
          { class: 'mono' },
          h('span', { class: 'bad' }, fieldText(was)),
          ' → ',
          h('span', { class: 'good' }, fieldText(is)),
        ),
      ]),
    ),
  );
}

/** @param {unknown} value */
function fieldText(value) {
  return value === undefined ? '(none)' : JSON.stringify(value);
}

/**
 * Fields that differ, by path; arrays as a whole.
 *
 * @param {any} before @param {any} after @param {string} path
 * @returns {[path: string, before: unknown, after: unknown][]}
 */
function differences(before, after, path) {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const nested = [before, after].every(
    value => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  if (!nested) return [[path, before, after]];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap(name =>
    differences(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
}
