// What becomes of a tunnel after its CONNECT was accepted: sniff its first bytes, decide, and say what is to be
// done. Its TLS is ended with a leaf for the CONNECT's host and its HTTP is read; what policy lets by unread is
// relayed: to a TCP twin at once, to an origin after its TLS hello was seen to name it. Anything else is closed.
// Pure: an event and the snapshot of that moment in, a command out; sockets and timers are proxy/tunnel.ts's.
import { isIP } from 'node:net';
import type { Ask } from '../../policy/ask.ts';
import { type Authority, unreadable } from '../../policy/authority.ts';
import { decide } from '../../policy/decide.ts';
import type { Decision, Permit } from '../../policy/decision.ts';
import type { RefusalRecord } from '../../policy/refusal.ts';
import type { Snapshot } from '../../policy/snapshot.ts';
import type { TunnelAsk, TunnelPlace } from '../place.ts';
import type { StreamAsked } from '../upstream/stream.ts';
import { type ClientHello, ClientHelloReader } from './client-hello.ts';
import { refusalInside, refusalUnread } from './late-refusal.ts';
import { sniff } from './sniff.ts';

export type TunnelState =
  /** Its first bytes have not come, or are too few to say what it carries. */
  | { readonly at: 'sniffing'; readonly seen: Buffer }
  /** It may pass unread, and its TLS hello is not whole yet. */
  | { readonly at: 'reading-hello'; readonly hello: ClientHelloReader }
  /** Its TLS is being ended here. */
  | { readonly at: 'ending-tls' }
  /** Whom it is to is being dialled, to be joined to the client unread. */
  | { readonly at: 'relaying' }
  /** It was handed on to the reader of its requests, refused or closed. */
  | { readonly at: 'over' };

export type TunnelEvent =
  /** `rest`: bytes that came in the same packet as the CONNECT. */
  | { readonly event: 'connect-accepted'; readonly rest: Buffer }
  | { readonly event: 'bytes-came'; readonly bytes: Buffer }
  /** The client has sent nothing for as long as one waits that expects the server to speak first. */
  | { readonly event: 'silence-passed' }
  /** `protocol`: by ALPN. `name`: the hello's server name, in lower case. Null: none. */
  | { readonly event: 'tls-ended'; readonly protocol: string | null; readonly name: string | null }
  /** Whom it is to was looked up, and is an address of this machine or its network. */
  | { readonly event: 'led-inside'; readonly address: string };

export type TunnelCommand =
  /** `serverMayBeFirst`: tell of the client's silence. */
  | { readonly do: 'wait'; readonly serverMayBeFirst: boolean }
  /** `bytes`: the client's hello as far as it came. `protocols`: what ALPN offers, in the order we prefer. */
  | { readonly do: 'end-tls'; readonly bytes: Buffer; readonly protocols: readonly string[] }
  | { readonly do: 'speak-http1'; readonly place: TunnelPlace; readonly bytes: Buffer }
  | { readonly do: 'speak-http2'; readonly place: TunnelPlace }
  | { readonly do: 'relay'; readonly permit: Permit; readonly bytes: Buffer }
  | { readonly do: 'relay-to-twin'; readonly stream: StreamAsked; readonly bytes: Buffer }
  /** Closed, and the record kept: there is no answer that this client could read. */
  | { readonly do: 'refuse'; readonly refusal: RefusalRecord }
  | { readonly do: 'close' };

export type TunnelStep = { readonly state: TunnelState; readonly command: TunnelCommand };

/** A twin speaks both; what is granted is read over HTTP/1.1, and a client that speaks only HTTP/2 is let in to be
 * told so (design.md, ALPN). */
const HTTP2_FIRST = ['h2', 'http/1.1'];
const HTTP1_FIRST = ['http/1.1', 'h2'];

const NOTHING = Buffer.alloc(0);
const WAIT: TunnelCommand = { do: 'wait', serverMayBeFirst: false };
const WAIT_FOR_SERVER: TunnelCommand = { do: 'wait', serverMayBeFirst: true };
const OVER: TunnelState = { at: 'over' };
const RELAYING: TunnelState = { at: 'relaying' };

export const TUNNEL_BEGINS: TunnelState = { at: 'sniffing', seen: NOTHING };

