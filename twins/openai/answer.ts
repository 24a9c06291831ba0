// One call, from its bytes to its answer: who asks, which operation, its body, then the headers every answer of
// OpenAI's carries.
import type { Call } from '../kit/call.ts';
import type { Spoken } from '../kit/generative.ts';
import { isJsonObject, type Json, type JsonObject, readJson } from '../kit/json.ts';
import type { Reply } from '../kit/reply.ts';
import type { Router } from '../kit/routes.ts';
import type { Tx } from '../kit/tx.ts';
import { isBatchLine } from './batches.ts';
import { errorOf, invalid, OpenaiRefusal } from './errors.ts';
import type { Context, Operation, Outcome } from './operation.ts';

/** What a minute allows, as the headers tell it; nothing here is ever used up. */
const REQUESTS_A_MINUTE = 10_000;
const TOKENS_A_MINUTE = 2_000_000;

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
  const request = {
    id: `req_${tx.hex(16)}`,
    route: found.ok ? found.route.path : null,
    model: modelOf(call),
  };
  try {
    authenticate(call);
    if (!found.ok) throw unknown(call, found.methods);
    const context: Context = {
      call,
      tx,
      path: found.params,
      query: new URLSearchParams(call.query),
      body: readBody(call, found.route),
      spoken,
      batched: isBatchLine(call),
      now: Math.floor(tx.now / 1000),
    };
    return replyOf(found.route.run(context), request);
  } catch (thrown) {
    if (!(thrown instanceof OpenaiRefusal)) throw thrown;
    const error = errorOf(thrown.status, thrown.message, thrown.fields);
    return reply(thrown.status, `${JSON.stringify({ error }, null, 2)}\n`, request);
  }
}

type Request = { readonly id: string; readonly route: string | null; readonly model: string | null };

function modelOf(call: Call): string | null {
  const body = call.method === 'POST' ? bodyOf(call) : undefined;
  return isJsonObject(body) && typeof body['model'] === 'string' ? body['model'] : null;
}

/** Any key is as good as another; a request without one is OpenAI's 401. */
function authenticate(call: Call): void {
  const value = [call.headers['authorization'] ?? ''].flat()[0] ?? '';
  if (/^bearer\s+\S/i.test(value) || call.headers['api-key'] !== undefined) return;
  throw new OpenaiRefusal(
    401,
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
      '(i.e. Authorization: Bearer YOUR_KEY).',
  );
}

function unknown(call: Call, methods: readonly string[]): OpenaiRefusal {
  if (methods.length > 0) {
    return new OpenaiRefusal(
      405,
      `Not allowed to ${call.method} on ${call.path} (HINT: Perhaps you meant to make a ${methods.join(' or ')} request?)`,
      {
        code: 'method_not_supported',
      },
    );
  }
  return new OpenaiRefusal(
    404,
    `This OpenAI twin does not model ${call.method} ${call.path}. Answer it with a handler, or see GET /twin for ` +
      'what is modelled.',
    { code: 'wrld_unmodelled_operation' },
  );
}

function readBody(call: Call, route: Operation): JsonObject {
  if (route.method !== 'POST' || route.form === true) return {};
  if (call.body.length === 0) return {};
  const body = bodyOf(call);
  if (isJsonObject(body)) return body;
  throw invalid(
    'We could not parse the JSON body of your request. (HINT: This likely means you aren’t using your HTTP library ' +
      'correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
  );
}

function replyOf(outcome: Outcome, request: Request): Reply {
  if ('stream' in outcome) return reply(200, outcome.stream, request, 'text/event-stream; charset=utf-8');
  if ('bytes' in outcome) return reply(200, outcome.bytes, request, outcome.type);
  return reply(outcome.status ?? 200, `${JSON.stringify(outcome.json, null, 2)}\n`, request);
}

function reply(status: number, body: Reply['body'], request: Request, type = 'application/json'): Reply {
  return {
    status,
    headers: [
      ['Content-Type', type],
      ...(type.startsWith('text/event-stream') ? [['Cache-Control', 'no-cache'] as const] : []),
      ['x-request-id', request.id],
      ['openai-organization', 'wrld'],
      ['openai-version', '2020-10-01'],
      ['openai-processing-ms', '1'],
      ...(request.model === null ? [] : LIMITS),
    ],
    body,
    ...(request.route !== null && { route: request.route }),
  };
}

const LIMITS = [
  ['x-ratelimit-limit-requests', String(REQUESTS_A_MINUTE)],
  ['x-ratelimit-limit-tokens', String(TOKENS_A_MINUTE)],
  ['x-ratelimit-remaining-requests', String(REQUESTS_A_MINUTE - 1)],
  ['x-ratelimit-remaining-tokens', String(TOKENS_A_MINUTE - 1)],
  ['x-ratelimit-reset-requests', '6ms'],
  ['x-ratelimit-reset-tokens', '0s'],
] as const;
