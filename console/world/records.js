// What is in the world: the records of a type as a table, and one record with its fields and what changed them.

import { ask as askAt } from '../shared/asking.js';
import { empty, h, instant, table } from '../shared/dom.js';
import { ask, WORLD } from './api.js';
import { asOf, ofThen } from './as-of.js';
import { changedFields } from './entry.js';
import { LINK_LEVELS_MAX, ROWS_SHOWN_MAX } from './limits.js';
import { recordHash } from './record-hash.js';
import { part } from './request.js';

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function recordsView({ search }) {
  const twin = search.get('twin');
  const type = search.get('type');
  const id = search.get('id');
  const body = h('div');
  const title = h('h2', {}, 'Records');
  if (twin === null || type === null)
    return {
      element: h('section', {}, title, body),
      kinds: ['entry'],
      refresh: async () => body.replaceChildren(...typesOf((await ask(ofThen('map'))).twins)),
    };
  const back = h(
    'a',
    { href: id === null ? `#${ofThen('records')}` : `#${recordHash(twin, type)}` },
    id === null ? 'All types' : `All of ${type}`,
  );
  if (id === null) {
    const rows = new Rows(twin, type);
    title.textContent = `${twin}: ${type}`;
    return {
      element: h('section', {}, h('p', {}, back), title, rows.element),
      kinds: ['entry'],
      refresh: first => rows.refresh(first),
    };
  }
  const answer = new VendorAnswer(twin, type, id);
  return {
    element: h('section', {}, h('p', {}, back), title, body, answer.element),
    kinds: ['entry'],
    refresh: async () => {
      const [record, manifest] = await Promise.all([
        ask(ofThen(`story/${twin}/${encodeURIComponent(type)}/${encodeURIComponent(id)}`)),
        manifestOf(twin),
      ]);
      const open = [...body.querySelectorAll('details[open]')].map(each => each.id);
      title.textContent = record.title;
      body.replaceChildren(...recordParts(twin, record, manifest));
      for (const each of open) document.getElementById(each)?.setAttribute('open', '');
      await answer.refresh(record.retrievedBy);
    },
  };
}

/** @param {any[]} twins of the map */
function typesOf(twins) {
  const cards = twins.map(({ twin, resources }) => {
    const rows = resources.map((/** @type {any} */ { type, count }) => [
      h('a', { href: `#${recordHash(twin, type)}` }, type),
      count,
    ]);
    return h(
      'li',
      {},
      h('h3', {}, twin),
      rows.length === 0 ? empty('Nothing yet.') : table(['Type', { title: 'Records', number: true }], rows),
    );
  });
  return [cards.length === 0 ? empty('No twins.') : h('ul', { class: 'cards' }, ...cards)];
}

/** The rows of a table, a page at a time, the newest on top. */
class Rows {
  element = h('div');
  #twin;
  #type;
  #more = h('button', { hidden: true, onclick: () => void this.#older() }, 'Older');
  #body = h('div');
  /** @type {string[]} */
  #columns = [];
  /** @type {any[]} */
  #rows = [];
  /** @type {string | null} */
  #next = null;

  /** @param {string} twin @param {string} type */
  constructor(twin, type) {
    this.#twin = twin;
    this.#type = type;
    this.element.append(this.#body, this.#more);
  }

  /** Whoever has paged on reads on; what is new is on the first page. @param {boolean} [first] */
  async refresh(first = false) {
    const page = await this.#read(null);
    const shown = new Set(page.rows.map((/** @type {any} */ { id }) => id));
    const below = first ? [] : this.#rows.filter(({ id }) => !shown.has(id));
    if (first || this.#rows.length <= page.rows.length) this.#next = page.next;
    this.#columns = page.columns;
    this.#rows = first || this.#rows.length <= page.rows.length ? page.rows : [...page.rows, ...below];
    this.#show();
  }

  async #older() {
    const page = await this.#read(this.#next);
    this.#rows = [...this.#rows, ...page.rows].slice(0, ROWS_SHOWN_MAX);
    this.#next = page.next;
    this.#show();
  }

  /** @param {string | null} before */
  #read(before) {
    const query = new URLSearchParams({ limit: '50', ...(before === null ? {} : { before }) });
    return ask(ofThen(`story/${this.#twin}/${encodeURIComponent(this.#type)}?${query}`));
  }

  #show() {
    this.#more.hidden = this.#next === null || this.#rows.length >= ROWS_SHOWN_MAX;
    if (this.#rows.length === 0)
      return this.#body.replaceChildren(
        empty(asOf() === null ? 'There is none now.' : 'There was none then.'),
      );
    const columns = this.#columns.length === 0 ? ['Summary'] : this.#columns;
    this.#body.replaceChildren(
      table(
        ['Record', ...columns],
        this.#rows.map(({ id, title, summary, cells }) => [
          h('a', { href: `#${recordHash(this.#twin, this.#type, id)}`, class: 'wraps' }, title),
          ...(this.#columns.length === 0
            ? [summary ?? '']
            : cells.map((/** @type {any} */ cell) =>
                cell === null ? '' : cell === true ? 'yes' : cell === false ? 'no' : cell,
              )),
        ]),
      ),
    );
  }
}

