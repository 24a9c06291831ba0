// The handlers in force and what came of them: which matched and how often, and what nothing answered. Lives as
// long as the process; behaviour is no part of a world's history.

import type { Call } from './call.ts';
import type { Features } from './generative.ts';
import { compileMatch, type Matcher, type Subject, subjectOf } from './handler-match.ts';
import type { Handler, HandlerReply, Handlers, HandlersFault } from './handlers.ts';
import type { Json } from './json.ts';
import { SCENARIO_SCOPES_MAX, UNMATCHED_MAX } from './limits.ts';
import { fillIn } from './template.ts';

export type Unmatched = {
  readonly at: string;
  /** The span that the world minted for the request. */
  readonly request: string;
  readonly method: string;
  readonly path: string;
  /** What the request had, by name and never by value. */
  readonly features: readonly string[];
  readonly nearest?: { readonly id: string; readonly failed: readonly string[] };
};

/** What a handler says, and which of them it was. */
export type Taken = { readonly id: string; readonly reply: HandlerReply };

/** `GET /twin/scenario` (2.3). */
export type ScenarioReport = {
  readonly vendor: string;
  readonly hash: string;
  readonly loadedAt: string;
  readonly handlers: readonly {
    readonly id: string;
    readonly index: number;
    readonly match: Handler['match'];
    readonly reply: HandlerReply | readonly HandlerReply[];
    readonly matched: number;
    readonly lastMatchedAt: string | null;
  }[];
  readonly unmatched: readonly Unmatched[];
  readonly unmatchedTotal: number;
  /** A newer handlers file that is not in force, because of these. */
  readonly fault?: { readonly at: string; readonly faults: readonly HandlersFault[] };
};

/** Of one scope: calls a model was asked in, and how often each handler was used. */
type Used = { calls: number; readonly replies: Map<string, number> };

type Slot = {
  readonly handler: Handler;
  readonly matches: Matcher;
  readonly replies: readonly HandlerReply[];
  matched: number;
  lastMatchedAt: string | null;
};

export class Scenario {
  readonly #vendor: string;
  readonly #headers: readonly string[];
  readonly #scope: 'conversation' | 'key' | 'world';
  readonly #slots: readonly Slot[];
  readonly #templates: boolean;
  readonly hash: string;
  readonly #loadedAt: string;
  /** Scope → how often each handler was used in it. */
  readonly #used = new Map<string, Used>();
  #unmatched: Unmatched[] = [];
  #unmatchedTotal = 0;

  /** `headers`: the vendor's own that change what a request means. */
  constructor(vendor: string, handlers: Handlers | null, headers: readonly string[] = []) {
    this.#vendor = vendor;
    this.#headers = headers;
    this.#scope = handlers?.scope ?? 'world';
    this.#templates = handlers?.templates === true;
    this.#slots = (handlers?.handlers ?? []).map(handler => ({
      handler,
      matches: compileMatch(handler.match),
      replies: handler.replies ?? (handler.reply === undefined ? [] : [handler.reply]),
      matched: 0,
      lastMatchedAt: null,
    }));
    this.hash = hashOf(JSON.stringify(handlers));
    this.#loadedAt = new Date().toISOString();
  }

  /**
   * The reply of the first handler that takes the call, counted, with the request's values in it; null when none does. One
   * that asks for a value which the request does not have is the error that says so.
   */
  take(call: Call, features: Features | null, now: number): Taken | null {
    if (this.#slots.length === 0) return null;
    const used = this.#usedIn(this.#scopeOf(call, features));
    if (features !== null) used.calls += 1;
    const subject = subjectOf(call, { features, count: used.calls, headers: this.#headers });
    for (const slot of this.#slots) {
      const count = used.replies.get(slot.handler.id) ?? 0;
      const reply = replyAt(slot, count);
      if (reply === null || slot.matches(subject).length > 0) continue;
      used.replies.set(slot.handler.id, count + 1);
      slot.matched += 1;
      slot.lastMatchedAt = new Date(now).toISOString();
      const { id } = slot.handler;
      const filled = this.#templates && reply.raw === undefined;
      return { id, reply: filled ? fillReply(id, reply, subject) : reply };
    }
    return null;
  }

  #scopeOf(call: Call, features: Features | null): string {
    if (this.#scope === 'world') return '';
    return this.#scope === 'conversation' && features !== null
      ? `conversation ${features.conversation}`
      : `key ${keyOf(call)}`;
  }

  #usedIn(scope: string): Used {
    const used = this.#used.get(scope) ?? { calls: 0, replies: new Map<string, number>() };
    this.#used.delete(scope);
    this.#used.set(scope, used);
    if (this.#used.size > SCENARIO_SCOPES_MAX) this.#used.delete(this.#used.keys().next().value ?? '');
    return used;
  }

  /** Notes a request that no handler and no operation of the twin answered; which handler was nearest to it. */
  miss(call: Call, features: Features | null, now: number): Unmatched['nearest'] | null {
    this.#unmatchedTotal += 1;
    // Without handlers nothing was counted.
    const used = this.#used.get(this.#scopeOf(call, features));
    const subject = subjectOf(call, { features, count: used?.calls ?? 0, headers: this.#headers });
    const nearest = this.#nearest(subject);
    this.#unmatched = [
      {
        at: new Date(now).toISOString(),
        request: call.trace.spanId,
        method: call.method,
        path: call.path,
        features: featuresOf(subject),
        ...(nearest === null ? {} : { nearest }),
      },
      ...this.#unmatched.slice(0, UNMATCHED_MAX - 1),
    ];
    return nearest;
  }

  #nearest(subject: Subject): { id: string; failed: readonly string[] } | null {
    let nearest: { id: string; failed: readonly string[] } | null = null;
    for (const { handler, matches } of this.#slots) {
      const failed = matches(subject);
      if (nearest === null || failed.length < nearest.failed.length) nearest = { id: handler.id, failed };
    }
    return nearest;
  }

  report(): ScenarioReport {
    return {
      vendor: this.#vendor,
      hash: this.hash,
      loadedAt: this.#loadedAt,
      handlers: this.#slots.map(({ handler, matched, lastMatchedAt }, index) => ({
        id: handler.id,
        index,
        match: handler.match,
        reply: handler.replies ?? handler.reply ?? {},
        matched,
        lastMatchedAt,
      })),
      unmatched: this.#unmatched,
      unmatchedTotal: this.#unmatchedTotal,
    };
  }
}

