// How the host fares: whether it takes requests, what is open, what cannot be opened, who is busy.
import { empty, h, table } from '../shared/dom.js';
import { answer, askOpen } from './api.js';
import { BUSIEST_MAX, HEALTH_MS } from './limits.js';
import { readMetrics } from './metrics.js';
import { firstLine } from './world.js';

/** @typedef {import('./main.js').Around} Around */
/** @typedef {import('./main.js').View} View */

const MEGABYTE = 1024 * 1024;

/** @param {Around} around @returns {View} */
export function healthView({ inventory }) {
  const heading = h('h2', { tabindex: '-1' }, 'Health');
  const body = h('div', {}, empty('Asking the host…'));
  const faults = h('div');
  const load = async () => {
    const began = performance.now();
    const { worlds } = await askOpen('ping');
    const tookMs = performance.now() - began;
    // A host that shuts down says so with a 503, which the head of the page tells.
    const { shards = [] } = await askOpen('health').catch(() => ({}));
    const metrics = readMetrics(await (await answer('metrics')).text());
    body.replaceChildren(...inside(worlds.length, tookMs, metrics), ...shardRows(shards));
  };
  const changed = () => faults.replaceChildren(...faultsOf(inventory));
  changed();
  return {
    element: h('section', {}, heading, body, h('h3', {}, 'Worlds that cannot be served'), faults),
    title: 'Health',
    load,
    everyMs: HEALTH_MS,
    changed,
    focus: () => heading.focus(),
  };
}

/** @param {number} worlds @param {number} tookMs @param {import('./metrics.js').Metrics} metrics */
function inside(worlds, tookMs, { numbers, requests }) {
  const facts = h('dl');
  const fact = (/** @type {string} */ title, /** @type {string} */ value) =>
    facts.append(h('dt', {}, title), h('dd', {}, value));
  const count = (/** @type {string} */ name) => (numbers.get(name) ?? 0).toLocaleString('en');
  fact('Answers in', `${Math.round(tookMs)} ms`);
  fact('Worlds', worlds.toLocaleString('en'));
  fact('Open now', `${count('worlds_open')}; the others open when they are asked`);
  fact('Opened since the start', count('worlds_opened_total'));
  fact('Could not be opened', `${count('worlds_unopened_total')} times`);
  fact('Memory', `${Math.round((numbers.get('resident_memory_bytes') ?? 0) / MEGABYTE)} MB`);
  const backedUp = numbers.get('backup_timestamp_seconds');
  if (backedUp !== undefined)
    fact('Last backups', backupText(backedUp, numbers.get('backup_failed_worlds') ?? 0));
  const busiest = [...requests].sort(([, a], [, b]) => b.all - a.all).slice(0, BUSIEST_MAX);
  const number = (/** @type {string} */ title) => /** @type {const} */ ({ title, number: true });
  return [
    facts,
    h('h3', {}, 'Busiest worlds since the start'),
    busiest.length === 0
      ? empty('No world was asked anything yet.')
      : table(
          ['World', number('Answers'), number('Failed')],
          busiest.map(([world, { all, failed }]) => [
            world.includes('/') ? h('a', { href: `#world?name=${world}` }, world) : world,
            all.toLocaleString('en'),
            failed.toLocaleString('en'),
          ]),
        ),
  ];
}

/**
 * Nothing for a host that is one process.
 * @param {readonly { shard: number; status: string; worlds: number; open: number }[]} shards
 */
function shardRows(shards) {
  if (shards.length === 0) return [];
  const number = (/** @type {string} */ title) => /** @type {const} */ ({ title, number: true });
  return [
    h('h3', {}, 'Shards'),
    table(
      ['Shard', 'State', number('Worlds'), number('Open')],
      shards.map(({ shard, status, worlds, open }) => [
        String(shard),
        status === 'up' ? 'up' : h('span', { class: 'bad' }, SHARD_STATES[status] ?? status),
        worlds.toLocaleString('en'),
        open.toLocaleString('en'),
      ]),
    ),
  ];
}

/** @type {{ readonly [status: string]: string }} */
const SHARD_STATES = {
  'held-up': 'does not answer; it is ended if it goes on',
  down: 'down; it is started again',
  starting: 'is being started',
};

/** @param {number} seconds since the epoch @param {number} failed */
function backupText(seconds, failed) {
  if (seconds === 0) return 'none yet';
  const at = new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return failed === 0 ? `${at} UTC` : `${at} UTC, without ${failed} worlds; the host’s log says why`;
}

/** @param {Around['inventory']} inventory */
function faultsOf(inventory) {
  const rows = inventory.find('', true);
  if (rows.length === 0)
    return [
      empty(
        inventory.whole
          ? 'None that is known of: a world is looked at when it is asked.'
          : 'The list is on its way.',
      ),
    ];
  return [
    h(
      'ul',
      { class: 'plain' },
      ...rows.map(({ name, fault }) =>
        h(
          'li',
          {},
          h('a', { href: `#world?name=${name}` }, name),
          ' ',
          h('span', { class: 'bad' }, firstLine(fault ?? '')),
        ),
      ),
    ),
  ];
}
