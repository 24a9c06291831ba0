// The judgement of one request. Total, synchronous and pure: an ask and a snapshot in, a decision out. The order
// of the checks is the order of the lines of `decide`; where two rules fit, the first names the refusal.
import type { Ask, VendorCaller } from './ask.ts';
import { type Authority, formatAuthority, schemePort } from './authority.ts';
import type { Decision, Permit } from './decision.ts';
import { declaresHost } from './declaration.ts';
import type { GrantTable, OriginGrants } from './grant-table.ts';
import { isMachines } from './machine-name.ts';
import { type ResolvedPath, resolvePath, type UnreadablePath } from './path.ts';
import { loopbackAddress, makePermit } from './permit.ts';
import { refuse } from './refusal.ts';
import type { TwinHost } from './route-table.ts';
import type { About, RuleName } from './rules.ts';
import type { Snapshot } from './snapshot.ts';
import { vendorKey } from './vendor-place.ts';

export function decide(ask: Ask, snapshot: Snapshot): Decision {
  const { authority } = ask;
  if (snapshot.unread !== null) return refused(ask, snapshot, 'policy-unreadable', { why: snapshot.unread });
  if (!authority.ok) return unreadableAuthority(ask, authority.why, snapshot);
  const raw = isRaw(ask);
  const path = raw ? NO_PATH : resolvePath(ask.path);
  const ownHost = snapshot.ownHosts.has(authority.host);
  const endpoint = ownHost
    ? snapshot.endpoints.get(formatAuthority(authority))
    : ownOrigin(authority, snapshot);
  // Before the twins: a vendor's own host is a twin's host too.
  if (ask.as?.by === 'recording')
    return sentOn(ask, ask.as, authority, path, snapshot, endpoint !== undefined);
  if (ask.as !== undefined) return realVendor(ask, ask.as, authority, path, snapshot);

  if (endpoint !== undefined) {
    if (raw) return refused(ask, snapshot, 'inspected-transport', { why: RAW });
    return { to: 'world', permit: endpoint, path: forwarded(path, ask) };
  }
  const twins = snapshot.twins.find(authority.host);
  if (twins !== undefined)
    return unlessRecorded(ask, authority, twinned(ask, authority, twins, raw, path, snapshot), snapshot);
  if (snapshot.app?.hosts.has(authority.host)) {
    if (raw) return refused(ask, snapshot, 'raw-socket-app');
    return { to: 'app', permit: snapshot.app.permit, path: forwarded(path, ask) };
  }
  const service = ownHost ? snapshot.services.get(formatAuthority(authority)) : undefined;
  if (service !== undefined) {
    const declared = ask.run.declaration.services;
    if (declared !== undefined && !declared.includes(service.name)) {
      return refused(ask, snapshot, 'service-undeclared', { name: service.name });
    }
    if (ask.method === 'TRACE') return traced(ask, snapshot);
    return { to: 'service', permit: service[ask.scheme], path: raw ? '' : forwarded(path, ask) };
  }
  return outside(ask, authority, path, snapshot);
}

/** What is neither the world's nor its app's: this machine's, or a destination that has to be declared and granted. */
function outside(
  ask: Ask,
  authority: Authority,
  path: ResolvedPath | UnreadablePath,
  snapshot: Snapshot,
): Decision {
  const raw = isRaw(ask);
  if (authority.class === 'loopback' || authority.class === 'unspecified') {
    if (holdsOwnLoopback(ask)) return ownLoopback(ask, authority, raw, path, snapshot);
  }
  if (ask.guest && isMachines(authority, snapshot.pins)) return refused(ask, snapshot, 'guest-private');
  if (ask.run.declaration.host === false && isMachines(authority, snapshot.pins)) {
    return refused(ask, snapshot, 'host-undeclared');
  }
  if (!declaresHost(ask.run.declaration, ask.scheme, authority.host, authority.port)) {
    return refused(ask, snapshot, 'undeclared');
  }
  if (snapshot.sandbox) return refused(ask, snapshot, 'sealed');
  if (ask.run.policyUnreadable) return refused(ask, snapshot, 'policy-unreadable');
  if (!path.ok && grantsAnything(snapshot)) return refused(ask, snapshot, 'invalid', { why: path.why });
  if (ask.method === 'TRACE') return traced(ask, snapshot);
  if (!path.ok) return refused(ask, snapshot, 'not-granted', { grantField: null, why: path.why });
  if (snapshot.grantless !== null)
    return refused(ask, snapshot, 'not-granted', { grantField: null, why: snapshot.grantless });
  return raw ? grantedRaw(ask, authority, snapshot) : granted(ask, authority, path, snapshot);
}

