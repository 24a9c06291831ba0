// One exchange on a node:http server: the request's bytes to the site, the site's plain reply back to bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Reply, StreamCut } from '../../twins/kit/reply.ts';
import { AnswersInFlight } from '../http/answers-in-flight.ts';
import type { Arrived } from '../http/arrived.ts';
import type { Admitting } from '../http/sites.ts';
import type { Log } from '../ports/log.ts';
import { REQUEST_BODY_BYTES_MAX } from '../world/limits.ts';
import { isLoopback } from './addresses.ts';
import { sendLarge, sendStream } from './answer-body.ts';
import { forward } from './forwarded.ts';
import { ANSWER_SLICE_BYTES, DISCARDED_BODY_BYTES_MAX, FAULT_HOLD_MS_MAX } from './limits.ts';

const EMPTY = new Uint8Array(0);
/** What is answered before anybody is let in: pages and refusals. */
const NO_WORLDS = new AnswersInFlight();

export type ExchangeOptions = {
  readonly site: Admitting;
  readonly from: Arrived['from'];
  /** Whether only this machine reaches what listens; no unless told. */
  readonly loopback?: boolean;
  /** Who connects is a process of this machine that passes on what its clients ask; no unless told. */
  readonly behindFront?: boolean;
  readonly log: Log;
};

/** `expectsContinue`: the client waits for a 100 before it sends its body; it gets none if it is refused. */
export function exchange(
  options: ExchangeOptions,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): void {
  const { site, from, loopback, behindFront, log } = options;
  const method = request.method ?? 'GET';
  const local = loopback === true && (behindFront === true || isLoopback(request.socket.remoteAddress ?? ''));
  const { rawHeaders } = request;
  const admission = site.admit({ method, target: request.url ?? '/', rawHeaders, from, local });
  if (admission.at === 'opening') {
    void admission.opened.then(() => exchange(options, request, response, expectsContinue));
    return;
  }
  const inFlight = admission.at === 'answered' ? NO_WORLDS : admission.inFlight;
  const send = (reply: Reply): void => {
    if (isShort(reply)) together(() => sendNow(reply));
    else sendNow(reply);
  };
  const sendNow = (reply: Reply): void => {
    write(reply, response, { from, inFlight }).catch(error => {
      // What came before the cut still goes out.
      if (error instanceof StreamCut) return response.socket?.destroySoon();
      log.error({ err: error, method }, 'an answer could not be written');
      response.destroy();
    });
  };
  if (admission.at === 'answered') {
    discardBody(request, response, expectsContinue);
    return send(admission.reply);
  }
  if (admission.at === 'forwarded') return forward(admission, { request, response, expectsContinue, send });
  const { answer, tooLarge } = admission;
  const respond = (body: Uint8Array): void => {
    const reply = answer(body);
    if (reply instanceof Promise) void reply.then(send);
    else send(reply);
  };
  const declared = request.headers['content-length'];
  if (declared === undefined && request.headers['transfer-encoding'] === undefined) return respond(EMPTY);
  if (Number(declared) > REQUEST_BODY_BYTES_MAX) {
    discardBody(request, response, expectsContinue);
    return send(tooLarge());
  }
  if (expectsContinue) response.writeContinue();
  collectBody(request, body => {
    if (body) return respond(body);
    response.shouldKeepAlive = false;
    discardBody(request, response, false);
    send(tooLarge());
  });
}

/** Calls back once with the whole body, or with null as soon as it is over the limit; never for a client that left. */
function collectBody(request: IncomingMessage, done: (body: Uint8Array | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= REQUEST_BODY_BYTES_MAX) {
      chunks.push(chunk);
      return;
    }
    request.off('data', take);
    request.off('end', end);
    done(null);
  };
  const end = (): void => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
  request.on('data', take);
  request.on('end', end);
}

// Read on for a little, so that the client sees the answer and not a reset; then cut. A body the client holds
// back for a 100 will never come, so that connection cannot be used again.
export function discardBody(request: IncomingMessage, response: ServerResponse, heldBack: boolean): void {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (heldBack || declared > DISCARDED_BODY_BYTES_MAX) response.shouldKeepAlive = false;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > DISCARDED_BODY_BYTES_MAX) {
      request.pause();
      response.once('finish', () => request.destroy());
      if (response.writableFinished) request.destroy();
    }
  });
  request.resume();
}

/** Answers that go out at the end of the loop's turn. */
let waiting: (() => void)[] = [];

/**
 * Each answer wakes its client, and who asks next wakes us: with many clients that is a good part of what a short answer costs.
 * Those of a turn go out one after the other at its end.
 */
function together(leave: () => void): void {
  if (waiting.length === 0) setImmediate(sendWaiting);
  waiting.push(leave);
}

function sendWaiting(): void {
  const leaving = waiting;
  waiting = [];
  for (const leave of leaving) leave();
}

function isShort({ body, delayMs, fault }: Reply): boolean {
  if (fault !== undefined || (delayMs !== undefined && delayMs > 0)) return false;
  return body === null || typeof body === 'string' || body instanceof Uint8Array;
}

type Way = {
  readonly from: Arrived['from'];
  readonly inFlight: AnswersInFlight;
};

async function write(reply: Reply, response: ServerResponse, { from, inFlight }: Way): Promise<void> {
  if (reply.delayMs !== undefined && reply.delayMs > 0) await wait(reply.delayMs, response);
  // The client left while the twin answered; what it did is done and logged.
  if (response.destroyed) return;
  if (reply.fault === 'timeout') {
    await wait(FAULT_HOLD_MS_MAX, response);
    response.destroy();
    return;
  }
  if (reply.fault === 'reset') {
    // Through the proxy a cut would read as "the world is away" (502); the proxy cuts its client on this.
    if (from === 'proxy') response.writeHead(502, ['x-wrld-fault', 'reset', 'content-length', '0']).end();
    else response.socket?.resetAndDestroy();
    return;
  }
  const { body, status } = reply;
  const headers: string[] = [];
  let framed = false;
  for (const [name, value] of reply.headers) {
    const length = name.length;
    if ((length === 14 || length === 17) && /^(content-length|transfer-encoding)$/i.test(name)) {
      // RFC 9110 8.6: what has no content says no length of it, whatever a twin or a handler says.
      if (status === 204) continue;
      framed = true;
    }
    headers.push(name, value);
  }
  const bodyless = status === 204 || status === 304;
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    if (!framed && !bodyless) headers.push('content-length', String(byteLength(body)));
    response.writeHead(status, headers);
    if (bodyless || body === null) response.end();
    else if (body.length <= ANSWER_SLICE_BYTES) response.end(body);
    else await sendLarge(typeof body === 'string' ? Buffer.from(body) : body, response, inFlight);
    return;
  }
  response.writeHead(status, headers);
  // A stream's first byte may be a while; its head says already that it was accepted.
  response.flushHeaders();
  await sendStream(body, response, inFlight);
}

function byteLength(body: string | Uint8Array | null): number {
  if (body === null) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** Resolves after `ms`, or as soon as the client has left. */
function wait(ms: number, response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.once('close', done);
  });
}
