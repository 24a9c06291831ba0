// An answer as a plain value. The host writes it; nothing here knows of sockets.

export type ReplyBody = string | Uint8Array | AsyncIterable<Uint8Array> | null;

export type Reply = {
  readonly status: number;
  /** In the order they are sent, with the vendor's own spelling of names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: ReplyBody;
  /** Cut the connection instead of answering (handlers: `timeout` never answers, `reset` closes at once). */
  readonly fault?: 'timeout' | 'reset';
  /** Wait this long before the first byte. Milliseconds of wall time. */
  readonly delayMs?: number;
  /** Template of the operation that answered (`/v1/customers/{customer}`), for the report of requests. */
  readonly route?: string;
  /** Neither a handler nor an operation of the twin answered: `/twin/scenario` tells of the call, and so does the report. */
  readonly unmatched?: true;
};

/** What a streamed body throws to have its connection cut; meant, so nobody is told of it. */
export class StreamCut extends Error {
  override readonly name = 'StreamCut';
}

/** `more`: headers besides the type. */
export function jsonReply(status: number, body: unknown, more: Reply['headers'] = []): Reply {
  return { status, headers: [['Content-Type', 'application/json'], ...more], body: JSON.stringify(body) };
}

/** The same answer, with word of when to ask again: what nobody can do now is worth trying later. */
export function withRetryAfter(reply: Reply, seconds: number): Reply {
  if (reply.headers.some(([name]) => name.toLowerCase() === 'retry-after')) return reply;
  return { ...reply, headers: [...reply.headers, ['Retry-After', String(seconds)]] };
}
