// The live timeline in words: newest first, each line with what it caused below it, and its fields when it is opened.

import { empty, h, instant } from '../shared/dom.js';
import { ask } from './api.js';
import { wholeEntry } from './entry.js';
import { grouped, webhookText } from './groups.js';
import { LINES_MAX, PAGE_ENTRIES, WEBHOOKS_SHOWN_MAX } from './limits.js';

/** @param {{ search: URLSearchParams; go: (hash: string) => void; notice: (text: string, bad?: boolean) => void }} view */
export function timelineView({ search, go, notice }) {
  const filter = (/** @type {string} */ name, /** @type {string} */ value) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    go(`timeline${next.size > 0 ? `?${next}` : ''}`);
  };
  const lines = new Lines(trace => filter('trace', trace), notice);
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
    return ask(`story?${query}`);
  };
  const turn = (/** @type {string | null} */ next) => {
    cursor = next;
    more.hidden = next === null || lines.full;
    nothing.hidden = lines.count > 0;
  };
  const older = async () => {
    const page = await read(cursor);
    lines.append(page.lines);
    turn(page.next);
  };
  const newest = async (/** @type {boolean} */ first) => {
    const page = await read(null);
    // More came than one page holds: what is shown would have a gap, so it begins anew.
    if (first || !lines.prepend(page.lines)) {
      lines.begin(page.lines);
      turn(page.next);
      return;
    }
    if (lines.full) more.hidden = true;
    nothing.hidden = lines.count > 0;
  };
  const twins = async () => {
    const { twins: known } = await ask('map');
    twin.append(...known.map((/** @type {any} */ each) => h('option', { value: each.twin }, each.twin)));
    twin.value = search.get('twin') ?? '';
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
      await Promise.all([newest(first), first && twins()]);
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

/** What the timeline shows: every line once, below the one that began it; elements stay, so that what is open stays open. */
export class Lines {
  element = h('ol', { class: 'timeline', 'aria-label': 'Timeline' });
  /** @type {any[]} newest first */
  #lines = [];
  /** @type {Map<string, Shown>} by the id of the line that began it */
  #shown = new Map();
  #byTrace;
  #notice;

  /** @param {(trace: string) => void} byTrace @param {(text: string, bad?: boolean) => void} notice */
  constructor(byTrace, notice) {
    this.#byTrace = byTrace;
    this.#notice = notice;
  }

  get count() {
    return this.#lines.length;
  }

  /** Older ones would go at once. */
  get full() {
    return this.#lines.length >= LINES_MAX;
  }

  /** @param {any[]} lines */
  begin(lines) {
    this.#lines = lines;
    this.#shown.clear();
    this.#show(false);
  }

  /** @param {any[]} lines */
  append(lines) {
    this.#lines = [...this.#lines, ...lines];
    this.#show(false);
  }

  /** Those that are new, all of them. @param {any[]} lines */
  put(lines) {
    this.#lines = [...lines, ...this.#lines].slice(0, LINES_MAX);
    this.#show(true);
  }

  /** Those that are new; false where they do not reach what is shown. @param {any[]} lines */
  prepend(lines) {
    const newest = this.#lines[0]?.id;
    const known = lines.findIndex(({ id }) => id === newest);
    if (known === -1) return false;
    if (known === 0) return true;
    this.put(lines.slice(0, known));
    return true;
  }

  /** @param {boolean} marked those that were not there before are marked as new */
  #show(marked) {
    const shown = new Map();
    /** @type {ChildNode | null} */
    let at = this.element.firstChild;
    for (const group of grouped(this.#lines)) {
      const { id } = group.line;
      const known = this.#shown.get(id);
      const item = known ?? new Shown(group.line, this.#byTrace, this.#notice);
      item.follow(group);
      shown.set(id, item);
      if (known === undefined && marked) item.element.classList.add('new');
      if (item.element === at) at = at.nextSibling;
      else this.element.insertBefore(item.element, at);
    }
    this.#shown = shown;
    while (at !== null) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  }
}

/** A line with what followed from it. */
class Shown {
  element;
  #caused = h('ol', { class: 'caused', 'aria-label': 'What came of it', hidden: true });
  #count = 0;
  /** @type {Map<string, HTMLElement>} */
  #items = new Map();
  /** @type {Webhooks | null} */
  #webhooks = null;
  #byTrace;
  #notice;

  /** @param {any} line @param {(trace: string) => void} byTrace @param {(text: string, bad?: boolean) => void} notice */
  constructor(line, byTrace, notice) {
    this.#byTrace = byTrace;
    this.#notice = notice;
    this.element = h('li', { 'data-id': line.id }, this.#details(line), this.#caused);
  }

  /** @param {import('./groups.js').Group} group */
  follow({ caused, webhooks }) {
    if (caused.length + webhooks.length === this.#count) return;
    this.#count = caused.length + webhooks.length;
    this.#caused.hidden = false;
    for (const line of caused)
      if (!this.#items.has(line.id)) {
        const item = h('li', { 'data-id': line.id }, this.#details(line));
        this.#items.set(line.id, item);
        this.#caused.append(item);
      }
    if (webhooks.length === 0) return;
    const told = webhookText(webhooks);
    if (this.#webhooks === null) {
      this.#webhooks = new Webhooks(line => this.#details(line));
      this.#caused.append(this.#webhooks.element);
    }
    this.#webhooks.show(webhooks, told);
  }

  /** @param {any} line */
  #details(line) {
    const { twin, position, kind, text, records, occurredAt, caller, actor } = line;
    const body = h('div');
    const open = async (/** @type {Event} */ event) => {
      const details = /** @type {HTMLDetailsElement} */ (event.currentTarget);
      if (event.target !== details || !details.open || body.childElementCount > 0) return;
      try {
        body.replaceChildren(...wholeEntry(await ask(`log/${twin}/${position}`), line, this.#byTrace));
      } catch (problem) {
        this.#notice(/** @type {Error} */ (problem).message, true);
      }
    };
    const failed = kind === 'webhook.failed';
    return h(
      'details',
      { ontoggle: open },
      h(
        'summary',
        {},
        instant(occurredAt),
        h(
          'span',
          { class: 'told' },
          h('span', { class: failed ? 'text bad' : 'text' }, text === '' ? kind : text),
          records.length > 1 && h('span', { class: 'soft' }, ` and ${records.length - 1} more`),
          h('span', { class: 'kind soft' }, `${text === '' ? '' : `${kind} · `}${twin} ${position}`),
        ),
        h('span', { class: 'soft who' }, caller ?? actor),
      ),
      body,
    );
  }
}

/** The attempts at webhooks of one entry, folded. */
class Webhooks {
  #list = h('ol', { class: 'caused' });
  #title = h('summary', { class: 'plainly' });
  #left = h('p', { class: 'soft', hidden: true });
  #details = /** @type {HTMLDetailsElement} */ (
    h('details', { ontoggle: () => this.#lay() }, this.#title, this.#left, this.#list)
  );
  /** @type {readonly any[]} */
  #webhooks = [];
  #row;
  element = h('li', {}, this.#details);

  /** @param {(line: any) => HTMLElement} row */
  constructor(row) {
    this.#row = row;
  }

  /** @param {readonly any[]} webhooks oldest first @param {{ text: string; failed: number }} told */
  show(webhooks, told) {
    this.#webhooks = webhooks;
    this.#title.textContent = told.text;
    this.#title.classList.toggle('bad', told.failed > 0);
    this.#lay();
  }

  /** Those that are not laid out yet, once somebody looks. */
  #lay() {
    if (!this.#details.open) return;
    const shown = this.#webhooks.slice(-WEBHOOKS_SHOWN_MAX);
    const there = new Set(
      [...this.#list.children].map(item => /** @type {HTMLElement} */ (item).dataset['id']),
    );
    for (const line of shown)
      if (!there.has(line.id)) this.#list.append(h('li', { 'data-id': line.id }, this.#row(line)));
    while (this.#list.childElementCount > WEBHOOKS_SHOWN_MAX) this.#list.firstElementChild?.remove();
    const left = this.#webhooks.length - shown.length;
    this.#left.textContent = `${left} attempts before these`;
    this.#left.hidden = left === 0;
  }
}
