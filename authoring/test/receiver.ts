// A receiver of webhooks on this machine, for a test to wait for what the world sends.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WEBHOOK_MS_MAX } from './limits.ts';

export type Received = {
  readonly headers: { readonly [name: string]: string };
  /** The exact text: what a signature is over. */
  readonly body: string;
};

export type Receiver = {
  readonly url: string;
  /** What came, in order; waits for it. */
  next(): Promise<Received>;
  /** The status of the next answers; 200 at first. */
  answer(status: number): void;
};

/** A test may stop the clock of its process (fake timers): what waits here does not. */
const { setTimeout: later, clearTimeout: callOff } = globalThis;

export async function openReceiver(): Promise<Receiver & AsyncDisposable> {
  const came: Received[] = [];
  const waiting: ((received: Received) => void)[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
    );
    response.writeHead(status).end();
    const take = waiting.shift();
    if (take === undefined) came.push({ headers, body });
    else take({ headers, body });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // One that could not be accepted comes again: the world tries for days.
  server.on('error', () => {});
  // A test that forgot to close its world ends all the same.
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    next: () => {
      const first = came.shift();
      if (first !== undefined) return Promise.resolve(first);
      const { promise, resolve, reject } = Promise.withResolvers<Received>();
      const late = later(() => reject(new Error('no webhook came')), WEBHOOK_MS_MAX);
      waiting.push(received => {
        callOff(late);
        resolve(received);
      });
      return promise;
    },
    answer: next => {
      status = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
