// From method and path to a route: a tree of path segments, where a literal wins over a `<name>`. The walk
// allocates nothing but the parameters, since every request to a twin takes it.
import type { Method, Route } from './route.ts';

/** What the tree is made by. */
type Routed = Pick<Route, 'method' | 'path'>;

export type Match<R extends Routed = Route> =
  | { readonly at: 'route'; readonly route: R; readonly params: { readonly [name: string]: string } }
  | { readonly at: 'other-method'; readonly allow: string }
  | { readonly at: 'nothing' };

type Node<R> = {
  readonly literals: Map<string, Node<R>>;
  param: { readonly name: string; readonly node: Node<R> } | null;
  rest: { readonly name: string; readonly node: Node<R> } | null;
  readonly routes: Map<Route['method'], R>;
};

const NOTHING = { at: 'nothing' } as const;
const PARAM = /^<([a-z]+)(\.\.\.)?>$/;

export class Router<R extends Routed = Route> {
  readonly #root: Node<R> = emptyNode();

  /** `world`: `<org>/<world>`, put in place of the templates' own `<org>` and `<world>`; without it both are names. */
  constructor(routes: readonly R[], world: string = '<org>/<world>') {
    for (const route of routes) this.#add(route, world);
  }

  match(method: string, path: string): Match<R> {
    const params: { [name: string]: string } = {};
    let node = this.#root;
    let from = 1;
    for (;;) {
      const slash = path.indexOf('/', from);
      const segment = slash === -1 ? path.slice(from) : path.slice(from, slash);
      const literal = node.literals.get(segment);
      if (literal) node = literal;
      else if (node.param && segment !== '') {
        params[node.param.name] = segment;
        node = node.param.node;
      } else return NOTHING;
      if (node.rest) {
        params[node.rest.name] = slash === -1 ? '/' : path.slice(slash);
        node = node.rest.node;
        break;
      }
      if (slash === -1) break;
      from = slash + 1;
    }
    if (node.routes.size === 0) return NOTHING;
    const wanted = method === 'HEAD' ? 'GET' : method;
    const route = node.routes.get('ANY') ?? node.routes.get(wanted as Method);
    return route ? { at: 'route', route, params } : { at: 'other-method', allow: methodsOf(node) };
  }

  #add(route: R, world: string): void {
    let node = this.#root;
    for (const segment of route.path.replace('<org>/<world>', world).slice(1).split('/')) {
      const param = PARAM.exec(segment);
      if (!param) {
        let next = node.literals.get(segment);
        if (!next) node.literals.set(segment, (next = emptyNode()));
        node = next;
      } else {
        const name = param[1]!;
        const edge = param[2] ? 'rest' : 'param';
        node[edge] ??= { name, node: emptyNode() };
        // Two templates that name one place differently would fill only the first name.
        if (node[edge].name !== name)
          throw new Error(`${route.path}: <${node[edge].name}> stands there already`);
        node = node[edge].node;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`${route.method} ${route.path} is there twice`);
    node.routes.set(route.method, route);
  }
}

function emptyNode<R>(): Node<R> {
  return { literals: new Map(), param: null, rest: null, routes: new Map() };
}

function methodsOf(node: Node<unknown>): string {
  return [...node.routes.keys()]
    .flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');
}
