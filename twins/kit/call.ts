// A request to a twin or to one of the world's endpoints, as a plain value: no Node class, no Web class, so
// that every host mounts the same code.

import type { HandlerReply } from './handlers.ts';

/** Header names are lower case; a field that came more than once has its values in order. */
export type CallHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/**
 * In `Authorization`, where the world's own credential came in it. It is of the form of our tokens: by it a twin knows that
 * the world has let the caller in.
 */
export const HIDDEN_CREDENTIAL = 'tok_wrld';

/** W3C trace context of the call. `spanId` is the id the world minted for it; `parentId` is the sender's span. */
export type Trace = {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  readonly parentId: string | null;
};

export type Call = {
  /** Upper case. */
  readonly method: string;
  /** The host the client asked for, canonical (`api.stripe.com`), or the world's own host. */
  readonly host: string;
  /**
   * `host`: intercepted at the vendor's own host. `url`: under the twin's place in the world's base URL. `stream`: from
   * the twin's own wire server (wire.ts), which no client can pretend to be. `batch`: a line of a batch, which the twin
   * asks of itself; what it is answered is in the batch's results.
   */
  readonly via: 'host' | 'url' | 'stream' | 'batch';
  /** Begins with `/`; no query; dot segments resolved, escapes as sent. */
  readonly path: string;
  /** Without the `?`; empty when there is none. */
  readonly query: string;
  readonly headers: CallHeaders;
  /** Whole; at most `REQUEST_BODY_BYTES_MAX`. */
  readonly body: Uint8Array;
  /** Who asked, as the log names it (4.9): `key:<name>`, `person:<who>`, `token`, `token:read`. */
  readonly caller: string | null;
  readonly scope: 'write' | 'read';
  /** What whoever asks may do at all: a read that came from another site has a narrower `scope` (5.3-3). */
  readonly may?: 'write' | 'read';
  /** The world's own credential came with it, or a session: it needs no key of the vendor's (5.2). */
  readonly letIn?: boolean;
  readonly trace: Trace;
  /** When it came, before it was whole: of `performance`, milliseconds. What is timed by a recording counts from there. */
  readonly cameAt?: number;
  /** What is answered in the place of handlers and twin, in a handler's words: a test says so. */
  readonly said?: HandlerReply;
  /** What a wire server read of the bytes (`WireAct.read`); of calls `via: 'stream'` alone. */
  readonly read?: unknown;
};
