// The handlers of a twin: how often each answered, the nearest miss of each request that none took, and the document itself,
// edited in place.

import { ask as askAt, Problem } from '../shared/asking.js';
import { empty, h, instant } from '../shared/dom.js';
import { ask, WORLD } from './api.js';
import { conditionText } from './conditions.js';
import { lineOf, linesOf, pointerAt } from './json-lines.js';
import { replaceInPlace } from './kept-place.js';
import { MISSES_SHOWN_MAX } from './limits.js';
import { helpOf } from './schema-help.js';
import { visible } from './shown-text.js';

const EMPTY = { version: 1, handlers: [{ id: 'first', match: {}, reply: { text: 'Hello.' } }] };

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function scenarioView({ search, go, write, notice }) {
  const body = h('div');
  const choice = h('form', {
    class: 'row',
    onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
  });
  /** @type {string | null} */
  let twin = search.get('twin');
  const editor = write
    ? new Editor(
        () => twin,
        notice,
        () => refresh(),
      )
    : null;
  const refresh = async (first = false) => {
    if (first) {
      const { twins } = await ask('map');
      const names = twins.map((/** @type {any} */ each) => each.twin);
      twin ??= names[0] ?? null;
      if (twin === null)
        return body.replaceChildren(empty('No twins. Name one under “services” in .wrld/world.json.'));
      const select = /** @type {HTMLSelectElement} */ (
        h(
          'select',
          { name: 'twin', onchange: () => go(`scenario?${new URLSearchParams({ twin: select.value })}`) },
          ...names.map((/** @type {string} */ name) =>
            h('option', { value: name, selected: name === twin }, name),
          ),
        )
      );
      choice.replaceChildren(h('label', {}, 'Twin', select), ...(editor === null ? [] : [editor.button]));
    }
    if (twin === null) return;
    const report = await askAt(`/${WORLD}/${encodeURIComponent(twin)}/twin/scenario`);
    replaceInPlace(body, told(report));
  };
  return {
    element: h(
      'section',
      {},
      h('h2', {}, 'Scenario'),
      choice,
      ...(editor === null ? [] : [editor.element]),
      body,
    ),
    // What nothing answered is no entry, and is a request.
    kinds: ['entry', 'requests'],
    refresh,
  };
}

/** @param {any} report 2.3 */
function told({ handlers, unmatched, unmatchedTotal, fault }) {
  const byId = new Map(handlers.map((/** @type {any} */ each) => [each.id, each]));
  return [
    ...(fault === undefined
      ? []
      : [
          h('p', { class: 'bad' }, 'The file, as it stands since ', instant(fault.at), ', is not in force:'),
          h(
            'ul',
            {},
            ...fault.faults.map((/** @type {any} */ each) => h('li', {}, `${each.pointer}: ${each.message}`)),
          ),
        ]),
    h('h3', {}, 'Handlers'),
    handlers.length === 0
      ? empty('None: the twin answers by itself.')
      : h('ol', { class: 'plain lines' }, ...handlers.map(handler)),
    h('h3', {}, `What no handler took${unmatchedTotal > 0 ? `: ${unmatchedTotal}` : ''}`),
    unmatched.length === 0
      ? empty('Nothing, since the handlers were loaded.')
      : h(
          'ol',
          { class: 'plain lines' },
          ...unmatched.slice(0, MISSES_SHOWN_MAX).map((/** @type {any} */ each) => miss(each, byId)),
        ),
  ];
}

/** @param {any} told */
function handler({ id, match, matched, lastMatchedAt }) {
  return h(
    'li',
    {},
    h('strong', {}, visible(id)),
    h(
      'span',
      { class: 'soft' },
      matched === 0 ? ' answered nothing yet' : ` answered ${matched}, last at `,
      lastMatchedAt !== null && instant(lastMatchedAt),
    ),
    h('div', {}, h('code', {}, visible(JSON.stringify(match)))),
  );
}

/** @param {any} missed @param {Map<string, any>} byId */
function miss({ at, method, path, nearest }, byId) {
  return h(
    'li',
    {},
    h('div', {}, instant(at), ' ', h('code', {}, visible(`${method} ${path}`))),
    nearest === undefined
      ? h('div', { class: 'soft' }, 'There was no handler that could have taken it.')
      : h(
          'div',
          {},
          'Nearest is ',
          h('strong', {}, visible(nearest.id)),
          nearest.failed.length === 0
            ? ', which fits: it has been used as often as it may.'
            : `: ${nearest.failed.map((/** @type {string} */ label) => visible(conditionText(label, byId.get(nearest.id)?.match ?? {}))).join('; ')}.`,
        ),
  );
}

/** With what stands between backticks as code. @param {string} text */
function wordsOf(text) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? h('code', {}, part) : part));
}

