// The board (4.3, rule 10): the vendors' pages beside each other, a frame for each browser's copy, each at an address of its own.
// How they are arranged stays in this browser.
import { Problem } from '../shared/asking.js';
import { empty, h, instant } from '../shared/dom.js';
import { ask, follow, WORLD } from './api.js';
import {
  foldedTo,
  frameOf,
  groupsOf,
  isFolded,
  movedTo,
  NOTHING_KEPT,
  nextWidth,
  readLayout,
  sized,
  within,
} from './frames.js';
import { FRAME_HEIGHT_MAX, FRAME_HEIGHT_MIN, HEIGHT_STEP } from './limits.js';
import { goTo } from './pages.js';

/** @typedef {import('./frames.js').Page} Page */

const KEPT = `wrld board ${WORLD}`;

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

function notice(/** @type {string} */ text, bad = false) {
  element('notice').textContent = text;
  element('notice').className = bad ? 'bad' : '';
}

let layout = readLayout(localStorage.getItem(KEPT));

function keep(/** @type {import('./frames.js').Layout} */ next) {
  layout = next;
  localStorage.setItem(KEPT, JSON.stringify(next));
}

/** @param {Page} page */
function titleOf({ host, browser }) {
  return browser === null ? host : `${host} as ${browser}`;
}

/** @type {readonly Page[]} */
let pages = [];

/** What may stay stays: a frame that is put elsewhere in the page is loaded anew. @type {Map<string, HTMLElement>} */
const frames = new Map();

/** @param {Page} page @param {readonly Page[]} section */
function frame(page, section) {
  const title = titleOf(page);
  const name = h(
    'h4',
    { draggable: 'true', title: 'Drag it to another place' },
    h('a', { href: goTo(page), target: '_blank', rel: 'noopener' }, page.host),
  );
  const inner = h('iframe', {
    title,
    src: goTo(page),
    loading: 'lazy',
    referrerpolicy: 'no-referrer',
    // It has an origin of its own; what it may not is lead this page away.
    sandbox:
      'allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads',
  });
  const grip = h('div', {
    class: 'grip',
    role: 'separator',
    tabindex: '0',
    'aria-orientation': 'horizontal',
    'aria-valuemin': FRAME_HEIGHT_MIN,
    'aria-valuemax': FRAME_HEIGHT_MAX,
    'aria-label': `Height of ${title}`,
  });
  const width = h('button', {
    class: 'width',
    onclick: () => resize({ width: nextWidth(frameOf(layout, page).width) }),
  });
  const again = () => inner.setAttribute('src', goTo(page));
  const tools = h(
    'span',
    { class: 'tools' },
    tool('←', `Move ${title} back`, () => move(-1)),
    tool('→', `Move ${title} on`, () => move(1)),
    width,
    tool('↻', `Load ${title} again`, again),
  );
  const article = h(
    'article',
    { class: 'frame', 'aria-label': title },
    h('header', {}, name, tools),
    inner,
    grip,
  );
  const show = () => {
    const { width: wide, height } = frameOf(layout, page);
    article.dataset['width'] = wide;
    inner.style.height = `${height}px`;
    grip.setAttribute('aria-valuenow', String(height));
    width.textContent = wide;
    width.setAttribute('aria-label', `Width of ${title}: ${wide}`);
    width.title = 'Another width';
  };
  const resize = (/** @type {Partial<import('./frames.js').Frame>} */ change) => {
    keep(sized(layout, page, change));
    show();
  };
  const placeIn = () =>
    groupsOf(layout, section).flatMap(group => group.sections.flatMap(each => each.pages));
  const place = (/** @type {string} */ key, /** @type {number} */ to) => {
    keep(movedTo(layout, placeIn(), key, to));
    arrange(article.parentElement, placeIn());
  };
  const move = (/** @type {number} */ by) => {
    const from = placeIn().findIndex(({ key }) => key === page.key);
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    place(page.key, from + by);
    focused?.focus();
  };
  dragging(name, article, page, key =>
    place(
      key,
      placeIn().findIndex(each => each.key === page.key),
    ),
  );
  pulling(grip, inner, height => resize({ height }));
  show();
  return article;
}

