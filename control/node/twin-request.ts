// A call to a twin as functions are given it: a test's, and those beside a handlers file.
import type { Call } from '../../twins/kit/call.ts';
import type { Features } from '../../twins/kit/generative.ts';
import { headersWithoutCredentials, readBody } from './call-list.ts';

export type TwinRequest = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: { readonly [name: string]: string };
  /** Lower-case names; credentials are left out. */
  readonly headers: { readonly [name: string]: string };
  /** What JSON or a form holds, else the text; null for none. */
  readonly body: unknown;
  /** Of a call that a model answers: what was said, whatever the vendor's format; null of any other. */
  readonly said: Omit<Features, 'body'> | null;
};

export function twinRequestOf(call: Call, features: Features | null): TwinRequest {
  const { method, host, path, query } = call;
  let said: TwinRequest['said'] = null;
  if (features !== null) {
    const { body: _, ...rest } = features;
    said = rest;
  }
  return {
    method,
    host,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: headersWithoutCredentials(call),
    body: readBody(call),
    said,
  };
}
