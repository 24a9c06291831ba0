// The world's own page: opens a session, then shows one view at a time, each kept fresh by the world's news.
import { Problem } from '../shared/asking.js';
import { h } from '../shared/dom.js';
import { aheadView } from './ahead.js';
import { follow, WORLD } from './api.js';
import { asOf } from './as-of.js';
import { changesetsView } from './changesets.js';
import { clockControl } from './clock.js';
import { conversationsView } from './conversations.js';
import { findForm, findView } from './find.js';
import { OUTSIDE_LOOK_MS, REST_MS_MIN, REST_TIMES } from './limits.js';
import { pagesView } from './pages.js';
import { recordsView } from './records.js';
import { refusalsView } from './refusals.js';
import { reportView } from './report.js';
import { requestsView } from './requests.js';
import { rootsView } from './roots.js';
import { scenarioView } from './scenario.js';
import { openSession } from './session.js';
import { timeBar } from './time-bar.js';
import { timelineView } from './timeline.js';
import { branchesView, keysView, twinsView } from './views.js';
import { webhooksView } from './webhooks.js';

/** @typedef {{ title: string; make: (around: import('./views.js').Around) => import('./views.js').View; write?: true; past?: true }} Shown */

/** By what somebody wants to know, in the order in which they are listed. @type {{ [group: string]: { [name: string]: Shown } }} */
const GROUPS = {
  'What happened': {
    timeline: { title: 'Timeline', make: timelineView, past: true },
    report: { title: 'What changed', make: reportView },
    find: { title: 'Find', make: findView, past: true },
  },
  'What is there': {
    twins: { title: 'Twins', make: twinsView, past: true },
    records: { title: 'Records', make: recordsView, past: true },
    pages: { title: 'Pages', make: pagesView },
  },
  'What is asked': {
    requests: { title: 'Requests', make: requestsView },
    refusals: { title: 'Refusals', make: refusalsView },
    webhooks: { title: 'Webhooks', make: webhooksView },
    conversations: { title: 'Conversations', make: conversationsView },
    scenario: { title: 'Scenario', make: scenarioView },
  },
  'What comes': {
    ahead: { title: 'Ahead', make: aheadView },
    branches: { title: 'Branches', make: branchesView },
    changesets: { title: 'Changesets', make: changesetsView },
  },
  'Who may': {
    roots: { title: 'Roots', make: rootsView },
    keys: { title: 'Keys', make: keysView, write: true },
  },
};
/** @type {{ [name: string]: Shown }} */
const VIEWS = Object.assign({}, ...Object.values(GROUPS));

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

function notice(/** @type {string} */ text, bad = false) {
  element('notice').textContent = text;
  element('notice').className = bad ? 'bad' : '';
}

document.title = WORLD;
element('name').textContent = WORLD;
// Whoever was sent here for a session goes on with it: to pages of this world alone.
const then = new URLSearchParams(location.hash.slice(1)).get('then') ?? '';
const session = await openSession();
if (/^board(?:\?|$)/.test(then)) {
  location.replace(then);
  await new Promise(() => {});
}
const write = session.scope === 'write';
notice('');
element('who').textContent = session.who ? `${session.who}, ${session.scope}` : write ? '' : 'reads only';

const names = Object.keys(VIEWS).filter(name => write || !VIEWS[name]?.write);
const links = new Map(names.map(name => [name, h('a', { href: `#${name}` }, VIEWS[name]?.title)]));
element('views').replaceChildren(
  ...Object.entries(GROUPS).map(([group, views]) =>
    h(
      'span',
      { role: 'group', 'aria-label': group, title: group },
      ...Object.keys(views).flatMap(name => links.get(name) ?? []),
    ),
  ),
);
element('views').hidden = false;

const clock = clockControl({ write, notice });
const go = (/** @type {string} */ hash) => {
  location.hash = hash;
};
findForm(/** @type {HTMLFormElement} */ (element('find')), go);
const tell = (/** @type {(Node | string)[]} */ ...said) => {
  notice('');
  element('notice').replaceChildren(...said);
};
const time = timeBar({ write, notice, tell, go });
const timed = () => VIEWS[location.hash.slice(1).split('?')[0] || 'timeline']?.past === true;
/** @type {import('./views.js').View | null} */
let current = null;

const guarded = async (/** @type {() => Promise<void>} */ work) => {
  try {
    await work();
  } catch (problem) {
    // The session ended (a rotation, a revoked key): begin again, with whatever opens the world now.
    if (problem instanceof Problem && problem.status === 401) location.reload();
    else notice(/** @type {Error} */ (problem).message, true);
  }
};

function open() {
  const [name = '', query = ''] = location.hash.slice(1).split('?');
  const shown = names.includes(name) ? name : 'timeline';
  const at = asOf();
  time.show(VIEWS[shown]?.past === true);
  for (const [each, link] of links) {
    // Who looks at the past goes on looking at it.
    const then = at !== null && VIEWS[each]?.past ? `?${new URLSearchParams({ at })}` : '';
    link.setAttribute('href', `#${each}${then}`);
    if (each === shown) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const view = /** @type {NonNullable<typeof VIEWS[string]>} */ (VIEWS[shown]).make({
    write,
    notice,
    search: new URLSearchParams(query),
    go,
    moveClock: clock.moveTo,
  });
  current = view;
  element('main').replaceChildren(view.element);
  void guarded(() => view.refresh(true));
}

let reading = false;
/** What was told meanwhile. @type {Set<string>} */
let missed = new Set();

/** @param {ReadonlySet<string>} kinds */
async function readAgain(kinds) {
  for (const kind of kinds) missed.add(kind);
  if (reading || document.hidden) return;
  const told = missed;
  missed = new Set();
  // A clock on the wall moves with every entry.
  const moved = told.has('clock') || told.has('entry');
  const changed = current?.kinds.some(kind => told.has(kind));
  if (!moved && !changed) return;
  reading = true;
  const began = performance.now();
  if (moved) await guarded(clock.refresh);
  if (told.has('clock') || (moved && !time.begun())) await guarded(() => time.refresh(timed()));
  if (changed) await guarded(async () => current?.refresh());
  setTimeout(
    () => {
      reading = false;
      if (missed.size > 0) void readAgain(new Set());
    },
    Math.max(REST_MS_MIN, (performance.now() - began) * REST_TIMES),
  );
}

/** What nobody tells of is asked for, while somebody can see it. */
let looking = 0;
function look() {
  clearInterval(looking);
  if (document.hidden) return;
  looking = setInterval(() => {
    if (current?.due?.()) void readAgain(new Set(current.kinds));
  }, OUTSIDE_LOOK_MS);
}
document.addEventListener('visibilitychange', look);
look();

window.addEventListener('hashchange', open);
open();
void guarded(clock.refresh);
void guarded(() => time.refresh(timed()));
follow(
  kinds => void readAgain(kinds),
  live => notice(live ? '' : 'The world does not answer; the page goes on when it does.', !live),
);
