// Requests of programs in pages of other origins (7.1, last row). A browser asks first whether the world takes the key's
// header from a page (CORS), and lets the page read only what says so: whoever has sent the key may read what it opened, and
// no cookie is ever part of it. Pure.
import type { Reply } from '../../twins/kit/reply.ts';
import type { World } from '../world/world.ts';
import type { Arrived } from './arrived.ts';
import type { Admission } from './site.ts';
import { routesOf } from './twin-routes.ts';

const KEY = 'x-twins-key';
/** Seconds that a browser need not ask again. */
const PREFLIGHT_SECONDS = 600;

type TabAsk =
  | { readonly at: 'preflight'; readonly reply: Reply }
  /** `vendorHost`: of the vendor's hosts, the one it asks for. */
  | { readonly at: 'call'; readonly target: string; readonly vendorHost: string | null };

/** Null: it is no page's, or a page's without the key. */
export function tabAsk({ method, target, rawHeaders }: Arrived): TabAsk | null {
  let origin = false;
  let key = false;
  let wanted = '';
  let network = false;
  let vendorHost: string | null = null;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    // Browsers write all of these at their lengths; most fields are told apart by it.
    if (name.length === 6) origin ||= name.toLowerCase() === 'origin';
    else if (name.length === 11) key ||= name.toLowerCase() === KEY;
    else if (name.length === 18) {
      if (name.toLowerCase() === 'x-wrld-vendor-host') vendorHost = rawHeaders[index + 1]!;
    } else if (name.length === 30) {
      if (name.toLowerCase() === 'access-control-request-headers') wanted = rawHeaders[index + 1]!;
    } else if (name.length === 38)
      network ||= name.toLowerCase() === 'access-control-request-private-network';
  }
  if (!origin) return null;
  if (key) return { at: 'call', target, vendorHost };
  if (
    method !== 'OPTIONS' ||
    !wanted
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(KEY)
  )
    return null;
  return { at: 'preflight', reply: preflight(wanted, network) };
}

function preflight(wanted: string, network: boolean): Reply {
  return {
    status: 204,
    headers: [
      ['access-control-allow-origin', '*'],
      ['access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
      ['access-control-allow-headers', wanted.replace(/[^\w\s,-]/g, '')],
      ['access-control-max-age', String(PREFLIGHT_SECONDS)],
      // A page of the internet's that asks a world of this machine's.
      ...(network ? [['access-control-allow-private-network', 'true'] as const] : []),
    ],
    body: null,
  };
}

type TabCall = Extract<TabAsk, { at: 'call' }>;

/** Whatever the world answers, as a page that sent the key may read it. */
export function forTab(admission: Admission, call: TabCall, world: World, baseUrl: string): Admission {
  const told = (reply: Reply): Reply => readable(reply, call, world, baseUrl);
  switch (admission.at) {
    case 'answered':
      return { at: 'answered', reply: told(admission.reply) };
    case 'admitted':
      return {
        ...admission,
        answer: body => {
          const reply = admission.answer(body);
          return reply instanceof Promise ? reply.then(told) : told(reply);
        },
        tooLarge: () => told(admission.tooLarge()),
      };
    case 'forwarded':
      return { ...admission, forward: (body, gone) => admission.forward(body, gone).then(told) };
  }
}

/**
 * A redirect that leads out of the world is not readable: the browser then ends there, where it would have gone on by itself
 * and taken the key along.
 */
function readable(reply: Reply, call: TabCall, world: World, baseUrl: string): Reply {
  const headers = reply.headers.filter(([name]) => !/^access-control-/i.test(name));
  const at = headers.findIndex(([name]) => name.toLowerCase() === 'location');
  if (reply.status >= 300 && reply.status < 400 && at !== -1) {
    const [name, location] = headers[at]!;
    const inside = placeOf(location, call, world, baseUrl);
    if (inside === null) return { ...reply, headers };
    headers[at] = [name, inside];
  }
  headers.push(['access-control-allow-origin', '*'], ['access-control-expose-headers', '*']);
  return { ...reply, headers };
}

/** Where a location of the vendor's is in this world; null for what is elsewhere. */
function placeOf(
  location: string,
  { target, vendorHost }: TabCall,
  world: World,
  baseUrl: string,
): string | null {
  const [, place = ''] = /^(\/[^/]+\/[^/]+\/[^/?]+)/.exec(target) ?? [];
  if (/^\/(?!\/)/.test(location)) return `${place}${location}`;
  const url = URL.parse(location);
  if (url === null) return location.includes(':') || location.startsWith('//') ? null : location;
  if (url.origin === baseUrl) return location;
  const path = `${url.pathname}/`;
  const route = world.vendors
    .flatMap(id => routesOf({ id, manifest: world.manifest(id)! }))
    .filter(({ host, path: prefix }) => host === url.host && path.startsWith(prefix))
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (route === undefined) return null;
  // The browser says the same headers again, and so the host that was asked for first.
  const hosts = world.manifest(route.vendor)!.hosts.map(({ host }) => host);
  if (vendorHost !== null && vendorHost !== url.host && hosts.includes(vendorHost)) return null;
  return `${baseUrl}/${world.name}/${route.vendor}${url.pathname}${url.search}${url.hash}`;
}