/** An event that the state does not wait for changes nothing. */
export function tunnelStep(
  state: TunnelState,
  event: TunnelEvent,
  ask: TunnelAsk,
  snapshot: Snapshot,
): TunnelStep {
  switch (event.event) {
    case 'connect-accepted':
      if (state.at === 'sniffing') return begin(state, event.rest, ask, snapshot);
      break;
    case 'bytes-came':
      if (state.at === 'sniffing') return sniffOn(state.seen, event.bytes, ask, snapshot);
      if (state.at === 'reading-hello') return readHello(state, event.bytes, ask, snapshot);
      break;
    case 'silence-passed':
      if (state.at === 'sniffing') return serveSilence(state, ask, snapshot);
      break;
    case 'tls-ended':
      if (state.at === 'ending-tls') return speak(event.protocol, strayName(event.name, ask.authority), ask);
      break;
    case 'led-inside':
      if (state.at === 'relaying') return refuse(refusalInside(askOf(ask, 'raw'), event.address, snapshot));
      break;
  }
  return { state, command: WAIT };
}

function begin(state: TunnelState, rest: Buffer, ask: TunnelAsk, snapshot: Snapshot): TunnelStep {
  const { host, port } = ask.authority;
  // A TCP twin may be the one who speaks first, so nothing is waited for.
  if (snapshot.twins.find(host)?.streams.has(port) === true) {
    const decision = decideUnread(ask, snapshot);
    if (decision.to === 'stream') return relayToTwin(decision, rest, ask, snapshot);
  }
  // Without containment the program would have connected there by itself: nothing is read, nobody is waited for.
  if (ask.contained === true && isOwn(ask)) {
    const decision = decideUnread(ask, snapshot);
    if (decision.to === 'tunnel') return relay(decision.permit, rest);
  }
  if (rest.length > 0) return sniffOn(NOTHING, rest, ask, snapshot);
  const serverMayBeFirst = isOwn(ask) || snapshot.ownHosts.has(host);
  return { state, command: serverMayBeFirst ? WAIT_FOR_SERVER : WAIT };
}

/** The run's own listeners and the world's services may speak first (MySQL, SMTP); what is granted may not. */
function serveSilence(state: TunnelState, ask: TunnelAsk, snapshot: Snapshot): TunnelStep {
  const decision = decideUnread(ask, snapshot);
  if (decision.to === 'service' || (decision.to === 'tunnel' && isOwn(ask)))
    return relay(decision.permit, NOTHING);
  return { state, command: WAIT };
}

function sniffOn(seen: Buffer, chunk: Buffer, ask: TunnelAsk, snapshot: Snapshot): TunnelStep {
  const bytes = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
  switch (sniff(bytes)) {
    case 'more':
      return { state: { at: 'sniffing', seen: bytes }, command: WAIT };
    case 'tls':
      return secure(bytes, ask, snapshot);
    case 'http1':
      return {
        state: OVER,
        command: {
          do: 'speak-http1',
          place: { at: 'tunnel', scheme: 'http', strayName: null, ...ask },
          bytes,
        },
      };
    case 'h2c':
      return judgeUnread('http2', bytes, ask, snapshot);
    case 'other':
      return judgeUnread('raw', bytes, ask, snapshot);
  }
}

/** The run's own loopback listeners have certificates of their own, which their clients know. */
function secure(bytes: Buffer, ask: TunnelAsk, snapshot: Snapshot): TunnelStep {
  // Nothing else may pass unread: most tunnels need not be judged for what they will not be.
  const mayPass = isOwn(ask) || ask.guest || snapshot.phase === 'build';
  if (!mayPass || decideUnread(ask, snapshot).to !== 'tunnel') {
    const protocols = snapshot.twins.find(ask.authority.host) === undefined ? HTTP1_FIRST : HTTP2_FIRST;
    return { state: { at: 'ending-tls' }, command: { do: 'end-tls', bytes, protocols } };
  }
  if (isOwn(ask)) return judgeUnread('raw', bytes, ask, snapshot);
  return readHello({ at: 'reading-hello', hello: new ClientHelloReader() }, bytes, ask, snapshot);
}

