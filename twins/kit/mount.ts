// A twin with what every twin answers besides its vendor's API: `/twin`, `/twin/scenario`, and its handlers file.
import type { Call } from './call.ts';
import { type Features, type Handling, speaks, spokenOf } from './generative.ts';
import { type HandlerReply, type Handlers, type HandlersFault, parseHandlers } from './handlers.ts';
import { NEAREST_PLACES_MAX } from './limits.ts';
import { rawBody } from './raw-reply.ts';
import { RefusedReply } from './refusal.ts';
import type { Reply } from './reply.ts';
import { Scenario, type Unmatched } from './scenario.ts';
import type { MountedTwin, Twin } from './twin.ts';
import type { Tx } from './tx.ts';

/** `handlers` is checked (`parseHandlers`); null for none. */
export function mountTwin(inner: Twin, handlers: Handlers | null): Required<MountedTwin> {
  const { vendor } = inner.manifest;
  const scenarioOf = (of: Handlers | null): Scenario => new Scenario(vendor, of, inner.keeps?.headers);
  let inForce = { handlers, scenario: scenarioOf(handlers) };
  let fault: { readonly at: string; readonly faults: readonly HandlersFault[] } | null = null;

  const respond = (call: Call, tx: Tx): Reply => {
    const { handlers, scenario } = inForce;
    const features = inner.generative?.features(call, tx) ?? null;
    const asked = { call, features, tx };
    const taken = call.said === undefined ? scenario.take(call, features, tx.now) : null;
    const reply = call.said ?? taken?.reply;
    if (reply !== undefined) return replyOf(inner, asked, reply, { handlers, id: taken?.id ?? SAID });
    if (handlers?.unmatched !== undefined) {
      const nearest = scenario.miss(call, features, tx.now);
      if (handlers.unmatched !== 'error')
        return unmatched(replyOf(inner, asked, handlers.unmatched, { handlers, id: UNMATCHED }));
      const message = `No handler of this world takes ${call.method} ${call.path}.${nearestText(nearest)}`;
      return unmatched(inner.error(404, 'wrld_unmatched_request', message));
    }
    const modelled = features === null && inner.models?.(call) !== false;
    if (modelled) return inner.respond(call, tx);
    scenario.miss(call, features, tx.now);
    return unmatched(inner.respond(call, tx, features));
  };

  const handling: Handling = {
    ask: (call, tx) => {
      try {
        return respond(call, tx);
      } catch (thrown) {
        // One line of a batch is answered with a refusal; the others stand.
        if (thrown instanceof RefusedReply) return thrown.reply;
        throw thrown;
      }
    },
    hear: (call, features, tx) => {
      const { handlers, scenario } = inForce;
      const taken = scenario.take(call, features, tx.now);
      if (taken !== null) return spokenOf(taken.reply, handlers, taken.id);
      scenario.miss(call, features, tx.now);
      const { unmatched } = handlers ?? {};
      if (unmatched === undefined) return null;
      if (unmatched !== 'error') return spokenOf(unmatched, handlers, UNMATCHED);
      return spokenOf(NO_TURN, handlers, UNMATCHED);
    },
  };
  const { due, upgrade, resume } = inner;
  const twin: Twin = {
    ...inner,
    ...(due && { due: (event, tx) => due(event, tx, handling) }),
    ...(upgrade && { upgrade: (call, tx) => upgrade(call, tx, handling) }),
    ...(resume && { resume: (call, kept, state) => resume(call, kept, state, handling) }),
  };

  return {
    twin,
    respond(call, tx) {
      // At the vendor's own host these paths would be the vendor's.
      if (call.via === 'url') {
        if (call.path === '/twin') return own(call, inner.manifest);
        if (call.path === '/twin/scenario')
          return own(call, { ...inForce.scenario.report(), ...(fault === null ? {} : { fault }) });
      }
      return respond(call, tx);
    },
    load(text) {
      const parsed =
        text === null
          ? ({ ok: true, handlers: null } as const)
          : parseHandlers(text, { generative: inner.generative !== undefined });
      if (!parsed.ok) {
        fault = { at: new Date().toISOString(), faults: parsed.faults };
        return parsed;
      }
      fault = null;
      const scenario = scenarioOf(parsed.handlers);
      // The same content, saved again, goes on counting.
      if (scenario.hash !== inForce.scenario.hash) inForce = { handlers: parsed.handlers, scenario };
      return parsed;
    },
    recount() {
      inForce = { ...inForce, scenario: scenarioOf(inForce.handlers) };
    },
  };
}

