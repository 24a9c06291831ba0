// The console of a host (4.10): takes the admin token, then shows one view at a time, and says when the host does not answer.
import { Problem, Unreachable } from '../shared/asking.js';
import { h } from '../shared/dom.js';
import { askOpen, presentToken } from './api.js';
import { healthView } from './health.js';
import { Inventory } from './inventory.js';
import { LOOK_AGAIN_MS, LOOK_MS } from './limits.js';
import { makingView } from './making.js';
import { signIn } from './sign-in.js';
import { worldView } from './world.js';
import { worldsView } from './worlds.js';

/**
 * @typedef {{ element: HTMLElement; title: string; focus: () => void; changed?: () => void; load?: () => Promise<void>;
 *   everyMs?: number }} View `changed`: the inventory is another; `load`: what it asks besides
 * @typedef {{ inventory: Inventory; search: URLSearchParams; notice: (text: string, bad?: boolean) => void;
 *   go: (hash: string, notice: string) => void; reread: () => Promise<void>;
 *   keep: (panel: { element: HTMLElement; focus: () => void }) => void;
 *   acting: (work: () => Promise<void>) => (event: Event) => void }} Around
 *   `keep`: shows something that no change of the view's own takes away; `acting`: what a button or a form does
 */

/** @type {{ [name: string]: { title?: string; make: (around: Around) => View } }} */
const VIEWS = {
  worlds: { title: 'Worlds', make: worldsView },
  new: { title: 'New world', make: makingView },
  health: { title: 'Health', make: healthView },
  world: { make: worldView },
};

const DRAINING =
  'The host is shutting down: it answers what it was asked, and takes no more. When it is up again, this page goes on.';
const GONE =
  'The host does not answer. Start wrld host, or what stands in front of it; this page goes on when it does.';
const ENDED = 'The host does not take this token any more: it has another now.';

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const main = element('main');

let inventory = new Inventory();
/** @type {View | null} */
let current = null;
/** @type {'up' | 'draining' | 'gone'} */
let standing = 'up';
/** One that is left begins nothing any more. */
let opened = 0;
let signedIn = false;
/** Told when the next view is there. */
let arriving = '';

function notice(/** @type {string} */ text, bad = false) {
  element('notice').textContent = text;
  element('notice').className = bad ? 'bad' : '';
}

/** @param {unknown} problem */
function told(problem) {
  if (problem instanceof Unreachable) return stand('gone');
  if (problem instanceof Problem && problem.status === 401) return void enter(ENDED);
  if (problem instanceof Problem && problem.code === 'draining') return stand('draining');
  notice(/** @type {Error} */ (problem).message, true);
}

/** @param {() => Promise<unknown>} work */
async function guarded(work) {
  try {
    await work();
  } catch (problem) {
    told(problem);
  }
}

/** @type {Around['acting']} */
const acting = work => event => {
  event.preventDefault();
  const from = event.currentTarget;
  const buttons =
    from instanceof HTMLButtonElement
      ? [from]
      : from instanceof HTMLFormElement
        ? from.querySelectorAll('button')
        : [];
  // What is under way is not begun again. Not by `disabled`, which would take the focus away.
  if ([...buttons].some(button => button.getAttribute('aria-disabled') === 'true')) return;
  for (const button of buttons) button.setAttribute('aria-disabled', 'true');
  void guarded(work).finally(() => {
    for (const button of buttons) button.removeAttribute('aria-disabled');
  });
};

const reread = () => guarded(() => inventory.read());

function open(focus = true) {
  const turn = ++opened;
  const [name = '', query = ''] = location.hash.slice(1).split('?');
  const shown = Object.hasOwn(VIEWS, name) ? name : 'worlds';
  for (const link of element('views').querySelectorAll('a')) {
    if (link.hash === `#${shown}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const kept = h('div');
  const view = /** @type {NonNullable<typeof VIEWS[string]>} */ (VIEWS[shown]).make({
    inventory,
    search: new URLSearchParams(query),
    notice,
    go: (hash, told) => {
      // What is told of the view that is left would go with it.
      arriving = told;
      location.hash = hash;
    },
    reread,
    keep: panel => {
      kept.replaceChildren(panel.element);
      panel.focus();
    },
    acting,
  });
  current = view;
  document.title = `${view.title} – wrld console`;
  main.replaceChildren(kept, view.element);
  if (focus) view.focus();
  const { load, everyMs } = view;
  if (load === undefined) return;
  const loading = async () => {
    if (turn !== opened) return;
    if (standing === 'up' && !document.hidden) await guarded(load);
    if (everyMs !== undefined) setTimeout(loading, everyMs);
  };
  void loading();
}

/** @param {typeof standing} now */
function stand(now) {
  if (now === standing) return;
  const back = now === 'up';
  standing = now;
  element('standing').textContent = back ? '' : now === 'gone' ? GONE : DRAINING;
  if (!back) return void (now === 'gone' && look(LOOK_AGAIN_MS));
  notice('The host answers again.');
  if (!signedIn) return;
  void reread();
  if (current?.load !== undefined) void guarded(current.load);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function look(inMs = LOOK_MS) {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    if (!document.hidden) await lookNow();
    look(standing === 'up' ? LOOK_MS : LOOK_AGAIN_MS);
  }, inMs);
}

async function lookNow() {
  try {
    await askOpen('health');
    stand('up');
  } catch (problem) {
    if (problem instanceof Unreachable) stand('gone');
    else if (problem instanceof Problem && problem.body?.status === 'draining') stand('draining');
    else stand('up');
  }
}

/** Begins anew, with nothing of what was known. @param {string} [why] */
async function enter(why) {
  signedIn = false;
  opened += 1;
  current = null;
  presentToken('');
  inventory = new Inventory();
  element('views').hidden = true;
  element('leave').hidden = true;
  document.title = 'wrld console';
  notice('');
  await signIn(main, why);
  signedIn = true;
  element('views').hidden = false;
  element('leave').hidden = false;
  const mine = inventory;
  mine.hear(() => mine === inventory && current?.changed?.());
  open();
  await reread();
}

element('place').textContent = location.host;
element('views').replaceChildren(
  ...Object.entries(VIEWS).flatMap(([name, { title }]) =>
    title === undefined ? [] : [h('a', { href: `#${name}` }, title)],
  ),
);
element('leave').addEventListener('click', () => location.reload());
window.addEventListener('hashchange', () => {
  notice(arriving);
  arriving = '';
  if (signedIn) open();
});
document.addEventListener('visibilitychange', () => document.hidden || look(0));
look();
void enter();
