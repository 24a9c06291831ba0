// A request head, read strictly and written anew. Whatever Node's own parser rejects is rejected here too;
// what is ambiguous to anyone downstream (two lengths, a length beside chunked) ends the connection.
import { http } from '../../process/http.ts';
import { OVERRIDE_FIELDS, overriddenBy } from '../core/method-override.ts';
import { CHUNKED, type Framing, NO_BODY } from './body.ts';
import { lineEnd, readConnection, withoutNamed } from './connection-field.ts';
import { isTarget, newFields, parseLength, scanFields } from './fields.ts';

/** A head that cannot be forwarded as HTTP/1: answered with this status, then the connection closes. */
export type Malformed = { readonly ok: false; readonly status: 400 | 431 | 505; readonly why: string };

export type RequestHead = {
  readonly ok: true;
  readonly method: string;
  /** As it arrived; origin, absolute, authority or asterisk form. */
  readonly target: string;
  readonly minor: 0 | 1;
  readonly framing: Framing;
  /** Whether the client wants the connection kept after this exchange. */
  readonly keepAlive: boolean;
  /** Value of the only `Host`; null when absent. `hosts` counts the lines. */
  readonly host: string | null;
  readonly hosts: number;
  /** `Connection: upgrade` with an `Upgrade` field: the protocol asked for. */
  readonly upgrade: string | null;
  readonly expectsContinue: boolean;
  /** A method that a header asks to be used instead (`X-HTTP-Method-Override`); judged, never applied. */
  readonly methodOverride: string | null;
  /** Paths that fields ask to be served in the target's place (`X-Original-URL`); judged, never applied. */
  readonly otherPaths: readonly string[] | null;
  readonly proxyAuthorization: string | null;
  /** What a program that is attached says of the connection that its CONNECT is for (core/connect.ts). */
  readonly attached: string | null;
  /** The fields that go on to the next hop, each with its CRLF, as they came; `Host` left out. */
  readonly forwarded: string;
  /** The world's own credentials (5.2), as fields: they reach the world and its twins, never a vendor. */
  readonly credentials: string;
};

const KNOWN_METHODS: ReadonlySet<string> = new Set(http.METHODS);
const LONGEST_METHOD = Math.max(...http.METHODS.map(method => method.length));
const fields = newFields();

const malformed = (why: string, status: 400 | 431 | 505 = 400): Malformed => ({ ok: false, status, why });

/** What may be worth a closer look, by length of name: a cheap filter before any string is made. */
const LENGTHS = new Uint8Array(256);
for (const name of [
  'te',
  'host',
  'expect',
  'upgrade',
  'connection',
  'keep-alive',
  'x-twins-key',
  'content-length',
  'http2-settings',
  'proxy-connection',
  'transfer-encoding',
  'proxy-authorization',
  'x-original-url',
  'x-rewrite-url',
  ...OVERRIDE_FIELDS,
])
  LENGTHS[name.length] = 1;
const LETTER_X = 120;
const LETTER_W = 119;

