// Routes of a vendor's API as data, and a matcher whose cost is the path's length, whatever the number of routes.

/** `/v1/customers/{customer}`: a segment in braces takes any one segment. */
export type RouteLike = { readonly method: string; readonly path: string };

type RouteMatch<R> =
  | { readonly ok: true; readonly route: R; readonly params: { readonly [name: string]: string } }
  /** Some route has this path, with these methods. */
  | { readonly ok: false; readonly methods: readonly string[] };

type Node<R> = {
  readonly fixed: Map<string, Node<R>>;
  any: Node<R> | null;
  readonly routes: Map<string, R>;
};

export type Router<R> = (method: string, path: string) => RouteMatch<R>;

/** A fixed segment wins over one in braces. Two routes of one method and shape are a mistake of ours: throws. */
export function compileRoutes<R extends RouteLike>(routes: readonly R[]): Router<R> {
  const root = newNode<R>();
  for (const route of routes) {
    let node = root;
    for (const segment of segmentsOf(route.path)) {
      if (segment.startsWith('{')) node = node.any ??= newNode<R>();
      else {
        const next = node.fixed.get(segment) ?? newNode<R>();
        node.fixed.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, route);
  }
  return (method, path) => {
    const segments = segmentsOf(path);
    const methods = new Set<string>();
    const route = walk(root, segments, 0, method, methods);
    if (route === null) return { ok: false, methods: [...methods] };
    const params: { [name: string]: string } = Object.create(null);
    segmentsOf(route.path).forEach((name, index) => {
      if (name.startsWith('{')) params[name.slice(1, -1)] = decode(segments[index] ?? '');
    });
    return { ok: true, route, params };
  };
}

function newNode<R>(): Node<R> {
  return { fixed: new Map(), any: null, routes: new Map() };
}

function walk<R>(
  node: Node<R>,
  segments: readonly string[],
  depth: number,
  method: string,
  methods: Set<string>,
): R | null {
  const segment = segments[depth];
  if (segment === undefined) {
    for (const known of node.routes.keys()) methods.add(known);
    return node.routes.get(method) ?? null;
  }
  const fixed = node.fixed.get(segment);
  if (fixed !== undefined) {
    const found = walk(fixed, segments, depth + 1, method, methods);
    if (found !== null) return found;
  }
  if (node.any !== null && segment !== '') return walk(node.any, segments, depth + 1, method, methods);
  return null;
}

/** `/v1/customers/` and `/v1/customers` are one path to every vendor we know. */
function segmentsOf(path: string): string[] {
  const trimmed = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  return trimmed.split('/');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
