// One call, from its bytes to its answer: who asks, which operation, its body, then the headers every answer of
// Anthropic's carries.
import type { Call } from '../kit/call.ts';
import type { Spoken } from '../kit/generative.ts';
import { isJsonObject, type Json, type JsonObject, readJson } from '../kit/json.ts';
import type { Reply } from '../kit/reply.ts';
import type { Router } from '../kit/routes.ts';
import type { Tx } from '../kit/tx.ts';
import { isBatchRequest } from './batches.ts';
import { AnthropicRefusal, errorBody, invalid } from './errors.ts';
import type { Operation, Outcome } from './operation.ts';

/** What a minute allows, as the headers tell it; nothing here is ever used up. */
const REQUESTS_A_MINUTE = 4_000;
const TOKENS_A_MINUTE = 400_000;

/** Handlers and the operation read the same body. */
const bodies = new WeakMap<Call, { readonly read: Json | undefined }>();

export function bodyOf(call: Call): Json | undefined {
  let held = bodies.get(call);
  if (held === undefined) {
    held = { read: call.body.length === 0 ? undefined : readJson(call.body) };
    bodies.set(call, held);
  }
  return held.read;
}

export function answer(operations: Router<Operation>, call: Call, tx: Tx, spoken: Spoken | null): Reply {
  const found = operations(call.method, call.path);
  const request = { id: tx.id('req_01', 22), route: found.ok ? found.route.path : null, now: tx.now };
  try {
    authenticate(call);
    if (!found.ok) throw unknown(call, found.methods);
    const outcome = found.route.run({
      call,
      tx,
      path: found.params,
      query: new URLSearchParams(call.query),
      body: readBody(call, found.route),
      spoken,
      requestId: request.id,
      batched: isBatchRequest(call),
    });
    return replyOf(outcome, request);
  } catch (thrown) {
    if (!(thrown instanceof AnthropicRefusal)) throw thrown;
    const body = errorBody(thrown.type, thrown.message, request.id, thrown.details);
    const made = reply(thrown.status, JSON.stringify(body), request);
    if (found.ok) return made;
    return { ...made, headers: [...made.headers, ['x-should-retry', 'false']] };
  }
}

type Request = { readonly id: string; readonly route: string | null; readonly now: number };

/** Any key is as good as another, in either header. */
function authenticate(call: Call): void {
  const header = (name: string): string => [call.headers[name] ?? ''].flat()[0] ?? '';
  if (header('x-api-key') === '' && !/^bearer\s+\S/i.test(header('authorization'))) {
    throw new AnthropicRefusal(401, 'x-api-key header is required');
  }
  if (header('anthropic-version') === '') throw invalid('anthropic-version: header is required');
}

function unknown(call: Call, methods: readonly string[]): AnthropicRefusal {
  if (methods.length > 0) return new AnthropicRefusal(405, 'Method Not Allowed');
  return new AnthropicRefusal(
    404,
    `This Anthropic twin does not model ${call.method} ${call.path}. Answer it with a handler, or see GET /twin for ` +
      'what is modelled.',
  );
}

function readBody(call: Call, route: Operation): JsonObject {
  if (route.method !== 'POST' || call.body.length === 0) return {};
  const body = bodyOf(call);
  if (isJsonObject(body)) return body;
  throw invalid('The request body is not valid JSON.');
}

function replyOf(outcome: Outcome, request: Request): Reply {
  if ('stream' in outcome) return reply(200, outcome.stream, request, 'text/event-stream; charset=utf-8');
  if ('lines' in outcome) return reply(200, outcome.lines, request, 'application/x-jsonl');
  return reply(200, JSON.stringify(outcome.json), request);
}

function reply(status: number, body: Reply['body'], request: Request, type = 'application/json'): Reply {
  const reset = new Date(request.now + 1000).toISOString();
  return {
    status,
    headers: [
      ['Content-Type', type],
      ...(type.startsWith('text/event-stream') ? [['Cache-Control', 'no-cache'] as const] : []),
      ['request-id', request.id],
      ['anthropic-organization-id', '00000000-0000-4000-8000-000000000000'],
      ['anthropic-ratelimit-requests-limit', String(REQUESTS_A_MINUTE)],
      ['anthropic-ratelimit-requests-remaining', String(REQUESTS_A_MINUTE - 1)],
      ['anthropic-ratelimit-requests-reset', reset],
      ['anthropic-ratelimit-tokens-limit', String(TOKENS_A_MINUTE)],
      ['anthropic-ratelimit-tokens-remaining', String(TOKENS_A_MINUTE)],
      ['anthropic-ratelimit-tokens-reset', reset],
    ],
    body,
    ...(request.route !== null && { route: request.route }),
  };
}
