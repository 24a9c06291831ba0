// Who may switch from HTTP to something else, and to what: a twin's own WebSocket at its vendor's path, or the stream
// of a TCP twin (4.2), where the first message says who asks. The host does the handshake (control/node/web-sockets.ts).
import type { Call } from '../../twins/kit/call.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import { type Reply, withRetryAfter } from '../../twins/kit/reply.ts';
import type { WireAct, WireSession } from '../../twins/kit/wire.ts';
import type { RequestBudget } from '../world/access/budget.ts';
import type { KeptSocket, OpenSocket } from '../world/work/open-socket.ts';
import type { World } from '../world/world.ts';
import { problem } from './answer.ts';
import { type Arrived, hostOf, readHeaders } from './arrived.ts';
import { headersForTwins, headersFromPage, type Identity, judgeUpgrade } from './gate.ts';
import { headersAtVendor } from './site-exchange.ts';
import type { Surroundings } from './surroundings.ts';
import { parseTarget } from './target.ts';
import type { Tracer } from './trace.ts';
import type { SiteSeat, VendorSites } from './vendor-sites.ts';

/** RFC 6455, 7.4.1, as registered with IANA. */
const TRY_AGAIN_LATER = 1013;

/** The stream of a TCP twin. */
export type Stream = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly vendor: string;
  readonly protocol: Manifest['protocol'];
  /** `caller`: as the log names who asks (4.9). */
  enter(caller: string): WireSession;
};

export type UpgradeAdmission =
  | { readonly at: 'answered'; readonly reply: Reply }
  | {
      readonly at: 'socket';
      /** `<org>/<world>`. */
      readonly world: string;
      /** Resolves to the socket, or to the answer that refuses the handshake. Never rejects. */
      readonly open: () => Promise<OpenSocket | Reply>;
      /** Whether who asked would still be let in; an open socket outlasts the request that opened it. */
      readonly stands: () => boolean;
    }
  | {
      readonly at: 'stream';
      readonly world: string;
      readonly protocol: Manifest['protocol'];
      /** `credential`: the first message. Null: it opens no stream. */
      readonly enter: (credential: string) => WireSession | null;
      readonly stands: (credential: string) => boolean;
    };

export type UpgradeParts = {
  readonly world: World;
  readonly around: Surroundings;
  readonly budget: RequestBudget | null;
  readonly tracer: Tracer;
  readonly sites: VendorSites;
  /** Of a socket that was put away: it was let in, and spends nothing again. `open` goes on with it. */
  readonly again?: KeptSocket | null;
};

export function admitUpgrade(asked: Arrived, parts: UpgradeParts): UpgradeAdmission {
  const { world, sites } = parts;
  const arrived = withKeyOfProtocol(asked);
  const target = parseTarget(arrived.target);
  if (target === null) return refusal(400, 'bad-target', 'The request target cannot be read unambiguously.');
  if (arrived.method !== 'GET') return refusal(405, 'other-method', 'A WebSocket is asked for by GET.');
  const { path, query } = target;
  const seat = arrived.from === 'client' ? sites.seatAt(hostOf(arrived.rawHeaders)) : null;
  if (seat !== null) {
    const vendor = seat === 'nowhere' ? null : sites.vendorAt(seat.site, path);
    if (seat === 'nowhere' || vendor === null)
      return refusal(404, 'no-such-site', 'No WebSocket is served at this address.');
    return admitSocket(arrived, parts, { vendor, path, query, seat });
  }
  const streams = `/-/${world.name}/streams/`;
  if (path.startsWith(streams)) {
    // The proxy is asked by apps, and an app's own connections reach the stream without a WebSocket.
    const id = path.slice(streams.length);
    const stream = openStream(parts, id, world.manifest(id)?.stream?.id ?? '');
    if (stream === null) return refusal(404, 'no-such-stream', 'The world has no such stream.');
    const { gate } = parts.around;
    return {
      at: 'stream',
      world: world.name,
      protocol: stream.protocol,
      // The read token opens no stream (5.6), and no session does: what it carries is no message.
      enter: credential => {
        const asker = gate.whose(credential);
        return asker?.scope === 'write' ? stream.enter(asker.caller) : null;
      },
      stands: credential => gate.whose(credential)?.scope === 'write',
    };
  }
  const place = `/${world.name}/`;
  const vendor = path.startsWith(place) ? path.slice(place.length).split('/', 1)[0]! : '';
  const manifest = world.manifest(vendor);
  if (manifest === undefined) return refusal(404, 'no-such-endpoint', 'No WebSocket is served at this path.');
  return admitSocket(arrived, parts, {
    vendor,
    path: path.slice(place.length + vendor.length) || '/',
    query,
    tab: arrived !== asked,
  });
}

/** What a page's WebSocket offers besides its own protocols, for it can say nothing else: the second is the key (7.1). */
const TAB_PROTOCOL = 'wrld';
const KEY_PROTOCOL = 'wrld-key.';

/** As if the key had come as `x-twins-key`, where it came as a protocol; the same object where none did. */
function withKeyOfProtocol(arrived: Arrived): Arrived {
  const { rawHeaders } = arrived;
  const at = rawHeaders.findIndex(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'sec-websocket-protocol',
  );
  const offered = rawHeaders[at + 1]?.split(',').map(protocol => protocol.trim()) ?? [];
  const key = offered.find(protocol => protocol.startsWith(KEY_PROTOCOL));
  if (at === -1 || key === undefined) return arrived;
  const own = offered.filter(protocol => protocol !== key && protocol !== TAB_PROTOCOL).join(', ');
  const others = [...rawHeaders.slice(0, at), ...rawHeaders.slice(at + 2)];
  if (own !== '') others.push('sec-websocket-protocol', own);
  return { ...arrived, rawHeaders: [...others, 'x-twins-key', key.slice(KEY_PROTOCOL.length)] };
}