/** The document, in a field to type in. */
class Editor {
  button = h('button', { type: 'button', onclick: () => void this.#open() }, 'Edit the handlers');
  #text = /** @type {HTMLTextAreaElement} */ (
    h('textarea', {
      ...{ id: 'handlers-text', rows: 16, spellcheck: 'false', autocomplete: 'off' },
      ...{ onfocus: () => this.#advise(), onclick: () => this.#advise(), onkeyup: () => this.#advise() },
    })
  );
  #help = h('section', { class: 'help', 'aria-label': 'What may stand here' });
  /** @type {import('./schema-help.js').Schema | null} */
  #schema = null;
  #faults = h('div', { role: 'alert', class: 'bad' });
  element = h(
    'form',
    {
      hidden: true,
      class: 'panel',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        void this.#save();
      },
    },
    h('h3', {}, h('label', { for: 'handlers-text' }, 'Handlers, as JSON')),
    this.#text,
    this.#faults,
    h(
      'p',
      { class: 'with' },
      h('button', {}, 'Save'),
      h('button', { type: 'button', onclick: () => this.#close() }, 'Leave it'),
      h('span', { class: 'soft' }, 'In force from the next call on; counts begin anew.'),
    ),
    this.#help,
  );
  /** The document that is edited, as it was read. */
  #was = '';
  #twin;
  #notice;
  #saved;

  /** @param {() => string | null} twin @param {(text: string, bad?: boolean) => void} notice @param {() => Promise<void>} saved */
  constructor(twin, notice, saved) {
    this.#twin = twin;
    this.#notice = notice;
    this.#saved = saved;
  }

  async #open() {
    try {
      this.#was = await this.#read();
      // Nobody waits for it who does not write.
      this.#schema ??= (await import('./handlers-schema.generated.js')).HANDLERS_SCHEMA;
      this.#text.value = this.#was === '' ? JSON.stringify(EMPTY, null, 2) : this.#was;
      this.#faults.replaceChildren();
      this.element.hidden = false;
      this.#text.focus();
    } catch (problem) {
      this.#notice(/** @type {Error} */ (problem).message, true);
    }
  }

  /** What the schema says of the place that is written at. */
  #advise() {
    if (this.#schema === null) return;
    const pointer = pointerAt(this.#text.value, this.#text.selectionStart);
    const { name, known, text, choices, fields } = helpOf(this.#schema, pointer);
    const list = h('dl', { class: 'fields' });
    for (const field of fields)
      list.append(h('dt', {}, h('code', {}, field.name)), h('dd', {}, ...wordsOf(field.text)));
    const where = h('code', {}, visible(name || 'the document'));
    this.#help.replaceChildren(
      known ? h('p', {}, where, ' ', ...wordsOf(text)) : h('p', {}, where, ' is not known here.'),
      ...(choices.length === 0 || !known ? [] : [h('p', { class: 'soft' }, `One of: ${choices.join(', ')}`)]),
      ...(fields.length === 0 ? [] : [h('p', { class: 'soft' }, 'What may stand here:'), list]),
    );
  }

  #close() {
    this.element.hidden = true;
    this.button.focus();
  }

  /** Empty where there is none. */
  async #read() {
    try {
      return JSON.stringify(await ask(this.#place), null, 2);
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 404) return '';
      throw problem;
    }
  }

  get #place() {
    return `twins/${encodeURIComponent(this.#twin() ?? '')}/scenario`;
  }

  async #save() {
    const text = this.#text.value;
    try {
      JSON.parse(text);
    } catch (problem) {
      // The engine's own words name the place.
      return this.#tell([{ text: /** @type {Error} */ (problem).message }]);
    }
    try {
      if ((await this.#read()) !== this.#was)
        return this.#tell([
          { text: 'Somebody saved another document meanwhile: copy what you typed, and begin anew.' },
        ]);
      await ask(this.#place, { method: 'PUT', text });
    } catch (problem) {
      const faults = problem instanceof Problem ? problem.body?.error?.details?.faults : undefined;
      if (!Array.isArray(faults)) return this.#tell([{ text: /** @type {Error} */ (problem).message }]);
      const lines = linesOf(text);
      const told = faults.map(({ pointer, message }) => ({
        text: `${pointer || 'the whole'}: ${message}`,
        line: lineOf(lines, pointer),
      }));
      return this.#tell(told);
    }
    this.#notice('The handlers are in force from the next call on.');
    this.#close();
    await this.#saved();
  }

  /** @param {readonly { text: string; line?: number }[]} faults `line`: where in what was typed */
  #tell(faults) {
    const items = faults.map(({ text, line }) =>
      h(
        'li',
        {},
        line !== undefined &&
          h('button', { type: 'button', onclick: () => this.#show(line) }, `Line ${line}`),
        ` ${visible(text)}`,
      ),
    );
    this.#faults.replaceChildren(h('ul', { class: 'plain' }, ...items));
  }

  /** @param {number} line counted from 1 */
  #show(line) {
    const lines = this.#text.value.split('\n');
    const from = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    this.#text.focus();
    this.#text.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  }
}
