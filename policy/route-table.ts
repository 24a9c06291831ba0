// Which twin answers a host and a path. Several vendors can share a host, each under its own prefix; a host
// that belongs to a twin never falls through to the real vendor.
import { type Host, parseAuthority } from './authority.ts';
import { resolvePath } from './path.ts';
import { PrefixMap } from './prefix-map.ts';

/** A twin answers this host under this path prefix. `path` starts and ends with `/`. */
export type TwinRoute = {
  /** `host` on the schemes' own ports, or `host:port`. */
  readonly host: string;
  readonly path: string;
  readonly vendor: string;
  /** The variable that points a client at the twin (`raw-socket-twinned` names it), when it has one. */
  readonly endpointVariable?: string;
};

export type Route = { readonly vendor: string; readonly endpointVariable: string | null };

/** The twins of one host and port. */
export class TwinPort {
  readonly #prefixes = new PrefixMap<Route>();
  readonly #vendors = new Set<string>();
  #endpointVariable: string | null = null;

  add(path: string, route: Route): boolean {
    this.#vendors.add(route.vendor);
    this.#endpointVariable ??= route.endpointVariable;
    return this.#prefixes.add(path, route);
  }

  find(target: string, end: number): Route | undefined {
    return this.#prefixes.longest(target, end);
  }

  /** The one vendor that answers every path: only it may be handed a path that readers take differently. */
  whole(): Route | undefined {
    return this.#vendors.size === 1 ? this.#prefixes.get('/') : undefined;
  }

  get vendors(): readonly string[] {
    return [...this.#vendors];
  }

  /** Points a client at a twin of this port; null where none of them has such a variable. */
  get endpointVariable(): string | null {
    return this.#endpointVariable;
  }
}

/** Where raw bytes go on a TCP twin's port. */
export type Stream = { readonly vendor: string; readonly stream: string };

/** A twin's host: `standard` on the scheme's own port, others by number. */
export type TwinHost = {
  standard: TwinPort | null;
  readonly ports: Map<number, TwinPort>;
  /** By port; raw connections alone. */
  readonly streams: Map<number, Stream>;
  /** The first route of the host, to name the twin where no path was asked for. */
  readonly first: Route;
};

export class RouteTable {
  readonly #hosts = new Map<string, TwinHost>();

  /** Null, or why the route cannot be taken. */
  add(route: TwinRoute): string | null {
    const host = parseAuthority(route.host, 0);
    if (!host.ok) return `the host ${host.text} cannot be read: ${host.why}`;
    if (!route.path.startsWith('/') || !route.path.endsWith('/')) {
      return `the path ${route.path} does not begin and end with /`;
    }
    const path = resolvePath(route.path);
    if (!path.ok || path.target !== route.path || path.end !== route.path.length) {
      return `the path ${route.path} is not in canonical form`;
    }
    const entry: Route = { vendor: route.vendor, endpointVariable: route.endpointVariable ?? null };
    const twins = this.#host(host.host, entry);
    let port = host.port === 0 ? twins.standard : twins.ports.get(host.port);
    if (port == null) {
      port = new TwinPort();
      if (host.port === 0) twins.standard = port;
      else twins.ports.set(host.port, port);
    }
    if (port.add(route.path, entry)) return null;
    return `two twins claim ${route.host}${route.path}`;
  }

  /** False where another twin has this host and port already. */
  addStream(host: Host, port: number, stream: Stream): boolean {
    const { streams } = this.#host(host, { vendor: stream.vendor, endpointVariable: null });
    if (streams.has(port)) return false;
    streams.set(port, stream);
    return true;
  }

  #host(host: Host, first: Route): TwinHost {
    let twins = this.#hosts.get(host);
    if (twins === undefined) {
      twins = { standard: null, ports: new Map(), streams: new Map(), first };
      this.#hosts.set(host, twins);
    }
    return twins;
  }

  find(host: Host): TwinHost | undefined {
    return this.#hosts.get(host);
  }
}
