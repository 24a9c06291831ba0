// The list of worlds: looked through by words, a page of rows at a time, with as many worlds as a host has.
import { empty, h } from '../shared/dom.js';
import { PAGE_ROWS, SEARCH_SETTLE_MS } from './limits.js';
import { firstLine, openWorld } from './world.js';

/** @typedef {import('./main.js').Around} Around */
/** @typedef {import('./main.js').View} View */
/** @typedef {import('./rows.js').Row} Row */

/** What was looked for, and where: it is there again when a world’s view is left. */
const looked = { query: '', faultsOnly: false, page: 0, last: '' };

const TITLES = ['World', 'Vendors', 'Owner', 'Base', 'Fault', ''];

/** @param {Around} around @returns {View} */
export function worldsView(around) {
  const { inventory } = around;
  const count = h('p', { class: 'soft count' });
  const read = h('p', { role: 'status', class: 'unseen' });
  const body = h('div');
  const pager = pagerOf(step => {
    looked.page += step;
    show();
    read.textContent = `Page ${looked.page + 1}`;
    body.scrollIntoView({ block: 'nearest' });
  });
  /** What is drawn; null before anything is. @type {readonly Row[] | null} */
  let drawn = null;
  const show = () => {
    const found = inventory.find(looked.query, looked.faultsOnly);
    const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
    looked.page = Math.min(looked.page, pages - 1);
    const rows = found.slice(looked.page * PAGE_ROWS, (looked.page + 1) * PAGE_ROWS);
    count.textContent = countText(found.length, inventory);
    pager.show(looked.page, pages);
    if (drawn !== null && rows.length > 0 && sameRows(rows, drawn)) return;
    drawn = rows;
    keepingFocus(body, () => body.replaceChildren(rows.length > 0 ? tableOf(rows, around) : nothing(around)));
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let settle;
  const tell = () => {
    clearTimeout(settle);
    settle = setTimeout(() => {
      read.textContent = count.textContent;
    }, SEARCH_SETTLE_MS);
  };
  const { form, search } = searchForm(around, () => {
    looked.page = 0;
    show();
    tell();
  });
  show();
  let { whole } = inventory;
  return {
    element: h('section', {}, h('h2', {}, 'Worlds'), form, count, read, body, pager.element),
    title: 'Worlds',
    changed: () => {
      show();
      if (inventory.whole && !whole) tell();
      whole = inventory.whole;
    },
    focus: () => {
      const link = body.querySelector(`a[href="${hrefOf(looked.last)}"]`);
      if (link instanceof HTMLElement) link.focus();
      else search.focus();
    },
  };
}

/** @param {Around} around @param {() => void} look */
function searchForm({ reread }, look) {
  const search = /** @type {HTMLInputElement} */ (
    h('input', {
      type: 'search',
      value: looked.query,
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: 'name, owner, vendor or fault',
    })
  );
  const faults = /** @type {HTMLInputElement} */ (h('input', { type: 'checkbox' }));
  faults.checked = looked.faultsOnly;
  search.addEventListener('input', () => {
    looked.query = search.value;
    look();
  });
  faults.addEventListener('change', () => {
    looked.faultsOnly = faults.checked;
    look();
  });
  const form = h(
    'form',
    { class: 'row', role: 'search', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    h('label', { class: 'wide' }, 'Search', search),
    h('label', { class: 'check' }, faults, ' with a fault only'),
    h('button', { type: 'button', onclick: () => void reread() }, 'Read again'),
  );
  return { form, search };
}

/** @param {readonly Row[]} rows @param {readonly Row[]} others */
function sameRows(rows, others) {
  return rows.length === others.length && rows.every((row, index) => row === others[index]);
}

/** Rows that are drawn anew are to leave the focus where it was. @param {HTMLElement} body @param {() => void} draw */
function keepingFocus(body, draw) {
  const before = document.activeElement;
  const row = before !== null && body.contains(before) ? before.closest('tr') : null;
  draw();
  if (row === null) return;
  const again = [...body.querySelectorAll('tr')].find(each => each.dataset['name'] === row.dataset['name']);
  const wanted = again?.querySelector(before?.tagName === 'BUTTON' ? 'button' : 'a');
  if (wanted instanceof HTMLElement) wanted.focus();
}

/** @param {string} name */
const hrefOf = name => `#world?name=${name}`;

/** @param {number} found @param {Around['inventory']} inventory */
function countText(found, { size, whole }) {
  const all = `${size.toLocaleString('en')} ${size === 1 ? 'world' : 'worlds'}`;
  if (!whole) return `Reading the worlds: ${size.toLocaleString('en')} so far…`;
  return found === size ? all : `${found.toLocaleString('en')} of ${all}`;
}

/** @param {Around} around */
function nothing({ inventory }) {
  if (!inventory.whole) return empty('The list is on its way.');
  if (inventory.size > 0)
    return empty('No world has all of these words. Take one away, or look at the list without them.');
  return h(
    'p',
    { class: 'empty' },
    'This host has no world yet. ',
    h('a', { href: '#new' }, 'Make the first one'),
    '.',
  );
}

/** It is read as a table however narrow the window is, where its rows are laid out as cards. @param {readonly Row[]} rows @param {Around} around */
function tableOf(rows, around) {
  return h(
    'table',
    { class: 'worlds', role: 'table' },
    h(
      'thead',
      { role: 'rowgroup' },
      h(
        'tr',
        { role: 'row' },
        ...TITLES.map(title =>
          title === '' ? h('td', { role: 'cell' }) : h('th', { role: 'columnheader', scope: 'col' }, title),
        ),
      ),
    ),
    h('tbody', { role: 'rowgroup' }, ...rows.map(row => line(row, around))),
  );
}

/** @param {Row} row @param {Around} around */
function line(row, around) {
  const { name, owner = '', base, twins, fault = '' } = row;
  const cell = (/** @type {string} */ title, /** @type {Node | string} */ value, more = '') =>
    h('td', { role: 'cell', 'data-title': title, class: value === '' ? 'none' : more }, value);
  const go = () => {
    looked.last = name;
  };
  const open = () => {
    go();
    void openWorld(row, 'token', around);
  };
  return h(
    'tr',
    { role: 'row', 'data-name': name },
    h('th', { role: 'rowheader', scope: 'row' }, h('a', { href: hrefOf(name), onclick: go }, name)),
    cell('Vendors', twins.map(({ vendor }) => vendor).join(', ')),
    cell('Owner', owner),
    cell('Base', h('code', {}, base)),
    cell('Fault', firstLine(fault), 'bad'),
    h(
      'td',
      { role: 'cell', class: 'act' },
      h('button', { type: 'button', 'aria-label': `Open the page of ${name}`, onclick: open }, 'Open'),
    ),
  );
}

/** @param {(step: number) => void} step */
function pagerOf(step) {
  const back = /** @type {HTMLButtonElement} */ (
    h('button', { type: 'button', onclick: () => step(-1) }, 'Previous')
  );
  const on = /** @type {HTMLButtonElement} */ (
    h('button', { type: 'button', onclick: () => step(1) }, 'Next')
  );
  const where = h('span', { class: 'soft' });
  const element = h('nav', { class: 'pager', 'aria-label': 'Pages of the list' }, back, where, on);
  return {
    element,
    show: (/** @type {number} */ page, /** @type {number} */ pages) => {
      element.hidden = pages === 1;
      where.textContent = `Page ${page + 1} of ${pages.toLocaleString('en')}`;
      // A disabled button would drop the focus of whoever pressed it.
      const was = document.activeElement;
      back.disabled = page === 0;
      on.disabled = page === pages - 1;
      if (was === back && back.disabled) on.focus();
      if (was === on && on.disabled) back.focus();
    },
  };
}
