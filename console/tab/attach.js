// `wrld/browser`: attaches the program of a page or a worker to a served world (7.1, last row; docs/attach.md). Served by each
// world as `…/tab/attach.js`, and part of the package for those who bundle.
import { install } from './install.js';

/**
 * @typedef {object} AttachOptions
 * @property {string} world the world's URL: `https://<host>/<org>/<world>`
 * @property {string} token its token, or better a key of it (`tok_k_…`): whoever opens the page can read it
 * @property {string} program the program's name, for what it is told when it is refused
 * @property {readonly string[]} [hosts] the hosts that the program declares; without it, it declares none and may ask for all
 * @property {{ egress?: readonly string[]; writes?: readonly string[] }} [grants] what the page that embeds it grants besides the world
 * @property {{ capability: string; file: string; line: number }} [declaredBy] where the hosts are declared
 * @property {'blob' | 'own'} [workers] `own`: each worker calls `attach` itself
 * @typedef {{ readonly world: string; readonly vendors: readonly string[] }} Attached `world`: `<org>/<world>`
 */

const ATTACHED = Symbol.for('wrld.browser.attached');

/**
 * From the call on nothing leaves unjudged, and when it resolves, the program is in the world. Rejects where the world does not
 * let it in; then everything beyond the page's own origin stays refused. Once for each page or worker.
 * @param {AttachOptions} options @returns {Promise<Attached>}
 */
export async function attach(options) {
  const settings = settingsOf(options);
  const scope = /** @type {typeof globalThis & { [ATTACHED]?: true }} */ (globalThis);
  if (scope[ATTACHED]) throw new Error(`${settings.program} is attached already.`);
  scope[ATTACHED] = true;
  const { tab, direct } = install(scope, settings);
  const read = readPlan(direct, settings).then(plan => {
    tab.settings = { ...settings, plan };
    return plan;
  });
  tab.ready = read.then(
    () => {},
    () => {},
  );
  const plan = await read;
  return { world: plan.name, vendors: [...new Set(plan.twins.map(({ vendor }) => vendor))] };
}

/** @param {AttachOptions} options @returns {import('./tab.js').Settings} */
function settingsOf(options) {
  const { world, token, program, hosts, grants = {}, declaredBy = null, workers = 'blob' } = options;
  const at = URL.parse(world);
  const place = /^\/([a-z0-9-]+\/[a-z0-9-]+)\/?$/.exec(at?.pathname ?? '');
  if (at === null || place === null || !/^https?:$/.test(at.protocol))
    throw new TypeError(`attach: ${world} is no world’s URL: https://<host>/<org>/<world>`);
  if (typeof token !== 'string' || token === '')
    throw new TypeError('attach: token is missing; make a key for it: wrld world keys make <name>');
  if (typeof program !== 'string' || program === '')
    throw new TypeError('attach: program is missing: the name by which the program is told of refusals');
  return {
    ...{ program, token, declaredBy, workers, plan: null, base: null },
    world: at.origin,
    name: place[1] ?? '',
    hosts: hosts === undefined ? null : hosts.map(hostOf),
    grants: { egress: grants.egress ?? [], writes: grants.writes ?? [] },
  };
}

/** As a URL has it. @param {string} text */
function hostOf(text) {
  const url = URL.parse(`https://${text}`);
  if (url === null || url.host === '' || !['', '/'].includes(url.pathname) || text.includes('*'))
    throw new TypeError(`attach: ${text} is no host (accepted: api.example.com, api.example.com:8443)`);
  return url.host;
}

/** @param {typeof fetch} direct @param {import('./tab.js').Settings} settings @returns {Promise<import('./judge.js').Plan>} */
async function readPlan(direct, { world, name, token, program }) {
  const answer = await direct(`${world}/-/${name}/tab`, {
    headers: { 'x-twins-key': token },
    ...{ credentials: 'omit', cache: 'no-store' },
  }).catch(error => {
    throw new Error(`${program} is not attached: ${world}/${name} does not answer (${error.message})`);
  });
  const said = await answer.json().catch(() => null);
  if (answer.ok) return said;
  const why = said?.error?.message ?? `it answers ${answer.status}`;
  throw new Error(`${program} is not attached to ${world}/${name}: ${why}`);
}