/** The record as its vendor answers it now, for whoever unfolds it. */
class VendorAnswer {
  #request = h('code');
  #body = h('div');
  #folded = /** @type {HTMLDetailsElement} */ (
    h('details', { ontoggle: () => void this.#read() }, h('summary', {}, this.#request), this.#body)
  );
  element = h(
    'section',
    { class: 'vendor-answer', hidden: true },
    h('h3', {}, 'The vendor’s own answer'),
    this.#folded,
  );
  #path;

  /** @param {string} twin @param {string} type @param {string} id */
  constructor(twin, type, id) {
    this.#path = `story/${twin}/${encodeURIComponent(type)}/${encodeURIComponent(id)}/answer`;
  }

  /** @param {string | null} request The vendor's, where it has one */
  async refresh(request) {
    // What is looked at is as of then, and the vendor answers as of now.
    this.element.hidden = request === null || asOf() !== null;
    this.#request.textContent = request;
    await this.#read();
  }

  async #read() {
    if (!this.#folded.open || this.element.hidden) return;
    try {
      const { answer } = await ask(this.#path);
      this.#body.replaceChildren(part(null, h('code', {}, `${answer.status}`), answer));
    } catch (problem) {
      this.#body.replaceChildren(empty(/** @type {Error} */ (problem).message));
    }
  }
}

/** Which type an id is of, by how ids begin. @param {string} twin @returns {Promise<[prefix: string, type: string][]>} */
async function manifestOf(twin) {
  try {
    const { models } = await askAt(`/${WORLD}/${twin}/twin`);
    return models
      .filter((/** @type {any} */ { idPrefix }) => idPrefix)
      .map((/** @type {any} */ { idPrefix, type }) => [idPrefix, type])
      .sort((/** @type {any} */ a, /** @type {any} */ b) => b[0].length - a[0].length);
  } catch {
    return [];
  }
}

/** @param {string} twin @param {any} record @param {[string, string][]} prefixes */
function recordParts(twin, { type, id, summary, ended, body, versions }, prefixes) {
  const facts = h('dl', { class: 'fields' });
  for (const [name, value] of Object.entries(body ?? {}))
    if (!name.startsWith('$') && value !== null && value !== '')
      facts.append(h('dt', {}, h('code', {}, name)), h('dd', {}, shown(twin, id, value, prefixes, 1)));
  const changes = versions.map((/** @type {any} */ version, /** @type {number} */ at) => {
    const { entry, kind, occurredAt, caller, before, after } = version;
    const fate = before === null ? 'made' : after === null ? 'ended' : 'changed';
    return h(
      'li',
      {},
      h(
        'details',
        { id: `version-${entry}`, open: at === 0 && fate === 'changed' },
        h('summary', {}, instant(occurredAt), ` ${fate} by ${kind} (${entry}${caller ? `, ${caller}` : ''})`),
        fate === 'changed'
          ? changedFields(before, after)
          : h('pre', {}, JSON.stringify(after ?? before, null, 2)),
      ),
    );
  });
  return [
    h('p', {}, ended ? 'It is not there any more; this is how it was last. ' : '', summary ?? ''),
    h('p', { class: 'soft' }, h('code', {}, `${type} ${id}`)),
    h('h3', {}, 'What changed it'),
    changes.length === 0
      ? empty('Nothing in this world: it came with the world that this one branched off.')
      : h('ol', { class: 'plain' }, ...changes),
    h('h3', {}, ended ? 'What it was' : 'What it is'),
    facts,
  ];
}

/**
 * A field's value: ids of other records are links.
 *
 * @param {string} twin @param {string} own @param {unknown} value @param {[string, string][]} prefixes @param {number} level
 * @returns {Node | string}
 */
function shown(twin, own, value, prefixes, level) {
  if (typeof value === 'string') {
    const type = value === own ? undefined : prefixes.find(([prefix]) => value.startsWith(prefix))?.[1];
    return type === undefined ? value : h('a', { href: `#${recordHash(twin, type, value)}` }, value);
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = Object.entries(value).filter(([, held]) => held !== null);
  if (inner.length === 0) return Array.isArray(value) ? '[]' : '{}';
  if (level >= LINK_LEVELS_MAX) return h('code', {}, JSON.stringify(value));
  return h(
    'dl',
    { class: 'fields' },
    ...inner.flatMap(([name, held]) => [
      h('dt', {}, h('code', {}, name)),
      h('dd', {}, shown(twin, own, held, prefixes, level + 1)),
    ]),
  );
}
