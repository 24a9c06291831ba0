// The way in for somebody who opens one of the world's pages without a session: by the world's own page, which opens one
// (5.3) and goes on to where they were going.
import type { Reply } from '../../twins/kit/reply.ts';
import type { ReadHeaders } from './arrived.ts';
import type { Documented } from './route.ts';
import type { Surroundings } from './surroundings.ts';
import type { Target } from './target.ts';

/** Null for what no browser goes to. */
export function signInPage(
  { signIn, path }: Documented,
  { headers }: ReadHeaders,
  { query }: Target,
  { world, around }: { readonly world: string; readonly around: Pick<Surroundings, 'ownOrigin'> },
): Reply | null {
  if (signIn !== true || headers['sec-fetch-mode'] !== 'navigate') return null;
  const asked = new URLSearchParams(query);
  if (path.endsWith('/sites/go')) {
    // The board asks first: which page sent the browser here is not known any more when it is signed in (4.3, rule 8).
    asked.set('open', asked.get('host') ?? '');
    asked.delete('host');
  }
  const then = `board${asked.size === 0 ? '' : `?${asked}`}`;
  return {
    status: 303,
    headers: [
      ['location', `${around.ownOrigin ?? ''}/-/${world}/#then=${encodeURIComponent(then)}`],
      ['cache-control', 'no-store'],
    ],
    body: null,
  };
}