/** Of a request that is refused, for whoever wonders what in it is another than was meant: names of fields, no values. */
function nearestText(nearest: Unmatched['nearest'] | null): string {
  if (nearest === null || nearest === undefined) return '';
  const { id, failed } = nearest;
  const more = failed.length - NEAREST_PLACES_MAX;
  const places = failed.slice(0, NEAREST_PLACES_MAX).join(', ');
  return ` Nearest is “${id}”, which is another in ${places}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** The answer to a call that nothing answered, so marked. */
function unmatched(reply: Reply): Reply {
  return { ...reply, unmatched: true };
}

function own(call: Call, answer: object): Reply {
  const headers = [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'no-store'],
  ] as const;
  if (call.method === 'GET' || call.method === 'HEAD') {
    return {
      status: 200,
      headers,
      body: call.method === 'HEAD' ? null : `${JSON.stringify(answer, null, 2)}\n`,
    };
  }
  const error = { code: 'method-not-allowed', message: `${call.path} takes GET.` };
  return {
    status: 405,
    headers: [...headers, ['Allow', 'GET, HEAD']],
    body: `${JSON.stringify({ error })}\n`,
  };
}

/** In the place of a handler's id: what a function of the user's said, and what the file says of requests that no handler takes. */
const SAID = 'function';
const UNMATCHED = 'unmatched';

const NO_TURN: HandlerReply = {
  error: {
    status: 404,
    type: 'invalid_request_error',
    code: 'wrld_unmatched_request',
    message: 'No handler of this world takes this turn.',
  },
};

type Asked = { readonly call: Call; readonly features: Features | null; readonly tx: Tx };

function replyOf(
  twin: Twin,
  asked: Asked,
  reply: HandlerReply,
  { handlers, id }: { readonly handlers: Handlers | null; readonly id: string },
): Reply {
  const delayMs = reply.delayMs ?? handlers?.defaults?.delayMs;
  const delay = delayMs === undefined ? {} : { delayMs };
  const headers = Object.entries(reply.headers ?? {});
  const { error } = reply;
  const { call, features, tx } = asked;
  if (reply.raw !== undefined)
    return {
      status: reply.status ?? 200,
      headers,
      body: rawBody(reply.raw, delayMs === undefined ? call.cameAt : undefined),
      ...delay,
    };
  // An error beside words breaks the stream that they came in; a client that asked for none sees the error alone.
  if (twin.generative !== undefined && features !== null && speaks(reply)) {
    if (error === undefined || features.stream) {
      const made = twin.generative.reply(call, tx, spokenOf(reply, handlers, id), features);
      const status = reply.status === undefined ? {} : { status: reply.status };
      return { ...made, ...status, headers: merged(made.headers, headers), ...delay };
    }
  }
  if (error === 'timeout' || error === 'reset')
    return { status: 0, headers: [], body: null, fault: error, ...delay };
  if (error !== undefined) {
    const made = twin.error(error.status, error.code ?? '', error.message, error.type);
    const retry = error.retryAfter === undefined ? [] : [['Retry-After', String(error.retryAfter)] as const];
    return { ...made, headers: merged([...made.headers, ...retry], headers), ...delay };
  }
  const status = reply.status ?? 200;
  if (reply.json !== undefined) {
    const body = `${JSON.stringify(reply.json, null, 2)}\n`;
    return { status, headers: merged([['Content-Type', 'application/json']], headers), body, ...delay };
  }
  if (reply.text === undefined) return { status, headers, body: null, ...delay };
  return {
    status,
    headers: merged([['Content-Type', 'text/plain; charset=utf-8']], headers),
    body: reply.text,
    ...delay,
  };
}

/** The handler's own headers take the place of those of the same name. */
function merged(defaults: Reply['headers'], own: Reply['headers']): Reply['headers'] {
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  return [...defaults.filter(([name]) => !names.has(name.toLowerCase())), ...own];
}
