// What a client asked for, in the neutral words that `decide` judges. The proxy builds one per request.
import type { Authority, Unreadable } from './authority.ts';
import type { Run } from './run.ts';

/** How the request reaches the proxy. `raw`: bytes that are no HTTP request; `upgrade`: HTTP/1.1 with `Upgrade`. */
export type Transport = 'http1' | 'http2' | 'upgrade' | 'raw';

export type Scheme = 'http' | 'https';

/**
 * A root or a link of a world, in whose name control asks the real vendor (2.8, 4.7); or a recording, which sends on what an
 * app asked a twin. `name`: the twin's, or the link's. Nothing that a client sends makes one.
 */
export type VendorCaller = {
  readonly by: 'root' | 'link' | 'recording';
  /** `<org>/<world>`. */
  readonly world: string;
  readonly name: string;
};

export type Ask = {
  /** Upper-case request method; `CONNECT` for `raw`. */
  readonly method: string;
  readonly scheme: Scheme;
  /** Whom the client named, parsed once per tunnel by `parseAuthority`. */
  readonly authority: Authority | Unreadable;
  /** The request target as it arrived (origin form, with its query); never decoded before it is judged. */
  readonly path: string;
  /** Other paths that the request asks to be served in its place, as fields have them (`X-Original-URL`). */
  readonly otherPaths?: readonly string[];
  readonly transport: Transport;
  /** The run that asks, with the declaration it carries. */
  readonly run: Run;
  /** True when the request came in through the guest listener. */
  readonly guest: boolean;
  /** Absent for whatever a program of the world asks. */
  readonly as?: VendorCaller;
};
