// Stripe's dashboard as a browser without scripts gets it from the world, by whoever asks.
import type { Call } from '../../twins/kit/call.ts';
import type { StripeWorld } from './stripe-world.ts';

export type DashboardPage = {
  readonly status: number;
  /** The page without its head. */
  readonly html: string;
  /** What a person reads of it. */
  readonly text: string;
  readonly location: string | null;
  readonly headers: readonly (readonly [string, string])[];
};

export type Visitor = Partial<Call> & { readonly form?: { readonly [field: string]: string } };

/** Gets a page of the dashboard (`/test/customers?limit=2`), or posts a form to it; follows nothing. */
export async function look(
  { world }: Pick<StripeWorld, 'world'>,
  target: string,
  { form, ...by }: Visitor = {},
): Promise<DashboardPage> {
  const { pathname, search } = new URL(target, 'https://dashboard.stripe.com');
  const reply = await world.call('stripe', {
    method: form === undefined ? 'GET' : 'POST',
    host: 'dashboard.stripe.com',
    via: 'host',
    path: pathname,
    query: search.slice(1),
    headers: {},
    body: new TextEncoder().encode(form === undefined ? '' : new URLSearchParams(form).toString()),
    caller: 'token',
    scope: 'write',
    trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
    ...by,
  });
  const whole = String(reply.body ?? '');
  const html = whole.slice(whole.indexOf('<body>'));
  return {
    status: reply.status,
    html,
    text: html
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
      .replaceAll(/\s+/g, ' '),
    location: reply.headers.find(([name]) => name === 'Location')?.[1] ?? null,
    headers: reply.headers as DashboardPage['headers'],
  };
}

/** Where a page's links lead, from its own address. */
export function linksOf(target: string, { html }: DashboardPage): readonly string[] {
  return [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => {
    const plain = href.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    const { href: whole } = new URL(plain, `https://dashboard.stripe.com${target}`);
    return whole.replace('https://dashboard.stripe.com', '');
  });
}
