// What the models were asked: calls by conversation, the newest on top, and one of them as people read it, by turns.

import { h, instant } from '../shared/dom.js';
import { ask } from './api.js';
import { replaceInPlace } from './kept-place.js';
import { NewestList } from './newest-list.js';
import { shownText, visible } from './shown-text.js';

/** What a browser lays out without running anything of it. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const ROLES = /** @type {{ [role: string]: string }} */ ({
  system: 'System',
  user: 'User',
  assistant: 'Model',
  tool: 'Tool',
});

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function conversationsView({ search }) {
  const id = search.get('id');
  return id === null ? listView() : oneView(id);
}

/** @returns {import('./views.js').View} */
function listView() {
  const list = new NewestList(
    async before => {
      const query = new URLSearchParams(before === null ? {} : { before });
      const page = await ask(`conversations?${query}`);
      return { items: page.calls, next: page.next };
    },
    calls => [h('ol', { class: 'plain lines' }, ...byConversation(calls).map(conversation))],
    'No model was asked anything. A twin of one (openai, anthropic) tells here what it was asked.',
  );
  return {
    element: h('section', {}, h('h2', {}, 'Conversations'), list.element),
    kinds: ['entry'],
    refresh: first => list.refresh(first),
  };
}

/**
 * Calls of one conversation together, by the newest: an earlier one was asked with less. Two conversations may begin alike;
 * where what is earlier was asked with as much, it is of another.
 *
 * @param {readonly any[]} calls newest first @returns {any[][]}
 */
export function byConversation(calls) {
  /** @type {any[][]} */
  const groups = [];
  /** @type {Map<string, any[]>} */
  const open = new Map();
  for (const call of calls) {
    const key = `${call.twin} ${call.endpoint} ${call.conversation}`;
    const group = call.conversation === null ? undefined : open.get(key);
    if (group !== undefined && call.messages < group.at(-1).messages) group.push(call);
    else {
      const begun = [call];
      groups.push(begun);
      open.set(key, begun);
    }
  }
  return groups;
}

/** @param {any[]} calls newest first */
function conversation([newest, ...earlier]) {
  return h(
    'li',
    {},
    callLine(newest),
    earlier.length > 0 &&
      h(
        'details',
        { id: `earlier-${newest.id}` },
        h(
          'summary',
          { class: 'soft' },
          `${earlier.length} earlier ${earlier.length === 1 ? 'call' : 'calls'}`,
        ),
        h('ol', { class: 'caused' }, ...earlier.map(call => h('li', {}, callLine(call)))),
      ),
  );
}

/** @param {any} call */
function callLine(call) {
  const { id, at, model, endpoint, asked, results, answered, calls } = call;
  const said = [
    ...(results.length > 0 ? [`${visible(results.join(', '))} answered`] : []),
    ...(answered === null || answered === '' ? [] : [`the model said “${visible(answered)}”`]),
    ...(calls.length > 0 ? [`the model calls ${visible(calls.join(', '))}`] : []),
  ];
  return h(
    'div',
    {},
    h(
      'a',
      { href: `#conversations?${new URLSearchParams({ id })}`, id: `open-${id}`, class: 'text' },
      asked === null || asked === '' ? endpoint : visible(asked),
    ),
    said.length > 0 && h('div', {}, said.join(', ')),
    h(
      'div',
      { class: 'soft' },
      instant(at),
      ` ${model ?? 'no model'} · ${endpoint} · `,
      by(call),
      tokens(call),
    ),
  );
}

/** @param {any} call */
function by({ handler, twin }) {
  if (handler === null) return 'the twin’s own answer';
  return h(
    'span',
    {},
    'handler ',
    h('a', { href: `#scenario?${new URLSearchParams({ twin })}` }, visible(handler)),
  );
}

/** @param {any} call */
function tokens({ tokens: used }) {
  return used === null
    ? ''
    : ` · ${used.input.toLocaleString('en')} + ${used.output.toLocaleString('en')} tokens`;
}

