// Everything the proxy judges by, as one versioned value: the document that control pushes, and the
// compiled form whose look-ups do not grow with the number of grants.
import { formatAuthority, type Host, parseAuthority, parseHost } from './authority.ts';
import type { Permit } from './decision.ts';
import { readDeclaration } from './declaration.ts';
import { type Grant, type KnownOrigins, parseGrant } from './grant.ts';
import { GrantTable } from './grant-table.ts';
import { isAddress, loopbackAddress, makePermit } from './permit.ts';
import { RouteTable, type TwinRoute } from './route-table.ts';
import type { Declaration, Run } from './run.ts';
import { ShapeReader } from './shape.ts';
import { readVendors, type VendorPlace, type VendorTable } from './vendor-place.ts';

/** One world's `runtime.network` (7.2 `not-granted`): origins, exact paths, or subtrees that end in `/`. */
export type NetworkGrants = {
  readonly egress: readonly string[];
  readonly writes: readonly string[];
  /** Whole origins that are tunnelled unread; only in a `phase: build` world. */
  readonly passthrough: readonly string[];
  readonly ownLoopback: boolean;
};

/** Those of a parent world; `world` is its name, for refusals to show. */
export type ParentGrants = NetworkGrants & { readonly world?: string };

/** A TCP twin answers raw connections to this host and port. */
export type StreamRoute = {
  readonly host: string;
  readonly port: number;
  readonly vendor: string;
  /** The twin's stream id, as its manifest names it. */
  readonly stream: string;
};

export type ServiceRoute = { readonly name: string; readonly host: string; readonly port: number };

export type RunGrant = {
  readonly name: string;
  /** SHA-256 of the run's proxy password, hex. */
  readonly secretHash: string;
  readonly declaration: Declaration;
  /** The world whose twins answer it, a branch of this one; this one when absent. */
  readonly world?: string;
};

/** The wire form; plain JSON. */
export type SnapshotDocument = {
  /** Which start of control made it; versions are ordered within an epoch. */
  readonly epoch: string;
  readonly version: number;
  /** `<org>/<world>`. */
  readonly world: string;
  /** Base of the reference pages: `{docs_url}` of 2.1. */
  readonly docsUrl: string;
  readonly sandbox: boolean;
  readonly phase: 'build' | null;
  readonly network: NetworkGrants;
  /** Why no grant holds here, where it is not for want of one; absent: grants hold. */
  readonly grantless?: string;
  /** The grants of the parent worlds, nearest first; a request must pass each. */
  readonly parents: readonly ParentGrants[];
  readonly routes: readonly TwinRoute[];
  /** Absent: the world has no TCP twin. */
  readonly streams?: readonly StreamRoute[];
  /** `host:port` of the world's own endpoints. */
  readonly endpoints: readonly string[];
  readonly services: readonly ServiceRoute[];
  readonly app: { readonly hosts: readonly string[]; readonly upstream: string } | null;
  /** Names pinned to addresses, as compose's `extra_hosts` does. */
  readonly extraHosts: { readonly [name: string]: string };
  readonly runs: readonly RunGrant[];
  /** False on a non-loopback bind: a client must name its run (407 otherwise). */
  readonly anonymousRuns: boolean;
  /** Where the roots and links of the host's worlds are; only who asks as them is let out to these. Absent: there are none. */
  readonly vendors?: readonly VendorPlace[];
};

/** A run that a client can name, and what proves it. */
export type KnownRun = { readonly run: Run; readonly secretHash: string };

export type KnownService = { readonly name: string; readonly http: Permit; readonly https: Permit };

/** What `decide` takes. Made by `compileSnapshot` or, before there is any, by `unreadSnapshot`. */
export type Snapshot = {
  readonly epoch: string;
  readonly version: number;
  readonly world: string;
  readonly docsUrl: string;
  /** Why no policy could be read, else null. Where it is not null everything is refused (`policy-unreadable`). */
  readonly unread: string | null;
  readonly sandbox: boolean;
  readonly phase: 'build' | null;
  readonly grantless: string | null;
  /** The world's own grants first, then each parent's: a request must pass every layer. */
  readonly layers: readonly [GrantTable, ...GrantTable[]];
  /** Who says `ownLoopback: false`: this world, and its parents by their names. Null: nobody. */
  readonly loopbackDenied: { readonly here: boolean; readonly parents: readonly string[] } | null;
  readonly twins: RouteTable;
  /** By `host:port`. */
  readonly endpoints: ReadonlyMap<string, Permit>;
  /** Hosts that endpoints or services are on: one look-up for the many requests that go elsewhere. */
  readonly ownHosts: ReadonlySet<string>;
  readonly services: ReadonlyMap<string, KnownService>;
  readonly app: { readonly hosts: ReadonlySet<string>; readonly permit: Permit } | null;
  readonly pins: ReadonlyMap<string, string>;
  readonly runs: ReadonlyMap<string, KnownRun>;
  /** A run is open that is held to a declaration or has a world of its own: who names no run might be of it. */
  readonly heldRuns: boolean;
  readonly anonymousRuns: boolean;
  /** By `vendorKey`. */
  readonly vendors: VendorTable;
};

