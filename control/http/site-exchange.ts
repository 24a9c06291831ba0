// What changes of a request on its way from a site's address to the vendor's twin, and of its answer on the way back
// (4.3, rules 6 to 9): the page sees its own address wherever the twin says the vendor's. Pure.
import type { CallHeaders } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { OWN_COOKIE_PREFIX } from '../world/browsers/loading.ts';
import { isRead } from './access.ts';
import type { SiteSeat, VendorSites } from './vendor-sites.ts';

/** Whether a browser goes to a page, and no page asks for something. */
export function isNavigation(method: string, headers: CallHeaders): boolean {
  return isRead(method) && headers['sec-fetch-mode'] === 'navigate';
}

/**
 * Rule 8. Only the browser says where a request comes from, and what says nothing is no browser: a navigation may come from
 * another site of the world, everything else is asked by the site's own page.
 */
export function isAdmitted(method: string, headers: CallHeaders): boolean {
  const from = headers['sec-fetch-site'];
  if (from === 'same-origin') return true;
  return isNavigation(method, headers) && (from === 'same-site' || from === 'none');
}

/** As the twin would have them at the vendor's own host. `language`: the profile's; null leaves the browser's. */
export function headersAtVendor(headers: CallHeaders, seat: SiteSeat, language: string | null): CallHeaders {
  const { site, origin } = seat;
  const told: { [name: string]: string } = {};
  if (language !== null) told['accept-language'] = language;
  if (site.real) {
    told['host'] = site.host;
    for (const name of ['origin', 'referer'] as const) {
      const value = headers[name];
      if (typeof value === 'string' && (value === origin || value.startsWith(`${origin}/`)))
        told[name] = `https://${site.host}${value.slice(origin.length)}`;
    }
  }
  return Object.assign(Object.create(null), headers, told);
}

/** Never said by a twin's page to the browser: each would reach beyond the page's own address. */
const LEFT_OUT = new Set(['x-frame-options', 'strict-transport-security', 'clear-site-data', 'alt-svc']);

/** As the page at the address is to see it. `own`: the world's own origin, whose board shows it in a frame. */
export function replyAtSite(reply: Reply, seat: SiteSeat, sites: VendorSites, own: string): Reply {
  const headers: (readonly [name: string, value: string])[] = [];
  let framed = false;
  let html = false;
  for (const [name, value] of reply.headers) {
    const lower = name.toLowerCase();
    if (LEFT_OUT.has(lower)) continue;
    if (lower === 'location') headers.push([name, addressFor(value, seat, sites)]);
    else if (lower === 'content-security-policy') {
      framed = true;
      headers.push([name, framedBy(value, own)]);
    } else if (lower === 'set-cookie') {
      const kept = hostOnly(value);
      if (kept !== null) headers.push([name, kept]);
    } else if (lower !== 'content-length') headers.push([name, value]);
    if (lower === 'content-type') html = /^text\/html\b/i.test(value);
  }
  if (!framed) headers.push(['Content-Security-Policy', framedBy('', own)]);
  const body = html && typeof reply.body === 'string' ? withLinks(reply.body, seat, sites) : reply.body;
  return { ...reply, headers, body };
}

/** Rule 7: to the vendor's own hosts the browser goes at their addresses, and anywhere else unchanged. */
export function addressFor(location: string, { browser }: SiteSeat, sites: VendorSites): string {
  const found = /^https?:\/\/([^/?#]+)(.*)$/is.exec(location.trim());
  if (found === null) return location;
  const [, host = '', rest = ''] = found;
  const site = sites.of(host.toLowerCase().replace(/:(?:80|443)$/, ''));
  const origin = site === undefined || !site.real ? null : sites.originOf({ browser, host: site.host });
  return origin === null ? location : `${origin}${rest.startsWith('/') ? rest : `/${rest}`}`;
}

/** The links and forms of a page that lead to a site of the world, as a redirect there would. */
function withLinks(body: string, seat: SiteSeat, sites: VendorSites): string {
  return body.replaceAll(
    /(\s(?:href|action|src)\s*=\s*)(["'])(https?:\/\/[^"'\s<>]+)\2/gi,
    (_whole, before: string, mark: string, url: string) =>
      `${before}${mark}${addressFor(url, seat, sites)}${mark}`,
  );
}

/** Clickjacking is kept out, and the board is let in (rule 10). */
function framedBy(policy: string, own: string): string {
  const others = policy
    .split(';')
    .map(directive => directive.trim())
    .filter(directive => directive !== '' && !/^frame-ancestors\b/i.test(directive));
  return [...others, `frame-ancestors 'self' ${own}`].join('; ');
}

/** Rule 7: each copy has cookies of its own, and none of them is the world's. Null for one that would be. */
function hostOnly(cookie: string): string | null {
  if (cookie.trimStart().toLowerCase().startsWith(OWN_COOKIE_PREFIX.toLowerCase())) return null;
  return cookie
    .split(';')
    .filter((part, index) => index === 0 || !/^\s*domain\s*(?:=|$)/i.test(part))
    .join(';');
}
