// One operation of Anthropic's API, as data with what it does.
import type { Call } from '../kit/call.ts';
import type { Spoken } from '../kit/generative.ts';
import type { JsonObject } from '../kit/json.ts';
import type { Tx } from '../kit/tx.ts';

export type Context = {
  readonly call: Call;
  readonly tx: Tx;
  /** What the path's braces took. */
  readonly path: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  /** The JSON body; empty where the operation takes none. */
  readonly body: JsonObject;
  /** What a handler says; null: the twin's own answer. */
  readonly spoken: Spoken | null;
  readonly requestId: string;
  /** A request of a batch: told in its results, and not by itself in the log. */
  readonly batched: boolean;
};

export type Outcome =
  | { readonly json: object }
  | { readonly lines: string }
  | { readonly stream: AsyncIterable<Uint8Array> };

export type Operation = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** As the SDK calls it: `messages.create`. */
  readonly name: string;
  readonly run: (context: Context) => Outcome;
};
