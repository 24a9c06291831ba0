// One world: its page, its tokens, whose it is, and its end.
import { Problem } from '../shared/asking.js';
import { empty, h } from '../shared/dom.js';
import { ask, askWorld, pageOf } from './api.js';
import { copyText, tokensPanel } from './tokens.js';

/** @typedef {import('./main.js').Around} Around */
/** @typedef {import('./main.js').View} View */
/** @typedef {import('./rows.js').Row} Row */

/** @param {Around} around @returns {View} */
export function worldView(around) {
  const name = around.search.get('name') ?? '';
  const heading = h('h2', { tabindex: '-1' }, name);
  const body = h('div');
  const element = h('section', {}, heading, h('p', {}, h('a', { href: '#worlds' }, 'All worlds')), body);
  let shown = '';
  const changed = () => {
    const row = around.inventory.get(name);
    // What somebody types stays while nothing of this world is another.
    const text = JSON.stringify([row, around.inventory.whole]);
    if (text === shown) return;
    shown = text;
    if (row !== undefined) body.replaceChildren(...inside(row, around));
    else if (around.inventory.whole)
      body.replaceChildren(empty('The host has no world of this name, or has it no more.'));
    else body.replaceChildren(empty('The list is on its way.'));
  };
  changed();
  return { element, title: name, changed, focus: () => heading.focus() };
}

/** @param {Row} row @param {Around} around @returns {readonly Node[]} */
function inside(row, around) {
  const { name, base, owner, twins, fault } = row;
  const facts = h('dl');
  const fact = (/** @type {string} */ title, /** @type {Node | string} */ value) =>
    facts.append(h('dt', {}, title), h('dd', {}, value));
  fact('Base', h('code', {}, base));
  fact('Twins', twins.length === 0 ? 'none' : twins.map(twinText).join(', '));
  fact('Owner', owner ?? 'none recorded');
  return [
    facts,
    ...(fault === undefined ? [] : [faultOf(name, fault)]),
    ...page(row, around),
    ...(owner === undefined ? ownership(row, around) : []),
    ...rotation(row, around),
    ...removal(row, around),
  ];
}

/** @param {import('./rows.js').Twin} twin */
function twinText({ vendor, protocol, root }) {
  const more = [protocol, root === null ? null : 'has a root'].filter(each => each !== null).join(', ');
  return more === '' ? vendor : `${vendor} (${more})`;
}

/** Of a fault, where it stands beside others: without the folders that lead to the world. @param {string} fault */
export function firstLine(fault) {
  const [line = ''] = fault.split('\n');
  return line.replace(/^\S*\/(?=\.wrld\/)/, '');
}

/** @param {string} name @param {string} fault */
function faultOf(name, fault) {
  return h(
    'div',
    { class: 'fault' },
    h('h3', {}, 'It cannot be served'),
    h('pre', {}, fault),
    h(
      'p',
      {},
      'Mend it in ',
      h('code', {}, `${name}/.wrld`),
      ' of the host’s directory: the next request opens it again.',
    ),
  );
}

/** @param {Row} row @param {Around} around */
function page(row, around) {
  const place = h('div');
  const copy = async (/** @type {'token' | 'readToken'} */ which, /** @type {string} */ what) => {
    const value = row[which];
    if (value === null) return around.notice(`${what} cannot be read; the world’s fault says why.`, true);
    await copyText(value, what, around.notice, () => {
      const field = h('input', { readonly: true, value, class: 'mono', 'aria-label': what });
      place.replaceChildren(field);
      /** @type {HTMLInputElement} */ (field).select();
    });
  };
  const button = (/** @type {string} */ title, /** @type {() => unknown} */ onclick) =>
    h('button', { type: 'button', onclick }, title);
  return [
    h('h3', {}, 'Its page and its tokens'),
    h(
      'p',
      { class: 'row' },
      button('Open its page', () => openWorld(row, 'token', around)),
      button('Open it to read only', () => openWorld(row, 'readToken', around)),
      button('Copy the token', () => copy('token', 'The token')),
      button('Copy the read token', () => copy('readToken', 'The read token')),
    ),
    place,
  ];
}

/** @param {Row} row @param {Around} around */
function ownership(row, { inventory, notice, acting }) {
  const { name } = row;
  const owner = /** @type {HTMLInputElement} */ (
    h('input', { required: true, maxlength: 128, autocomplete: 'off', spellcheck: 'false' })
  );
  const record = acting(async () => {
    try {
      const told = await ask(`worlds/${name}/owner`, { method: 'PUT', body: { owner: owner.value.trim() } });
      inventory.put({ ...row, owner: told.owner });
      notice(`${told.owner} owns ${name} from now on.`);
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.code !== 'owned') throw problem;
      notice(
        `${problem.message} An owner that is recorded stays; read the list again to see it, and make another world for another owner.`,
        true,
      );
    }
  });
  return [
    h('h3', {}, 'Owner'),
    h('p', { class: 'soft' }, 'The org that owns it. It is recorded once, and stays.'),
    h(
      'form',
      { class: 'row', onsubmit: record },
      h('label', {}, 'Owning org', owner),
      h('button', {}, 'Record'),
    ),
  ];
}

