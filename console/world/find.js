// What somebody looks for: records and entries, look after look, until there are enough. What is new while somebody reads waits
// behind a button, so that nothing moves under the pointer.

import { empty, h, table } from '../shared/dom.js';
import { ask } from './api.js';
import { ofThen } from './as-of.js';
import { FIND_SHOWN, FIND_SHOWN_MAX } from './limits.js';
import { recordHash } from './record-hash.js';
import { Lines } from './timeline.js';

const OF_ENTRIES = ['kind', 'caller', 'trace'];
const FILTERS = ['text', 'twin', 'type', ...OF_ENTRIES];

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function findView({ search, go, notice }) {
  const asked = new URLSearchParams(
    FILTERS.flatMap(name => (search.get(name) ? [[name, search.get(name) ?? '']] : [])),
  );
  const address = (/** @type {URLSearchParams} */ wanted) =>
    go(ofThen(`find${wanted.size > 0 ? `?${wanted}` : ''}`));
  const ofRecords = asked.has('text') && OF_ENTRIES.every(name => !asked.has(name));
  const records = new Search('records', asked, new RecordRows());
  const entries = new Search(
    'entries',
    asked,
    new EntryLines(trace => address(new URLSearchParams({ trace })), notice),
  );
  const { element: form, twin } = filterForm(asked, address);
  const element = h('section', {}, h('h2', {}, 'Find'), form);
  if (ofRecords) element.append(h('h3', {}, 'Records'), records.element);
  if (asked.size > 0) element.append(h('h3', {}, 'Entries'), entries.element);
  else
    element.append(
      empty(
        'A text, an id, or a filter. Each word is looked for in what records and entries hold, and in the twins’ words for them.',
      ),
    );
  return {
    element,
    kinds: ['entry'],
    async refresh(first = false) {
      if (first) {
        const { twins } = await ask('map');
        twin.append(...twins.map((/** @type {any} */ each) => h('option', { value: each.twin }, each.twin)));
        twin.value = asked.get('twin') ?? '';
        await Promise.all([
          ofRecords && records.begin(() => element.isConnected),
          asked.size > 0 && entries.begin(() => element.isConnected),
        ]);
      } else if (asked.size > 0 && search.get('at') === null) await entries.news();
    },
  };
}

/** @param {URLSearchParams} asked @param {(wanted: URLSearchParams) => void} address */
function filterForm(asked, address) {
  const field = (/** @type {string} */ name, /** @type {string} */ title, /** @type {number} */ size) =>
    h(
      'label',
      {},
      title,
      h('input', { name, size, value: asked.get(name) ?? '', autocomplete: 'off', spellcheck: 'false' }),
    );
  const twin = /** @type {HTMLSelectElement} */ (
    h('select', { name: 'twin' }, h('option', { value: '' }, 'all twins'))
  );
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const given = [...new FormData(/** @type {HTMLFormElement} */ (event.currentTarget))];
    address(
      new URLSearchParams(
        given.flatMap(([name, value]) => (String(value).trim() === '' ? [] : [[name, String(value).trim()]])),
      ),
    );
  };
  const element = h(
    'form',
    { class: 'row', onsubmit },
    field('text', 'Text or id', 24),
    h('label', {}, 'Twin', twin),
    field('type', 'Type of record', 14),
    field('kind', 'Kind of entry', 14),
    field('caller', 'Caller', 12),
    field('trace', 'Trace', 12),
    h('button', {}, 'Find'),
  );
  return { element, twin };
}

/**
 * @typedef {{ element: HTMLElement; count: number; take: (page: any) => void; fresh?: (page: any) => number; show?: () => void; clear?: () => void }} Hits
 */

/** One list with what is found so far, and how far the look has come. */
class Search {
  element;
  #resource;
  #asked;
  #hits;
  #said = h('p', { class: 'soft', role: 'status' });
  #more = h(
    'button',
    { hidden: true, onclick: () => void this.#on(() => this.element.isConnected) },
    'Look further',
  );
  #news = h('button', { class: 'new', hidden: true, onclick: () => void this.#show() });
  /** @type {string | null} */
  #next = null;
  #looked = 0;
  #begun = false;
  /** More is new than one page holds. */
  #over = false;

