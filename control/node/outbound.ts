// What the world itself sends: webhook deliveries. Each is judged by the same policy as an app's request, and
// the address that was judged is the address that is dialled.
import { lookup } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { classifyAddress, formatAuthority, parseAuthority, schemePort } from '../../policy/authority.ts';
import { decide } from '../../policy/decide.ts';
import type { Permit } from '../../policy/decision.ts';
import { DEFAULT_RUN } from '../../policy/run.ts';
import type { Snapshot } from '../../policy/snapshot.ts';
import type { Outbound, OutboundRequest, OutboundResult } from '../ports/outbound.ts';

/** What is read of an answer's body, which nobody looks at, before its connection is cut. */
const ANSWER_BYTES_MAX = 1024 * 1024;

type Judged =
  | { readonly ok: true; readonly permit: Permit; readonly path: string; readonly host: string }
  | { readonly ok: false; readonly refused: boolean; readonly why: string };

type Resolved =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly refused: boolean; readonly why: string };

/** Every address of a name, asked of the system. */
export type Resolver = (host: string) => Promise<readonly string[]>;

const systemResolver: Resolver = async host =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** `snapshot` gives the policy in force now. */
export function openOutbound(snapshot: () => Snapshot, resolver: Resolver = systemResolver): Outbound {
  return {
    send: async request => {
      const start = performance.now();
      const result = await send(request, snapshot(), resolver);
      return { ...result, ms: Math.round(performance.now() - start) };
    },
  };
}

type Sent = OutboundResult extends infer Each ? (Each extends unknown ? Omit<Each, 'ms'> : never) : never;

async function send(request: OutboundRequest, snapshot: Snapshot, resolver: Resolver): Promise<Sent> {
  const judged = judge(request, snapshot);
  if (!judged.ok) return judged;
  const { permit, path, host } = judged;
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const resolved = await Promise.race([resolve(permit, resolver), aborted(deadline)]);
  if (resolved === null) return noAnswer(request);
  if (!resolved.ok) return resolved;
  const { promise, resolve: done } = Promise.withResolvers<Sent>();
  const headers = [...request.headers.filter(([name]) => !OURS_TO_SET.test(name)).flat(), 'Host', host];
  headers.push('Content-Length', String(Buffer.byteLength(request.body)), 'Connection', 'close');
  let outgoing: ClientRequest;
  try {
    outgoing = (permit.scheme === 'https' ? httpsRequest : httpRequest)({
      host: permit.host,
      port: permit.port,
      path,
      method: request.method,
      headers,
      // A connection of its own: one kept alive would outlive the judgement of its address.
      agent: false,
      lookup: judgedAddresses(resolved.addresses),
      signal: deadline,
      // An address is no server name (RFC 6066 3).
      ...(permit.scheme === 'https' && isIP(permit.host) === 0 ? { servername: permit.host } : {}),
    });
  } catch (error) {
    return { ok: false, refused: false, why: reason(error) };
  }
  outgoing.on('response', response => {
    // A redirect is an answer like any other: it is not followed (a vendor does not either).
    done({ ok: true, status: response.statusCode ?? 0 });
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      if ((size += chunk.length) > ANSWER_BYTES_MAX) outgoing.destroy();
    });
    response.on('error', () => {});
  });
  outgoing.on('error', error =>
    done(deadline.aborted ? noAnswer(request) : { ok: false, refused: false, why: reason(error) }),
  );
  outgoing.end(request.body);
  return promise;
}

const OURS_TO_SET = /^(host|content-length|connection|transfer-encoding)$/i;

function judge(request: OutboundRequest, snapshot: Snapshot): Judged {
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

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

function noAnswer(request: OutboundRequest): Sent {
  return { ok: false, refused: false, why: `No answer within ${request.timeoutMs} ms.` };
}

/** The system's code where there is one; a message may hold more than a log should. */
function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
