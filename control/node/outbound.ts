// Requests that the world itself makes: webhooks, and what it asks of real vendors. Each is judged by the same policy as
// an app's request, and the address that was judged is the address that is dialled.
import { lookup } from 'node:dns/promises';
import type { ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { classifyAddress } from '../../policy/authority.ts';
import type { Permit } from '../../policy/decision.ts';
import { judgeOutgoing, type OutgoingJudgement } from '../../policy/outgoing.ts';
import type { Snapshot } from '../../policy/snapshot.ts';
import { http } from '../../process/http.ts';
import type {
  Outbound,
  OutboundAnswer,
  OutboundBody,
  OutboundFailure,
  OutboundRequest,
} from '../ports/outbound.ts';
import { AnswerBody } from './outbound-answer.ts';

type Failure = Omit<OutboundFailure, 'ms'>;

/** Nothing of it has left this machine. */
const unsent = (why: string): Failure => ({ ok: false, refused: false, sent: false, why });
const refusedBy = (why: string): Failure => ({ ok: false, refused: true, sent: false, why });

type Permitted = Extract<OutgoingJudgement, { ok: true }>;

type Resolved = { readonly ok: true; readonly addresses: readonly string[] } | Failure;

/** Every address of a name, asked of the system. */
export type Resolver = (host: string) => Promise<readonly string[]>;

const systemResolver: Resolver = async host =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** What outgoing requests are judged by. */
export type PolicyInForce = {
  /** Now. */
  readonly snapshot: Snapshot;
  /** Resolves when it is more than that nothing could be read yet. */
  readonly inForce: Promise<void>;
};

export function openOutbound(policy: PolicyInForce, resolver: Resolver = systemResolver): Outbound {
  const ready = (): Promise<void> | null => (policy.snapshot.unread === null ? null : policy.inForce);
  return {
    ready,
    send: async request => {
      // What nobody can judge yet is no refusal: it waits.
      await ready();
      const start = performance.now();
      const result = await send(request, policy.snapshot, resolver);
      return { ...result, ms: Math.round(performance.now() - start) };
    },
  };
}

type Sent = Omit<OutboundAnswer, 'ms'> | Failure;

async function send(request: OutboundRequest, snapshot: Snapshot, resolver: Resolver): Promise<Sent> {
  const judged = judgeOutgoing(request, snapshot);
  if (!judged.ok) return { ...judged, sent: false };
  using patience = new Patience(request);
  const resolved = await Promise.race([resolve(judged.permit, resolver), patience.over]);
  if (resolved === null) return unsent(patience.why);
  if (!resolved.ok) return resolved;
  return await exchange(request, judged, resolved.addresses, patience);
}

/** Until the head of the answer: when it has taken too long, and when whoever asks wants it no more. */
class Patience implements Disposable {
  readonly #late = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #ms: number;
  readonly #given: AbortSignal | undefined;
  readonly signal: AbortSignal;
  readonly over: Promise<null>;

  constructor({ timeoutMs, signal }: OutboundRequest) {
    this.#ms = timeoutMs;
    this.#given = signal;
    this.#timer = setTimeout(() => this.#late.abort(), timeoutMs).unref();
    this.signal = signal === undefined ? this.#late.signal : AbortSignal.any([this.#late.signal, signal]);
    this.over = whenAborted(this.signal);
  }

  /** Something was taken: it is waited for anew. */
  renew(): void {
    this.#timer.refresh();
  }

  get why(): string {
    return this.#given?.aborted === true ? 'It was given up.' : `No answer within ${this.#ms} ms.`;
  }

  [Symbol.dispose](): void {
    // From here on the reader of the answer has his own time.
    clearTimeout(this.#timer);
  }
}

/** Resolves at the head of the answer. */
async function exchange(
  request: OutboundRequest,
  { permit, path, host }: Permitted,
  addresses: readonly string[],
  patience: Patience,
): Promise<Sent> {
  const { promise, resolve: done } = Promise.withResolvers<Sent>();
  let outgoing: ClientRequest;
  let sent = false;
  const failed = (why: string): void => done({ ok: false, refused: false, sent, why });
  try {
    outgoing = (permit.scheme === 'https' ? httpsRequest : http.request)({
      host: permit.host,
      port: permit.port,
      path,
      method: request.method,
      headers: [...headersOf(request), 'Host', host, 'Connection', 'close'],
      // A connection of its own: one kept alive would outlive the judgement of its address.
      agent: false,
      lookup: judgedAddresses(addresses),
      signal: patience.signal,
      // An address is no server name (RFC 6066 3).
      ...(permit.scheme === 'https' && isIP(permit.host) === 0 ? { servername: permit.host } : {}),
    });
  } catch (error) {
    return unsent(reason(error));
  }
  outgoing.on('socket', socket => {
    // Before that there is nobody to have got anything; after it, nobody can say.
    const ready = permit.scheme === 'https' ? 'secureConnect' : 'connect';
    (socket as TLSSocket).once(ready, () => {
      sent = true;
    });
  });
  outgoing.on('response', response => {
    const { signal } = request;
    const giveUp = (): void => void outgoing.destroy();
    signal?.addEventListener('abort', giveUp, { once: true });
    response.once('close', () => signal?.removeEventListener('abort', giveUp));
    const body = new AnswerBody(outgoing, response, request.timeoutMs);
    // A redirect is an answer like any other: it is not followed (a vendor does not either).
    done({
      ok: true,
      status: response.statusCode ?? 0,
      headers: pairs(response.rawHeaders),
      body,
      discard: () => body.discard(),
    });
  });
  outgoing.on('error', error => failed(patience.signal.aborted ? patience.why : reason(error)));
  outgoing.on('close', () => failed('The connection closed.'));
  write(request.body, outgoing, () => patience.renew());
  return promise;
}

const OURS_TO_SET = /^(host|content-length|connection|transfer-encoding|upgrade)$/i;
/** Without a body these say that they have none. */
const BODY_EXPECTED = /^(POST|PUT|PATCH)$/;

function headersOf({ headers, method, body, bodyBytes }: OutboundRequest): readonly string[] {
  const given = headers.filter(([name]) => !OURS_TO_SET.test(name)).flat();
  if (body === null) return BODY_EXPECTED.test(method) ? [...given, 'Content-Length', '0'] : given;
  if (typeof body === 'string') return [...given, 'Content-Length', String(Buffer.byteLength(body))];
  if (body instanceof Uint8Array) return [...given, 'Content-Length', String(body.length)];
  if (bodyBytes !== undefined) return [...given, 'Content-Length', String(bodyBytes)];
  return [...given, 'Transfer-Encoding', 'chunked'];
}

function write(body: OutboundBody, outgoing: ClientRequest, taken: () => void): void {
  if (body === null) return void outgoing.end();
  if (typeof body === 'string' || body instanceof Uint8Array) return void outgoing.end(body);
  // What goes wrong on either side ends the request, which tells of it.
  pipeline(Readable.from(counted(body, taken), { objectMode: false }), outgoing, () => {});
}

/** Asked for more only when the destination has room. */
async function* counted(body: AsyncIterable<Uint8Array>, taken: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    taken();
    yield chunk;
  }
  taken();
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, n) => [raw[2 * n]!, raw[2 * n + 1]!] as const);
}

