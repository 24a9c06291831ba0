// What a twin of a language model has besides a plain one: a handler may match what was said, and its reply is
// words that the twin puts into its vendor's wire format. The kit knows neither messages nor formats; a twin
// says how a call becomes features, and how words become a reply.
import type { Call } from './call.ts';
import type { HandlerError, HandlerReply, Handlers } from './handlers.ts';
import type { JsonObject } from './json.ts';
import type { Reply } from './reply.ts';
import type { Turns } from './turns.ts';
import type { Reader, Tx } from './tx.ts';

/** A call as the generative matchers see it. */
export type Features = {
  /** The vendor's name of the operation, with dots: `chat.completions`, `messages`. */
  readonly endpoint: string;
  readonly model: string | null;
  /** The text of the last message of the user's; tool results are none. */
  readonly lastUser: string | null;
  /** System and developer instructions, joined by newlines. */
  readonly system: string | null;
  /** All text of the request but instructions, joined by newlines. */
  readonly input: string;
  /** Names of the tools the model may call. */
  readonly tools: readonly string[];
  /** The tool results that the request ends with; empty when its last message is none. */
  readonly toolResults: readonly ToolResult[];
  /** Which answer of the model's in this conversation is asked for: 1 for the first. */
  readonly turn: number;
  readonly stream: boolean;
  readonly responseFormat: ResponseFormat;
  /** Tells one conversation from another: its id, or a digest of how it began. */
  readonly conversation: string;
  /** The body that all this was read off, for the twin to go on with: nobody reads it twice. */
  readonly body?: JsonObject;
};

export type ResponseFormat = 'text' | 'json_object' | 'json_schema';

export type ToolResult = {
  readonly id: string | null;
  /** Null when the request does not say which tool it was. */
  readonly name: string | null;
  readonly text: string;
};

export type SpokenToolCall = {
  readonly name: string;
  /** JSON text, or what a handler wants to be none. */
  readonly arguments: string;
  /** Null: the twin makes one. */
  readonly id: string | null;
};

/** Tokens; what is missing is counted. */
export type SpokenUsage = {
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
  readonly reasoning?: number;
};

/** How a streamed answer comes. Milliseconds of wall time; characters. */
export type Pace = {
  readonly chunks: readonly string[] | null;
  readonly chunkSize: number | null;
  readonly firstDelayMs: number;
  readonly chunkDelayMs: number;
  /** The stream ends, or fails, after so many pieces of the answer. */
  readonly cutAfterChunks: number | null;
};

export const EVEN_PACE: Pace = {
  chunks: null,
  chunkSize: null,
  firstDelayMs: 0,
  chunkDelayMs: 0,
  cutAfterChunks: null,
};

/** What a handler says, free of any vendor's format. */
export type Spoken = {
  readonly text: string | null;
  readonly reasoning: string | null;
  readonly toolCalls: readonly SpokenToolCall[];
  /** One vector for every input, or one each. */
  readonly embedding: readonly number[] | readonly (readonly number[])[] | null;
  readonly usage: SpokenUsage;
  /** Why the model stopped, in the vendor's words or in `stop`, `length`, `tool_calls`, `content_filter`. */
  readonly finish: string | null;
  readonly pace: Pace;
  /** How a stream goes wrong after its pieces; null when it ends well. */
  readonly ending: StreamEnding | null;
  /** Id of the handler that says it; null: the twin itself does. */
  readonly handler: string | null;
};

export type StreamEnding = HandlerError | 'timeout' | 'reset';

/** What a generative twin declares (`Twin.generative`). */
export type Generative = {
  /** Null: the model does not answer this call, or the call cannot be read. */
  features(call: Call, state: Reader): Features | null;
  /** Answers a call that has features with what a handler says. */
  reply(call: Call, tx: Tx, spoken: Spoken, features: Features): Reply;
  /** What was asked, for people: of a request as the log keeps it. Null for one that asks no model. */
  readonly turns?: (path: string, body: JsonObject) => Turns | null;
};

/** What the mounted twin gives its twin: the way back to the handlers. */
export type Handling = {
  /** Asks this twin as a client would, its handlers first: for the lines of a batch. */
  ask(call: Call, tx: Tx): Reply;
  /** What a handler says where there is no call of HTTP (a WebSocket's turn); null when none does. */
  hear(call: Call, features: Features, tx: Tx): Spoken | null;
};

/** A handler's reply as words. `handler`: its id; null where it is nobody's in particular. */
export function spokenOf(reply: HandlerReply, handlers: Handlers | null, handler: string | null): Spoken {
  const { stream = {}, error } = reply;
  const { defaults = {} } = handlers ?? {};
  const chunks = stream.chunks ?? null;
  const text =
    reply.json !== undefined ? JSON.stringify(reply.json) : (reply.text ?? chunks?.join('') ?? null);
  return {
    text,
    reasoning: reply.reasoning ?? null,
    toolCalls: (reply.toolCalls ?? []).map(({ name, arguments: given, id }) => ({
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
      id: id ?? null,
    })),
    embedding: reply.embedding ?? null,
    usage: reply.usage ?? {},
    finish: reply.finish ?? null,
    pace: {
      chunks,
      chunkSize: stream.chunkSize ?? defaults.chunkSize ?? null,
      firstDelayMs: stream.firstDelayMs ?? 0,
      chunkDelayMs: stream.chunkDelayMs ?? defaults.chunkDelayMs ?? 0,
      cutAfterChunks: stream.cutAfterChunks ?? null,
    },
    ending: error ?? null,
    handler,
  };
}

/** Whether the reply has anything for the model to say besides an error. */
export function speaks(reply: HandlerReply): boolean {
  return (
    reply.error === undefined ||
    reply.text !== undefined ||
    reply.json !== undefined ||
    reply.toolCalls !== undefined ||
    reply.reasoning !== undefined ||
    reply.stream?.chunks !== undefined
  );
}
