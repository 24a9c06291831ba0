// Requests that a world itself makes, by `fetch`: judged by the world's policy before anything is sent, and no redirect is
// followed. What a name leads to is the platform's to see: a worker's requests reach public addresses alone.

import type {
  Outbound,
  OutboundAnswer,
  OutboundBody,
  OutboundFailure,
  OutboundRequest,
} from '../control/ports/outbound.ts';
import { parseAuthority, schemePort } from '../policy/authority.ts';
import { judgeOutgoing } from '../policy/outgoing.ts';
import type { Snapshot } from '../policy/snapshot.ts';

type Result = Omit<OutboundAnswer, 'ms'> | Omit<OutboundFailure, 'ms'>;

/** Set by the platform, or of the connection. */
const NOT_OURS = /^(host|content-length|connection|transfer-encoding|upgrade)$/i;

export const openOutbound = (snapshot: () => Snapshot): Outbound => ({
  ready: () => null,
  send: async request => {
    const start = Date.now();
    const result = await send(request, snapshot());
    return { ...result, ms: Date.now() - start };
  },
});

async function send(request: OutboundRequest, snapshot: Snapshot): Promise<Result> {
  const judged = judgeOutgoing(request, snapshot);
  if (!judged.ok) return { ...judged, sent: false };
  const { permit, path, host } = judged;
  const named = parseAuthority(host, schemePort(permit.scheme));
  if (!named.ok || (named.class !== 'name' && named.class !== 'public'))
    return {
      ok: false,
      refused: true,
      sent: false,
      why: `not-granted: ${permit.host} is no public address; a world on the edge asks nobody else.`,
    };
  const patience = new Patience(request);
  const headers = new Headers();
  try {
    for (const [name, value] of request.headers) if (!NOT_OURS.test(name)) headers.append(name, value);
    const answer = await fetch(`${permit.scheme}://${host}${path}`, {
      method: request.method,
      headers,
      redirect: 'manual',
      signal: patience.signal,
      body: bodyOf(request.body, request.bodyBytes, () => patience.renew()),
    });
    return answerOf(answer, request, patience);
  } catch (error) {
    patience.end();
    // Nobody can say how far it came.
    return { ok: false, refused: false, sent: true, why: patience.why ?? reason(error) };
  }
}

/** Until the head of the answer, and then between two parts of its body. */
class Patience {
  readonly #late = new AbortController();
  readonly #ms: number;
  readonly #given: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout>;
  readonly signal: AbortSignal;

  constructor({ timeoutMs, signal }: OutboundRequest) {
    this.#ms = timeoutMs;
    this.#given = signal;
    this.#timer = setTimeout(() => this.#late.abort(), timeoutMs);
    this.signal = signal === undefined ? this.#late.signal : AbortSignal.any([this.#late.signal, signal]);
  }

  /** Something came or was taken: it is waited for anew. */
  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#late.abort(), this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  giveUp(): void {
    this.end();
    this.#late.abort();
  }

  /** Null while nothing has been given up. */
  get why(): string | null {
    if (this.#given?.aborted === true) return 'It was given up.';
    return this.#late.signal.aborted ? `No answer within ${this.#ms} ms.` : null;
  }
}

function answerOf(answer: Response, { timeoutMs }: OutboundRequest, patience: Patience): Result {
  patience.end();
  // Its body is read without the encoding it came in.
  const decoded = answer.headers.has('content-encoding');
  const headers = [...answer.headers].filter(
    ([name]) =>
      name !== 'set-cookie' && !(decoded && (name === 'content-encoding' || name === 'content-length')),
  );
  for (const cookie of answer.headers.getSetCookie()) headers.push(['set-cookie', cookie]);
  return {
    ok: true,
    status: answer.status,
    headers: headers as [string, string][],
    body: chunksOf(answer.body, timeoutMs, patience),
    discard: () => {
      patience.giveUp();
      void answer.body?.cancel().catch(() => {});
    },
  };
}

async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  timeoutMs: number,
  patience: Patience,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      patience.renew();
      const { done, value } = await reader.read();
      patience.end();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw patience.why === null ? error : new Error(`No bytes within ${timeoutMs} ms.`);
  } finally {
    patience.end();
    // Left before its end.
    await reader.cancel().catch(() => {});
  }
}

function bodyOf(body: OutboundBody, bytes: number | undefined, taken: () => void): BodyInit | null {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return body;
  const chunks = body[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        taken();
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return?.()),
    },
    { highWaterMark: 0 },
  );
  return bytes === undefined ? stream : stream.pipeThrough(new FixedLengthStream(bytes));
}

/** No more than its name: a message may quote the address with what is secret in it. */
function reason(error: unknown): string {
  return error instanceof Error ? `The destination did not answer (${error.name}).` : 'It did not answer.';
}
