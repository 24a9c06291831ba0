// One request opened: what was asked and what was answered, laid out to be read, and the way on from there.

import { h } from '../shared/dom.js';
import { WORLD } from './api.js';
import { laidOutBody } from './bodies.js';
import { curlOf } from './curl.js';

/** @typedef {readonly (readonly [name: string, value: string])[]} Headers */

/** @param {any} whole `GET …/requests/lines/<id>` @param {(text: string, bad?: boolean) => void} notice */
export function wholeRequest({ line, entry, exchange }, notice) {
  const facts = h('dl');
  const fact = (/** @type {string} */ name, /** @type {Node | string} */ value) =>
    facts.append(h('dt', {}, name), h('dd', {}, value));
  if (line.rule) fact('Refused by', h('a', { href: `/reference/refusals#${line.rule}` }, line.rule));
  if (line.outcome === 'refused') fact('Let it pass', h('a', { href: '#refusals' }, 'Refusals'));
  if (line.outcome === 'refused' && !line.rule) fact('Refused', 'it could not be read as a request');
  if (line.unmatched) fact('Unmatched', 'no handler and no operation of the twin answered it');
  if (line.caller) fact('Asked by', line.caller);
  if (entry)
    fact(
      'Entry',
      h('a', { href: `#timeline?trace=${line.trace}` }, `${entry.twin} ${entry.position} in the timeline`),
    );
  else if (line.trace) fact('Trace', h('code', {}, line.trace));
  fact('Address', h('a', { href: `#requests?open=${line.id}` }, 'this request'));
  return [facts, ...(exchange ? exchanged(line, exchange, notice) : [notKept(line)])];
}

/** @param {any} line */
function notKept({ outcome }) {
  const why =
    outcome === 'twin'
      ? 'The request and the answer are kept of the newest alone, while the world is open; this one’s are not here any more.'
      : 'What goes past the twins is not kept: headers and bodies of it are nowhere.';
  return h('p', { class: 'soft' }, why);
}

/** @param {any} line @param {any} exchange @param {(text: string, bad?: boolean) => void} notice */
function exchanged(line, { request, answer }, notice) {
  const asked = `${request.path}${request.query === '' ? '' : `?${request.query}`}`;
  const url = request.atHost
    ? `https://${request.host}${asked}`
    : `${location.origin}/${WORLD}/${line.twin}${asked}`;
  return [
    part('Request', h('code', {}, `${request.method} ${url}`), request),
    part(
      'Answer',
      answer.status === 0 ? 'The connection was cut.' : h('code', {}, `${answer.status}`),
      answer,
    ),
    curl(curlOf(url, request), notice),
  ];
}

/** @param {string | null} title @param {Node | string} first @param {{ headers: Headers; body: import('./bodies.js').Body }} message */
export function part(title, first, { headers, body }) {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return h(
    'section',
    {},
    title !== null && h('h3', {}, title),
    h('p', {}, first),
    headers.length > 0 &&
      h(
        'details',
        {},
        h('summary', { class: 'plainly' }, `${headers.length} headers`),
        h('pre', { tabindex: '0' }, headers.map(([name, value]) => `${name}: ${value}`).join('\n')),
      ),
    laidOutBody(type, body),
  );
}

/** @param {string} command @param {(text: string, bad?: boolean) => void} notice */
function curl(command, notice) {
  const text = h('pre', { tabindex: '0' }, command);
  const folded = /** @type {HTMLDetailsElement} */ (
    h('details', {}, h('summary', { class: 'plainly' }, 'As a command'), text)
  );
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      notice('Copied; put your own credential where it says YOUR_CREDENTIAL.');
    } catch {
      // A page that is no secure context, or may not: it is there to be selected.
      folded.open = true;
      getSelection()?.selectAllChildren(text);
      notice('The browser does not let the page copy; the command is selected.', true);
    }
  };
  return h(
    'section',
    {},
    h('h3', { class: 'with' }, 'curl', h('button', { onclick: () => void copy() }, 'Copy as curl')),
    folded,
  );
}
