// A request's header fields, read once: what the twin may see of them, and which are ours. Every `x-wrld-…`
// field, `x-twins-key` and the session's cookie are ours, so a client's own `x-wrld-caller` or `x-wrld-read-only`
// reaches no twin, and no session does.
import { type CallHeaders, HIDDEN_CREDENTIAL } from '../../twins/kit/call.ts';
import { OWN_COOKIE_PREFIX } from '../world/browsers/loading.ts';
import { SESSION_COOKIE, takeSession } from './session-cookie.ts';

export type Arrived = {
  readonly method: string;
  /** As it came on the request line. */
  readonly target: string;
  /** Names and values in turn, as they came; duplicates kept. */
  readonly rawHeaders: readonly string[];
  /**
   * `proxy`: over a channel that only the world's own proxy can open. Its `x-wrld-host` is then believed, and
   * with it the call needs no credential: that the app uses this proxy is what lets it in.
   */
  readonly from: 'client' | 'proxy';
  /**
   * Whether it came from a loopback address of this machine, over a listener that only this machine can reach
   * (5.3-4). What the request says of itself has no part in it. Absent: no.
   */
  readonly local?: boolean;
};

/** The host that a request names, with its port; empty where it names none. */
export function hostOf(rawHeaders: readonly string[]): string {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') return rawHeaders[index + 1]!.toLowerCase();
  }
  return '';
}

export type ReadHeaders = {
  readonly headers: CallHeaders;
  /** What `parseCredential` reads (5.2). */
  readonly credentials: CallHeaders;
  /** The value of the session's cookie. */
  readonly session: string | null;
  /** The version of a browser's state that its cookie says was loaded. */
  readonly state: string | null;
  /** `x-wrld-pass` (5.3-7). */
  readonly pass: string | undefined;
  /** `x-wrld-host`: the host an intercepted request was for. Only the proxy's word counts. */
  readonly host: string | undefined;
  /** `x-wrld-vendor-host`: for which of the vendor's hosts a program asks by the vendor's URL here (docs/attach.md, tabs). */
  readonly vendorHost: string | undefined;
  /** The proxy passed it on, as a request for the world's own endpoints. Anybody may say so, to their own loss. */
  readonly through: boolean;
  /** A field of ours, or the session's cookie, that came twice: neither value is believed. */
  readonly doubled: string | null;
};

// Of the connection, and none of the twin's business; the password of a proxy URL is a credential besides.
const NOT_FOR_TWINS = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'upgrade',
]);

export function readHeaders(rawHeaders: readonly string[]): ReadHeaders {
  // Without a prototype: a field named `__proto__` or `constructor` is a field like any other.
  const headers: { [name: string]: string | string[] } = Object.create(null);
  const ours: { [name: string]: string } = Object.create(null);
  let doubled: string | null = null;
  let session: string | null = null;
  let state: string | null = null;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    let value = rawHeaders[index + 1]!;
    if (name.startsWith('x-wrld-') || name === 'x-twins-key') {
      if (ours[name] !== undefined) doubled = name;
      ours[name] = value;
      continue;
    }
    if (NOT_FOR_TWINS.has(name)) continue;
    if (name === 'cookie' && value.includes(OWN_COOKIE_PREFIX)) {
      const { ids, rest, ...said } = takeSession(value);
      state = said.state ?? state;
      for (const id of ids) {
        if (session !== null) doubled = SESSION_COOKIE;
        session = id;
      }
      if (rest === null) continue;
      value = rest;
    }
    const there = headers[name];
    if (there === undefined) headers[name] = value;
    else if (typeof there === 'string') headers[name] = [there, value];
    else there.push(value);
  }
  const credentials: CallHeaders = {
    'x-wrld-token': ours['x-wrld-token'],
    'x-twins-key': ours['x-twins-key'],
    authorization: headers['authorization'],
  };
  return {
    headers,
    credentials,
    session,
    state,
    pass: ours['x-wrld-pass'],
    host: ours['x-wrld-host'],
    vendorHost: ours['x-wrld-vendor-host'],
    through: ours['x-wrld-through'] !== undefined,
    doubled,
  };
}

/**
 * The headers with a stand-in for a credential of ours in `Authorization`: a twin still sees that one came, and in
 * which form, but never the world's own (5.1).
 */
export function withoutCredential(headers: CallHeaders): CallHeaders {
  const { authorization } = headers;
  if (typeof authorization !== 'string') return headers;
  const [scheme = ''] = authorization.trim().split(' ', 1);
  const basic = scheme.toLowerCase() === 'basic';
  const hidden = `${scheme} ${basic ? btoa(`:${HIDDEN_CREDENTIAL}`) : HIDDEN_CREDENTIAL}`;
  return Object.assign(Object.create(null), headers, { authorization: hidden });
}
