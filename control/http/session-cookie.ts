// The cookie that a session lives in (5.3-1). `__Host-` is what keeps a page at a name below the world's own from
// planting one: a browser takes it only with `Secure`, `Path=/` and no `Domain`, on http://*.localhost too.
// Taken out of `Cookie` by hand: the cookie libraries give the first of two of one name, where two are refused.

export const SESSION_COOKIE = '__Host-wrld-session';

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

/** The session ids of one `Cookie` field, and the field without them; null where nothing else was in it. */
export function takeSession(field: string): {
  readonly ids: readonly string[];
  readonly rest: string | null;
} {
  const ids: string[] = [];
  const rest: string[] = [];
  for (const part of field.split(';')) {
    const pair = part.trim();
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === SESSION_COOKIE)
      ids.push(pair.slice(equals + 1).trim());
    else if (pair !== '') rest.push(pair);
  }
  return { ids, rest: rest.length === 0 ? null : rest.join('; ') };
}
