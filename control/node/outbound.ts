// Requests that the world itself makes: webhooks, and what it asks of real vendors. Each is judged by the same policy as
// an app's request, and the address that was judged is the address that is dialled.
import { lookup } from 'node:dns/promises';
import type { ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { classifyAddress, formatAuthority, parseAuthority, schemePort } from '../../policy/authority.ts';
import { decide } from '../../policy/decide.ts';
import type { Permit } from '../../policy/decision.ts';
import { DEFAULT_RUN } from '../../policy/run.ts';
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

type Judged =
  | { readonly ok: true; readonly permit: Permit; readonly path: string; readonly host: string }
  | Failure;

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
  const judged = judge(request, snapshot);
  if (!judged.ok) return judged;
  const deadline = new AbortController();
  const late = setTimeout(() => deadline.abort(), request.timeoutMs).unref();
  try {
    const resolved = await Promise.race([resolve(judged.permit, resolver), whenAborted(deadline.signal)]);
    if (resolved === null) return noAnswer(request);
    if (!resolved.ok) return resolved;
    return await exchange(request, judged, resolved.addresses, deadline.signal);
  } finally {
    // From here on the reader of the answer has his own time.
    clearTimeout(late);
  }
}

/** Resolves at the head of the answer. */
async function exchange(
  request: OutboundRequest,
  { permit, path, host }: Extract<Judged, { ok: true }>,
  addresses: readonly string[],
  deadline: AbortSignal,
): Promise<Sent> {
  const { promise, resolve: done } = Promise.withResolvers<Sent>();
  let outgoing: ClientRequest;
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
      signal: deadline,
      // An address is no server name (RFC 6066 3).
      ...(permit.scheme === 'https' && isIP(permit.host) === 0 ? { servername: permit.host } : {}),
    });
  } catch (error) {
    return { ok: false, refused: false, why: reason(error) };
  }
  outgoing.on('response', response => {
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
  outgoing.on('error', error =>
    done(deadline.aborted ? noAnswer(request) : { ok: false, refused: false, why: reason(error) }),
  );
  outgoing.on('close', () => done({ ok: false, refused: false, why: 'The connection closed.' }));
  write(request.body, outgoing);
  return promise;
}

const OURS_TO_SET = /^(host|content-length|connection|transfer-encoding|upgrade)$/i;
/** Without a body these say that they have none. */
const BODY_EXPECTED = /^(POST|PUT|PATCH)$/;

function headersOf({ headers, method, body }: OutboundRequest): readonly string[] {
  const given = headers.filter(([name]) => !OURS_TO_SET.test(name)).flat();
  if (body === null) return BODY_EXPECTED.test(method) ? [...given, 'Content-Length', '0'] : given;
  if (typeof body === 'string') return [...given, 'Content-Length', String(Buffer.byteLength(body))];
  if (body instanceof Uint8Array) return [...given, 'Content-Length', String(body.length)];
  return [...given, 'Transfer-Encoding', 'chunked'];
}

function write(body: OutboundBody, outgoing: ClientRequest): void {
  if (body === null) return void outgoing.end();
  if (typeof body === 'string' || body instanceof Uint8Array) return void outgoing.end(body);
  // What goes wrong on either side ends the request, which tells of it.
  pipeline(Readable.from(body, { objectMode: false }), outgoing, () => {});
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, n) => [raw[2 * n]!, raw[2 * n + 1]!] as const);
}

function judge(request: OutboundRequest, snapshot: Snapshot): Judged {
  if (request.method === 'CONNECT') return { ok: false, refused: false, why: 'A request is no tunnel.' };
  const parts = /^(https?):\/\/([^/?#]*)(.*)$/is.exec(request.url);
  const scheme = parts?.[1]?.toLowerCase() === 'https' ? 'https' : 'http';
  const named = parts?.[2] ?? '';
  const rest = parts?.[3] ?? '';
  const authority = parseAuthority(named.slice(named.lastIndexOf('@') + 1), schemePort(scheme));
  if (!parts || !authority.ok)
    return { ok: false, refused: false, why: 'The address is no http or https URL.' };
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const decision = decide(
    { method: request.method, scheme, authority, path, transport: 'http1', run: DEFAULT_RUN, guest: false },
    snapshot,
  );
  switch (decision.to) {
    case 'refuse':
      return { ok: false, refused: true, why: `${decision.refusal.rule}: ${decision.refusal.reason}` };
    case 'twin':
      return {
        ok: false,
        refused: false,
        why: `The host belongs to the twin ${decision.vendor}, which takes no webhooks.`,
      };
    case 'tunnel':
    case 'stream':
      return { ok: false, refused: false, why: 'The destination takes no HTTP requests.' };
    case 'world':
    case 'app':
    case 'service':
    case 'egress':
      return {
        ok: true,
        permit: decision.permit,
        path: decision.path,
        host: formatAuthority(authority, scheme),
      };
  }
}

/** One look-up. A name that leads into the machine is refused unless the permit says that this is meant. */
async function resolve(permit: Permit, resolver: Resolver): Promise<Resolved> {
  if (permit.address !== null) return { ok: true, addresses: [permit.address] };
  if (isIP(permit.host) !== 0) return { ok: true, addresses: [permit.host] };
  let addresses: readonly string[];
  try {
    addresses = await resolver(permit.host);
  } catch (error) {
    return { ok: false, refused: false, why: reason(error) };
  }
  const allowed = permit.loopback ? addresses : addresses.filter(address => !isInside(address));
  if (allowed.length > 0) return { ok: true, addresses: allowed };
  const why = `${permit.host} leads to ${addresses[0]}, an address of this machine’s own; pin it in runtime.extraHosts if that is meant.`;
  return { ok: false, refused: true, why: `not-granted: ${why}` };
}

function isInside(address: string): boolean {
  const kind = classifyAddress(address);
  return kind === 'loopback' || kind === 'unspecified' || kind === 'link-local' || kind === 'metadata';
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

function noAnswer(request: OutboundRequest): Failure {
  return { ok: false, refused: false, why: `No answer within ${request.timeoutMs} ms.` };
}

/** The system's code where there is one; a message may hold more than a log should. */
function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
