// How a world on the edge asks its origin (4.7): one that is of the same deployment by its object, since a worker does not
// reach its own address; any other over the network, let out to that one's origin alone.
import type { OutboundRequest } from '../control/ports/outbound.ts';
import { type AskOrigin, askOver } from '../control/world/origin/asking.ts';
import { type Env, worldOf } from './env.ts';
import { openOutbound } from './outbound.ts';
import type { WorldPolicy } from './policy.ts';

/** `hosts`: the origins of this deployment. */
export const askOriginBy =
  (env: Env, hosts: () => readonly string[]) =>
  (policy: WorldPolicy): AskOrigin =>
  (place, request) => {
    if (!hosts().includes(place.origin))
      return askOver(openOutbound(() => policy.granting(place.origin)))(place, request);
    const object = worldOf(env, place.world);
    const here = async ({ url, method, headers, body }: OutboundRequest) => {
      const answer = await object.fetch(url, {
        method,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        body: body === null || typeof body === 'string' || body instanceof Uint8Array ? body : streamOf(body),
      });
      return {
        ok: true as const,
        status: answer.status,
        headers: [...answer.headers] as [string, string][],
        body: answer.body === null ? nothing() : (answer.body as ReadableStream<Uint8Array>),
        discard: () => void answer.body?.cancel(),
        ms: 0,
      };
    };
    const outbound = {
      ready: () => null,
      send: (asked: OutboundRequest) =>
        here(asked).catch(() => ({
          ok: false as const,
          refused: false,
          sent: true,
          why: 'The origin did not answer.',
          ms: 0,
        })),
    };
    return askOver(outbound)(place, request);
  };

function streamOf(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async controller => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