/** What a root or a link asks of its vendor: let out to exactly the origin that it is set to, and by no grant. */
function realVendor(
  ask: Ask,
  as: VendorCaller,
  authority: Authority,
  path: ResolvedPath | UnreadablePath,
  snapshot: Snapshot,
): Decision {
  if (snapshot.sandbox) return refused(ask, snapshot, 'sealed');
  const place = snapshot.vendors.get(vendorKey(as));
  const why =
    place === undefined
      ? `no ${as.by} ${as.name} is set in ${as.world}`
      : !place.ok
        ? place.why
        : isAt(place.permit, ask.scheme, authority)
          ? null
          : `the ${as.by} ${as.name} is at another origin`;
  if (why !== null || !place?.ok)
    return refused(ask, snapshot, 'not-granted', { grantField: null, why: why ?? '' });
  if (isRaw(ask) || ask.method === 'TRACE') return traced(ask, snapshot);
  // The vendor reads its own paths, an encoded `/` too; one that readers take for different ones goes nowhere.
  const target = path.ok ? path.target : path.literal;
  if (target === null) return refused(ask, snapshot, 'invalid', { why: path.ok ? '' : path.why });
  return { to: 'egress', permit: place.permit, path: target };
}

/** What a recording sends on of a call to a twin: held to the grants, as if no twin were there, and to its own place. */
function sentOn(
  ask: Ask,
  as: VendorCaller,
  authority: Authority,
  path: ResolvedPath | UnreadablePath,
  snapshot: Snapshot,
  own: boolean,
): Decision {
  const place = snapshot.vendors.get(vendorKey(as));
  const why = own
    ? 'a recording does not ask the world itself'
    : place === undefined
      ? `nothing is recorded of ${as.name} in ${as.world}`
      : !place.ok
        ? place.why
        : isAt(place.permit, ask.scheme, authority)
          ? null
          : `${as.name} is recorded at another origin`;
  if (why !== null) return refused(ask, snapshot, 'not-granted', { grantField: null, why });
  return outside(ask, authority, path, snapshot);
}

/**
 * A call to a twin whose recording sends it on is refused here where that may not be: its client is told as of any other
 * request, and its run's declaration is known.
 */
function unlessRecorded(ask: Ask, { host }: Authority, decision: Decision, snapshot: Snapshot): Decision {
  if (snapshot.vendors.size === 0 || decision.to !== 'twin' || ask.transport === 'upgrade') return decision;
  const world = ask.run.world ?? snapshot.world;
  const as = { by: 'recording', world, name: `${decision.vendor}@${host}` } as const;
  const place = snapshot.vendors.get(vendorKey(as));
  if (place === undefined) return decision;
  if (!place.ok) return refused(ask, snapshot, 'not-granted', { grantField: null, why: place.why });
  const { scheme } = place.permit;
  const path = place.base + decision.path;
  const asked: Ask = { ...ask, scheme, authority: place.authority, path, transport: 'http1' };
  const left = outside(asked, place.authority, resolvePath(path), snapshot);
  return left.to === 'refuse' ? left : decision;
}

function isAt(permit: Permit, scheme: Ask['scheme'], { host, port }: Authority): boolean {
  return permit.scheme === scheme && permit.host === host && permit.port === port;
}

/** The worlds' own origins, and this machine's other names for where control listens: never a listener of the run's. */
function ownOrigin({ class: of, port }: Authority, { endpoints }: Snapshot): Permit | undefined {
  return of === 'loopback' || of === 'unspecified' ? endpoints.get(`localhost:${port}`) : undefined;
}

/** A CONNECT inside a tunnel asks for what a raw socket asks for. */
function isRaw(ask: Ask): boolean {
  return ask.transport === 'raw' || ask.method === 'CONNECT';
}

/** What a raw connection asks for: no path at all. It matches no grant but the origin's own. */
const NO_PATH: ResolvedPath = { ok: true, target: '', end: 0 };

/** OPTIONS, GET and HEAD read; every other method writes (7.2, last line). */
function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Without its address a request can match nothing; which rule says so depends on the world alone. */
function unreadableAuthority(ask: Ask, why: string, snapshot: Snapshot): Decision {
  if (grantsAnything(snapshot) && !snapshot.sandbox) return refused(ask, snapshot, 'invalid', { why });
  if (snapshot.sandbox) return refused(ask, snapshot, 'sealed');
  if (ask.run.policyUnreadable) return refused(ask, snapshot, 'policy-unreadable');
  return refused(ask, snapshot, 'not-granted', { grantField: null, why });
}

