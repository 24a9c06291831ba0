// `at` of the endpoints that show what was: one reading of it for all of them.
import type { Reply } from '../../twins/kit/reply.ts';
import type { PastPoint } from '../world/past/past.ts';
import type { World } from '../world/world.ts';
import { askAgain, problem } from './answer.ts';
import type { Route } from './route.ts';
import { INSTANT } from './schema.ts';
import { failure } from './shapes.ts';

export const AS_OF_QUERY: NonNullable<Route['query']> = {
  at: { description: 'as of this instant, ISO 8601 with its offset; now unless given', schema: INSTANT },
};

export const NOT_REACHED: ReturnType<typeof failure> = failure(
  'the world is catching up and has not reached `at`; `Retry-After` says when to ask again',
);

/** `point` null: now is asked for. */
export async function pointAsked(
  query: string,
  world: Pick<World, 'past'>,
): Promise<
  { readonly ok: true; readonly point: PastPoint | null } | { readonly ok: false; readonly reply: Reply }
> {
  const at = new URLSearchParams(query).get('at') || null;
  if (at === null) return { ok: true, point: null };
  const point = await world.past.pointAt(at);
  if (point.ok) return { ok: true, point };
  const { why, message } = point;
  return { ok: false, reply: why === 'catching-up' ? askAgain(why, message) : problem(400, why, message) };
}
