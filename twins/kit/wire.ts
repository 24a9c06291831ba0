// What the wire server of a TCP twin does in its world. Bytes, framing and TLS are the host's; what they mean is the
// twin's, which gets each as a `Call` with `via: 'stream'`: handlers may answer it, and the log and the report of
// requests hold it, as they do a call over HTTP.
import type { Reply } from './reply.ts';

export type WireAct = {
  /** Upper case; a word of the protocol (`RCPT`, `QUERY`). */
  readonly method: string;
  /** Begins with `/`; what handlers match by `path`. */
  readonly path: string;
  /** JSON where handlers should match by it; else the bytes that came. */
  readonly body: Uint8Array;
  /** What the wire server read of the bytes already, for the twin that knows its protocol (`Call.read`). */
  readonly read?: unknown;
  /** W3C trace context, where the protocol has a place for it. */
  readonly traceparent?: string;
};

/** One client's connection to a stream, as its world knows it: who asks is settled. */
export type WireSession = {
  /** One transaction, and at most one entry of the log with caller and trace. Never rejects. */
  act(act: WireAct): Promise<Reply>;
};
