// Which credential a request presents (5.2). Where several came, the first of this order counts and the rest
// is not looked at: x-wrld-token, x-twins-key, then Authorization (Bearer, token, the password of Basic).
import type { CallHeaders } from '../../../twins/kit/call.ts';
import { Secret } from './secret.ts';

export type Credential =
  | { readonly by: 'nothing' }
  /** A header of ours that came twice or empty: nobody's credential, and not to be guessed at. */
  | { readonly by: 'unreadable'; readonly header: 'x-wrld-token' | 'x-twins-key' }
  /** A header that is ours alone: one that opens nothing is an error of the caller's. */
  | { readonly by: 'x-wrld-token' | 'x-twins-key'; readonly secret: Secret }
  /** May be the vendor's own: one that opens nothing is left alone, never logged and never refused for it. */
  | { readonly by: 'authorization'; readonly secret: Secret };

const OURS = ['x-wrld-token', 'x-twins-key'] as const;

export const parseCredential = (headers: CallHeaders): Credential => {
  for (const header of OURS) {
    const value = headers[header];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.trim() === '') return { by: 'unreadable', header };
    return { by: header, secret: new Secret(value.trim()) };
  }
  const { authorization } = headers;
  const secret = typeof authorization === 'string' ? secretOf(authorization) : null;
  return secret === null ? { by: 'nothing' } : { by: 'authorization', secret: new Secret(secret) };
};

/** The credential in the field's value; null where its form is none of ours. */
export const secretOf = (authorization: string): string | null => {
  const parts = /^(bearer|token|basic) +([^\s]+) *$/i.exec(authorization.trim());
  if (parts === null) return null;
  return parts[1]!.toLowerCase() === 'basic' ? passwordOf(parts[2]!) : parts[2]!;
};

/** Everything after the first colon: a user name holds none, a password may. */
const passwordOf = (encoded: string): string | null => {
  let pair: string;
  try {
    pair = atob(encoded);
  } catch {
    return null;
  }
  const colon = pair.indexOf(':');
  return colon < 0 || colon === pair.length - 1 ? null : pair.slice(colon + 1);
};
