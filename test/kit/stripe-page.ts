// The vendor's own pages, as a browser without scripts gets them from the world.
import type { StripeWorld } from './stripe-world.ts';

export type Page = { readonly status: number; readonly text: string; readonly location: string | null };

/** Gets a page, or posts a form to it; follows nothing. */
export async function visit(made: StripeWorld, url: string, form?: string): Promise<Page> {
  const { host, pathname, search } = new URL(url);
  const reply = await made.world.call('stripe', {
    method: form === undefined ? 'GET' : 'POST',
    host,
    via: 'host',
    path: pathname,
    query: search.slice(1),
    headers: {},
    body: new TextEncoder().encode(form ?? ''),
    caller: null,
    scope: 'write',
    trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
  });
  const location = reply.headers.find(([name]) => name === 'Location')?.[1] ?? null;
  return { status: reply.status, text: String(reply.body), location };
}
