// One operation of OpenAI's API, as data with what it does.
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
  /** A line of a batch: told in its output file, and not each by itself in the log. */
  readonly batched: boolean;
  /** Seconds since 1970 on the world's clock. */
  readonly now: number;
};

/** What an operation answers: JSON, bytes, or a reply of its own (a stream). */
export type Outcome =
  | { readonly json: object; readonly status?: number }
  | { readonly bytes: Uint8Array; readonly type: string }
  | { readonly stream: AsyncIterable<Uint8Array> };

export type Operation = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** As the SDK calls it: `chat.completions.create`. */
  readonly name: string;
  /** Takes a body that is no JSON. */
  readonly form?: boolean;
  readonly run: (context: Context) => Outcome;
};
