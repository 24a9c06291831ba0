// Changesets on the page: what was cut, what each changes and would ask of the vendors, who signed it, what it lacks, and what
// became of it. Nothing is deployed before its name was typed.

import { empty, h, instant } from '../shared/dom.js';
import { acting } from './acting.js';
import { ask } from './api.js';
import { actionsOf, changesOf } from './report-parts.js';

/** @typedef {import('./views.js').Around} Around */

/** @param {Around} around @returns {import('./views.js').View} */
export function changesetsView(around) {
  const name = around.search.get('name');
  return name === null ? listView() : oneView(name, around);
}

/** @returns {import('./views.js').View} */
function listView() {
  const body = h('div');
  return {
    element: h('section', {}, h('h2', {}, 'Changesets'), body),
    kinds: ['entry'],
    refresh: async () => {
      const { changesets } = await ask('changesets');
      const cards = changesets.map((/** @type {any} */ each) =>
        h(
          'li',
          {},
          h('h3', {}, h('a', { href: `#changesets?name=${each.name}` }, each.name)),
          h('p', {}, each.message.split('\n')[0]),
          h('p', { class: 'soft' }, instant(each.at), ` by ${each.cutBy}, ${each.entries} entries`),
          h('p', {}, standing(each)),
        ),
      );
      body.replaceChildren(
        cards.length === 0
          ? empty('No changesets. Cut one of what was done: wrld world changeset cut "<message>"')
          : h('ul', { class: 'cards' }, ...cards),
      );
    },
  };
}

/** @param {string} name @param {Around} around @returns {import('./views.js').View} */
function oneView(name, { write, notice }) {
  const place = `changesets/${encodeURIComponent(name)}`;
  const body = h('div');
  const act = acting(notice, () => refresh());
  const { element: controls, show } = controlsOf(name, place, act);
  let shown = '';
  const refresh = async () => {
    const [changeset, report] = await Promise.all([
      ask(place),
      ask(`report?changeset=${encodeURIComponent(name)}`),
    ]);
    // Its clock and its end are of the moment; what somebody has opened stays open while nothing else changed.
    const text = JSON.stringify([changeset, report.twins, report.actions]);
    if (text === shown) return;
    shown = text;
    show(changeset);
    body.replaceChildren(...inside(changeset, report));
  };
  const back = h('p', {}, h('a', { href: '#changesets' }, 'All changesets'));
  const element = h('section', {}, h('h2', {}, `Changeset ${name}`), back, body, write && controls);
  return { element, kinds: ['entry'], refresh };
}

/** @param {any} changeset @param {any} report @returns {readonly (Node)[]} */
function inside(changeset, report) {
  const { message, at, cutBy, owner, entries, currentHash, readiness, approvals, verification, deployed } =
    changeset;
  const facts = h('dl');
  const fact = (/** @type {string} */ title, /** @type {Node | string} */ value) =>
    facts.append(h('dt', {}, title), h('dd', {}, value));
  fact('Cut', instant(at));
  fact('By', owner === null ? cutBy : `${cutBy}, for ${owner}`);
  fact('Entries', String(entries));
  fact('Hash', h('code', {}, currentHash));
  fact('Standing', standing(changeset));
  /** @type {Node[]} */
  const nodes = [h('pre', {}, message), facts];
  if (readiness.reasons.length > 0) nodes.push(listOf(readiness.reasons, inWords));
  if (verification !== null && verification.failures.length > 0)
    nodes.push(
      h('h3', {}, 'Checks that refuse it'),
      listOf(
        verification.failures,
        (/** @type {any} */ each) => `${each.check}, at ${each.entry}: ${each.message}`,
      ),
    );
  if (approvals.length > 0)
    nodes.push(
      h('h3', {}, 'Approvals'),
      listOf(approvals, (/** @type {any} */ { person, at: signed, note, hash }) =>
        h(
          'span',
          {},
          `${person} `,
          instant(signed),
          note !== undefined && `: ${note}`,
          hash !== currentHash && ' (of what it said before)',
        ),
      ),
    );
  nodes.push(h('h3', {}, 'What a deploy performs'), actionsOf(report, deployed));
  nodes.push(h('h3', {}, 'What it changes'), ...report.twins.flatMap(changesOf));
  return nodes;
}

