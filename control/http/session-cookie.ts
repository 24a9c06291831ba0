// The cookie that a session lives in (5.3-1). `__Host-` is what keeps a page at a name below the world's own from
// planting one: a browser takes it only with `Secure`, `Path=/` and no `Domain`, on http://*.localhost too.
// Taken out of `Cookie` by hand: the cookie libraries give the first of two of one name, where two are refused.

import { OWN_COOKIE_PREFIX } from '../world/browsers/loading.ts';

export const SESSION_COOKIE = `${OWN_COOKIE_PREFIX}session`;

/** At a browser's site: the version of its state that was loaded there (4.3, rule 4). */
const STATE_COOKIE = `${OWN_COOKIE_PREFIX}state`;
/** The longest that browsers keep one. */
const STATE_SECONDS = 400 * 24 * 60 * 60;

const PLACE = 'Path=/; Secure; HttpOnly; SameSite=Lax';

// Lax and not Strict: who follows a link to a vendor's screen sees it. What changes something is held to more
// than a cookie anyway (5.3-3).
export function sessionCookie(id: string, lastsMs: number): readonly [name: string, value: string] {
  return ['set-cookie', `${SESSION_COOKIE}=${id}; ${PLACE}; Max-Age=${Math.floor(lastsMs / 1000)}`];
}

export const ENDED_COOKIE: readonly [name: string, value: string] = [
  'set-cookie',
  `${SESSION_COOKIE}=; ${PLACE}; Max-Age=0`,
];

export function stateCookie(version: string): readonly [name: string, value: string] {
  return ['set-cookie', `${STATE_COOKIE}=${version}; ${PLACE}; Max-Age=${STATE_SECONDS}`];
}

/** What of one `Cookie` field is the world's own, and the field without it; `rest` is null where nothing else was in it. */
export function takeSession(field: string): {
  readonly ids: readonly string[];
  /** The version that was loaded here, as the browser says. */
  readonly state: string | null;
  readonly rest: string | null;
} {
  const ids: string[] = [];
  const rest: string[] = [];
  let state: string | null = null;
  for (const part of field.split(';')) {
    const pair = part.trim();
    const equals = pair.indexOf('=');
    const name = equals === -1 ? '' : pair.slice(0, equals).trim();
    if (name === SESSION_COOKIE) ids.push(pair.slice(equals + 1).trim());
    else if (name === STATE_COOKIE) state = pair.slice(equals + 1).trim();
    else if (pair !== '') rest.push(pair);
  }
  return { ids, state, rest: rest.length === 0 ? null : rest.join('; ') };
}
