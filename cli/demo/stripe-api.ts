// Stripe's API as a served world answers it, asked by the demo itself.
export type Served = { readonly worldUrl: string; readonly token: string };

export type StripeAnswer<T> = {
  /** When the vendor was last seen whole; null where no vendor is behind it. */
  readonly observedAt: string | null;
  readonly body: T;
};

/** `form`: what is to be made or changed; a read without one. Throws where it is refused. */
export async function stripeOf<T>(
  { worldUrl, token }: Served,
  path: string,
  form?: { readonly [name: string]: string },
): Promise<StripeAnswer<T>> {
  const answer = await fetch(`${worldUrl}/stripe/v1/${path}`, {
    headers: { authorization: 'Bearer sk_test_demo', 'x-wrld-token': token },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${text.slice(0, 400)}`);
  return { observedAt: answer.headers.get('x-wrld-observed-at'), body: JSON.parse(text) as T };
}