/**
 * Verify, approve, deploy. It stays while the rest is read again, with what was typed in it.
 *
 * @param {string} name @param {string} place @param {(work: () => Promise<unknown>, done: string) => Promise<void>} act
 */
function controlsOf(name, place, act) {
  const note = /** @type {HTMLInputElement} */ (h('input', { name: 'note', size: 24, autocomplete: 'off' }));
  const typed = /** @type {HTMLInputElement} */ (
    h('input', { name: 'confirm', size: 24, autocomplete: 'off', spellcheck: 'false', oninput: () => turn() })
  );
  const button = /** @type {HTMLButtonElement} */ (h('button', { disabled: true }, 'Deploy'));
  let ready = false;
  const turn = () => {
    button.disabled = !ready || typed.value !== name;
  };
  const submitted = (/** @type {() => void} */ work) => (/** @type {Event} */ event) => {
    event.preventDefault();
    work();
  };
  const post = (/** @type {string} */ path, /** @type {unknown} */ body) => () =>
    ask(path, { method: 'POST', ...(body === undefined ? {} : { body }) });
  const approve = () => {
    const body = note.value === '' ? {} : { note: note.value };
    void act(post(`${place}/approve`, body), 'It is approved.').then(() => {
      note.value = '';
    });
  };
  const deploy = () => {
    if (button.disabled) return;
    const work = post(`deploy/${encodeURIComponent(name)}`, { confirm: typed.value });
    typed.value = '';
    turn();
    void act(work, 'It was deployed; what became of each action stands beside it.');
  };
  const element = h(
    'div',
    {},
    h(
      'form',
      {
        class: 'row',
        onsubmit: submitted(() => void act(post(`${place}/verify`, undefined), 'The checks ran.')),
      },
      h('button', {}, 'Verify'),
    ),
    h(
      'form',
      { class: 'row', onsubmit: submitted(approve) },
      h('label', {}, 'Note', note),
      h('button', {}, 'Approve'),
    ),
    h(
      'form',
      { class: 'row', onsubmit: submitted(deploy) },
      h('label', {}, 'To deploy it, type its name', typed),
      button,
    ),
  );
  return {
    element,
    show: (/** @type {any} */ changeset) => {
      ready = changeset.readiness.ready;
      turn();
    },
  };
}

/** @param {readonly any[]} items @param {(item: any) => Node | string} tell */
function listOf(items, tell) {
  return h('ul', {}, ...items.map(item => h('li', {}, tell(item))));
}

/** @param {any} changeset */
function standing({ readiness, deployed }) {
  if (deployed.length > 0) {
    const counts = new Map();
    for (const { status } of deployed) counts.set(status, (counts.get(status) ?? 0) + 1);
    return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
  }
  return readiness.ready ? h('span', { class: 'good' }, 'ready to be deployed') : 'not ready';
}

/** A reason why it may not be deployed, and what would help. @param {string} reason */
function inWords(reason) {
  const approvals = /^approvals (\d+)\/(\d+)$/.exec(reason);
  if (approvals !== null)
    return `${approvals[1]} of ${approvals[2]} persons approved it; nobody approves what is their own.`;
  return WORDS.get(reason) ?? reason;
}

const WORDS = new Map([
  ['hash-changed', 'It was changed outside of the world since it was cut: cut it anew.'],
  ['not-verified', 'The world’s checks did not run over it yet: verify it.'],
  ['verify-failed', 'A check of the world refuses it: mend what was done and cut it anew.'],
  ['verify-other-hash', 'The checks ran over what it said before: verify it again.'],
]);