/**
 * Reads a whole head: `text` ends with the empty line. One long function on purpose: a single pass over the fields
 * fills a dozen locals, and functions that shared them would need an object for that on every request.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one pass with its findings in locals (see above)
export function readRequestHead(text: string): RequestHead | Malformed {
  const methodEnd = text.indexOf(' ');
  if (methodEnd < 1 || methodEnd > LONGEST_METHOD) return malformed('The request line has no method.');
  const method = text.slice(0, methodEnd);
  if (!KNOWN_METHODS.has(method)) return malformed('The method is not one that HTTP knows.');
  let at = methodEnd + 1;
  while (isTarget(text.charCodeAt(at))) at++;
  if (at === methodEnd + 1 || text.charCodeAt(at) !== 32)
    return malformed('The request target is malformed.');
  const target = text.slice(methodEnd + 1, at);
  const version = text.slice(at + 1, at + 11);
  if (version !== 'HTTP/1.1\r\n' && version !== 'HTTP/1.0\r\n')
    return malformed('The request line does not end with HTTP/1.1 or HTTP/1.0.');
  const minor = version === 'HTTP/1.1\r\n' ? 1 : 0;
  const start = at + 11;
  if (!scanFields(text, start, fields)) return malformed('A header field is malformed.');

  let host: string | null = null;
  let hosts = 0;
  let length = -1;
  let chunked = false;
  let close = minor === 0;
  let named: readonly string[] | null = null;
  let upgrade: string | null = null;
  let expectsContinue = false;
  let methodOverride: string | null = null;
  let otherPaths: string[] | null = null;
  let proxyAuthorization: string | null = null;
  let attached: string | null = null;
  let forwarded = '';
  let credentials = '';
  let kept = start;

  const { at: offsets, count } = fields;
  for (let i = 0; i < count; i++) {
    const o = i * 4;
    const nameStart = offsets[o]!;
    const nameEnd = offsets[o + 1]!;
    const nameLength = nameEnd - nameStart;
    const ours =
      nameLength > 7 &&
      (text.charCodeAt(nameStart) | 0x20) === LETTER_X &&
      (text.charCodeAt(nameStart + 2) | 0x20) === LETTER_W;
    if (LENGTHS[nameLength] !== 1 && !ours) continue;
    const name = text.slice(nameStart, nameEnd).toLowerCase();
    const value = text.slice(offsets[o + 2]!, offsets[o + 3]!);
    let dropped = false;
    switch (name) {
      case 'host':
        host = value;
        hosts++;
        dropped = true;
        break;
      case 'content-length': {
        const parsed = parseLength(value);
        if (parsed === null || length !== -1)
          return malformed('The content length is malformed or repeated.');
        length = parsed;
        break;
      }
      case 'transfer-encoding':
        if (chunked || minor === 0 || value.toLowerCase() !== 'chunked')
          return malformed('The only transfer coding accepted in a request is one "chunked", in HTTP/1.1.');
        chunked = true;
        dropped = true;
        break;
      case 'connection': {
        const connection = readConnection(value);
        if (connection.close) close = true;
        else if (connection.keepAlive && minor === 0) close = false;
        if (connection.named !== null)
          named = named === null ? connection.named : [...named, ...connection.named];
        dropped = true;
        break;
      }
      case 'upgrade':
        upgrade = value;
        dropped = true;
        break;
      case 'expect':
        if (value.toLowerCase() !== '100-continue') return malformed('The expectation is not 100-continue.');
        expectsContinue = minor === 1;
        break;
      case 'proxy-authorization':
        proxyAuthorization = value;
        dropped = true;
        break;
      case 'x-wrld-attached':
        attached = value;
        dropped = true;
        break;
      case 'x-http-method':
      case 'x-method-override':
      case 'x-http-method-override':
        methodOverride = overriddenBy(methodOverride, value);
        break;
      case 'x-original-url':
      case 'x-rewrite-url':
        (otherPaths ??= []).push(value);
        break;
      case 'te':
      case 'keep-alive':
      case 'proxy-connection':
      case 'http2-settings':
        dropped = true;
        break;
      case 'x-twins-key':
      case 'x-wrld-token':
        credentials += `${name}: ${value}\r\n`;
        dropped = true;
        break;
      default:
        // Headers between the parts of a world are minted by the world; a client's own do not pass.
        dropped = ours && name.startsWith('x-wrld-');
    }
    if (!dropped) continue;
    if (kept < nameStart) forwarded += text.slice(kept, nameStart);
    kept = lineEnd(text, offsets[o + 3]!);
  }
  if (chunked && length !== -1) return malformed('A request has a content length or is chunked, never both.');
  const fieldsEnd = text.length - 2;
  if (kept < fieldsEnd) forwarded += text.slice(kept, fieldsEnd);
  const upgrades = named?.includes('upgrade') === true;
  if (named !== null) forwarded = withoutNamed(forwarded, named);
  return {
    ok: true,
    method,
    target,
    minor,
    framing: chunked ? CHUNKED : length > 0 ? { kind: 'length', length } : NO_BODY,
    keepAlive: !close,
    host,
    hosts,
    upgrade: upgrades ? upgrade : null,
    expectsContinue,
    methodOverride,
    otherPaths,
    proxyAuthorization,
    attached,
    forwarded,
    credentials,
  };
}
