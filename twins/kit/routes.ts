// Routes of a vendor's API as data, and a matcher whose cost is the path's length, whatever the number of routes.

/**
 * `/v1/customers/{customer}`: braces take one segment, or the part of it that the text around them leaves
 * (`/Calls/{sid}.json`).
 */
export type RouteLike = { readonly method: string; readonly path: string };

type RouteMatch<R> =
  | { readonly ok: true; readonly route: R; readonly params: { readonly [name: string]: string } }
  /** Some route has this path, with these methods. */
  | { readonly ok: false; readonly methods: readonly string[] };

type Node<R> = {
  readonly fixed: Map<string, Node<R>>;
  /** Braces with text around them, the longest text first. */
  readonly partly: { readonly slot: Slot; readonly node: Node<R> }[];
  any: Node<R> | null;
  readonly routes: Map<string, Held<R>>;
};

type Held<R> = { readonly route: R; readonly slots: readonly (Slot & { readonly at: number })[] };

/** A segment with braces. */
type Slot = { readonly before: string; readonly name: string; readonly after: string };

export type Router<R> = (method: string, path: string) => RouteMatch<R>;

/**
 * A fixed segment wins over one with braces, and text around the braces over braces alone. Throws for a mistake of the
 * twin's author: two routes of one method and shape, and braces that no segment could be read by.
 */
export function compileRoutes<R extends RouteLike>(routes: readonly R[]): Router<R> {
  const root = newNode<R>();
  for (const route of routes) {
    let node = root;
    const slots: (Slot & { at: number })[] = [];
    for (const [at, segment] of segmentsOf(route.path).entries()) {
      const slot = slotOf(segment, route.path);
      if (slot !== null) slots.push({ ...slot, at });
      node = childOf(node, segment, slot);
    }
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, { route, slots });
  }
  return (method, path) => {
    const segments = segmentsOf(path);
    const held = walk(root, segments, 0, method, null);
    if (held === null) {
      const methods = new Set<string>();
      walk(root, segments, 0, method, methods);
      return { ok: false, methods: [...methods] };
    }
    const params: { [name: string]: string } = Object.create(null);
    for (const { at, name, before, after } of held.slots) {
      const segment = segments[at] ?? '';
      params[name] = decode(segment.slice(before.length, segment.length - after.length));
    }
    return { ok: true, route: held.route, params };
  };
}

function newNode<R>(): Node<R> {
  return { fixed: new Map(), partly: [], any: null, routes: new Map() };
}

/** Null for a segment without braces. */
function slotOf(segment: string, path: string): Slot | null {
  if (!/[{}]/.test(segment)) return null;
  const found = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(segment);
  const [, before = '', name = '', after = ''] = found ?? [];
  if (found === null) throw new Error(`no segment can be read by ${segment} of ${path}: one {name} is taken`);
  return { before, name, after };
}

function childOf<R>(node: Node<R>, segment: string, slot: Slot | null): Node<R> {
  if (slot === null) {
    const next = node.fixed.get(segment) ?? newNode<R>();
    node.fixed.set(segment, next);
    return next;
  }
  const { before, after } = slot;
  if (before === '' && after === '') {
    node.any ??= newNode<R>();
    return node.any;
  }
  const known = node.partly.find(each => each.slot.before === before && each.slot.after === after);
  if (known !== undefined) return known.node;
  const next = newNode<R>();
  const text = (each: Slot): number => each.before.length + each.after.length;
  node.partly.push({ slot, node: next });
  node.partly.sort((a, b) => text(b.slot) - text(a.slot));
  return next;
}

/** `methods`: where the methods of the path's routes are put, for who asks. */
function walk<R>(
  node: Node<R>,
  segments: readonly string[],
  depth: number,
  method: string,
  methods: Set<string> | null,
): Held<R> | null {
  const segment = segments[depth];
  if (segment === undefined) {
    if (methods !== null) for (const known of node.routes.keys()) methods.add(known);
    return node.routes.get(method) ?? null;
  }
  const fixed = node.fixed.get(segment);
  if (fixed !== undefined) {
    const found = walk(fixed, segments, depth + 1, method, methods);
    if (found !== null) return found;
  }
  for (const { slot, node: next } of node.partly) {
    if (segment.length <= slot.before.length + slot.after.length) continue;
    if (!segment.startsWith(slot.before) || !segment.endsWith(slot.after)) continue;
    const found = walk(next, segments, depth + 1, method, methods);
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