function twinned(
  ask: Ask,
  authority: Authority,
  twins: TwinHost,
  raw: boolean,
  path: ResolvedPath | UnreadablePath,
  snapshot: Snapshot,
): Decision {
  // Nobody has to look into these bytes: the whole connection is the twin's.
  const stream = raw ? twins.streams.get(authority.port) : undefined;
  if (stream !== undefined) return { to: 'stream', ...stream };
  const standard = raw
    ? authority.port === 443 || authority.port === 80
    : authority.port === schemePort(ask.scheme);
  const port = twins.ports.get(authority.port) ?? (standard ? twins.standard : null);
  if (port === null) {
    return refused(ask, snapshot, 'unclaimed-path', {
      name: twins.first.vendor,
      ...(twins.first.endpointVariable !== null && { variable: twins.first.endpointVariable }),
      why: `no twin serves port ${authority.port}${standard || raw ? '' : ` over ${ask.scheme}`}`,
    });
  }
  if (raw) {
    return refused(ask, snapshot, 'raw-socket-twinned', {
      name: port.vendors.join(', '),
      ...(port.endpointVariable !== null && { variable: port.endpointVariable }),
    });
  }
  const unclaimed = {
    name: port.vendors.join(', '),
    ...(port.endpointVariable !== null && { variable: port.endpointVariable }),
  };
  if (path.ok) {
    const route = port.find(path.target, path.end);
    if (route !== undefined) return { to: 'twin', vendor: route.vendor, path: path.target };
    return refused(ask, snapshot, 'unclaimed-path', unclaimed);
  }
  // Some vendors' own paths hold an encoded `/` (a project's name in GitLab): a twin that owns the whole host
  // may read them as it likes, for nothing leaves the world and no other twin could have been meant.
  const whole = path.literal === null ? undefined : port.whole();
  if (whole !== undefined) return { to: 'twin', vendor: whole.vendor, path: path.literal! };
  return refused(ask, snapshot, 'unclaimed-path', { ...unclaimed, why: path.why });
}

/** A guest's listeners are its own only where its declaration says so; anyone else's are unless it denies it. */
function holdsOwnLoopback(ask: Ask): boolean {
  const declared = ask.run.declaration.ownLoopback;
  return ask.guest ? declared === true : declared !== false;
}

function ownLoopback(
  ask: Ask,
  authority: Authority,
  raw: boolean,
  path: ResolvedPath | UnreadablePath,
  snapshot: Snapshot,
): Decision {
  if (snapshot.loopbackDenied !== null)
    return refused(ask, snapshot, 'own-loopback-ungranted', loopbackDenial(snapshot.loopbackDenied));
  if (ask.method === 'TRACE') return traced(ask, snapshot);
  const permit = makePermit({
    scheme: ask.scheme,
    host: authority.host,
    port: authority.port,
    address: loopbackAddress(authority.host),
    loopback: true,
  });
  return raw ? { to: 'tunnel', permit } : { to: 'egress', permit, path: forwarded(path, ask) };
}

/** Whose config denies it. One field grants it only where that field is this world's own. */
function loopbackDenial({ here, parents }: NonNullable<Snapshot['loopbackDenied']>): Partial<About> {
  if (parents.length === 0) return {};
  const above = parents.join(' and ');
  return { grantField: null, name: here ? `this world and ${above}` : above };
}

function grantsAnything(snapshot: Snapshot): boolean {
  return snapshot.layers[0].size > 0;
}

function granted(ask: Ask, authority: Authority, path: ResolvedPath, snapshot: Snapshot): Decision {
  const list = isRead(ask.method) ? 'egress' : 'writes';
  const { layers } = snapshot;
  let permit: Permit | null = null;
  for (let i = 0; i < layers.length; i++) {
    const origin = layers[i]!.find(ask.scheme, authority.host, authority.port);
    if (!origin?.[list]?.permits(path.target, path.end)) {
      const lists = (layer: GrantTable): boolean =>
        layer.find(ask.scheme, authority.host, authority.port)?.[list]?.permits(path.target, path.end) ===
        true;
      return ungranted(ask, snapshot, list, lists);
    }
    if (ask.otherPaths !== undefined && !origin[list].whole && asksElsewhere(ask.otherPaths, path))
      return refused(ask, snapshot, 'invalid', { why: ELSEWHERE });
    permit ??= origin.permit;
  }
  if (ask.transport === 'http2') return unreadTransport(ask, snapshot, 'guest-http2', 'HTTP/2');
  if (ask.transport === 'upgrade') {
    return unreadTransport(ask, snapshot, 'guest-upgrade', 'a protocol upgrade');
  }
  return { to: 'egress', permit: permit!, path: path.target };
}

const ELSEWHERE = 'X-Original-URL or X-Rewrite-URL asks for another path than the request itself';

/** Where a path decides, a server that takes another one from a field would serve what nobody judged. */
function asksElsewhere(others: readonly string[], path: ResolvedPath): boolean {
  return others.some(other => {
    const read = resolvePath(other);
    return !read.ok || read.target !== path.target;
  });
}