function readHello(
  state: TunnelState & { readonly at: 'reading-hello' },
  chunk: Buffer,
  ask: TunnelAsk,
  snapshot: Snapshot,
): TunnelStep {
  const hello = state.hello.read(chunk);
  if (hello.at === 'more') return { state, command: WAIT };
  const stray = strayHello(hello, ask.authority);
  if (stray !== null) {
    // Under any policy a name that cannot be told is what no grant matches.
    const decision = decideUnread(ask, snapshot, unreadable(stray.name, stray.why));
    return decision.to === 'refuse' ? refuse(decision.refusal) : CLOSE;
  }
  // The hello named whom the tunnel is to: from here on nobody reads. Judged by the snapshot of now.
  const decision = decideUnread(ask, snapshot);
  if (decision.to === 'tunnel') return relay(decision.permit, state.hello.received);
  return decision.to === 'refuse' ? refuse(decision.refusal) : CLOSE;
}

/** Bytes that are neither HTTP/1 nor TLS that is ended here. */
function judgeUnread(
  transport: 'raw' | 'http2',
  bytes: Buffer,
  ask: TunnelAsk,
  snapshot: Snapshot,
): TunnelStep {
  const asked = askOf(ask, transport);
  const decision = decide(asked, snapshot);
  if (decision.to === 'refuse') return refuse(decision.refusal);
  if (decision.to !== 'tunnel' && decision.to !== 'service') return CLOSE;
  if (isOwn(ask) || decision.to === 'service') return relay(decision.permit, bytes);
  // An origin that is let through unread must be named by a TLS hello, and here is none.
  return refuse(refusalUnread(asked, 'bytes that are neither HTTP nor TLS', snapshot));
}

function speak(protocol: string | null, stray: string | null, ask: TunnelAsk): TunnelStep {
  const place: TunnelPlace = { at: 'tunnel', scheme: 'https', strayName: stray, ...ask };
  if (protocol === 'h2') return { state: OVER, command: { do: 'speak-http2', place } };
  return { state: OVER, command: { do: 'speak-http1', place, bytes: NOTHING } };
}

function relay(permit: Permit, bytes: Buffer): TunnelStep {
  return { state: RELAYING, command: { do: 'relay', permit, bytes } };
}

function relayToTwin(
  { vendor, stream }: Decision & { readonly to: 'stream' },
  bytes: Buffer,
  { authority, run }: TunnelAsk,
  snapshot: Snapshot,
): TunnelStep {
  const world = run.world ?? snapshot.world;
  const asked: StreamAsked = { world, vendor, stream, authority, run: run.name };
  return { state: RELAYING, command: { do: 'relay-to-twin', stream: asked, bytes } };
}

function refuse(refusal: RefusalRecord): TunnelStep {
  return { state: OVER, command: { do: 'refuse', refusal } };
}

const CLOSE: TunnelStep = { state: OVER, command: { do: 'close' } };

/** What is on this machine's loopback and the run's own is reached as it is, whatever the bytes are. */
function isOwn({ authority }: TunnelAsk): boolean {
  return authority.class === 'loopback' || authority.class === 'unspecified';
}

function askOf({ authority, run, guest }: TunnelAsk, transport: 'raw' | 'http2'): Ask {
  const scheme = authority.port === 80 ? 'http' : 'https';
  return { method: 'CONNECT', scheme, authority, path: '', transport, run, guest };
}

function decideUnread(
  ask: TunnelAsk,
  snapshot: Snapshot,
  authority: Ask['authority'] = ask.authority,
): Decision {
  return decide({ ...askOf(ask, 'raw'), authority }, snapshot);
}

/** Why a hello does not say that it is for whom the tunnel is to, and the name to show; null where it does. */
function strayHello(
  hello: Exclude<ClientHello, { at: 'more' }>,
  { host }: Authority,
): { readonly name: string; readonly why: string } | null {
  if (hello.at === 'unreadable') return { name: host, why: hello.why };
  const { name } = hello;
  if (name === null)
    return isIP(host) !== 0
      ? null
      : { name: host, why: `TLS names no host that can be seen and the tunnel is to ${host}` };
  return names(name, host) ? null : { name, why: `TLS names ${name} and the tunnel is to ${host}` };
}

/** The hello's server name where it is another than the tunnel's; an address is no server name (RFC 6066 3). */
function strayName(name: string | null, { host }: Authority): string | null {
  return name === null || isIP(name) !== 0 || names(name, host) ? null : name;
}

/** `name` in lower case; one dot at its end is the root's. */
function names(name: string, host: string): boolean {
  return name === host || (name.endsWith('.') && name.slice(0, -1) === host);
}