type SocketPlace = {
  readonly vendor: string;
  readonly path: string;
  readonly query: string;
  /** The vendor's site whose address it was asked at (4.3). */
  readonly seat?: SiteSeat | null;
  /** The key came as a protocol: the browser must hear one of those it offered. */
  readonly tab?: boolean;
};

function admitSocket(
  arrived: Arrived,
  { world, around, budget, tracer, again = null }: UpgradeParts,
  { vendor, path, query, seat = null, tab = false }: SocketPlace,
): UpgradeAdmission {
  const no = (status: number, code: string, message: string): UpgradeAdmission => {
    const reply = around.vendorError(vendor, status, code, message);
    return reply === null ? refusal(status, code, message) : { at: 'answered', reply };
  };
  const read = readHeaders(arrived.rawHeaders);
  if (read.doubled !== null) return no(400, 'doubled-header', `The header ${read.doubled} came twice.`);
  const host = arrived.from === 'proxy' ? read.host : undefined;
  const ownOrigin = seat?.origin ?? around.ownOrigin;
  const from = host === undefined ? arrived.from : 'app';
  const identify = (): Identity =>
    seat === null
      ? around.gate.identify(read, from, ownOrigin)
      : { asker: around.gate.atSite(read, seat.label), credential: null };
  const { asker, credential } = identify();
  const stands = (): boolean => judgeUpgrade(identify().asker, read, ownOrigin).ok;
  const spending = (socket: OpenSocket): OpenSocket => (budget === null ? socket : within(socket, budget));
  if (again !== null) {
    const open = async (): Promise<OpenSocket | Reply> => {
      const opened = await world.resumeSocket(vendor, again);
      return 'status' in opened ? opened : spending(opened);
    };
    return { at: 'socket', world: world.name, open, stands };
  }
  const verdict = judgeUpgrade(asker, read, ownOrigin);
  if (!verdict.ok) return no(verdict.status, verdict.code, verdict.message);
  const wait = budget?.take() ?? 0;
  if (wait > 0) return { at: 'answered', reply: overBudget(around, vendor, wait) };
  const own = read.headers['host'];
  const call: Call = {
    method: 'GET',
    host: host ?? (seat?.site.real === true ? seat.site.host : typeof own === 'string' ? own : ''),
    via: host === undefined && seat?.site.real !== true ? 'url' : 'host',
    path,
    query,
    headers:
      seat === null
        ? headersForTwins(read.headers, credential)
        : headersAtVendor(headersFromPage(read.headers, around.gate), seat, null),
    body: NOTHING,
    caller: asker?.caller ?? null,
    scope: asker?.scope ?? 'read',
    letIn: credential !== null || asker?.by === 'session',
    trace: tracer.open(read.headers['traceparent']),
  };
  return {
    at: 'socket',
    world: world.name,
    open: async () => {
      const opened = await world.openSocket(vendor, call);
      if ('status' in opened) return opened;
      return spending(tab ? { ...opened, protocol: opened.protocol ?? TAB_PROTOCOL } : opened);
    },
    stands,
  };
}

/** What a client says on its WebSocket is spent of the budget as a request is; over it the socket ends. */
function within(socket: OpenSocket, budget: RequestBudget): OpenSocket {
  return {
    ...socket,
    message: async data => {
      const wait = budget.take();
      if (wait === 0) return socket.message(data);
      const reason = `over the world’s request budget; ask again in ${wait} s`;
      return [{ close: { code: TRY_AGAIN_LATER, reason } }];
    },
  };
}

/** In the vendor's own shape at a twin's path; `vendor` null: at one of the world's own. */
export function overBudget(around: Surroundings, vendor: string | null, seconds: number): Reply {
  const message = `The world is asked more than its request budget allows; ask again in ${seconds} s.`;
  const own = vendor === null ? null : around.vendorError(vendor, 429, 'over-budget', message);
  if (own !== null) return withRetryAfter(own, seconds);
  return problem(429, 'over-budget', message, { headers: [['Retry-After', String(seconds)]] });
}

export function openStream(
  { world, around, budget, tracer }: UpgradeParts,
  vendor: string,
  id: string,
): Stream | null {
  const manifest = world.manifest(vendor);
  if (manifest?.stream === undefined || manifest.stream.id !== id) return null;
  const enter = (caller: string): WireSession => ({
    // What a client of a stream asks for is spent of the budget as a request is.
    act: async ({ method, path, body, read, traceparent }: WireAct) => {
      const wait = budget?.take() ?? 0;
      if (wait > 0) return overBudget(around, vendor, wait);
      return world.call(vendor, {
        method,
        host: '',
        via: 'stream',
        path,
        query: '',
        headers: {},
        body,
        caller,
        scope: 'write',
        trace: tracer.open(traceparent),
        read,
      });
    },
  });
  return { world: world.name, vendor, protocol: manifest.protocol, enter };
}

const NOTHING = new Uint8Array(0);

function refusal(status: number, code: string, message: string): UpgradeAdmission {
  return { at: 'answered', reply: problem(status, code, message) };
}
