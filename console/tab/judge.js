// Where a request of a browser program goes (7.1, last row): to the world, out, or nowhere. The order of the checks is that of
// the world's own judgement, of as much as a tab knows. Pure.

/**
 * @typedef {{ readonly egress: readonly string[]; readonly writes: readonly string[] }} Grants
 * @typedef {{ readonly name: string; readonly docsUrl: string; readonly ownLoopback: boolean; readonly twins: readonly TwinRoute[]; readonly layers: readonly Grants[] }} Plan what `…/tab` answers
 * @typedef {{ readonly host: string; readonly path: string; readonly vendor: string }} TwinRoute `path` begins and ends with a slash
 * @typedef {{ readonly method: string; readonly url: URL; readonly transport: 'http' | 'socket' }} Ask
 * @typedef {'not-granted' | 'undeclared' | 'unclaimed-path' | 'invalid' | 'inspected-transport' | 'own-loopback-ungranted' | 'policy-unreadable'} Rule
 * @typedef {object} Terms
 * @property {string} world where it is served: `http://127.0.0.1:4000`
 * @property {string} name `<org>/<world>`
 * @property {Plan | null} plan null until the world has said it
 * @property {string} page the origin of the page
 * @property {readonly string[] | null} hosts what the program declares; null: it declares none, and so all
 * @property {Grants} grants those of the page that embeds it
 * @typedef {{ to: 'twin'; url: string; host: string } | { to: 'own' } | { to: 'out' } | { to: 'refused'; rule: Rule; about: string }} Verdict
 */

/** @param {Ask} ask @param {Terms} terms @returns {Verdict} */
export function judge(ask, terms) {
  const { world, name, plan, page, hosts } = terms;
  const url = asHttp(ask.url);
  if (!/^https?:$/.test(url.protocol)) return OUT;
  if (url.origin === world)
    return [`/${name}/`, `/-/${name}/`].some(own => url.pathname.startsWith(own)) ? { to: 'own' } : OUT;
  if (url.origin === page) return OUT;
  if (plan === null) return refused('policy-unreadable');
  const claimed = plan.twins.filter(({ host }) => host === url.host);
  if (claimed.length > 0) return twinned(claimed, url, terms);
  if (isLoopback(url.hostname)) return plan.ownLoopback ? OUT : refused('own-loopback-ungranted');
  if (hosts !== null && !hosts.includes(url.host)) return refused('undeclared');
  const list = /^(?:GET|HEAD|OPTIONS)$/.test(ask.method) ? 'egress' : 'writes';
  const layers = [plan.layers, [terms.grants]];
  const granted = layers.some(all => all.length > 0 && all.every(layer => lists(layer[list], url)));
  if (
    isAmbiguous(url.pathname) &&
    layers.flat().some(({ egress, writes }) => egress.length + writes.length > 0)
  )
    return refused('invalid');
  if (!granted) return refused('not-granted', list);
  return ask.transport === 'socket' ? refused('inspected-transport') : OUT;
}

/** @type {Verdict} */
const OUT = { to: 'out' };

/** @param {Rule} rule @param {string} about @returns {Verdict} */
function refused(rule, about = '') {
  return { to: 'refused', rule, about };
}

/** A WebSocket is asked for by HTTP. @param {URL} url */
export function asHttp(url) {
  return url.protocol === 'ws:' || url.protocol === 'wss:' ? new URL(url.href.replace(/^ws/, 'http')) : url;
}

/** @param {readonly TwinRoute[]} claimed @param {URL} url @param {Terms} terms @returns {Verdict} */
function twinned(claimed, { host, pathname, search }, { world, name }) {
  const route = claimed
    .filter(({ path }) => pathname.startsWith(path))
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (route === undefined)
    return refused('unclaimed-path', [...new Set(claimed.map(({ vendor }) => vendor))].join(', '));
  return { to: 'twin', url: `${world}/${name}/${route.vendor}${pathname}${search}`, host };
}

/** @param {string} hostname */
function isLoopback(hostname) {
  return /^(?:.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname);
}

/** As `runtime.network` lists: an origin, one path, or a subtree that ends in a slash. @param {readonly string[]} grants @param {URL} url */
function lists(grants, url) {
  const path = plainEscapes(url.pathname);
  return grants.some(grant => {
    const granted = URL.parse(grant);
    if (granted === null || granted.origin !== url.origin) return false;
    const { pathname } = granted;
    return pathname.endsWith('/') ? path.startsWith(pathname) : path === pathname;
  });
}

/** `%7E` and `~` are one character. @param {string} path */
function plainEscapes(path) {
  return path.replace(/%[0-9a-f]{2}/gi, sequence => {
    const char = String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : sequence.toUpperCase();
  });
}

/** What two readers take for two paths. @param {string} path */
function isAmbiguous(path) {
  return /%2f|%5c|%00|%(?![0-9a-f]{2})/i.test(path);
}