/** @param {string} mark @param {string} name @param {() => void} onclick */
function tool(mark, name, onclick) {
  return h('button', { 'aria-label': name, title: name, onclick }, mark);
}

/** Of an element that is put elsewhere its page is loaded anew, but for browsers that can move one; only those that stand wrongly are. @param {HTMLElement | null} grid @param {readonly Page[]} placed */
function arrange(grid, placed) {
  if (grid === null) return;
  for (const [index, { key }] of placed.entries()) {
    const wanted = frames.get(key);
    const before = grid.children[index] ?? null;
    if (wanted === undefined || before === wanted) continue;
    const { moveBefore = grid.insertBefore } = /** @type {{ moveBefore?: typeof grid.insertBefore }} */ (
      grid
    );
    moveBefore.call(grid, wanted, before);
  }
}

/** The page that is dragged, and its section. @type {{ key: string; section: string } | null} */
let dragged = null;

/** @param {HTMLElement} handle @param {HTMLElement} article @param {Page} page @param {(key: string) => void} take */
function dragging(handle, article, { key, section }, take) {
  handle.addEventListener('dragstart', event => {
    dragged = { key, section: section.key };
    event.dataTransfer?.setData('text/plain', key);
    document.body.classList.add('dragging');
  });
  handle.addEventListener('dragend', () => {
    dragged = null;
    document.body.classList.remove('dragging');
  });
  article.addEventListener('dragover', event => {
    if (dragged?.section === section.key && dragged.key !== key) event.preventDefault();
  });
  article.addEventListener('drop', event => {
    event.preventDefault();
    if (dragged !== null) take(dragged.key);
  });
}