export type SnapshotResult =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly why: string };

/** What is in force before the first snapshot: everything is refused, and the refusal says why. */
export function unreadSnapshot(docsUrl: string): Snapshot {
  return {
    epoch: '',
    version: 0,
    world: '',
    docsUrl,
    unread: 'the proxy has not received the world’s policy yet',
    sandbox: false,
    phase: null,
    grantless: null,
    layers: [new GrantTable()],
    loopbackDenied: null,
    twins: new RouteTable(),
    endpoints: new Map(),
    ownHosts: new Set(),
    services: new Map(),
    app: null,
    pins: new Map(),
    runs: new Map(),
    heldRuns: false,
    anonymousRuns: true,
    vendors: new Map(),
  };
}

/** Reads a pushed document. A bad one is answered with why; the caller keeps what it had (fail closed). */
export function compileSnapshot(document: unknown): SnapshotResult {
  const reader = new ShapeReader();
  const fields = reader.object(document, '', DOCUMENT_KEYS);
  const pins = readPins(fields['extraHosts'], reader);
  const layers: [GrantTable, ...GrantTable[]] = [new GrantTable()];
  const here = !readLayer(fields['network'], 'network', layers[0], pins, reader);
  const denying: string[] = [];
  for (const [index, parent] of reader.list(fields['parents'], 'parents').entries()) {
    const table = new GrantTable();
    layers.push(table);
    const at = `parents[${index}]`;
    const { world: name, ...grants } = reader.map(parent, at);
    if (!readLayer(grants, at, table, pins, reader))
      denying.push(name === undefined ? 'a parent world' : reader.string(name, `${at}.world`));
  }
  const endpoints = readEndpoints(fields['endpoints'], pins, reader);
  const services = readServices(fields['services'], pins, reader);
  const runs = readRuns(fields['runs'], reader);
  const snapshot: Snapshot = {
    epoch: reader.string(fields['epoch'], 'epoch'),
    version: reader.integer(fields['version'], 'version', { min: 0, max: Number.MAX_SAFE_INTEGER }),
    world: reader.string(fields['world'], 'world'),
    docsUrl: readDocsUrl(fields['docsUrl'], reader),
    unread: null,
    sandbox: reader.boolean(fields['sandbox'], 'sandbox'),
    phase: readPhase(fields['phase'], reader),
    grantless: fields['grantless'] === undefined ? null : reader.string(fields['grantless'], 'grantless'),
    layers,
    loopbackDenied: here || denying.length > 0 ? { here, parents: denying } : null,
    twins: readRoutes(fields['routes'], fields['streams'] ?? [], reader),
    endpoints,
    ownHosts: hostsOf([...endpoints.values(), ...[...services.values()].map(service => service.http)]),
    services,
    app: readApp(fields['app'], pins, reader),
    pins,
    runs,
    heldRuns: [...runs.values()].some(({ run }) => isHeld(run)),
    anonymousRuns: reader.boolean(fields['anonymousRuns'], 'anonymousRuns'),
    vendors: readVendors(fields['vendors'] ?? [], pins, reader),
  };
  return reader.problem === null ? { ok: true, snapshot } : { ok: false, why: reader.problem };
}

const DOCUMENT_KEYS: readonly (keyof SnapshotDocument)[] = [
  'epoch',
  'version',
  'world',
  'docsUrl',
  'sandbox',
  'phase',
  'network',
  'grantless',
  'parents',
  'routes',
  'streams',
  'endpoints',
  'services',
  'app',
  'extraHosts',
  'runs',
  'anonymousRuns',
  'vendors',
];

function readPhase(value: unknown, reader: ShapeReader): 'build' | null {
  if (value !== null && value !== 'build') reader.complain('phase', 'expected "build" or null');
  return value === 'build' ? 'build' : null;
}

