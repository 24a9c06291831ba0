// Who may do what (5.1, 5.2, 5.4, 5.6), as one table. A route names its access; nothing else judges an asker.

/** Whom a credential stands for, once it is known to be one of this world's. */
export type Asker = {
  readonly by: 'token' | 'key' | 'session';
  readonly scope: 'write' | 'read';
  /** As the log names it (4.9): `key:<name>`, `person:<who>`, `token`, `token:read`. */
  readonly caller: string;
  /** The subject of the person behind a key or a pass's session; null where there is none. */
  readonly person: string | null;
};

/**
 * What a route opens to. `open` and `keyless` ask for no credential, `sign-in` judges what came by rules of its own
 * (5.3), and `vendor` is judged per request (5.4).
 */
export type Access =
  | 'open'
  | 'keyless'
  | 'sign-in'
  | 'session'
  | 'vendor'
  | 'read'
  | 'write'
  | 'rules'
  | 'seal'
  | 'keys'
  | 'page'
  | 'token'
  | 'admin';

type Standing = `${Asker['by']}:${Asker['scope']}`;

const EVERYONE = null;

/** The standings each access opens to; `EVERYONE` without any credential. */
export const MAY: { readonly [access in Access]: readonly Standing[] | typeof EVERYONE } = {
  open: EVERYONE,
  // `…/ingest`: the vendor's signature is the credential.
  keyless: EVERYONE,
  // `POST …/session`, which is where somebody becomes one who is known.
  'sign-in': EVERYONE,
  // `DELETE …/session`.
  session: ['session:write', 'session:read'],
  // 5.4 narrows this by method for the standings that end in `read`.
  vendor: ['token:write', 'token:read', 'key:write', 'key:read', 'session:write', 'session:read'],
  // Endpoints marked `read token: yes`.
  read: ['token:write', 'token:read', 'key:write', 'key:read', 'session:write', 'session:read'],
  write: ['token:write', 'key:write', 'session:write'],
  // A key is answered 403 by these three, whatever its scope.
  rules: ['token:write', 'session:write'],
  seal: ['token:write', 'session:write'],
  keys: ['token:write', 'session:write'],
  // What only a person does, at the world's own page: a grant.
  page: ['session:write'],
  // `DELETE …/keys?person=` and `POST …/rotate`.
  token: ['token:write'],
  // Endpoints of a host of many worlds (4.10), which nothing of a world opens.
  admin: [],
};

export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly status: 401 | 403;
      readonly code: 'unauthenticated' | 'read-only' | 'not-for-this-credential' | 'not-same-origin';
      readonly message: string;
    };

const PASS: Verdict = { ok: true };

const UNAUTHENTICATED: Verdict = {
  ok: false,
  status: 401,
  code: 'unauthenticated',
  message:
    'This needs one of the world’s tokens: header x-wrld-token or x-twins-key, a bearer, or the password of Basic. ' +
    'The tokens are in .wrld/token of the world’s folder.',
};

const READ_ONLY: Verdict = {
  ok: false,
  status: 403,
  code: 'read-only',
  message: 'The credential reads only; this needs write access.',
};

const NOT_THIS: Verdict = {
  ok: false,
  status: 403,
  code: 'not-for-this-credential',
  message: 'This credential does not open this; it needs the world’s token, or a session where one is meant.',
};

export const NOT_SAME_ORIGIN: Verdict = {
  ok: false,
  status: 403,
  code: 'not-same-origin',
  message:
    'What a session carries and is not a read comes from the world’s own page: Sec-Fetch-Site: same-origin.',
};

export function judge(access: Access, asker: Asker | null): Verdict {
  const may = MAY[access];
  if (may === EVERYONE) return PASS;
  if (asker === null) return UNAUTHENTICATED;
  if (may.includes(`${asker.by}:${asker.scope}`)) return PASS;
  return asker.scope === 'read' ? READ_ONLY : NOT_THIS;
}

/** 5.4: at a twin that does not enforce the read scope itself, a reader's GET and HEAD pass and nothing else. */
export function judgeVendorCall(asker: Asker | null, method: string, enforcesRead: boolean): Verdict {
  const verdict = judge('vendor', asker);
  if (!verdict.ok || asker?.scope !== 'read') return verdict;
  return isRead(method) || enforcesRead ? PASS : READ_ONLY;
}

/**
 * 5.3-3. Worlds under one suffix are one site to a browser, so that `SameSite` does not keep one from writing with
 * another's cookie: this does. `site`: the value of `Sec-Fetch-Site`, which no page can set.
 */
export function judgeCarried(asker: Asker | null, method: string, site: FetchSite): Verdict {
  if (asker?.by !== 'session' || isRead(method)) return PASS;
  return site === 'same-origin' ? PASS : NOT_SAME_ORIGIN;
}

/** A field that came twice has two values, and is neither. */
export type FetchSite = string | readonly string[] | undefined;

/**
 * What a vendor call may do. A read that a session carries from anywhere else than the world's own page, such as a
 * link from another site, changes nothing, whatever the vendor does on a GET.
 */
export function scopeOf(asker: Asker | null, method: string, site: FetchSite): Asker['scope'] {
  if (asker === null) return 'read';
  return asker.by === 'session' && isRead(method) && site !== 'same-origin' ? 'read' : asker.scope;
}

/** Whether a request that was let in spends of the world's request budget (8): the open pages and signing in do not. */
export function isCounted(access: Access): boolean {
  return access !== 'open' && access !== 'sign-in';
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
