// The newest calls to the twins of a test's world, in memory: what its tests ask about.

import { parseJson } from '../../policy/json-text.ts';
import type { Call } from '../../twins/kit/call.ts';
import { decodeForm, formJson } from '../../twins/kit/form.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { SeenCall } from '../http/surroundings.ts';
import { CALL_BODY_BYTES_MAX, CALLS_KEPT_MAX } from './limits.ts';

/** Whoever reads a test's output must not find a key in it. */
const CREDENTIALS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-wrld-token',
  'x-twins-key',
]);

export class CallList {
  #calls: SeenCall[] = [];

  get oldestFirst(): readonly SeenCall[] {
    return this.#calls;
  }

  add(twin: string, call: Call, reply: Reply, ms: number): void {
    const { method, host, path, query } = call;
    this.#calls.push({
      at: new Date().toISOString(),
      twin,
      method,
      host,
      path,
      query,
      headers: headersWithoutCredentials(call),
      body: readBody(call),
      status: reply.fault === undefined ? reply.status : 0,
      ms: Math.round(ms * 1000) / 1000,
      unmatched: reply.unmatched === true,
    });
    if (this.#calls.length > CALLS_KEPT_MAX) this.#calls = this.#calls.slice(-CALLS_KEPT_MAX / 2);
  }

  clear(): void {
    this.#calls = [];
  }
}

export function headersWithoutCredentials({ headers }: Pick<Call, 'headers'>): {
  readonly [name: string]: string;
} {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || CREDENTIALS.has(name) ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}

/** What JSON or a form holds, else the text; null for none, and for more than anybody compares by eye. */
export function readBody({ headers, body }: Pick<Call, 'headers' | 'body'>): unknown {
  if (body.byteLength === 0 || body.byteLength > CALL_BODY_BYTES_MAX) return null;
  const text = Buffer.from(body).toString('utf8');
  const type = String(headers['content-type'] ?? '');
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    const form = decodeForm(text);
    return form.ok ? formJson(form.form) : text;
  }
  const read = /json/i.test(type) ? parseJson(text) : null;
  return read?.ok === true ? read.value : text;
}
