// What a tab says of a request that does not leave it: words of its own, which end in the link to the rule (7.1). There is no
// record, but for what the program's own declaration lacks: that is the program's to say (7.2, `undeclared`).
import { asHttp } from './judge.js';

/**
 * @typedef {import('./judge.js').Rule} Rule
 * @typedef {{ capability: string; file: string; line: number }} DeclaredBy
 * @typedef {object} Refused
 * @property {string} program
 * @property {string} world `<org>/<world>`
 * @property {string} docsUrl
 * @property {URL} url
 * @property {Rule} rule
 * @property {string} about the list that lacks the grant, or the twins of the host
 * @property {DeclaredBy | null} declaredBy
 * @typedef {TypeError & { rule: Rule; see: string; worldRefusal?: object }} Refusal
 */

const CLOSED =
  'the network of this tab is closed unless granted by the world the tab is attached to or the page that embeds it';

/** @type {{ readonly [rule in Rule]: (refused: Refused) => string }} */
const WHY = {
  'not-granted': ({ world, about, url }) =>
    `${CLOSED}. Add ${asHttp(url).origin} to runtime.network.${about} in .wrld/world.json of ${world}`,
  undeclared: () =>
    'the program declares the hosts it needs, and this one is not among them. Add it to the hosts that the program is attached with',
  'unclaimed-path': ({ world, about }) =>
    `${CLOSED}. The host is that of a twin of ${world} (${about}), which serves no such path; it is not sent to the real vendor. Add the twin that serves it`,
  invalid: () => `${CLOSED}, and the path cannot be read unambiguously. Send the request to a plain URL`,
  'inspected-transport': () =>
    `${CLOSED}. What the world grants is granted request by request, and this is none: send an HTTP request`,
  'own-loopback-ungranted': ({ world }) =>
    `${CLOSED}. ${world} sets runtime.network.ownLoopback: false; remove that`,
  'policy-unreadable': ({ world }) =>
    `${CLOSED}, and ${world} has not said yet what it grants. Await attach() before anything else`,
};

/** @param {Refused} refused @returns {Refusal} */
export function refusalOf(refused) {
  const { program, docsUrl, url, rule, declaredBy } = refused;
  const see = `${docsUrl}/reference/refusals#${rule}`;
  const reason = `${program} may not reach ${url.host}: ${WHY[rule](refused)}`;
  const error = new TypeError(`${reason}: ${see}`);
  if (rule !== 'undeclared') return Object.assign(error, { rule, see });
  const { origin, pathname } = asHttp(url);
  const worldRefusal = {
    kind: 'wrld-world-refusal',
    version: 1,
    capability: 'network.egress',
    target: `${origin}${pathname}`,
    missing: 'declaration',
    rule,
    reason: `${reason}.`,
    ...(declaredBy === null ? {} : { declaredBy }),
    see,
  };
  return Object.assign(error, { rule, see, worldRefusal });
}
