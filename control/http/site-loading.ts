// What a site's address serves of its own (4.3), under `/.well-known/wrld-site/`: where a pass is spent, and the state of a
// browser on its way into the real one. Cookies go by `Set-Cookie`, some at a time; local storage by a script of ours that
// takes it as JSON. The page that runs it allows nothing else, and no word of a profile is ever markup.
import type { Reply } from '../../twins/kit/reply.ts';
import type { BrowserState } from '../world/browsers/browsers.ts';
import { isLoadedAt, setCookiesAt, storageAt } from '../world/browsers/loading.ts';
import { SITE_COOKIES_BYTES_MAX } from '../world/limits.ts';
import { json, problem } from './answer.ts';
import type { ReadHeaders } from './arrived.ts';
import { sessionCookie, stateCookie } from './session-cookie.ts';
import { refusalAtSite } from './site-refusals.ts';
import type { Surroundings } from './surroundings.ts';
import type { Target } from './target.ts';
import type { SiteSeat } from './vendor-sites.ts';

/** Begins the paths of a site's address that are no vendor's. */
export const OWN_PLACE = '/.well-known/wrld-site/';

const SCRIPT = 'load.js';

type Parts = { readonly around: Surroundings };

/** Spends a pass: whoever brings it is in from here on, and goes on to where it lands. */
export function enterSite(
  method: string,
  seat: SiteSeat,
  { query }: Target,
  read: ReadHeaders,
  { around }: Parts,
): Reply {
  if (method !== 'GET') return refusalAtSite(read, 405, 'other-method', 'A site is entered by GET.');
  const { gate } = around;
  const pass = gate.sitePasses.spend(new URLSearchParams(query).get('pass') ?? '', seat.label);
  if (pass === null) {
    // Whoever comes back to it by the browser's own buttons is in already.
    if (gate.atSite(read, seat.label) !== null) return goOn(`${seat.origin}/`, []);
    return refusalAtSite(
      read,
      401,
      'pass-spent',
      'This way into the site was used already, or is too old: it is good once, and for seconds. Open the site again from the world’s page.',
    );
  }
  const { opening, land } = pass;
  const id = gate.sessions.openAt(opening, read.session);
  const cookies = id === null ? [] : [sessionCookie(id.reveal(), opening.expires - gate.wall.now())];
  return goOn(`${seat.origin}${land}`, cookies);
}

function goOn(location: string, cookies: Reply['headers']): Reply {
  const headers = [
    ['location', location],
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
  ] as const;
  return { status: 303, headers: [...headers, ...cookies], body: null };
}

/** In the place of the first page. */
export function bootstrapPage({ origin, browser, site }: SiteSeat, own: string): Reply {
  const at = `${origin}${OWN_PLACE}`;
  const policy = [
    "default-src 'none'",
    `script-src ${at}${SCRIPT}`,
    `connect-src ${at}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors 'self' ${own}`,
  ];
  return {
    status: 200,
    headers: [
      ['content-type', 'text/html; charset=utf-8'],
      ['content-security-policy', policy.join('; ')],
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      ['cache-control', 'no-store'],
    ],
    // A browser's name and a host are nothing that could be markup.
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${site.host}</title>
<p id="say" role="status">Loading what ${browser} has at ${site.host} …</p>
<noscript><p>This needs JavaScript.</p></noscript>
<script src="${OWN_PLACE}${SCRIPT}"></script>
`,
  };
}

/** What is in it is told once to a browser that has it not: `version` is in its cookie from then on. */
export function ownAnswer(
  {
    method,
    seat,
    target,
    state,
    read,
  }: {
    readonly method: string;
    readonly seat: SiteSeat;
    readonly target: Target;
    readonly state: BrowserState | null;
    readonly read: ReadHeaders;
  },
  { around }: Parts,
): Reply {
  const name = target.path.slice(OWN_PLACE.length);
  const file = name === SCRIPT ? around.pageFile(`world/${SCRIPT}`) : null;
  if (method !== 'GET')
    return problem(405, 'other-method', 'This path takes GET.', { headers: [['allow', 'GET']] });
  if (file !== null)
    return {
      status: 200,
      headers: [
        ['content-type', file.type],
        ['x-content-type-options', 'nosniff'],
        ['cache-control', 'no-cache'],
      ],
      body: file.body,
    };
  if (state === null || (name !== 'state' && name !== 'cookies'))
    return problem(404, 'no-such-file', 'Nothing is at this path of the site.');
  const { profile, left, version } = state;
  const { host } = seat.site;
  const parts = inParts(setCookiesAt(profile, left, host, around.gate.wall.now()));
  if (name === 'state') {
    const loaded = read.state === version || !isLoadedAt(profile, left, host);
    return json(200, {
      version,
      loaded,
      parts: parts.length + 1,
      storage: loaded ? [] : storageAt(profile, host),
    });
  }
  const query = new URLSearchParams(target.query);
  const part = Number(query.get('part') ?? 'none');
  if (query.get('version') !== version)
    return problem(409, 'other-version', 'The browser was replaced meanwhile; begin again.');
  if (!Number.isInteger(part) || part < 0 || part > parts.length)
    return problem(404, 'no-such-part', 'The state has no such part.');
  // The last says that all of it is here.
  const cookies = parts[part]?.map(cookie => ['set-cookie', cookie] as const) ?? [stateCookie(version)];
  return json(200, {}, cookies);
}

function inParts(cookies: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const cookie of cookies) {
    bytes += cookie.length;
    if (bytes > SITE_COOKIES_BYTES_MAX) {
      parts.push([]);
      bytes = cookie.length;
    }
    parts.at(-1)!.push(cookie);
  }
  return parts;
}
