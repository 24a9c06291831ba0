// A twin with what every twin answers besides its vendor's API: `/twin`, `/twin/scenario`, and its handlers file.
import type { Call } from './call.ts';
import type { HandlerReply, Handlers } from './handlers.ts';
import type { Reply } from './reply.ts';
import { Scenario } from './scenario.ts';
import type { MountedTwin, Twin } from './twin.ts';

/** `handlers` is checked (`parseHandlers`); null for none. */
export function mountTwin(twin: Twin, handlers: Handlers | null): MountedTwin {
  const scenario = new Scenario(twin.manifest.vendor, handlers);
  return {
    twin,
    respond(call, tx) {
      // At the vendor's own host these paths would be the vendor's.
      if (call.via === 'url') {
        if (call.path === '/twin') return own(call, twin.manifest);
        if (call.path === '/twin/scenario') return own(call, scenario.report());
      }
      const reply = scenario.take(call, tx.now);
      if (reply !== null) return replyOf(twin, reply, handlers);
      if (handlers?.unmatched !== undefined) {
        scenario.miss(call, tx.now);
        if (handlers.unmatched !== 'error') return replyOf(twin, handlers.unmatched, handlers);
        const message = `No handler of this world takes ${call.method} ${call.path}.`;
        return twin.error(404, 'wrld_unmatched_request', message);
      }
      if (twin.models?.(call) === false) scenario.miss(call, tx.now);
      return twin.respond(call, tx);
    },
  };
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

function replyOf(twin: Twin, reply: HandlerReply, handlers: Handlers | null): Reply {
  const delayMs = reply.delayMs ?? handlers?.defaults?.delayMs;
  const delay = delayMs === undefined ? {} : { delayMs };
  const headers = Object.entries(reply.headers ?? {});
  const { error } = reply;
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
