// What a route is. Routes are data: the access table test, and the reference of endpoints, read this list.
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { World } from '../world/world.ts';
import type { Access, Asker } from './access.ts';
import type { Surroundings } from './surroundings.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One request under way, beside the call itself. */
export type Visit = {
  /** The template's `<names>`, as sent; `<path...>` begins with `/`. */
  readonly params: { readonly [name: string]: string };
  /** Null where the route is open to everyone and no credential came. */
  readonly asker: Asker | null;
  /** The credential that opened the route, to hand back to whom already holds it (`WRLD_TWINS_KEY`, 2.4). */
  readonly presented: string | null;
  readonly around: Surroundings;
};

export type Route = {
  /** A GET also answers HEAD. `ANY`: the twin judges the method. */
  readonly method: Method | 'ANY';
  /** `<org>` and `<world>` are this world's; a last `<path...>` takes the rest. */
  readonly path: string;
  readonly access: Access;
  /** One line of the endpoints' reference. */
  readonly summary: string;
  readonly run: (call: Call, world: World, visit: Visit) => Reply | Promise<Reply>;
};
