// …/sites: which sites the world's twins have, with the address of each browser's copy, and the way into one (4.3).
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { openerOf } from '../world/access/key.ts';
import type { SiteOpening } from '../world/access/session.ts';
import { copyLabel, isBrowserName } from '../world/config/site-label.ts';
import { LAND_CHARS_MAX, SESSION_MS } from '../world/limits.ts';
import type { World } from '../world/world.ts';
import type { FetchSite } from './access.ts';
import { json, problem } from './answer.ts';
import { boardPages } from './board.ts';
import type { Route, Visit } from './route.ts';
import { list, object, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';
import { OWN_PLACE } from './site-loading.ts';
import { VendorSites } from './vendor-sites.ts';

export const sitePages: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/sites',
    access: 'read',
    tag: 'Looking',
    summary:
      'the vendors’ sites, and the pages that the board shows of them: a copy for each browser whose address can be made (ours)',
    answers: {
      200: {
        description: 'the sites and pages',
        schema: object({ sites: list(ref('Site')), pages: list(ref('BoardPage')) }),
      },
    },
    run: async (_call, world, { around }) => {
      const sites = new VendorSites(world, around);
      const pages = boardPages(sites, await around.browsers.names());
      return json(200, {
        sites: sites.claimed.map(({ vendor, host, land }) => ({ vendor, host, land })),
        pages,
      });
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/sites/go',
    access: 'read',
    signIn: true,
    tag: 'Looking',
    summary:
      'opens a site at its own address, the copy of a browser where one is named, by a pass that is good there, once and for seconds',
    query: {
      host: { description: 'the real host: `dashboard.stripe.com`', schema: TEXT, required: true },
      browser: { description: 'whose copy; the plain one without it', schema: TEXT },
      land: { description: 'the path to land at; the site’s first page without it', schema: TEXT },
    },
    answers: {
      303: { description: 'on to the site' },
      400: failure('a parameter cannot be read, or no address of the copy can be made'),
      403: failure('asked for by a page of another origin, or by a key that writes'),
      404: failure('there is no such site or browser'),
      409: failure('the world has no origin of its own, and its sites have none either'),
    },
    run: go,
  },
];

async function go(call: Call, world: World, visit: Visit): Promise<Reply> {
  const { around } = visit;
  const query = new URLSearchParams(call.query);
  const [host, browser, land] = ['host', 'browser', 'land'].map(name => query.get(name));
  if (!isAdmitted(visit, browser !== null))
    return problem(
      403,
      'not-same-origin',
      'A site is opened from the world’s own page or the address bar (4.3, rule 8): Sec-Fetch-Site says otherwise.',
    );
  const sites = new VendorSites(world, around);
  const site = sites.of(host?.toLowerCase() ?? '');
  if (site === undefined)
    return problem(
      404,
      'no-such-site',
      `No twin of this world serves pages at ${JSON.stringify(host ?? '')}.`,
      {
        details: { hosts: sites.hosts },
      },
    );
  if (browser !== null) {
    if (!isBrowserName(browser ?? ''))
      return problem(400, 'bad-name', 'That is no browser’s name; see …/browsers.');
    if (!(await around.browsers.names()).includes(browser!))
      return problem(404, 'no-such-browser', 'The world has no browser of that name.');
  }
  if (around.ownOrigin === null)
    return problem(
      409,
      'no-own-origin',
      'This world has no origin of its own, so its sites have no addresses.',
    );
  const copy = { browser: browser ?? null, host: site.host };
  const origin = sites.originOf(copy);
  if (origin === null)
    return problem(
      400,
      'no-address',
      'No address of this copy can be made: its label is too long, or another site’s.',
    );
  const path = landAt(land ?? site.land ?? '/', origin);
  if (path === null)
    return problem(
      400,
      'bad-land',
      '`land` is a path of the site, with its query: it begins with one slash, and holds no backslash.',
    );
  const opening = openingBy(visit);
  if (opening === null)
    return problem(
      403,
      'not-for-this-credential',
      'A key opens no site, except one that only reads (5.3-6): open it from the world’s page.',
    );
  const pass = around.gate.sitePasses.make({
    opening: { ...opening, site: copyLabel(copy) },
    land: path,
    stands: visit.stands,
  });
  const location = `${origin}${OWN_PLACE}enter?pass=${pass}`;
  return {
    status: 303,
    headers: [
      ['location', location],
      ['cache-control', 'no-store'],
      ['referrer-policy', 'no-referrer'],
    ],
    body: null,
  };
}

/** Rule 8: what a session carries comes from the world's own page or from nobody's; a plain copy's link may be a site's. */
function isAdmitted({ asker, head }: Visit, ofBrowser: boolean): boolean {
  if (asker?.by !== 'session') return true;
  return admits(head.headers['sec-fetch-site'], ofBrowser);
}

export function admits(from: FetchSite, ofBrowser: boolean): boolean {
  return from === 'same-origin' || from === 'none' || (!ofBrowser && from === 'same-site');
}

/** Null for what leads anywhere else than to the site (security 24). */
export function landAt(land: string, origin: string): string | null {
  if (land.length > LAND_CHARS_MAX || !/^\/(?![/\\])[^\\\u0000-\u0020\u007f]*$/.test(land)) return null;
  const url = URL.canParse(land, origin) ? new URL(land, origin) : null;
  return url === null || url.origin !== origin ? null : `${url.pathname}${url.search}${url.hash}`;
}

/** What a session at a site is opened with; null where the credential opens none. */
function openingBy({ asker, around, head, presented }: Visit): Omit<SiteOpening, 'site'> | null {
  const { sessions, keys, wall } = around.gate;
  if (asker === null) return null;
  if (asker.by === 'session') return sessions.openingOf(head.session!);
  const { scope, caller, person } = asker;
  const expires = wall.now() + SESSION_MS;
  const opening = { scope, caller, person, parent: null };
  if (asker.by === 'token') return { ...opening, opener: caller, expires };
  const key = scope === 'write' || presented === null ? null : keys.find(presented);
  if (key === null) return null;
  return { ...opening, opener: openerOf(key.id), expires: Math.min(expires, key.expires ?? expires) };
}
