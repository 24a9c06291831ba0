// The page's other views. Each is an element, the kinds of news it cares for, and how it looks again.

import { empty, h, instant, table } from '../shared/dom.js';
import { acting } from './acting.js';
import { ask, WORLD } from './api.js';
import { ofThen } from './as-of.js';
import { recordHash } from './record-hash.js';

/**
 * @typedef {{ element: HTMLElement; kinds: readonly string[]; refresh: (first?: boolean) => Promise<void>; due?: () => boolean }} View `due`: whether something may be new that nobody tells of
 * @typedef {{ write: boolean; notice: (text: string, bad?: boolean) => void; search: URLSearchParams; go: (hash: string) => void; moveClock: (at: string) => Promise<boolean> }} Around `moveClock`: whether the world has arrived there
 */

/** @param {string} title @param {readonly string[]} kinds @param {() => Promise<readonly Node[]>} read @returns {View} */
function view(title, kinds, read) {
  const body = h('div');
  return {
    element: h('section', {}, h('h2', {}, title), body),
    kinds,
    refresh: async () => body.replaceChildren(...(await read())),
  };
}

/** @returns {View} */
export function twinsView() {
  return view('Twins', ['entry'], async () => {
    const [{ twins }, { twins: statuses }] = await Promise.all([ask(ofThen('map')), ask('twins')]);
    if (twins.length === 0) return [empty('No twins. Name one under “services” in .wrld/world.json.')];
    const cards = twins.map((/** @type {any} */ { twin, position, screens, resources }) => {
      const status = statuses.find((/** @type {any} */ each) => each.twin === twin);
      const facts = h('dl');
      const fact = (/** @type {string} */ name, /** @type {Node | string} */ value) =>
        facts.append(h('dt', {}, name), h('dd', {}, value));
      fact('Position', h('a', { href: `#${ofThen(`timeline?twin=${twin}`)}` }, String(position)));
      if (status) fact('Protocol', status.protocol);
      if (status?.identity.pinned) fact('Package', status.identity.pinned);
      for (const { type, count } of resources)
        fact(type, h('a', { href: `#${recordHash(twin, type)}` }, String(count)));
      const links = screens
        .filter((/** @type {any} */ { path }) => !path.includes('{') && !path.includes('<'))
        .map((/** @type {any} */ { id, path }) =>
          h('li', {}, h('a', { href: `/${WORLD}/${twin}${path}` }, id)),
        );
      return h(
        'li',
        {},
        h('h3', {}, twin),
        facts,
        links.length > 0 && h('h4', {}, 'Screens'),
        links.length > 0 && h('ul', {}, ...links),
      );
    });
    return [h('ul', { class: 'cards' }, ...cards)];
  });
}

/** @param {Around} around @returns {View} */
export function branchesView({ write, notice }) {
  const list = view('Branches', ['branches'], async () => {
    const { branches } = await ask('branches');
    if (branches.length === 0)
      return [empty('No branches. One is a copy of this world to try something in.')];
    return [
      table(
        ['Branch', 'As of', 'Made', 'Ends', ''],
        branches.map((/** @type {any} */ { name, at, createdAt, expiresAt }) => [
          pageOf(name),
          instant(at),
          instant(createdAt),
          expiresAt === null ? 'never' : instant(expiresAt),
          write
            ? h(
                'button',
                {
                  'aria-label': `Remove ${name}`,
                  onclick: () => act(() => ask(`branches/${name}`, { method: 'DELETE' }), `${name} is gone.`),
                },
                'Remove',
              )
            : '',
        ]),
      ),
    ];
  });
  const act = acting(notice, () => list.refresh());
  if (write) {
    const label = input('label', 'Label', 12);
    const at = input('at', 'As of (empty: now)', 22);
    list.element.append(
      h(
        'form',
        {
          class: 'row',
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const body = {
              ...(label.value ? { label: label.value } : {}),
              ...(at.value ? { at: { instant: at.value } } : {}),
            };
            void act(() => ask('branches', { method: 'POST', body }), 'The branch is made.');
          },
        },
        h('label', {}, 'Label', label),
        h('label', {}, 'As of (empty: now)', at),
        h('button', {}, 'Make a branch'),
      ),
    );
  }
  return list;
}

/** A branch is a world, with a page at an origin of its own. @param {string} name @param {string} [view] its address in the page */
export function pageOf(name, view) {
  const [org, world] = name.split('/');
  const own = /^[^.]+--[^.]+\.localhost$/.test(location.hostname);
  if (!own) return name;
  return h(
    'a',
    {
      href: `${location.protocol}//${world}--${org}.localhost:${location.port}/-/${name}/${view === undefined ? '' : `#${view}`}`,
    },
    name,
  );
}

/** @param {Around} around @returns {View} */
export function keysView({ write, notice }) {
  const list = view('Keys', ['keys'], async () => {
    const { keys } = await ask('keys');
    if (keys.length === 0)
      return [empty('No keys. A key opens the world like a token, and is revoked alone.')];
    return [
      table(
        ['Name', 'Scope', 'For', 'Made', 'Last used', 'Ends', ''],
        keys.map((/** @type {any} */ key) => [
          key.name,
          key.scope,
          key.person ?? key.for ?? '',
          instant(key.createdAt),
          key.lastUsedAt === null ? 'never' : instant(key.lastUsedAt),
          key.expiresAt === null ? 'never' : instant(key.expiresAt),
          h(
            'button',
            {
              'aria-label': `Revoke ${key.name}`,
              onclick: () =>
                act(() => ask(`keys/${key.id}`, { method: 'DELETE' }), `${key.name} is revoked.`),
            },
            'Revoke',
          ),
        ]),
      ),
    ];
  });
  const act = acting(notice, () => list.refresh());
  if (write) {
    const name = input('name', 'Name', 16);
    name.required = true;
    const read = /** @type {HTMLInputElement} */ (h('input', { type: 'checkbox' }));
    const made = h('div', { role: 'status' });
    list.element.append(
      h(
        'form',
        {
          class: 'row',
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const body = { name: name.value, scope: read.checked ? 'read' : 'write' };
            void act(async () => {
              const { key } = await ask('keys', { method: 'POST', body });
              const link = `${location.origin}${location.pathname}#key=${key}`;
              made.replaceChildren(
                h('p', {}, 'This is the only time the key is shown:'),
                h('pre', {}, key),
                ...(read.checked
                  ? [h('p', {}, 'Whoever opens this link reads the world’s pages:'), h('pre', {}, link)]
                  : []),
              );
            }, 'The key is made.');
          },
        },
        h('label', {}, 'Name', name),
        h('label', { class: 'check' }, read, ' reads only'),
        h('button', {}, 'Make a key'),
      ),
      made,
    );
  }
  return list;
}

/** @param {string} name @param {string} title @param {number} size */
function input(name, title, size) {
  return /** @type {HTMLInputElement} */ (
    h('input', { name, title, size, autocomplete: 'off', spellcheck: 'false' })
  );
}
