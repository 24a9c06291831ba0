// `.wrld/world.json`: read once, here, into values that the rest trusts. Whatever it cannot mean is refused
// with its line and what is accepted; nothing is ignored, because an ignored line of policy is a hole.
import { parseGrant } from '../../../policy/grant.ts';
import type { NetworkGrants, ServiceRoute } from '../../../policy/snapshot.ts';
import { isAbsolutePath, readHostPort, readIpAddress, readName, staysInside } from './address.ts';
import { shapeProblems } from './shape.ts';
import { type ConfigProblem, type JsonPath, readConfigText } from './text.ts';
import { parseWorldName } from './world-name.ts';

export { type ConfigProblem, formatProblems } from './text.ts';

export type TwinConfig = {
  /** The name it has in this world: the first path segment of its place, and its log's name. */
  readonly vendor: string;
  /** A twin that ships with wrld (`stripe`), or a module: a path that begins with `.`, or a package. */
  readonly twin: string;
  /** Its handlers file, relative to the world's folder and inside it. */
  readonly scenarioPath: string | null;
  /** The root of its vendor, in the schema's shape: what it means is looked at where it is set (roots/root-document.ts). */
  readonly root?: RootConfig;
};

export type RootConfig = {
  readonly url: string;
  readonly deploy?: 'auto' | 'manual' | 'never';
  readonly refresh?: { readonly every?: string | null; readonly atMost?: string };
};

export type WorldConfig = {
  /** `<org>/<world>` */
  readonly name: string;
  readonly org: string;
  readonly world: string;
  readonly twins: readonly TwinConfig[];
  readonly services: readonly ServiceRoute[];
  readonly phase: 'build' | null;
  readonly network: NetworkGrants;
  /** Canonical name → IP address. */
  readonly extraHosts: { readonly [name: string]: string };
  readonly app: { readonly hosts: readonly string[]; readonly upstream: string } | null;
  /** The parent world's folder, relative to this world's. */
  readonly parent: string | null;
};

export type WorldConfigResult =
  | { readonly ok: true; readonly config: WorldConfig }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** What the schema (schema/world.schema.json) has found to be there; nothing more is known of it. */
type Document = {
  readonly name: string;
  readonly services?: {
    readonly [name: string]:
      | { readonly address: string }
      | {
          readonly twin: string;
          readonly colocate?: { readonly scenarioPath?: string };
          readonly root?: RootConfig;
        };
  };
  readonly runtime?: {
    readonly phase?: 'build';
    readonly network?: Partial<NetworkGrants>;
    readonly extraHosts?: { readonly [name: string]: string };
    readonly app?: { readonly hosts: readonly string[]; readonly upstream: string };
  };
  readonly parent?: string;
};

export function parseWorldConfig(source: string): WorldConfigResult {
  const read = readConfigText(source);
  if (!read.ok) return read;
  const misshapen = shapeProblems(read.text);
  if (misshapen.length > 0) return { ok: false, problems: misshapen };
  const document = read.text.value as Document;

  const problems: ConfigProblem[] = [];
  const complain: Complain = (path, message) => problems.push(read.text.problem(path, message));
  const complainAtKey: Complain = (path, message) => problems.push(read.text.problemAtKey(path, message));

  const name = parseWorldName(document.name);
  if (!name.ok) complain(['name'], name.why);
  const network = readNetwork(document, complain);
  const { twins, services } = readServices(document, complain);
  const config = {
    twins,
    services,
    phase: document.runtime?.phase ?? null,
    network,
    extraHosts: readExtraHosts(document, complain, complainAtKey),
    app: readApp(document, complain),
    parent: readParent(document, complain),
  };
  if (!name.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, config: { name: name.text, org: name.org, world: name.world, ...config } };
}

type Complain = (path: JsonPath, message: string) => void;

