// Opens a connection to what a permit names. The name is looked up once, and the address that was judged is
// the address that is dialled, so a second answer of DNS cannot lead elsewhere (bad-input.md, rebinding).
import { lookup as lookUp } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { classifyAddress, formatAuthority } from '../../policy/authority.ts';
import type { Permit } from '../../policy/decision.ts';
import { DIAL_ADDRESS_MS_MAX, DIAL_MS_MAX } from '../limits.ts';
import { failureOf, type UpstreamFailure } from './failure.ts';
import { askForConnection } from './handover.ts';
import { type NextProxies, NextProxy, type UnusableProxy } from './next-proxy.ts';

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
  readonly nextProxies: NextProxies;
  /** The ports this proxy listens on, to know a request for itself. */
  readonly own: () => readonly number[];
};

/** `unread`: the bare TCP connection, for bytes that are tunnelled; its client speaks TLS itself. */
export async function dial(permit: Permit, options: DialOptions, unread = false): Promise<Dialled> {
  const secure = permit.scheme === 'https' && !unread;
  const deadline = AbortSignal.timeout(DIAL_MS_MAX);
  const named = options.nextProxies.for(permit);
  // A shell that was pointed at this proxy and then starts it again names it as its own next one.
  const self = named instanceof NextProxy && named.local && options.own().includes(named.port);
  const next = self ? null : named;
  // A relay passes half-closes on; a request's connection has no use for one.
  const reached =
    next === null
      ? await direct(permit, options, { allowHalfOpen: !secure, deadline })
      : await byNextProxy(next, permit, options, deadline);
  if (!reached.ok || !secure) return reached;
  return await handshake(reached.socket, permit.host, options.trust(), deadline);
}

type How = { readonly allowHalfOpen: boolean; readonly deadline: AbortSignal };

async function direct(permit: Permit, options: DialOptions, how: How): Promise<Dialled> {
  const resolved = await resolve(permit, options.lookup);
  if (!resolved.ok) return resolved;
  return await connectAny(resolved.addresses, permit.port, options, how);
}

/**
 * The name is not looked up here: the next proxy knows names that this machine may not, and is the one who
 * dials (docs/decisions/0005).
 */
async function byNextProxy(
  next: NextProxy | UnusableProxy,
  permit: Permit,
  options: DialOptions,
  deadline: AbortSignal,
): Promise<Dialled> {
  if (!(next instanceof NextProxy)) return { ok: false, failure: { stage: 'proxy', why: next.why } };
  const failed = (why: string): Dialled => ({
    ok: false,
    failure: { stage: 'proxy', why: `the proxy ${next.name} ${why}` },
  });
  const found = await addressesOf(next.host, options.lookup);
  if (!found.ok) return isShort(found.failure) ? found : failed(`did not resolve: ${found.failure.why}`);
  const how = { allowHalfOpen: !next.secure, deadline };
  let reached = await connectAny(found.addresses, next.port, options, how);
  if (reached.ok && next.secure)
    reached = await handshake(reached.socket, next.host, options.trust(), deadline);
  if (!reached.ok) return isShort(reached.failure) ? reached : failed(`failed: ${reached.failure.why}`);
  const { socket } = reached;
  const request = next.connect(formatAuthority(permit));
  const asked = await askForConnection(socket, request, status => status < 300, deadline);
  return asked.ok ? { ok: true, socket } : failed(asked.why);
}

/** This machine's doing, whoever was to be reached. */
const isShort = ({ stage }: UpstreamFailure): boolean => stage === 'descriptors';

/** The first address that takes a connection. */
async function connectAny(
  addresses: readonly string[],
  port: number,
  options: DialOptions,
  { allowHalfOpen, deadline }: How,
): Promise<Reached> {
  let failure: UpstreamFailure = { stage: 'connect', why: 'it has no address' };
  for (const [nth, address] of addresses.entries()) {
    const reach = classifyAddress(address);
    if ((reach === 'loopback' || reach === 'unspecified') && options.own().includes(port))
      return { ok: false, failure: { stage: 'loop', why: 'the address is this proxy itself' } };
    const socket = connectTcp({ host: address, port, noDelay: true, keepAlive: true, allowHalfOpen });
    const last = nth === addresses.length - 1;
    const tried = await socketAfter(socket, {
      stage: 'connect',
      event: 'connect',
      deadline,
      ms: last ? null : DIAL_ADDRESS_MS_MAX,
    });
    if (tried.ok) return tried;
    failure = tried.failure;
    if (deadline.aborted) break;
  }
  return { ok: false, failure };
}

async function handshake(
  socket: Socket,
  host: string,
  trust: SecureContext,
  deadline: AbortSignal,
): Promise<Reached> {
  const tls = connectTls({
    socket,
    secureContext: trust,
    ALPNProtocols: ['http/1.1'],
    host,
    // An address is no server name (RFC 6066 3); its certificate is checked against the address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  const done = await socketAfter(tls, { stage: 'tls', event: 'secureConnect', deadline, ms: null });
  if (!done.ok) socket.destroy();
  return done;
}

type Reached =
  | { readonly ok: true; readonly socket: Socket }
  | { readonly ok: false; readonly failure: UpstreamFailure };

/** The socket once `event` has come; destroyed where something else comes first. */
function socketAfter(
  socket: Socket,
  {
    stage,
    event,
    deadline,
    ms,
  }: {
    readonly stage: UpstreamFailure['stage'];
    readonly event: string;
    readonly deadline: AbortSignal;
    /** A limit of its own below the deadline's. */
    readonly ms: number | null;
  },
): Promise<Reached> {
  return new Promise(resolve => {
    const settle = (result: Reached): void => {
      socket.off(event, onEvent).off('error', onError).off('close', onClose);
      deadline.removeEventListener('abort', onDeadline);
      if (timer !== null) clearTimeout(timer);
      if (!result.ok) socket.on('error', () => {}).destroy();
      resolve(result);
    };
    const fail = (why: string): void => settle({ ok: false, failure: { stage, why } });
    const onEvent = (): void => settle({ ok: true, socket });
    const onError = (error: Error): void => settle({ ok: false, failure: failureOf(stage, error) });
    const onClose = (): void => fail('the connection closed');
    const onDeadline = (): void => fail(`no connection within ${DIAL_MS_MAX} ms`);
    const timer = ms === null ? null : setTimeout(() => fail(`no connection within ${ms} ms`), ms);
    socket.once(event, onEvent).once('error', onError).once('close', onClose);
    deadline.addEventListener('abort', onDeadline, { once: true });
  });
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
  const found = await addressesOf(permit.host, lookup);
  if (!found.ok || permit.loopback || isIP(permit.host) !== 0) return found;
  const outside = found.addresses.filter(address => !isInside(address));
  if (outside.length === 0 && found.addresses.length > 0) return { ok: false, inside: found.addresses[0]! };
  return { ok: true, addresses: outside };
}

type Found =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly failure: UpstreamFailure };

async function addressesOf(host: string, lookup: Lookup): Promise<Found> {
  if (isIP(host) !== 0) return { ok: true, addresses: [host] };
  try {
    return { ok: true, addresses: await lookup(host) };
  } catch (error) {
    return { ok: false, failure: failureOf('resolve', error) };
  }
}

/** The unix socket on which control answers for twins. */
export function dialControl(path: string, allowHalfOpen = false): Promise<Dialled> {
  return socketAfter(connectTcp({ path, allowHalfOpen }), {
    stage: 'connect',
    event: 'connect',
    deadline: AbortSignal.timeout(DIAL_MS_MAX),
    ms: null,
  });
}
