// Opens a connection to what a permit names. The name is looked up once, and the address that was judged is
// the address that is dialled, so a second answer of DNS cannot lead elsewhere (bad-input.md, rebinding).
import { lookup as lookUp } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { classifyAddress } from '../../policy/authority.ts';
import type { Permit } from '../../policy/decision.ts';
import { DIAL_MS_MAX } from '../limits.ts';
import { reasonOf, type UpstreamFailure } from './failure.ts';

export type Dialled =
  | { readonly ok: true; readonly socket: Socket }
  /** The name leads to an address of this machine or its network that no pin allows. */
  | { readonly ok: false; readonly inside: string }
  | { readonly ok: false; readonly failure: UpstreamFailure };

/** All addresses of a name, in the order they are to be tried; rejects when there are none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** The system's own resolver, hosts file included. */
export const systemLookup: Lookup = async host =>
  (await lookUp(host, { all: true })).map(found => found.address);

export type DialOptions = {
  readonly trust: () => SecureContext;
  readonly lookup: Lookup;
  /** Where this proxy listens, to know a request for itself. */
  readonly own: () => { readonly port: number };
};

/** `unread`: the bare TCP connection, for bytes that are tunnelled; its client speaks TLS itself. */
export async function dial(permit: Permit, options: DialOptions, unread = false): Promise<Dialled> {
  const secure = permit.scheme === 'https' && !unread;
  const deadline = AbortSignal.timeout(DIAL_MS_MAX);
  const resolved = await resolve(permit, options.lookup);
  if (!resolved.ok) return resolved;
  let failure: UpstreamFailure = { stage: 'connect', why: 'it has no address' };
  for (const address of resolved.addresses) {
    const klass = classifyAddress(address);
    if (permit.port === options.own().port && (klass === 'loopback' || klass === 'unspecified'))
      return { ok: false, failure: { stage: 'loop', why: 'the address is this proxy itself' } };
    const dialled = await attempt(permit, address, secure ? options.trust : null, deadline);
    if (dialled.ok) return dialled;
    failure = dialled.failure;
    if (failure.stage === 'tls' || deadline.aborted) break;
  }
  return { ok: false, failure };
}

/** Addresses nothing may reach through a name unless it is pinned there. */
function isInside(address: string): boolean {
  const klass = classifyAddress(address);
  return klass === 'loopback' || klass === 'unspecified' || klass === 'link-local' || klass === 'metadata';
}

type Resolved =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | Extract<Dialled, { readonly ok: false }>;

async function resolve(permit: Permit, lookup: Lookup): Promise<Resolved> {
  if (permit.address !== null) return { ok: true, addresses: [permit.address] };
  if (isIP(permit.host) !== 0) return { ok: true, addresses: [permit.host] };
  let addresses: readonly string[];
  try {
    addresses = await lookup(permit.host);
  } catch (error) {
    return { ok: false, failure: { stage: 'resolve', why: reasonOf(error) } };
  }
  if (permit.loopback) return { ok: true, addresses };
  const outside = addresses.filter(address => !isInside(address));
  if (outside.length === 0 && addresses.length > 0) return { ok: false, inside: addresses[0]! };
  return { ok: true, addresses: outside };
}

type Attempt =
  | { readonly ok: true; readonly socket: Socket }
  | { readonly ok: false; readonly failure: UpstreamFailure };

function attempt(
  permit: Permit,
  address: string,
  trust: (() => SecureContext) | null,
  deadline: AbortSignal,
): Promise<Attempt> {
  const tcp = connectTcp({
    host: address,
    port: permit.port,
    noDelay: true,
    keepAlive: true,
    // A relay passes half-closes on; a request's connection has no use for one.
    allowHalfOpen: trust === null,
  });
  const socket = trust
    ? connectTls({
        socket: tcp,
        secureContext: trust(),
        ALPNProtocols: ['http/1.1'],
        host: permit.host,
        // An address is no server name (RFC 6066 3); its certificate is checked against the address.
        ...(isIP(permit.host) === 0 ? { servername: permit.host } : {}),
      })
    : tcp;
  let connected = false;
  if (trust) tcp.once('connect', () => (connected = true));
  return new Promise<Attempt>(resolve => {
    const settle = (result: Attempt): void => {
      socket.off('error', onError);
      socket.off('close', onClose);
      deadline.removeEventListener('abort', onDeadline);
      if (!result.ok) {
        socket.on('error', () => {});
        socket.destroy();
        tcp.destroy();
      }
      resolve(result);
    };
    const stage = (): UpstreamFailure['stage'] => (connected ? 'tls' : 'connect');
    const onError = (error: Error): void =>
      settle({ ok: false, failure: { stage: stage(), why: reasonOf(error) } });
    const onClose = (): void =>
      settle({ ok: false, failure: { stage: stage(), why: 'the connection closed' } });
    const onDeadline = (): void =>
      settle({ ok: false, failure: { stage: stage(), why: `no connection within ${DIAL_MS_MAX} ms` } });
    socket.once('error', onError);
    socket.once('close', onClose);
    deadline.addEventListener('abort', onDeadline, { once: true });
    socket.once(trust ? 'secureConnect' : 'connect', () => settle({ ok: true, socket }));
  });
}

/** The unix socket on which control answers for twins. */
export function dialControl(path: string): Promise<Dialled> {
  const socket = connectTcp({ path });
  return new Promise(resolve => {
    socket.once('connect', () => {
      socket.off('error', onError);
      resolve({ ok: true, socket });
    });
    const onError = (error: Error): void =>
      resolve({ ok: false, failure: { stage: 'connect', why: reasonOf(error) } });
    socket.once('error', onError);
  });
}
