// What of a profile a browser is given at one site (4.3, rules 4 to 6): the cookies of its real host, as that host's alone,
// the local storage of the first real origin there, and an end to what an earlier state had left.
import type { BrowserCookie, BrowserProfile } from './profile.ts';

/** Where a cookie was left; what ends it there. */
export type CookiePlace = {
  readonly name: string;
  /** The profile's own words: with a dot before it, of the hosts below it too. */
  readonly domain: string;
  readonly path: string;
  readonly partitioned: boolean;
};

/** What the states of a browser had so far, the one in force included. */
export type Left = {
  readonly cookies: readonly CookiePlace[];
  /** The real hosts that had local storage. */
  readonly storage: readonly string[];
};

/** Begins the names of the cookies that are the world's own. */
export const OWN_COOKIE_PREFIX = '__Host-wrld-';

/** Whether a cookie of that domain is sent to a host: without a dot, to the one host alone. */
export function isForHost(domain: string, host: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  const of = domain.toLowerCase();
  if (!of.startsWith('.')) return name === of;
  return name === of.slice(1) || name.endsWith(of);
}

export function placeOf({ name, domain, path, partitionKey }: BrowserCookie): CookiePlace {
  return { name, domain, path, partitioned: partitionKey !== undefined };
}

/** The local storage of the first real origin that has that host, with its port. */
export function storageAt(
  { storageState }: BrowserProfile,
  host: string,
): BrowserProfile['storageState']['origins'][number]['localStorage'] {
  return storageState.origins.find(({ origin }) => new URL(origin).host === host)?.localStorage ?? [];
}

/**
 * The values of `Set-Cookie` that make of what a browser has at a host what its state says, without a `Domain`: an address
 * of the world is nobody else's. `now`: milliseconds since 1970.
 */
export function setCookiesAt(profile: BrowserProfile, left: Left, host: string, now: number): string[] {
  const loaded = profile.storageState.cookies.filter(
    cookie => isForHost(cookie.domain, host) && isCarried(cookie.name) && !isOver(cookie, now),
  );
  const standing = new Set(loaded.map(cookie => keyOf(placeOf(cookie))));
  const ended = left.cookies.filter(
    place => isForHost(place.domain, host) && isCarried(place.name) && !standing.has(keyOf(place)),
  );
  return [
    ...ended.map(
      ({ name, path, partitioned }) =>
        `${name}=; Path=${pathOf(path)}; Max-Age=0; Secure${partitioned ? '; Partitioned' : ''}`,
    ),
    ...loaded.map(cookie => setCookie(cookie)),
  ];
}

/** Whether anything is to be done at a host before its first page. */
export function isLoadedAt(profile: BrowserProfile, left: Left, host: string): boolean {
  return (
    left.cookies.some(({ domain, name }) => isForHost(domain, host) && isCarried(name)) ||
    left.storage.includes(host) ||
    storageAt(profile, host).length > 0
  );
}

/** What a browser made from the profile would ask for (rule 6); null for nothing in particular. */
export function languageOf({ context }: BrowserProfile): string | null {
  const [, said] =
    Object.entries(context.extraHTTPHeaders ?? {}).find(
      ([name]) => name.toLowerCase() === 'accept-language',
    ) ?? [];
  return said ?? context.locale ?? null;
}

function setCookie({ name, value, path, expires, httpOnly, secure, sameSite, partitionKey }: BrowserCookie) {
  const partitioned = partitionKey !== undefined;
  // Browsers keep neither of them without it, and every address of the world is a secure context.
  const safe = secure || partitioned || sameSite === 'None';
  return [
    `${name}=${value}`,
    `Path=${pathOf(path)}`,
    `SameSite=${sameSite}`,
    ...(expires === -1 ? [] : [`Expires=${new Date(expires * 1000).toUTCString()}`]),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(safe ? ['Secure'] : []),
    ...(partitioned ? ['Partitioned'] : []),
  ].join('; ');
}

/** A profile opens no session of the world's. */
function isCarried(name: string): boolean {
  return !name.trim().toLowerCase().startsWith(OWN_COOKIE_PREFIX.toLowerCase());
}

function isOver({ expires }: BrowserCookie, now: number): boolean {
  return expires !== -1 && expires * 1000 <= now;
}

/** One that does not begin with a slash would mean the path of whatever is asked for. */
function pathOf(path: string): string {
  return path.startsWith('/') ? path : '/';
}

/** Two of one key at one host are one cookie. */
export function keyOf({ name, path, partitioned }: CookiePlace): string {
  return JSON.stringify([name, pathOf(path), partitioned]);
}