/** @param {Row} row @param {Around} around */
function rotation(row, { inventory, notice, acting, keep }) {
  const { name } = row;
  const place = h('div', {});
  const start = h('button', { type: 'button' }, 'Rotate its tokens…');
  const sure = h(
    'div',
    { hidden: true },
    h(
      'p',
      {},
      `The tokens of ${name}, every session and every key end at once. Whoever uses them needs the new ones.`,
    ),
    h(
      'p',
      { class: 'row' },
      h(
        'button',
        {
          type: 'button',
          class: 'grave',
          onclick: acting(async () => {
            const { token, readToken } = await ask(`worlds/${name}/rotate`, { method: 'POST' });
            notice(`${name} has new tokens; the old ones have ended.`);
            keep(tokensPanel(`New tokens of ${name}`, { token, readToken }, notice));
            inventory.put({ ...row, token, readToken });
          }),
        },
        'Rotate them now',
      ),
      h(
        'button',
        {
          type: 'button',
          onclick: () => {
            sure.hidden = true;
            start.hidden = false;
            start.focus();
          },
        },
        'Leave them',
      ),
    ),
  );
  start.addEventListener('click', () => {
    sure.hidden = false;
    start.hidden = true;
    sure.querySelector('button')?.focus();
  });
  place.append(start, sure);
  return [h('h3', {}, 'New tokens'), place];
}

/** @param {Row} row @param {Around} around */
function removal({ name }, { inventory, notice, acting, go }) {
  const typed = /** @type {HTMLInputElement} */ (
    h('input', {
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => {
        button.disabled = typed.value.trim() !== name;
      },
    })
  );
  const button = /** @type {HTMLButtonElement} */ (
    h('button', { class: 'grave', disabled: true }, 'Remove it')
  );
  const remove = acting(async () => {
    if (button.disabled) return;
    try {
      await ask(`worlds/${name}`, { method: 'DELETE' });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code === 'has-branches')
        return notice(`${problem.message} They are worlds of this list, named ${name}-….`, true);
      // Gone by another hand: what was wanted is so.
      if (problem.status !== 404) throw problem;
    }
    inventory.remove(name);
    go('worlds', `${name} is gone, with everything in it.`);
  });
  return [
    h('h3', {}, 'Remove it'),
    h(
      'p',
      { class: 'soft' },
      'Its records, files, log and tokens go with it. Nothing brings them back but a backup.',
    ),
    h(
      'form',
      { class: 'row', onsubmit: remove },
      h('label', {}, `To remove it, type its name: ${name}`, typed),
      button,
    ),
  ];
}

/**
 * Opens a world's page with a token of its own, in a tab that knows nothing of this one. Where worlds have origins of their own
 * (5.3-2) the page takes the token behind its `#`, which no server sees, and puts it out of the address; else the session is
 * opened here.
 *
 * @param {Row} row @param {'token' | 'readToken'} which @param {Around} around
 */
export async function openWorld({ name }, which, { inventory, notice, reread }) {
  // While the click counts: a tab that is opened later is one that browsers block.
  const tab = window.open('about:blank', '_blank');
  if (tab === null)
    return notice('The browser did not open a tab. Allow this page to, and open it once more.', true);
  tab.opener = null;
  try {
    let place = await placeFor(name, inventory.get(name)?.[which] ?? null);
    if (place === null) {
      await reread();
      place = await placeFor(name, inventory.get(name)?.[which] ?? null);
    }
    if (place === null)
      throw new Error(`${name} does not take the token that the host tells; rotate its tokens.`);
    tab.location.replace(place);
    notice(`The page of ${name} is open in a tab of its own.`);
  } catch (problem) {
    tab.close();
    notice(/** @type {Error} */ (problem).message, true);
  }
}

/** Null where the token opens nothing any more: it was rotated elsewhere. @param {string} name @param {string | null} token */
async function placeFor(name, token) {
  if (token === null) return null;
  try {
    // Where a session lives elsewhere, what asks for one is sent there whatever it presents.
    await askWorld(name, 'clock', token, 'GET');
    await askWorld(name, 'session', token, 'POST');
    return pageOf(name);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    const { origin } = problem.body ?? {};
    if (problem.status === 409 && typeof origin === 'string') return `${pageOf(name, origin)}#key=${token}`;
    if (problem.status === 401) return null;
    throw problem;
  }
}