/** One look-up. A name that leads into the machine is refused unless the permit says that this is meant. */
async function resolve(permit: Permit, resolver: Resolver): Promise<Resolved> {
  if (permit.address !== null) return { ok: true, addresses: [permit.address] };
  if (isIP(permit.host) !== 0) return { ok: true, addresses: [permit.host] };
  let addresses: readonly string[];
  try {
    addresses = await resolver(permit.host);
  } catch (error) {
    return unsent(reason(error));
  }
  const inside = permit.outside === true ? isNotPublic : isInside;
  const allowed = permit.loopback ? addresses : addresses.filter(address => !inside(address));
  if (allowed.length > 0) return { ok: true, addresses: allowed };
  const whose = permit.outside === true ? 'of this machine’s own networks' : 'of this machine’s own';
  return refusedBy(
    `not-granted: ${permit.host} leads to ${addresses[0] ?? 'no address'}, an address ${whose}; pin it in runtime.extraHosts if that is meant.`,
  );
}

function isInside(address: string): boolean {
  const kind = classifyAddress(address);
  return kind === 'loopback' || kind === 'unspecified' || kind === 'link-local' || kind === 'metadata';
}

/** A private address too: whoever sets a root or a link is not always who the machine's network belongs to. */
function isNotPublic(address: string): boolean {
  return classifyAddress(address) !== 'public';
}

/** Answers every look-up with what was judged, whatever DNS says by now. */
function judgedAddresses(addresses: readonly string[]): LookupFunction {
  const all = addresses.map(address => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };
}

function whenAborted(signal: AbortSignal): Promise<null> {
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

/** The system's code where there is one; a message may hold more than a log should. */
function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