function readNetwork(document: Document, complain: Complain): NetworkGrants {
  const given = document.runtime?.network ?? {};
  const at = (list: string, index: number): JsonPath => ['runtime', 'network', list, index];
  const egress = given.egress ?? [];
  const writes = given.writes ?? [];
  const passthrough = given.passthrough ?? [];
  const granted = new Set<string>();
  for (const [list, entries] of Object.entries({ egress, writes })) {
    for (const [index, text] of entries.entries()) {
      const read = parseGrant(text);
      if (!read.ok) complain(at(list, index), read.why);
      else if (list === 'egress' && read.grant.kind === 'origin') granted.add(read.grant.origin);
    }
  }
  for (const [index, text] of passthrough.entries()) {
    const read = parseGrant(text);
    if (!read.ok) complain(at('passthrough', index), read.why);
    else if (read.grant.kind !== 'origin') {
      complain(
        at('passthrough', index),
        `not a whole origin; what is tunnelled unread cannot be held to a path. Accepted: ${read.grant.origin}`,
      );
    } else if (document.runtime?.phase !== 'build') {
      complain(at('passthrough', index), 'accepted only in a world with "runtime": { "phase": "build" }');
    } else if (!granted.has(read.grant.origin)) {
      complain(
        at('passthrough', index),
        `not granted as a whole origin; list ${read.grant.origin} in runtime.network.egress as well`,
      );
    }
  }
  return { egress, writes, passthrough, ownLoopback: given.ownLoopback ?? true };
}

function readServices(
  document: Document,
  complain: Complain,
): { readonly twins: readonly TwinConfig[]; readonly services: readonly ServiceRoute[] } {
  const twins: TwinConfig[] = [];
  const services: ServiceRoute[] = [];
  for (const [name, service] of Object.entries(document.services ?? {})) {
    if ('address' in service) {
      const address = readHostPort(service.address, null);
      if (address === null) {
        complain(['services', name, 'address'], 'not an address; accepted: host:port (127.0.0.1:5432)');
      } else services.push({ name, host: address.host, port: address.port });
      continue;
    }
    const scenarioPath = service.colocate?.scenarioPath ?? null;
    if (scenarioPath !== null && !staysInside(scenarioPath)) {
      complain(
        ['services', name, 'colocate', 'scenarioPath'],
        "accepted: a path inside the world's folder (scenarios/stripe.json)",
      );
    }
    const { twin, root } = service;
    twins.push({ vendor: name, twin, scenarioPath, ...(root === undefined ? {} : { root }) });
  }
  return { twins, services };
}

function readExtraHosts(
  document: Document,
  complain: Complain,
  complainAtKey: Complain,
): WorldConfig['extraHosts'] {
  const pinned: { [name: string]: string } = {};
  for (const [name, address] of Object.entries(document.runtime?.extraHosts ?? {})) {
    const path = ['runtime', 'extraHosts', name];
    const host = readName(name);
    const target = readIpAddress(address);
    if (host === null) {
      complainAtKey(
        path,
        'not a host name; accepted: a name without wildcard, scheme or port (api.example.com)',
      );
    } else if (target === null) {
      complain(path, 'not an IP address; accepted: 127.0.0.1, 10.1.2.3, ::1');
    } else if (Object.hasOwn(pinned, host.host)) {
      complainAtKey(path, `the same host as another key of extraHosts (${host.host})`);
    } else pinned[host.host] = target.host;
  }
  return pinned;
}

function readApp(document: Document, complain: Complain): WorldConfig['app'] {
  const app = document.runtime?.app;
  if (app === undefined) return null;
  const hosts: string[] = [];
  for (const [index, text] of app.hosts.entries()) {
    const host = readName(text);
    if (host !== null) hosts.push(host.host);
    else complain(['runtime', 'app', 'hosts', index], 'not a host name; accepted: shop.test');
  }
  const upstream = /^http:\/\/([^/?#]+)\/?$/.exec(app.upstream);
  if (upstream === null || readHostPort(upstream[1]!, 80) === null) {
    complain(['runtime', 'app', 'upstream'], 'not an origin; accepted: http://127.0.0.1:3000');
  }
  return { hosts, upstream: `http://${upstream?.[1] ?? ''}` };
}

function readParent(document: Document, complain: Complain): string | null {
  const parent = document.parent ?? null;
  if (parent === null) return null;
  if (isAbsolutePath(parent)) {
    complain(['parent'], "accepted: a folder relative to this world's (../company)");
  }
  return parent;
}
