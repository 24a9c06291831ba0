// What a twin is written in: operations and screens as data, and the one context that `run` is given.
import type { Call } from './call.ts';
import type { Spoken } from './generative.ts';
import { type Json, readJson } from './json.ts';
import type { Reply } from './reply.ts';
import type { Tx } from './tx.ts';

/** What every operation and every screen is given; a vendor's own context has more. */
export type Ask = {
  readonly call: Call;
  readonly tx: Tx;
  /** What the braces of the template took. */
  readonly path: { readonly [name: string]: string };
  readonly query: URLSearchParams;
};

/** An operation of the vendor's API. `Outcome` is what the vendor's operations answer; builders write it as a reply. */
export type Operation<Context, Outcome> = {
  /** As the SDK names it: `parcels.create`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/parcels/{parcel}` */
  readonly path: string;
  /** Throws a `Refusal` to refuse. */
  readonly run: (context: Context) => Outcome;
};

/** A page that people see; it asks for no key. */
export type Screen<Context> = {
  /** As the manifest names it. */
  readonly id: string;
  /** `/track/{parcel}` */
  readonly path: string;
  /** What a visit has to say behind the path, as the manifest tells: `client_id={client_id}`. */
  readonly query?: string;
  /** Where it stands, if not at the hosts of the API. */
  readonly host?: string;
  /** Its forms post to where it stands. */
  readonly posts?: boolean;
  readonly run: (context: Context) => Reply;
};

/** One call at work. Its query and its body are read once, and only where somebody looks at them. */
export class Asked implements Ask {
  readonly call: Call;
  readonly tx: Tx;
  /** Empty until its operation is found. */
  path: Ask['path'] = NO_PATH;
  /** What a handler says in the place of the twin's model; null where none does. */
  readonly spoken: Spoken | null;
  #query: URLSearchParams | null = null;
  #json: Json | undefined;
  #jsonIsRead: boolean;

  /** `json`: the body, where the handlers had it read already. */
  constructor(call: Call, tx: Tx, spoken: Spoken | null = null, json: Json | undefined = undefined) {
    this.call = call;
    this.tx = tx;
    this.spoken = spoken;
    this.#json = json;
    this.#jsonIsRead = json !== undefined;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.call.query);
    return this.#query;
  }

  /** The body as JSON; undefined where there is none, or none that can be read. */
  get json(): Json | undefined {
    if (!this.#jsonIsRead) {
      this.#json = this.call.body.length === 0 ? undefined : readJson(this.call.body);
      this.#jsonIsRead = true;
    }
    return this.#json;
  }
}

const NO_PATH: Ask['path'] = {};

/** The first value of a header; null where the call has none. */
export function headerOf(call: Call, name: string): string | null {
  const value = call.headers[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : (value[0] ?? null);
}
