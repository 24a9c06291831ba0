// A caller of a Stripe world that names a version, as an app that was written for it does: what it sends and what it is
// answered are that version's, so no type of today's SDK fits.
import type { Answer, StripeWorld } from './stripe-world.ts';
import { KEY } from './stripe-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: an object of another version has no type here
export type Body = any;

export type Caller = {
  /** Throws for anything but 200. */
  readonly get: (path: string) => Promise<Body>;
  readonly post: (path: string, form?: string) => Promise<Body>;
  /** Whatever is answered. */
  readonly ask: (method: string, path: string, form?: string) => Promise<Answer>;
};

export function callerIn(world: StripeWorld, version: string): Caller {
  const ask: Caller['ask'] = (method, path, form) =>
    world.ask(method, path, {
      headers: {
        authorization: `Bearer ${KEY}`,
        'stripe-version': version,
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form === undefined ? {} : { form }),
    });
  const done = async (answer: Promise<Answer>): Promise<Body> => {
    const { status, body } = await answer;
    if (status !== 200) throw new Error(`${status}: ${body?.error?.message}`);
    return body;
  };
  return {
    ask,
    get: path => done(ask('GET', path)),
    post: (path, form = '') => done(ask('POST', path, form)),
  };
}