const RAW = 'a raw socket';

/** A granted destination over what cannot be read request by request; a guest has rules of its own for it. */
function unreadTransport(
  ask: Ask,
  snapshot: Snapshot,
  guestRule: 'guest-http2' | 'guest-upgrade',
  why: string,
): Decision {
  return refused(ask, snapshot, ask.guest ? guestRule : 'inspected-transport', { why });
}

/** Bytes that nobody reads: only to an origin that every layer lets through unread. */
function grantedRaw(ask: Ask, authority: Authority, snapshot: Snapshot): Decision {
  // What the bytes would be is not known: they are held to whichever scheme's origin the world grants.
  const { host, port } = authority;
  const otherScheme = ask.scheme === 'http' ? 'https' : 'http';
  const own = snapshot.layers[0];
  const scheme =
    own.find(ask.scheme, host, port) === undefined && own.find(otherScheme, host, port) !== undefined
      ? otherScheme
      : ask.scheme;
  const find = (layer: GrantTable): OriginGrants | undefined => layer.find(scheme, host, port);
  const origins: OriginGrants[] = [];
  for (const layer of snapshot.layers) {
    const origin = find(layer);
    if (origin === undefined) return ungranted(ask, snapshot, 'egress', each => find(each) !== undefined);
    origins.push(origin);
  }
  const { permit } = origins[0]!;
  if (snapshot.phase === 'build' && origins.every(origin => origin.passthrough))
    return { to: 'tunnel', permit };
  // The preface of HTTP/2 without TLS is known for what it is before it has said any path.
  if (ask.transport === 'http2') return unreadTransport(ask, snapshot, 'guest-http2', 'HTTP/2');
  if (!ask.guest) return refused(ask, snapshot, 'inspected-transport', { why: RAW });
  // A guest's own connection needs no reading where all that could be read in it is granted anyway.
  if (origins.every(origin => origin.egress?.whole && origin.writes?.whole)) return { to: 'tunnel', permit };
  return refused(ask, snapshot, 'guest-inspected');
}

/** TRACE echoes what was sent, credentials and all: it leaves under no grant (bad-input, Method). */
function traced(ask: Ask, snapshot: Snapshot): Decision {
  return refused(ask, snapshot, 'not-granted', { grantField: null, why: 'TRACE is never forwarded' });
}

/** Names the field that lacks the grant, which is one field only where no parent world lacks it too. */
function ungranted(
  ask: Ask,
  snapshot: Snapshot,
  list: 'egress' | 'writes',
  lists: (layer: GrantTable) => boolean,
): Decision {
  const field = `runtime.network.${list}`;
  const [own, ...parents] = snapshot.layers;
  if (parents.every(lists)) return refused(ask, snapshot, 'not-granted', { grantField: field });
  const why = lists(own)
    ? `a parent world does not list it in ${field}, and this world is held to its parent's list`
    : `neither this world nor its parent lists it in ${field}`;
  return refused(ask, snapshot, 'not-granted', { grantField: null, why });
}

/**
 * The target to forward to the world's own parts, which take any path and read it themselves. Whatever the ask
 * held, it is one word of visible ASCII, as a request line needs.
 */
function forwarded(path: ResolvedPath | UnreadablePath, ask: Ask): string {
  if (path.ok) return path.target;
  return path.literal ?? (/^[^#]*/.exec(ask.path)![0].replace(/[^\x21-\x7e]/gu, escaped) || '/');
}

function escaped(char: string): string {
  return encodeURIComponent(char.isWellFormed() ? char : '\ufffd');
}

function refused(ask: Ask, snapshot: Snapshot, rule: RuleName, about: Partial<About> = {}): Decision {
  const { authority } = ask;
  const raw = isRaw(ask);
  const refusal = refuse(
    rule,
    {
      target: targetOf(ask),
      ...(!raw && { method: ask.method }),
      host: authority.ok ? authority.host : authority.text,
      ...about,
    },
    snapshot.docsUrl,
    ask.run.declaration,
  );
  return { to: 'refuse', refusal };
}

/**
 * What was refused, to show: a URL or `host:port`. Without its query, which no rule reads and which is where
 * many APIs take their keys; never with user information.
 */
export function targetOf(ask: Ask): string {
  const { authority } = ask;
  if (isRaw(ask)) return authority.ok ? formatAuthority(authority) : authority.text;
  const host = authority.ok ? formatAuthority(authority, ask.scheme) : authority.text;
  const path = /^[^?#]*/.exec(ask.path)![0];
  return `${ask.scheme}://${host}${path === '' || path === '*' ? '/' : path}`;
}
