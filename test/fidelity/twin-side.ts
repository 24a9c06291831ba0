// The Stripe twin of this tree, asked as its vendor is: a world of its own, in this process.
import { openStripeWorld, type StripeWorld, type StripeWorldOptions } from '../kit/stripe-world.ts';
import type { Side } from './vendor-side.ts';

export type TwinSide = AsyncDisposable & { readonly ask: Side; readonly world: StripeWorld };

export async function openTwinSide(version: string, options: StripeWorldOptions = {}): Promise<TwinSide> {
  const world = await openStripeWorld(options);
  return {
    world,
    ask: async ({ method, path, pairs }) => {
      const form = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
      const headers = {
        authorization: 'Bearer sk_test_wrld',
        'stripe-version': version,
        ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      };
      const query = method === 'GET' && form !== '' ? `?${form}` : '';
      const { status, body } = await world.ask(method, `${path}${query}`, {
        headers,
        ...(method === 'POST' ? { form } : {}),
      });
      return { status, body };
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}
