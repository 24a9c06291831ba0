// Between HTTP/2's fields and HTTP/1's: a request's pseudo-fields and fields as the head that the judge and the
// upstream know, and an upstream's head as fields of a stream (RFC 9113 8.2, 8.3).

import type { OutgoingHttpHeaders } from 'node:http2';
import { http } from '../../process/http.ts';
import { OVERRIDE_FIELDS, overriddenBy } from '../core/method-override.ts';
import { CHUNKED, type Framing, isTrailer, NO_BODY } from '../http1/body.ts';
import { newFields, parseLength, scanFields } from '../http1/fields.ts';
import type { RequestHead } from '../http1/request.ts';
import type { ResponseHead } from '../http1/response.ts';

const KNOWN_METHODS: ReadonlySet<string> = new Set(http.METHODS);

/** Fields that belong to one hop or are the world's own; HTTP/2 forbids most of them anyway. */
const DROPPED = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'te',
  'host',
  'x-wrld-attached',
]);
const CREDENTIALS = new Set(['x-wrld-token', 'x-twins-key']);
const OTHER_PATHS: ReadonlySet<string> = new Set(['x-original-url', 'x-rewrite-url']);
const OVERRIDES: ReadonlySet<string> = new Set(OVERRIDE_FIELDS);

/** What is said to a proxy is said outside of its tunnels, and over HTTP/1. */
const TO_NO_PROXY = { proxyAuthorization: null, attached: null } as const;

/**
 * The head of a stream, from names and values in turn. Null where it is malformed: no single method and path,
 * an authority and a Host that differ, a value that HTTP/1 could not carry.
 */
export function requestHeadOf(raw: readonly string[], endsStream: boolean): RequestHead | null {
  let method: string | null = null;
  let target: string | null = null;
  let authority: string | null = null;
  let host: string | null = null;
  let methodOverride: string | null = null;
  const otherPaths: string[] = [];
  let expectsContinue = false;
  let length: number | null = null;
  let forwarded = '';
  let credentials = '';
  const cookies: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!;
    const value = raw[i + 1]!;
    if (/[\0\r\n]/.test(value)) return null;
    switch (name) {
      case ':method':
        method = value;
        continue;
      case ':path':
        target = value;
        continue;
      case ':authority':
        authority = value;
        continue;
      case ':scheme':
        continue;
      case 'cookie':
        // HTTP/2 splits a cookie field for its compression; HTTP/1 has one (RFC 9113 8.2.3).
        cookies.push(value);
        continue;
      case 'host':
        if (host !== null && host !== value) return null;
        host = value;
        continue;
      case 'expect':
        expectsContinue = value.toLowerCase() === '100-continue';
        break;
      case 'content-length':
        if ((length = parseLength(value)) === null) return null;
        break;
    }
    if (OTHER_PATHS.has(name)) otherPaths.push(value);
    if (OVERRIDES.has(name)) methodOverride = overriddenBy(methodOverride, value);
    if (CREDENTIALS.has(name)) credentials += `${name}: ${value}\r\n`;
    else if (!DROPPED.has(name) && !name.startsWith('x-wrld-')) forwarded += `${name}: ${value}\r\n`;
  }
  if (method === null || !isRequestLine(method, target)) return null;
  if (authority !== null && host !== null && authority.toLowerCase() !== host.toLowerCase()) return null;
  if (cookies.length > 0) forwarded += `cookie: ${cookies.join('; ')}\r\n`;
  const named = authority ?? host;
  return {
    ok: true,
    method,
    target: target ?? '',
    minor: 1,
    framing: framingOf(endsStream, length),
    keepAlive: true,
    host: named,
    hosts: named === null ? 0 : 1,
    upgrade: null,
    expectsContinue,
    methodOverride,
    otherPaths: otherPaths.length === 0 ? null : otherPaths,
    ...TO_NO_PROXY,
    forwarded,
    credentials,
  };
}

/** `target` null: the stream names no path, which only a CONNECT may do. */
function isRequestLine(method: string, target: string | null): boolean {
  if (!KNOWN_METHODS.has(method)) return false;
  return target === null ? method === 'CONNECT' : /^[\x21-\x7e]+$/.test(target);
}

function framingOf(endsStream: boolean, length: number | null): Framing {
  if (endsStream || length === 0) return NO_BODY;
  return length === null ? CHUNKED : { kind: 'length', length };
}

const fields = newFields();

/** Field lines, each with its CRLF, as fields of a stream: names in lower case, duplicates as lists. */
export function streamFields(lines: string): OutgoingHttpHeaders {
  const text = `${lines}\r\n`;
  const headers: OutgoingHttpHeaders = {};
  if (!scanFields(text, 0, fields)) return headers;
  for (let i = 0; i < fields.count; i++) {
    const o = i * 4;
    const name = text.slice(fields.at[o]!, fields.at[o + 1]!).toLowerCase();
    if (DROPPED.has(name)) continue;
    const value = text.slice(fields.at[o + 2]!, fields.at[o + 3]!);
    const known = headers[name];
    if (known === undefined) headers[name] = value;
    else headers[name] = [...(Array.isArray(known) ? known : [String(known)]), value];
  }
  return headers;
}

export function responseFields(head: ResponseHead): OutgoingHttpHeaders {
  return { ':status': head.status, ...streamFields(head.forwarded) };
}

/** Trailer fields as HTTP/1 lines. */
export function trailerLines(headers: { readonly [name: string]: unknown }): string {
  let lines = '';
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || !isTrailer(name)) continue;
    for (const each of Array.isArray(value) ? value : [value])
      if (typeof each === 'string' && !/[\0\r\n]/.test(each)) lines += `${name}: ${each}\r\n`;
  }
  return lines;
}
