// The newest requests to twins with their answers, whole, in memory: for whoever looks into a world while an app works in
// it. What the log keeps is what changed; a read changes nothing, and its answer is nowhere else. A request costs one entry
// of a map, and no copy: bodies are held as they are, and are masked when somebody looks.
import type { Call } from '../../../twins/kit/call.ts';
import type { Reply, ReplyBody } from '../../../twins/kit/reply.ts';
import { EXCHANGE_BODY_BYTES_MAX, EXCHANGES_BYTES_MAX, KEPT_REQUESTS_MAX } from '../limits.ts';

/** `pieces`: as far as they were sent; null for a body that is longer than what is kept. */
export type KeptBody = { bytes: number; pieces: (Uint8Array | string)[] | null };

export type Exchange = {
  readonly call: Pick<Call, 'via' | 'method' | 'host' | 'path' | 'query' | 'headers'>;
  readonly asked: KeptBody;
  readonly status: number;
  readonly headers: Reply['headers'];
  readonly answered: KeptBody;
};

export class Exchanges {
  /** By the span of the call, oldest first. */
  readonly #kept = new Map<string, Exchange>();
  #bytes = 0;

  of(span: string): Exchange | undefined {
    return this.#kept.get(span);
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  /** The same answer; of one that is a stream, what is sent of it is heard. */
  keep(call: Call, reply: Reply): Reply {
    // What came over a wire of its own, or as a line of a batch, is no exchange that somebody had.
    if (call.via === 'stream' || call.via === 'batch') return reply;
    const { body } = reply;
    const exchange = exchangeOf(call, reply);
    const { spanId } = call.trace;
    this.#kept.set(spanId, exchange);
    this.#bytes += bytesOf(exchange);
    this.#sweep();
    return isStream(body) ? { ...reply, body: this.#heard(body, spanId, exchange) } : reply;
  }

  #sweep(): void {
    for (const [span, oldest] of this.#kept) {
      if (this.#kept.size <= KEPT_REQUESTS_MAX && this.#bytes <= EXCHANGES_BYTES_MAX) return;
      this.#kept.delete(span);
      this.#bytes -= bytesOf(oldest);
    }
  }

  #hear(piece: Uint8Array, span: string, exchange: Exchange): void {
    const { answered } = exchange;
    // One that was swept meanwhile is nobody's to look at.
    const counts = this.#kept.get(span) === exchange;
    if (counts) this.#bytes -= bytesOf(exchange);
    answered.bytes += piece.byteLength;
    if (answered.bytes > EXCHANGE_BODY_BYTES_MAX || !counts) answered.pieces = null;
    else answered.pieces?.push(piece.slice());
    if (!counts) return;
    this.#bytes += bytesOf(exchange);
    this.#sweep();
  }

  #heard(body: AsyncIterable<Uint8Array>, span: string, exchange: Exchange): AsyncIterable<Uint8Array> {
    return {
      [Symbol.asyncIterator]: () => {
        const pieces = body[Symbol.asyncIterator]();
        return {
          next: async () => {
            const piece = await pieces.next();
            if (piece.done !== true) this.#hear(piece.value, span, exchange);
            return piece;
          },
          return: async value => (await pieces.return?.(value)) ?? { done: true, value },
        };
      },
    };
  }
}

/** As far as it is known when the answer begins: of a stream, no bytes yet. */
export const exchangeOf = (call: Call, { status, headers, body, fault }: Reply): Exchange => {
  const { via, method, host, path, query, headers: sent } = call;
  return {
    call: { via, method, host, path, query, headers: sent },
    asked: keptBody(call.body),
    status: fault === undefined ? status : 0,
    headers,
    answered: keptBody(isStream(body) ? null : body),
  };
};

const isStream = (body: ReplyBody): body is AsyncIterable<Uint8Array> =>
  body !== null && typeof body === 'object' && !(body instanceof Uint8Array);

/** Of a text its characters stand for its bytes: it is a bound, and nothing is encoded for it. */
const keptBody = (body: string | Uint8Array | null): KeptBody => {
  const bytes = body?.length ?? 0;
  if (body === null || bytes === 0) return { bytes, pieces: [] };
  return { bytes, pieces: bytes > EXCHANGE_BODY_BYTES_MAX ? null : [body] };
};

const bytesOf = ({ asked, answered }: Exchange): number => sizeOf(asked) + sizeOf(answered);

const sizeOf = ({ bytes, pieces }: KeptBody): number => (pieces === null ? 0 : bytes);