function fillReply(id: string, reply: HandlerReply, subject: Subject): HandlerReply {
  const made = fillIn(reply as Json, subject);
  if (!made.ok) return failed(`The handler “${id}” asks for {{${made.place}}}: ${made.why}.`);
  const value = made.value as HandlerReply;
  // A place that is all of a text takes the value as it is; what must be text is written.
  const written = { ...value, ...textsOf(value) };
  const odd = Object.entries(written.headers ?? {}).find(([, text]) => /[\r\n\0]/.test(text));
  return odd === undefined ? written : failed(`The handler “${id}” makes of ${odd[0]} no header value.`);
}

function textsOf({ text, reasoning, headers }: HandlerReply): HandlerReply {
  const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return {
    ...(text !== undefined && { text: write(text) }),
    ...(reasoning !== undefined && { reasoning: write(reasoning) }),
    ...(headers !== undefined && {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, write(value)])),
    }),
  };
}

/** No SDK tries it again: what the handler would say then is the same. */
function failed(message: string): HandlerReply {
  return { error: { status: 400, type: 'invalid_request_error', code: 'wrld_handler_failed', message } };
}

/** The reply for the next use of a handler; null when it is used up. */
function replyAt({ handler, replies }: Slot, count: number): HandlerReply | null {
  if (handler.times !== undefined && count >= handler.times) return null;
  const reply = replies[count];
  if (reply !== undefined) return reply;
  // One `reply` is said again and again; only a list can come to its end.
  if (handler.replies === undefined) return replies[0] ?? null;
  if (handler.then === 'next') return null;
  return (handler.then === 'cycle' ? replies[count % replies.length] : replies.at(-1)) ?? null;
}

/** Who asks, as far as counting goes. Kept in memory only. */
function keyOf(call: Call): string {
  return [call.headers['authorization'] ?? call.headers['x-api-key'] ?? call.caller ?? ''].flat().join();
}

function featuresOf(subject: Subject): readonly string[] {
  const body = subject.body;
  const fields =
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? Object.keys(body).map(name => `body.${name}`)
      : body === undefined
        ? []
        : ['body'];
  return [
    ...[...subject.query.keys()].map(name => `query.${name}`),
    ...fields,
    ...matchersOf(subject.features),
  ];
}

/** Of a generative call, what the generative matchers could look at. */
function matchersOf(features: Features | null): readonly string[] {
  if (features === null) return [];
  const { model, lastUser, system, tools, toolResults, stream } = features;
  return [
    'endpoint',
    ...(model === null ? [] : ['model']),
    ...(lastUser === null ? [] : ['lastUser']),
    ...(system === null ? [] : ['system']),
    ...(tools.length === 0 ? [] : ['tool.offered']),
    ...(toolResults.length === 0 ? [] : ['toolResult']),
    ...(stream ? ['stream'] : []),
  ];
}

/** Tells one handlers file from another (FNV-1a, 64 bits). */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}
