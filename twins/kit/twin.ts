// The contract between a twin and the world that runs it.
import type { Call } from './call.ts';
import type { Features, Generative, Handling } from './generative.ts';
import type { HandlersFault } from './handlers.ts';
import type { Covered, Manifest } from './manifest.ts';
import type { RealVendor } from './real-vendor.ts';
import type { Reply } from './reply.ts';
import type { Retrieve } from './retrieve.ts';
import type { RouteLike } from './routes.ts';
import type { Resume, Upgrade } from './socket.ts';
import type { DeliveryRequest, Instant, Reader, RecordBody, Tx } from './tx.ts';

/** Another record of the twin, by its type and what a record holds as its id; undefined where there is none. */
export type Look = (type: string, id: unknown) => RecordBody | undefined;

/**
 * What people read of a record instead of its id. Asked for when somebody looks, never when something is written, and
 * more than once: a `look` that has to be waited for answers undefined the first time.
 */
export type Wording<Body = RecordBody> = {
  /** How it is called in a sentence: `subscription for Ada Lovelace`. Null: by its type and id. */
  readonly title?: (body: Body, look: Look) => string | null;
  /** What matters of it now: `EUR 19.00 a month, active`. */
  readonly summary?: (body: Body, look: Look) => string | null;
  /** Of a table of such records, by its heading. */
  readonly columns?: { readonly [heading: string]: (body: Body, look: Look) => Cell };
};

export type Cell = string | number | boolean | null | undefined;

export type RecordType = Wording & {
  /**
   * Fields lists can select on: each index is a list of top-level field names whose values are strings,
   * numbers, booleans or null (missing is null); a list query's `where` names exactly one index's fields.
   */
  readonly indexes: readonly (readonly string[])[];
  /**
   * Fields that lists find by their words, whatever their case: a text by itself, an object of texts (`metadata`) by
   * each of its own. A query asks with `byWord` (tx.ts).
   */
  readonly words?: readonly string[];
  /**
   * Where a record holds another one whole, as an event holds what it tells of: the names that lead there. The store
   * keeps which version that was and what it is shown with besides, and nothing of it twice.
   */
  readonly quotes?: readonly string[];
  /** The vendor's own request for one, where there is one. */
  readonly retrieve?: Retrieve;
  /** So long after its creation, on the world's clock, nobody finds a record any more; the log keeps what it was. */
  readonly keptMs?: number;
};

export type DueEvent = { readonly key: string; readonly at: Instant; readonly payload: RecordBody };

export type Signature =
  | {
      readonly scheme: 'stripe' | 'github' | 'slack' | 'svix' | 'standard' | 'none';
      readonly secret: string;
    }
  /** A scheme of the vendor's own. */
  | { readonly scheme: 'own'; readonly sign: (signed: ToSign) => OwnHeaders | Promise<OwnHeaders> };

/** What is signed, at the moment when it is sent. */
export type ToSign = {
  readonly body: string;
  /** Wall time in milliseconds since 1970: receivers refuse what is old, whatever the world's clock says. */
  readonly wallMillis: number;
  readonly event: { readonly id: string };
};

/** To add to the delivery. */
export type OwnHeaders = readonly (readonly [name: string, value: string])[];

/** What the log keeps of a request besides what it keeps of all: method, path, query, content type, idempotency key, body. */
export type KeptRequest = {
  /** The vendor's own headers that change what a request means; lower case. */
  readonly headers: readonly string[];
  /** The names of fields of a query or a form whose values are secret: they are not kept. */
  readonly secrets?: RegExp;
  /** The header of the vendor's answers that names the request, in the vendor's spelling (`Request-Id`). */
  readonly answered?: string;
};

export type Twin = {
  readonly manifest: Manifest;
  /** Every type the twin stores. A type that is not listed is refused. */
  readonly records: { readonly [type: string]: RecordType };
  /**
   * Answers one call. Synchronous: it runs inside the transaction. A throw rolls back and is a 500. `features`: what
   * the twin's `generative` read of the call for its handlers.
   */
  readonly respond: (call: Call, tx: Tx, features?: Features | null) => Reply;
  /** An instant the twin asked for has come. `tx.now` is that instant. */
  readonly due?: (event: DueEvent, tx: Tx, handling?: Handling) => void;
  /** The secret a delivery is signed with now, or null when its endpoint is gone (the delivery then fails). */
  readonly signature?: (delivery: DeliveryRequest, state: Reader) => Signature | null;
  /** Wait before the n-th retry (0 = after the first attempt) in world milliseconds; null gives up. */
  readonly retryAfter?: (attempts: number) => number | null;
  /** Answers a WebSocket handshake at a path of `manifest.upgrades`. */
  readonly upgrade?: Upgrade;
  /** For hosts that put an idle world away with its sockets open. Without it, or `kept` of the socket, they do not. */
  readonly resume?: Resume;
  /** The vendor's own error shape for answers that the world makes in its place (bad handlers, read scope). */
  readonly error: (status: number, code: string, message: string, type?: string) => Reply;
  /** A twin of a language model: what was said is matched, and a handler's reply is words. */
  readonly generative?: Generative;
  readonly keeps?: KeptRequest;
  /** Whether an operation of this twin answers the call; what none answers is told in `/twin/scenario`. */
  readonly models?: (call: Call) => boolean;
  /** How well an operation is known, by its path or its template; null for none that the twin has heard of. */
  readonly covers?: (operation: RouteLike) => Covered | null;
  /** For worlds that have the vendor itself behind the twin. */
  readonly real?: RealVendor;
};

/**
 * A twin with what every twin answers besides its vendor's API in front of it: `/twin`, `/twin/scenario` and
 * its handlers file. This is what a world runs.
 */
export type MountedTwin = {
  readonly twin: Twin;
  /** As `Twin.respond`; own endpoints first, then handlers, then the twin. What nothing answered is `unmatched`. */
  respond(call: Call, tx: Tx): Reply;
  /**
   * Puts the text of a handlers file in force from the next call on (null: none). The counts begin again when its
   * content is another. One with faults changes nothing but `fault` in `/twin/scenario`.
   */
  load?(text: string | null): LoadResult;
  /** What handlers count begins again. */
  recount?(): void;
};

export type LoadResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly faults: readonly HandlersFault[] };
