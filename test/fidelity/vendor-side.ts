// Who stands in the vendor's place: its test mode by a test key, or a world of this machine. What is no test key is refused
// here, before anything is connected to.
import { parseJson } from '../../policy/json-text.ts';
import type { Answered, Asked } from './story.ts';

export type Side = (asked: Asked) => Promise<Answered>;
export type Place = { readonly url: string; readonly key: string; readonly twinsKey: string | null };
export type PlaceFound = ({ readonly ok: true } & Place) | { readonly ok: false; readonly message: string };

export const STRIPE_URL = 'https://api.stripe.com';
const TEST_KEY = /^(sk|rk)_test_[A-Za-z0-9]+$/;
const ANSWER_MS_MAX = 60_000;

/** `at`: a world in the vendor's place; `env` has the keys, `STRIPE_TEST_KEY` and `WRLD_TWINS_KEY`. */
export function stripePlace(
  at: string | undefined,
  env: { readonly [name: string]: string | undefined },
): PlaceFound {
  const refuse = (message: string): PlaceFound => ({ ok: false, message });
  const key = env['STRIPE_TEST_KEY'] ?? '';
  if (key === '')
    return refuse(
      'STRIPE_TEST_KEY is not set. Set it to a secret key of Stripe’s test mode: sk_test_… or rk_test_….',
    );
  if (!TEST_KEY.test(key))
    return refuse(
      'STRIPE_TEST_KEY is no key of Stripe’s test mode: it has to begin with sk_test_ or rk_test_. Nothing was sent.',
    );
  if (at === undefined) return { ok: true, url: STRIPE_URL, key, twinsKey: null };
  const url = URL.canParse(at) ? new URL(at) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    return refuse('--at takes the URL of a twin, such as http://127.0.0.1:4000/-/acme/shop/stripe.');
  if (!isLoopback(url.hostname))
    return refuse('--at takes a world of this machine: 127.0.0.1, [::1] or a name that ends in localhost.');
  return { ok: true, url: at.replace(/\/+$/, ''), key, twinsKey: env['WRLD_TWINS_KEY'] ?? null };
}

function isLoopback(host: string): boolean {
  return /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]' || /(^|\.)localhost$/.test(host);
}

/** Why a vendor's answers say nothing of its API: it did not answer, did not know the key, or had no time. */
export class Unasked extends Error {}

export function vendorSide({ url, key, twinsKey }: Place, version: string): Side {
  const { host } = new URL(url);
  return async ({ method, path, pairs }) => {
    const form = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
    const query = method === 'GET' && form !== '' ? `?${form}` : '';
    const answer = await fetch(`${url}${path}${query}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'stripe-version': version,
        ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...(twinsKey === null ? {} : { 'x-twins-key': twinsKey }),
      },
      body: method === 'POST' ? form : null,
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    }).catch((error: Error) => {
      const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
      throw new Unasked(`${host} did not answer (${error.message}${cause})`);
    });
    const text = await answer.text();
    if (answer.status === 401) throw new Unasked(`${host} does not know the key of STRIPE_TEST_KEY`);
    if (answer.status === 429) throw new Unasked(`${host} answers 429: too many requests. Try again later`);
    if (answer.status >= 500) throw new Unasked(`${host} answers ${answer.status} to ${method} ${path}`);
    const read = parseJson(text);
    if (!read.ok) throw new Unasked(`${host} answers ${method} ${path} with what is ${read.why}`);
    return { status: answer.status, body: read.value };
  };
}