/** @param {HTMLElement} grip @param {HTMLElement} inner @param {(height: number) => void} take */
function pulling(grip, inner, take) {
  grip.addEventListener('pointerdown', event => {
    const from = event.clientY;
    const height = inner.getBoundingClientRect().height;
    grip.setPointerCapture(event.pointerId);
    const pull = (/** @type {PointerEvent} */ moved) => {
      inner.style.height = `${within(height + moved.clientY - from)}px`;
    };
    grip.addEventListener('pointermove', pull);
    grip.addEventListener(
      'lostpointercapture',
      () => {
        grip.removeEventListener('pointermove', pull);
        take(inner.getBoundingClientRect().height);
      },
      { once: true },
    );
  });
  grip.addEventListener('keydown', event => {
    const step = { ArrowDown: HEIGHT_STEP, ArrowUp: -HEIGHT_STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    take(inner.getBoundingClientRect().height + step);
  });
}

/** Where no address can be made there is no frame: at the world's own origin a page would be in nobody's frame. @param {Page} page */
function card(page) {
  return h(
    'article',
    { class: 'frame none' },
    h('header', {}, h('h4', {}, h('a', { href: goTo(page), target: '_blank', rel: 'noopener' }, page.host))),
    h('p', {}, 'No address of its own can be made for this page; it opens at the world’s.'),
  );
}

function show() {
  frames.clear();
  const groups = groupsOf(layout, pages);
  const shown = groups.map(({ browser, sections }) =>
    h(
      'section',
      { 'aria-label': browser === null ? 'Plain copies' : `Browser ${browser}` },
      h('h2', {}, browser === null ? 'Plain copies' : browser),
      ...sections.map(section =>
        h(
          'details',
          {
            open: !isFolded(layout, section),
            ontoggle: (/** @type {Event} */ event) => keepFolded(section, event),
          },
          h('summary', {}, h('h3', {}, section.vendor)),
          h(
            'div',
            { class: 'frames' },
            ...section.pages.map(page => {
              const made = page.origin === null ? card(page) : frame(page, section.pages);
              frames.set(page.key, made);
              return made;
            }),
          ),
        ),
      ),
    ),
  );
  element('main').replaceChildren(
    ...asked(),
    latelySection(),
    ...(shown.length === 0 ? [empty('No twin of this world serves pages.')] : shown),
  );
}

/** @param {{ key: string; alias: string | null }} section @param {Event} event */
function keepFolded(section, event) {
  const folded = !(/** @type {HTMLDetailsElement} */ (event.currentTarget).open);
  if (isFolded(layout, section) !== folded) keep(foldedTo(layout, section, folded));
}

const LATELY = { key: '~lately', alias: null };
/** Lines beside the frames; the timeline has all. */
const LATELY_ENTRIES = 6;

/** What the app does, while one looks at what the vendors show of it. */
const lately = h('ol', { class: 'lately' });

function latelySection() {
  return h(
    'details',
    {
      class: 'lately',
      open: !isFolded(layout, LATELY),
      ontoggle: (/** @type {Event} */ event) => keepFolded(LATELY, event),
    },
    h('summary', {}, h('h2', {}, 'Lately')),
    lately,
    h('p', {}, h('a', { href: './#timeline' }, 'The whole timeline')),
  );
}

async function readLately() {
  const { entries } = await ask(`timeline?limit=${LATELY_ENTRIES}`);
  const lines = entries.map((/** @type {any} */ { twin, entry }) => {
    const of = entry.changes[0]?.id;
    return h('li', {}, instant(entry.occurredAt), ` ${twin} `, h('strong', {}, entry.kind), of && ` ${of}`);
  });
  if (lines.length === 0) lines.push(h('li', { class: 'soft' }, 'Nothing happened yet.'));
  lately.replaceChildren(...lines);
}

/** A site asked to be opened: nothing opens because a link says so. @returns {HTMLElement[]} */
function asked() {
  const query = new URLSearchParams(location.search);
  const host = query.get('open');
  if (host === null) return [];
  const page = { host, browser: query.get('browser'), land: query.get('land') ?? '/' };
  return [
    h(
      'section',
      { class: 'asked', 'aria-label': 'A page to open' },
      h(
        'p',
        {},
        'Open ',
        h('code', {}, `${page.host}${page.land}`),
        page.browser === null ? '' : ` as ${page.browser}`,
        '?',
      ),
      h('p', {}, h('a', { class: 'button', href: goTo(page) }, 'Open')),
    ),
  ];
}

function tools() {
  element('tools').replaceChildren(
    h('button', { onclick: () => show() }, 'Load all again'),
    h(
      'button',
      {
        onclick: () => {
          keep(NOTHING_KEPT);
          show();
          notice('The frames stand as at first.');
        },
      },
      'Arrange as at first',
    ),
  );
  element('tools').hidden = false;
}

/** Whose session has ended begins again, and comes back. */
function signIn() {
  location.replace(`./#then=${encodeURIComponent(`board${location.search}`)}`);
}

async function read() {
  try {
    const [session, said] = await Promise.all([ask('session').catch(noSession), ask('sites')]);
    const same = JSON.stringify(said.pages) === JSON.stringify(pages);
    pages = said.pages;
    if (!same || frames.size === 0) show();
    element('who').textContent = session?.scope === 'read' ? 'reads only' : '';
    notice('');
    await readLately();
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 401) signIn();
    else notice(/** @type {Error} */ (problem).message, true);
  }
}

/** Somebody may be here with a token instead. @param {unknown} problem */
function noSession(problem) {
  if (problem instanceof Problem && problem.status === 403) return null;
  throw problem;
}

document.title = `${WORLD} board`;
element('name').textContent = WORLD;
tools();
await read();
follow(
  kinds => {
    if (kinds.has('keys')) void read();
    else if (kinds.has('entry')) void readLately().catch(() => {});
  },
  live => notice(live ? '' : 'The world does not answer; the page goes on when it does.', !live),
);
