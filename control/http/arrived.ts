// A request's header fields, read once: those the twin may see, and those that are ours. Every `x-wrld-…`
// field and `x-twins-key` is ours, so a client's own `x-wrld-caller` or `x-wrld-read-only` reaches no twin.
import type { CallHeaders } from '../../twins/kit/call.ts';

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
};

export type ReadHeaders = {
  readonly headers: CallHeaders;
  /** What `parseCredential` reads (5.2). The twin sees of it what is also in `headers`: Authorization. */
  readonly credentials: CallHeaders;
  /** `x-wrld-host`: the host an intercepted request was for. Only the proxy's word counts. */
  readonly host: string | undefined;
  /** A field of ours that came twice: neither value is believed. */
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
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    const value = rawHeaders[index + 1]!;
    if (name.startsWith('x-wrld-') || name === 'x-twins-key') {
      if (ours[name] !== undefined) doubled = name;
      ours[name] = value;
      continue;
    }
    if (NOT_FOR_TWINS.has(name)) continue;
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
  return { headers, credentials, host: ours['x-wrld-host'], doubled };
}
