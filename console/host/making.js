// A new world: its name, its vendors, its owner; and then its two tokens.
import { h } from '../shared/dom.js';
import { ask } from './api.js';
import { tokensPanel } from './tokens.js';

/** @typedef {import('./main.js').Around} Around */
/** @typedef {import('./main.js').View} View */

/** @param {Around} around @returns {View} */
export function makingView({ inventory, notice, acting, keep }) {
  const field = (/** @type {string} */ name, /** @type {boolean} */ required) =>
    /** @type {HTMLInputElement} */ (
      h('input', {
        name,
        required,
        size: 20,
        autocomplete: 'off',
        autocapitalize: 'off',
        spellcheck: 'false',
      })
    );
  const org = field('org', true);
  const world = field('world', true);
  const owner = field('owner', false);
  const choices = h('div', { class: 'choices' }, h('p', { class: 'soft' }, 'Asking which there are…'));
  const made = h('div');
  const button = h('button', {}, 'Make it');
  const make = acting(async () => {
    const picked = [...choices.querySelectorAll('input')].filter(({ checked }) => checked);
    const body = {
      org: org.value.trim(),
      world: world.value.trim(),
      vendors: picked.map(({ value }) => value),
      ...(owner.value.trim() === '' ? {} : { owner: owner.value.trim() }),
    };
    const row = await ask('worlds', { method: 'POST', body });
    inventory.put(row);
    notice(`${row.name} is made, and answers at ${row.base}`);
    world.value = '';
    made.replaceChildren(h('p', {}, h('a', { href: `#world?name=${row.name}` }, `Go to ${row.name}`)));
    keep(tokensPanel(`Tokens of ${row.name}`, row, notice));
  });
  const form = h(
    'form',
    { class: 'making', onsubmit: make },
    h('div', { class: 'row' }, h('label', {}, 'Org', org), h('label', {}, 'World', world)),
    h('p', { class: 'soft' }, 'Lower-case letters, digits and hyphens. Its address is <host>/<org>/<world>.'),
    h('fieldset', {}, h('legend', {}, 'Vendors'), choices),
    h('div', { class: 'row' }, h('label', {}, 'Owning org (may be left out)', owner)),
    button,
  );
  const load = async () => {
    const { vendors } = await ask('vendors');
    choices.replaceChildren(
      ...vendors.map((/** @type {string} */ vendor) =>
        h('label', { class: 'check' }, h('input', { type: 'checkbox', value: vendor }), ` ${vendor}`),
      ),
    );
  };
  const element = h('section', {}, h('h2', {}, 'New world'), form, made);
  return { element, title: 'New world', load, focus: () => org.focus() };
}
