// /<org>/<world>/<link>/<path>: forwarded to the link's vendor (4.7). Only the world's token opens it, and nothing of it or
// of any other credential of the world's goes along.

import { secretOf } from '../world/access/credential.ts';
import { forwardStatus } from '../world/roots/forward.ts';
import type { World } from '../world/world.ts';
import { judge } from './access.ts';
import { problem } from './answer.ts';
import type { AnswersInFlight } from './answers-in-flight.ts';
import type { Arrived } from './arrived.ts';
import { type Identity, isOurs } from './gate.ts';
import { takeSession } from './session-cookie.ts';
import type { Admission } from './site.ts';
import type { Tracer } from './trace.ts';

type LinkCall = {
  readonly world: World;
  readonly name: string;
  /** Below the link's own path, with the query. */
  readonly target: string;
  readonly arrived: Arrived;
  readonly identity: Identity;
  readonly tracer: Tracer;
  readonly inFlight: AnswersInFlight;
};

/** The path behind the link's name, as it stands in the request's own target. */
export const linkTarget = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`);

export const admitLink = (call: LinkCall): Admission => {
  const { world, name, target, arrived, identity, tracer, inFlight } = call;
  const { asker, credential } = identity;
  const verdict = judge('token', credential === null ? null : asker);
  if (!verdict.ok) {
    const { status, code, message } = verdict;
    const headers = status === 401 ? [['www-authenticate', 'Bearer realm="wrld world"'] as const] : [];
    return { at: 'answered', reply: problem(status, code, message, { headers }) };
  }
  const headers = withoutOurs(arrived.rawHeaders, credential!);
  const length = headers.find(([field]) => field.toLowerCase() === 'content-length')?.[1];
  return {
    at: 'forwarded',
    inFlight,
    forward: async (body, gone) => {
      const traceparent = headers.find(([field]) => field.toLowerCase() === 'traceparent')?.[1];
      const result = await world.forward(name, {
        method: arrived.method,
        target,
        headers,
        body,
        bodyBytes: length === undefined ? null : Number(length),
        gone,
        caller: asker!.caller,
        trace: tracer.open(traceparent),
      });
      return result.ok ? result.reply : problem(forwardStatus(result.why), result.why, result.message);
    },
  };
};

type Pairs = readonly (readonly [name: string, value: string])[];

/** As they came, but for what opens this world. */
const withoutOurs = (rawHeaders: readonly string[], credential: string): Pairs => {
  const kept: (readonly [string, string])[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    let value = rawHeaders[index + 1]!;
    const lower = name.toLowerCase();
    if (lower.startsWith('x-wrld-') || lower === 'x-twins-key') continue;
    if (lower === 'authorization') {
      const secret = secretOf(value);
      if (secret !== null && (secret === credential || isOurs(secret))) continue;
    }
    if (lower === 'cookie') {
      const { rest } = takeSession(value);
      if (rest === null) continue;
      value = rest;
    }
    kept.push([name, value]);
  }
  return kept;
};