  /** @param {'records' | 'entries'} resource @param {URLSearchParams} asked @param {Hits} hits */
  constructor(resource, asked, hits) {
    this.#resource = resource;
    this.#asked = asked;
    this.#hits = hits;
    this.element = h('div', {}, this.#news, hits.element, this.#said, this.#more);
  }

  /** @param {() => boolean} wanted whether somebody still looks at it */
  begin(wanted) {
    return this.#on(wanted);
  }

  /** What was found since; it is shown when somebody asks for it. */
  async news() {
    // Until the newest are there, nothing is newer than they.
    if (this.#hits.fresh === undefined || !this.#begun) return;
    const page = await this.#ask(null);
    const count = this.#hits.fresh(page);
    // With as many, others may lie between them and what is shown: the list begins anew.
    this.#over = count === page.lines.length && page.next !== null;
    this.#news.hidden = count === 0;
    this.#news.textContent = this.#over ? `more than ${count} new` : `${count} new`;
  }

  async #show() {
    this.#news.hidden = true;
    if (this.#over) {
      this.#begun = false;
      this.#hits.clear?.();
      this.#next = null;
      this.#looked = 0;
      return this.#on(() => this.element.isConnected);
    }
    this.#hits.show?.();
    this.#said.textContent = this.#told();
  }

  /** Look after look, until so many more are found. @param {() => boolean} wanted */
  async #on(wanted) {
    const enough = this.#hits.count + FIND_SHOWN;
    do {
      const page = await this.#ask(this.#next);
      if (!wanted()) return;
      this.#hits.take(page);
      this.#begun = true;
      this.#next = page.next;
      this.#looked += page.looked;
      this.#said.textContent = this.#told();
    } while (this.#next !== null && this.#hits.count < enough && this.#hits.count < FIND_SHOWN_MAX);
    this.#more.hidden = this.#next === null || this.#hits.count >= FIND_SHOWN_MAX;
  }

  #told() {
    const { count } = this.#hits;
    const found = count === 0 ? 'None found' : `${count} found`;
    return this.#next === null
      ? `${found}; all ${this.#looked} were looked through.`
      : `${found}; looked through ${this.#looked} so far.`;
  }

  /** @param {string | null} before */
  #ask(before) {
    const query = new URLSearchParams(this.#asked);
    query.set('limit', String(FIND_SHOWN));
    if (before !== null) query.set('before', before);
    return ask(ofThen(`find/${this.#resource}?${query}`));
  }
}

class RecordRows {
  element = h('div');
  /** @type {any[]} */
  #rows = [];

  get count() {
    return this.#rows.length;
  }

  /** @param {any} page */
  take({ records }) {
    this.#rows.push(...records);
    if (this.#rows.length === 0) return;
    this.element.replaceChildren(
      table(
        ['Record', 'What matters', 'Type', 'Twin'],
        this.#rows.map(({ twin, type, id, title, summary }) => [
          h('a', { href: `#${recordHash(twin, type, id)}`, class: 'wraps' }, title),
          summary ?? '',
          h('a', { href: `#${recordHash(twin, type)}` }, type),
          twin,
        ]),
      ),
    );
  }
}

class EntryLines {
  #lines;
  /** Newest first, what is not shown yet. @type {any[]} */
  #waiting = [];
  /** @type {Set<string>} */
  #known = new Set();

  /** @param {(trace: string) => void} byTrace @param {(text: string, bad?: boolean) => void} notice */
  constructor(byTrace, notice) {
    this.#lines = new Lines(byTrace, notice);
    this.element = this.#lines.element;
  }

  get count() {
    return this.#lines.count;
  }

  /** @param {any} page */
  take({ lines }) {
    for (const { id } of lines) this.#known.add(id);
    this.#lines.append(lines);
  }

  /** How many wait. @param {any} page the newest */
  fresh({ lines }) {
    this.#waiting = lines.filter((/** @type {any} */ { id }) => !this.#known.has(id));
    return this.#waiting.length;
  }

  clear() {
    this.#known.clear();
    this.#waiting = [];
    this.#lines.begin([]);
  }

  show() {
    for (const { id } of this.#waiting) this.#known.add(id);
    this.#lines.put(this.#waiting);
    this.#waiting = [];
  }
}

/** The field at the top of every view; `/` leads to it. @param {HTMLFormElement} form @param {(hash: string) => void} go */
export function findForm(form, go) {
  const field = /** @type {HTMLInputElement} */ (
    h('input', {
      type: 'search',
      size: 16,
      'aria-label': 'Find records and entries',
      'aria-keyshortcuts': '/',
      placeholder: 'Find (/)',
      autocomplete: 'off',
      spellcheck: 'false',
    })
  );
  form.append(field);
  form.hidden = false;
  form.addEventListener('submit', event => {
    event.preventDefault();
    const text = field.value.trim();
    if (text !== '') go(ofThen(`find?${new URLSearchParams({ text })}`));
    field.value = '';
  });
  document.addEventListener('keydown', event => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const writes =
      target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
    if (key !== '/' || writes || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    field.focus();
  });
}