function readDocsUrl(value: unknown, reader: ShapeReader): string {
  const text = reader.string(value, 'docsUrl');
  // The link goes into pages and terminals as it stands.
  if (!/^https?:\/\/[!#-;=?-~]+$/.test(text)) reader.complain('docsUrl', 'expected an http(s) URL');
  return text.replace(/\/+$/, '');
}

type Pins = ReadonlyMap<string, string>;

function readPins(value: unknown, reader: ShapeReader): Pins {
  const pins = new Map<string, string>();
  for (const [name, address] of Object.entries(reader.map(value, 'extraHosts'))) {
    const at = `extraHosts[${JSON.stringify(name)}]`;
    const host = parseHost(name);
    const target = parseHost(reader.string(address, at));
    if (!host.ok || isAddress(host.host)) reader.complain(at, 'the key is not a host name');
    else if (!target.ok || !isAddress(target.host)) reader.complain(at, 'expected an IP address');
    else pins.set(host.host, target.host);
  }
  return pins;
}

/** Fills one layer's table; answers its `ownLoopback`. */
function readLayer(value: unknown, at: string, table: GrantTable, pins: Pins, reader: ShapeReader): boolean {
  const fields = reader.object(value, at, ['egress', 'writes', 'passthrough', 'ownLoopback']);
  const permit = (grant: Grant): Permit => egressPermit(grant, pins);
  const known: KnownOrigins = new Map();
  for (const list of ['egress', 'writes', 'passthrough'] as const) {
    const texts = reader.strings(fields[list], `${at}.${list}`);
    for (let i = 0; i < texts.length; i++) {
      const read = parseGrant(texts[i]!, known);
      const why = !read.ok ? read.why : list === 'passthrough' ? passthroughProblem(read.grant, table) : null;
      if (why !== null) reader.complain(`${at}.${list}[${i}]`, why);
      else if (read.ok) table.add(list, read.grant, permit);
    }
  }
  return reader.boolean(fields['ownLoopback'], `${at}.ownLoopback`);
}

/** What is tunnelled unread cannot be held to a path, nor can it be wider than what is granted. */
function passthroughProblem(grant: Grant, table: GrantTable): string | null {
  if (grant.kind !== 'origin') return `not a whole origin; write ${grant.origin}`;
  if (table.find(grant.scheme, grant.host, grant.port)?.egress?.whole) return null;
  return `${grant.origin} is not granted as a whole origin in egress`;
}

/**
 * A pinned name and a literal address are dialled as they stand: whoever wrote them meant that address, so it
 * may be a loopback one. A name that is not pinned may not lead there (bad-input, DNS and upstream).
 */
function egressPermit(grant: Grant, pins: Pins): Permit {
  const address = pins.get(grant.host) ?? (isAddress(grant.host) ? grant.host : null);
  return makePermit({
    scheme: grant.scheme,
    host: grant.host,
    port: grant.port,
    address,
    loopback: address !== null || grant.class === 'loopback',
  });
}

function readRoutes(value: unknown, streams: unknown, reader: ShapeReader): RouteTable {
  const table = new RouteTable();
  for (const [index, item] of reader.list(value, 'routes').entries()) {
    const at = `routes[${index}]`;
    const fields = reader.object(item, at, ['host', 'path', 'vendor', 'endpointVariable']);
    const variable = fields['endpointVariable'];
    const why = table.add({
      host: reader.string(fields['host'], `${at}.host`),
      path: reader.string(fields['path'], `${at}.path`),
      vendor: reader.string(fields['vendor'], `${at}.vendor`),
      ...(variable !== undefined && { endpointVariable: reader.string(variable, `${at}.endpointVariable`) }),
    });
    if (why !== null) reader.complain(at, why);
  }
  for (const [index, item] of reader.list(streams, 'streams').entries()) {
    const at = `streams[${index}]`;
    const fields = reader.object(item, at, ['host', 'port', 'vendor', 'stream']);
    const host = parseHost(reader.string(fields['host'], `${at}.host`));
    const port = reader.integer(fields['port'], `${at}.port`, { min: 1, max: 65535 });
    const vendor = reader.string(fields['vendor'], `${at}.vendor`);
    const stream = reader.string(fields['stream'], `${at}.stream`);
    if (!host.ok) reader.complain(`${at}.host`, `cannot be read: ${host.why}`);
    // Both become segments of the path that control is asked for.
    else if (!STREAM_NAME.test(vendor) || !STREAM_NAME.test(stream))
      reader.complain(at, 'vendor and stream are lower-case letters, digits and -');
    else if (!table.addStream(host.host, port, { vendor, stream }))
      reader.complain(at, `two twins claim ${formatAuthority({ host: host.host, port })}`);
  }
  return table;
}

const STREAM_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

function readEndpoints(value: unknown, pins: Pins, reader: ShapeReader): Snapshot['endpoints'] {
  const endpoints = new Map<string, Permit>();
  for (const [index, text] of reader.strings(value, 'endpoints').entries()) {
    const authority = parseAuthority(text, null);
    if (authority.ok) endpoints.set(formatAuthority(authority), ownPermit('http', authority, pins));
    else reader.complain(`endpoints[${index}]`, `expected host:port: ${authority.why}`);
  }
  return endpoints;
}

function readServices(value: unknown, pins: Pins, reader: ShapeReader): ReadonlyMap<string, KnownService> {
  const services = new Map<string, KnownService>();
  for (const [index, item] of reader.list(value, 'services').entries()) {
    const at = `services[${index}]`;
    const fields = reader.object(item, at, ['name', 'host', 'port']);
    const name = reader.string(fields['name'], `${at}.name`);
    const host = parseHost(reader.string(fields['host'], `${at}.host`));
    const port = reader.integer(fields['port'], `${at}.port`, { min: 1, max: 65535 });
    if (!host.ok) {
      reader.complain(`${at}.host`, `cannot be read: ${host.why}`);
      continue;
    }
    const place = { host: host.host, port };
    services.set(formatAuthority(place), {
      name,
      http: ownPermit('http', place, pins),
      https: ownPermit('https', place, pins),
    });
  }
  return services;
}

function hostsOf(permits: readonly Permit[]): ReadonlySet<string> {
  return new Set(permits.map(permit => permit.host));
}

/** Leave to dial a part of the world itself: it runs on this machine, so a loopback address is what is meant. */
function ownPermit(
  scheme: 'http' | 'https',
  at: { readonly host: Host; readonly port: number },
  pins: Pins,
): Permit {
  const address = pins.get(at.host) ?? loopbackAddress(at.host);
  return makePermit({ scheme, host: at.host, port: at.port, address, loopback: true });
}

function readApp(value: unknown, pins: Pins, reader: ShapeReader): Snapshot['app'] {
  if (value === null) return null;
  const fields = reader.object(value, 'app', ['hosts', 'upstream']);
  const hosts = new Set<string>();
  for (const [index, text] of reader.strings(fields['hosts'], 'app.hosts').entries()) {
    const host = parseHost(text);
    if (host.ok) hosts.add(host.host);
    else reader.complain(`app.hosts[${index}]`, `cannot be read: ${host.why}`);
  }
  const origin = /^http:\/\/([^/?#]+)$/.exec(reader.string(fields['upstream'], 'app.upstream'));
  const upstream = parseAuthority(origin?.[1] ?? '', 80);
  if (!upstream.ok) {
    reader.complain('app.upstream', 'expected an origin (http://127.0.0.1:3000)');
    return null;
  }
  return { hosts, permit: ownPermit('http', upstream, pins) };
}

function isHeld({ declaration, world }: Run): boolean {
  return world !== undefined || Object.keys(declaration).length > 0;
}

function readRuns(value: unknown, reader: ShapeReader): ReadonlyMap<string, KnownRun> {
  const runs = new Map<string, KnownRun>();
  for (const [index, item] of reader.list(value, 'runs').entries()) {
    const at = `runs[${index}]`;
    const fields = reader.object(item, at, ['name', 'secretHash', 'declaration', 'world']);
    const name = reader.string(fields['name'], `${at}.name`);
    const secretHash = reader.string(fields['secretHash'], `${at}.secretHash`);
    if (!/^[0-9a-f]{64}$/.test(secretHash)) reader.complain(`${at}.secretHash`, 'expected a SHA-256 in hex');
    if (runs.has(name)) reader.complain(at, 'a second run of this name');
    const declaration = readDeclaration(fields['declaration'], `${at}.declaration`, reader);
    const world =
      fields['world'] === undefined ? {} : { world: reader.string(fields['world'], `${at}.world`) };
    runs.set(name, { run: { name, declaration, ...world }, secretHash });
  }
  return runs;
}
