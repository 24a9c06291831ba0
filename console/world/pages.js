// The vendors' pages, grouped by the browser whose copy each is (4.3), and the browsers themselves.

import { empty, h, table } from '../shared/dom.js';
import { acting } from './acting.js';
import { ask } from './api.js';

/** The way into a copy, by a pass. @param {{ host: string; browser: string | null; land: string; origin?: string | null; vendor?: string }} page */
export function goTo({ host, browser, land, origin, vendor }) {
  const [, , org = '', name = ''] = location.pathname.split('/');
  if (origin === null && browser === null) return `/${org}/${name}/${vendor}${land}`;
  return `sites/go?${new URLSearchParams({ host, ...(browser === null ? {} : { browser }), land })}`;
}

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function pagesView({ write, notice }) {
  const body = h('div');
  const act = acting(notice, () => refresh());
  const refresh = async () => {
    const [{ pages }, { browsers }] = await Promise.all([ask('sites'), ask('browsers')]);
    const groups = [...browsers, null].map(browser => group(browser, pages, write ? act : null));
    body.replaceChildren(
      ...groups.filter(each => each !== null),
      ...(pages.length === 0 ? [empty('No twin of this world serves pages.')] : []),
    );
  };
  const name = /** @type {HTMLInputElement} */ (
    h('input', { name: 'browser', size: 16, autocomplete: 'off', spellcheck: 'false', required: true })
  );
  const make = (/** @type {Event} */ event) => {
    event.preventDefault();
    const profile = { storageState: { cookies: [], origins: [] }, context: {} };
    void act(
      () => ask(`browsers/${encodeURIComponent(name.value)}`, { method: 'PUT', body: profile }),
      `${name.value} is there, signed in nowhere.`,
    );
  };
  return {
    element: h(
      'section',
      {},
      h('h2', {}, 'Pages'),
      h(
        'p',
        {},
        'The vendors’ pages, each browser’s at addresses of its own. ',
        h('a', { href: 'board' }, 'All of them on a board'),
      ),
      body,
      write &&
        h(
          'form',
          { class: 'row', onsubmit: make },
          h('label', {}, 'Name of a new browser', name),
          h('button', {}, 'Add a browser'),
        ),
    ),
    kinds: ['keys'],
    refresh,
  };
}

/** @param {string | null} browser @param {readonly import('./frames.js').Page[]} pages @param {((work: () => Promise<unknown>, done: string) => Promise<void>) | null} act @returns {HTMLElement | null} */
function group(browser, pages, act) {
  const own = pages.filter(page => page.browser === browser);
  if (browser === null && own.length === 0) return null;
  const rows = own.map(page => [
    h('a', { href: goTo(page) }, page.host),
    page.vendor,
    h('code', {}, page.origin ?? 'at the world’s own'),
  ]);
  const remove =
    act !== null &&
    browser !== null &&
    h(
      'button',
      {
        'aria-label': `Remove ${browser}`,
        onclick: () =>
          void act(() => ask(`browsers/${browser}`, { method: 'DELETE' }), `${browser} is gone.`),
      },
      'Remove',
    );
  return h(
    'section',
    { 'aria-label': browser ?? 'No browser' },
    h('h3', { class: 'with' }, browser ?? 'Without a browser', remove),
    rows.length === 0
      ? empty('No address can be made under this name.')
      : table(['Site', 'Twin', 'Address'], rows),
  );
}