/** @param {string} id @returns {import('./views.js').View} */
function oneView(id) {
  const body = h('div');
  const title = h('h2', {}, 'Conversation');
  return {
    element: h(
      'section',
      {},
      h('p', {}, h('a', { href: '#conversations' }, 'All conversations')),
      title,
      body,
    ),
    // What was said stays said.
    kinds: [],
    refresh: async () => {
      const call = await ask(`conversations/${id.replace(':', '/')}`);
      title.textContent = `${call.model ?? call.endpoint}, asked with ${call.messages} ${call.messages === 1 ? 'message' : 'messages'}`;
      replaceInPlace(body, parts(call));
    },
  };
}

/** @param {any} call */
function parts(call) {
  const { at, endpoint, stream, tools, turns, answer, finish, after, short, trace, caller } = call;
  const facts = h('dl');
  const fact = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...value) =>
    facts.append(h('dt', {}, name), h('dd', {}, ...value));
  fact('At', instant(at), caller === undefined ? '' : ` by ${caller}`);
  fact('Asked at', h('code', {}, endpoint), stream ? ', as a stream' : '');
  fact('Answered by', by(call), tokens(call));
  if (tools.length > 0) fact('May call', visible(tools.join(', ')));
  if (after !== null)
    fact(
      'Goes on from',
      after.entry === null
        ? h('code', {}, after.id)
        : h('a', { href: `#conversations?${new URLSearchParams({ id: after.entry })}` }, after.id),
    );
  if (trace !== undefined)
    fact('In the timeline', h('a', { href: `#timeline?trace=${trace}` }, 'with all of its trace'));
  return [
    facts,
    short &&
      h('p', { class: 'soft' }, 'What was asked is kept in short: it came over a socket, or is no JSON.'),
    h(
      'ol',
      { class: 'plain turns' },
      ...turns.map((/** @type {any} */ each) => turn(each, ROLES[each.role] ?? each.role)),
      answer !== null && turn(answer, `Answer${finish === null ? '' : ` (${finish})`}`),
    ),
  ].filter(each => each instanceof Node);
}

/** @param {any} said @param {string} who */
function turn({ role, parts: of }, who) {
  return h(
    'li',
    { class: `turn ${role}` },
    h('h3', {}, who),
    ...(of.length === 0 ? [h('p', { class: 'soft' }, 'nothing')] : of.map(part)),
  );
}

/** @param {any} of */
function part(of) {
  switch (of.kind) {
    case 'text':
      return shownText(of.text, 'div');
    case 'reasoning':
      return h('div', {}, h('p', { class: 'soft' }, 'thinks'), shownText(of.text, 'div'));
    case 'call':
      return h(
        'div',
        {},
        h('p', {}, 'calls ', h('code', {}, visible(of.name))),
        shownText(indented(of.arguments)),
      );
    case 'result':
      return h(
        'div',
        {},
        h('p', {}, h('code', {}, visible(of.name ?? of.id ?? 'a tool')), ' answered'),
        shownText(indented(of.text)),
      );
    case 'image':
      return picture(of);
    default:
      return h('p', { class: 'soft' }, visible(of.text ?? of.kind));
  }
}

/** @param {any} of */
function picture({ type, data, at }) {
  if (data === null) return h('p', {}, 'a picture at ', h('code', {}, visible(String(at).slice(0, 500))));
  const told = `${type ?? 'a picture'}, ${Math.ceil((data.length * 3) / 4 / 1024).toLocaleString('en')} KiB`;
  if (!PICTURES.has(type)) return h('p', { class: 'soft' }, told);
  return h(
    'figure',
    {},
    h('img', { src: `data:${type};base64,${data}`, alt: 'A picture that the model was shown' }),
    h('figcaption', { class: 'soft' }, told),
  );
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
