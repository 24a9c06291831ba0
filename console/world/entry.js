// One entry whole, read when somebody opens its line: the request as it was sent, and each record field by field.

import { h, instant } from '../shared/dom.js';
import { recordHash } from './record-hash.js';

/**
 * @param {any} entry `GET …/log/<twin>/<position>`
 * @param {any} line its line of the story
 * @param {(trace: string) => void} byTrace
 */
export function wholeEntry(entry, line, byTrace) {
  const { request, trace, cause, changes, recordedAt } = entry;
  const facts = h('dl');
  const fact = (/** @type {string} */ name, /** @type {Node | string} */ value) =>
    facts.append(h('dt', {}, name), h('dd', {}, value));
  if (request) fact('Request', h('div', {}, ...requestLines(request)));
  if (trace) fact('Trace', h('button', { onclick: () => byTrace(trace.traceId) }, trace.traceId));
  if (cause) fact('Caused by', h('code', {}, cause));
  fact('Entry', h('code', {}, entry.id));
  fact('Recorded', instant(recordedAt));
  const named = (/** @type {any} */ { type, id }) =>
    line.records.find((/** @type {any} */ each) => each.type === type && each.id === id);
  const told = line.records
    .map((/** @type {any} */ { type, id }) =>
      changes.find((/** @type {any} */ each) => each.type === type && each.id === id),
    )
    .filter(Boolean);
  const rest = changes.filter((/** @type {any} */ each) => named(each) === undefined);
  return [
    facts,
    ...told.map((/** @type {any} */ each) => change(entry.twin, each, named(each).title)),
    ...(rest.length === 0 ? [] : [besides(entry.twin, rest, line.folded)]),
  ];
}

/** What was made along with it, laid out when somebody asks. @param {string} twin @param {any[]} changes @param {any[]} folded */
function besides(twin, changes, folded) {
  const body = h('div');
  const open = (/** @type {Event} */ event) => {
    if (/** @type {HTMLDetailsElement} */ (event.target).open && body.childElementCount === 0)
      body.append(...changes.map(each => change(twin, each, null)));
  };
  return h('details', { ontoggle: open }, h('summary', {}, `Also ${foldedText(folded)}`), body);
}

/** `9 × event, 1 × line_item` @param {readonly { type: string; count: number }[]} folded */
export const foldedText = folded => folded.map(({ type, count }) => `${count} × ${type}`).join(', ');

/** As it was sent: a form by its fields, JSON indented. @param {any} request */
export function requestLines({ method, path, query, headers = {}, body, blob }) {
  const lines = [h('code', {}, `${method} ${path}${query === undefined ? '' : `?${query}`}`)];
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (body !== undefined) more.push('', laidOut(headers['content-type'] ?? '', body));
  if (blob !== undefined) more.push('', `${blob.bytes} bytes, SHA-256 ${blob.sha256}`);
  if (more.length > 0) lines.push(h('pre', {}, more.join('\n')));
  return lines;
}

/** @param {string} type @param {string} body */
export function laidOut(type, body) {
  if (type.startsWith('application/x-www-form-urlencoded'))
    return [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${value}`).join('\n');
  try {
    return /json/.test(type) ? JSON.stringify(JSON.parse(body), null, 2) : body;
  } catch {
    return body;
  }
}

/** @param {string} twin @param {any} change @param {string | null} called */
function change(twin, { op, type, id, before, after }, called) {
  const fate = op === 'delete' ? 'ended' : before === undefined ? 'created' : 'changed';
  const known = called !== null && called !== `${type} ${id}`;
  const title = h(
    'h3',
    {},
    known ? `${called} ${fate} ` : '',
    h('a', { href: `#${recordHash(twin, type, id)}`, class: 'mono' }, `${type} ${id}`),
    known ? '' : ` ${fate}`,
  );
  if (before === undefined || after === undefined)
    return h('div', {}, title, h('pre', {}, JSON.stringify(after ?? before ?? null, null, 2)));
  return h('div', {}, title, changedFields(before, after));
}

/** Each field that differs, with what it was and is. @param {unknown} before @param {unknown} after */
export function changedFields(before, after) {
  const rows = differences(before, after, '');
  return h(
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
