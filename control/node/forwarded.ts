// A request that goes on to a link's vendor (4.7): its body read as the vendor takes it, and given up when its client goes.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Admission } from '../http/site.ts';
import { REQUEST_MS_MAX } from './limits.ts';

export type Forwarding = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly expectsContinue: boolean;
  readonly send: (reply: Reply) => void;
};

export function forward(
  admission: Extract<Admission, { at: 'forwarded' }>,
  { request, response, expectsContinue, send }: Forwarding,
): void {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  if (expectsContinue && hasBody) response.writeContinue();
  if (hasBody) leaveTime(request);
  const body = hasBody ? chunksOf(request) : null;
  void admission.forward(body, gone.signal).then(reply => {
    if (hasBody && !request.readableEnded) {
      // The vendor may still be taking it, or has answered without; what it leaves nobody reads.
      response.shouldKeepAlive = false;
      response.once('finish', () => request.resume());
    }
    send(reply);
  });
}

/** Leaving off in the middle is no reason to cut the client, which has an answer coming. */
const chunksOf = (request: IncomingMessage): AsyncIterable<Uint8Array> =>
  request.iterator({ destroyOnReturn: false });

/** By server: bodies of any size that are on their way. */
const LONG = new WeakMap<Server, number>();

/**
 * A server of Node's bounds the time of a whole request, of all its requests alike; while one of these is on its way, by
 * what the vendor takes of it alone.
 */
function leaveTime(request: IncomingMessage): void {
  const { server } = request.socket as unknown as { readonly server?: Server };
  if (server === undefined) return;
  const count = (by: number): void => {
    const left = (LONG.get(server) ?? 0) + by;
    LONG.set(server, left);
    server.requestTimeout = left === 0 ? REQUEST_MS_MAX : 0;
  };
  count(1);
  request.once('close', () => count(-1));
}
