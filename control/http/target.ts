// A request target as routes read it: path and query apart, dot segments resolved, every other escape as sent.
import { resolvePath } from '../../policy/path.ts';

export type Target = { readonly path: string; readonly query: string };

/** Origin form, or absolute form (a client that takes the world's URL for a proxy); null when it is neither. */
export function parseTarget(raw: string): Target | null {
  const text = raw.startsWith('/') ? raw : withoutOrigin(raw);
  if (text === null) return null;
  const resolved = resolvePath(text);
  // An encoded slash is no matter of policy here: a vendor's id may hold one, and the twin compares as sent.
  const target = resolved.ok ? resolved.target : resolved.literal;
  if (target === null) return null;
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function withoutOrigin(raw: string): string | null {
  const origin = /^https?:\/\/[^/?#]+/i.exec(raw);
  if (!origin) return null;
  const rest = raw.slice(origin[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
