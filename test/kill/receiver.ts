// The app's side of webhooks: counts what arrives, by the event's id, and fails some of it on purpose so that there are
// retries. It outlives every killed world.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Chance } from '../kit/chance.ts';

export type Receiver = AsyncDisposable & {
  readonly url: string;
  /** Event id → how often it arrived and how often it was answered 200. */
  readonly arrived: ReadonlyMap<string, { readonly times: number; readonly taken: number }>;
};

/** One in so many is answered 500. */
const FAILS_ONE_IN = 20;

export async function startReceiver(chance: Chance): Promise<Receiver> {
  const arrived = new Map<string, { times: number; taken: number }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A world that is killed in mid-request never sent this webhook whole.
    request.on('error', () => {});
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly id: string };
      const held = arrived.get(id) ?? { times: 0, taken: 0 };
      const takes = chance.below(FAILS_ONE_IN) > 0;
      arrived.set(id, { times: held.times + 1, taken: held.taken + (takes ? 1 : 0) });
      response.writeHead(takes ? 200 : 500).end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    arrived,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
