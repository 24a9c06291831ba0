// What the twins of language models share: JSON comes in, and an operation answers with JSON, bytes or a stream, in the
// words of a handler where one has any. Spread into `buildTwin`, beside what is the vendor's own.
import type { Told } from './build-twin.ts';
import type { Spoken } from './generative.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { Ask, Asked, Operation } from './operation.ts';
import type { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

export type ModelAsk = Ask & {
  /** The JSON body; empty where the operation takes none. */
  readonly body: JsonObject;
  /** What a handler says; null: the twin's own answer. */
  readonly spoken: Spoken | null;
  /** A line of a batch: told in the batch's results, and not by itself in the log. */
  readonly batched: boolean;
  readonly requestId: string;
  /** Seconds since 1970 on the world's clock. */
  readonly now: number;
};

export type ModelOutcome =
  | { readonly json: object }
  /** As `json` with the items in that field, for so many that they are made one after the other as they are sent. */
  | {
      readonly json: object;
      readonly field: string;
      readonly length: number;
      readonly item: (at: number) => object;
    }
  | { readonly bytes: Uint8Array | string; readonly type: string }
  | { readonly stream: AsyncIterable<Uint8Array> };

export type ModelOperation = Operation<ModelAsk, ModelOutcome> & {
  /** Takes a body that is no JSON. */
  readonly form?: boolean;
};

export type ModelRequest = { readonly id: string };

export type ModelVendor<Request extends ModelRequest> = {
  /** JSON as the vendor spaces it. */
  readonly text: (json: object) => string;
  /** Of every answer, after its type. */
  readonly headers: (request: Request) => Reply['headers'];
  /** What is said of a body that is no JSON object. */
  readonly unreadable: () => Refusal;
};

export type ModelApi<Request extends ModelRequest> = {
  readonly body: (asked: Asked, operation: ModelOperation) => JsonObject;
  readonly context: (asked: Asked, told: Told<ModelOperation, Request, JsonObject>) => ModelAsk;
  readonly reply: (outcome: ModelOutcome, request: Request) => Reply;
};

const NOTHING: JsonObject = {};

export function modelApi<Request extends ModelRequest>(vendor: ModelVendor<Request>): ModelApi<Request> {
  return {
    body: (asked, { method, form }) => {
      if (method !== 'POST' || form === true || asked.call.body.length === 0) return NOTHING;
      const { json } = asked;
      if (isJsonObject(json)) return json;
      throw vendor.unreadable();
    },
    context: (asked, { body, request }) => ({
      call: asked.call,
      tx: asked.tx,
      path: asked.path,
      query: asked.query,
      body,
      spoken: asked.spoken,
      batched: asked.call.via === 'batch',
      requestId: request.id,
      now: Math.floor(asked.tx.now / 1000),
    }),
    reply: (outcome, request) => {
      const headers = vendor.headers(request);
      if ('stream' in outcome) {
        const type = 'text/event-stream; charset=utf-8';
        return modelReply(200, type, [['Cache-Control', 'no-cache'], ...headers], outcome.stream);
      }
      if ('bytes' in outcome) return modelReply(200, outcome.type, headers, outcome.bytes);
      const body = 'item' in outcome ? inPieces(outcome, vendor.text) : vendor.text(outcome.json);
      return modelReply(200, 'application/json', headers, body);
    },
  };
}

const PLACE = '\u0000';
const PIECE_CHARS = 64 * 1024;

/** The same bytes as of the whole, which is never there. Asks nothing of the store: the transaction is over by then. */
async function* inPieces(
  { json, field, length, item }: Extract<ModelOutcome, { item: unknown }>,
  textOf: (json: object) => string,
): AsyncGenerator<Uint8Array> {
  const [head = '', ...rest] = textOf({ ...json, [field]: [PLACE] }).split(JSON.stringify(PLACE));
  /** What the vendor's JSON has between a bracket and the first item: a line's end and an indent, or nothing. */
  const gap = head.slice(head.lastIndexOf('[') + 1);
  let text = head;
  for (let at = 0; at < length; at += 1) {
    const made = textOf(item(at)).trimEnd();
    text += `${at === 0 ? '' : `,${gap}`}${gap === '' ? made : made.replaceAll('\n', gap)}`;
    if (text.length < PIECE_CHARS) continue;
    yield ENCODER.encode(text);
    text = '';
  }
  yield ENCODER.encode(text + rest.join(JSON.stringify(PLACE)));
}

const ENCODER = new TextEncoder();

export function modelReply(
  status: number,
  type: string,
  headers: Reply['headers'],
  body: Reply['body'],
): Reply {
  return { status, headers: [['Content-Type', type], ...headers], body };
}
