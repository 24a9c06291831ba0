// What a route is. Routes are data: the access table test, the OpenAPI document and the reference of endpoints read
// this list, and the tests hold every answer against what its route says here.
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { World } from '../world/world.ts';
import type { Access, Asker } from './access.ts';
import type { Arrived, ReadHeaders } from './arrived.ts';
import type { Schema } from './schema.ts';
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
  readonly arrived: Arrived;
  readonly head: ReadHeaders;
  /** Whether the credential that opened the route still would; for answers that outlast a request. */
  readonly stands: () => boolean;
};

/** The part of the specification that a route belongs to; the documents are ordered by it. */
export const TAGS = [
  'World',
  'Looking',
  'History',
  'Time',
  'Branches',
  'Changesets',
  'Vendors',
  'Access',
  'Twins',
  'Runs',
  'Hosting',
] as const;

export type Tag = (typeof TAGS)[number];

/** A query parameter or a header field; `required` unless said otherwise: no. */
export type Parameter = {
  readonly description: string;
  readonly schema: Schema;
  readonly required?: true;
};

export type Answer = {
  readonly description: string;
  /** Of the JSON body, or of a body of `type`. Without either there is no body. */
  readonly schema?: Schema;
  /** Media type, or a range such as `text/*`; `application/json` where there is a schema. */
  readonly type?: string;
};

/** What the documents say of a route. */
export type Documented = {
  /** A GET also answers HEAD. `ANY`: the twin judges the method. */
  readonly method: Method | 'ANY';
  /** `<org>` and `<world>` are this world's; a last `<path...>` takes the rest. */
  readonly path: string;
  readonly access: Access;
  readonly tag: Tag;
  /** A page for people: who opens it without a session is sent to the world's own page, which opens one and comes back. */
  readonly signIn?: true;
  /** One line of the endpoints' reference. */
  readonly summary: string;
  readonly query?: { readonly [name: string]: Parameter };
  /** Header fields beside those that carry a credential. */
  readonly headers?: { readonly [name: string]: Parameter };
  /** The JSON body it takes, or one of `type`; `optional` where none will do. */
  readonly request?: {
    readonly schema: Schema;
    readonly type?: string;
    readonly description?: string;
    readonly optional?: true;
  };
  /**
   * By status: each that `run` answers. What the way to it answers (no credential, a body over the limit, the
   * request budget, a bug of ours) is in openapi.ts, once for all.
   */
  readonly answers: { readonly [status: number]: Answer };
};

export type Route = Documented & {
  readonly run: (call: Call, world: World, visit: Visit) => Reply | Promise<Reply>;
};
