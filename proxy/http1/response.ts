// A response head from an upstream, read strictly and written anew: hop-by-hop fields go, everything else
// keeps its case, order, duplicates and reason phrase.
import { CHUNKED, type Framing, NO_BODY, UNTIL_CLOSE } from './body.ts';
import { readConnection, withoutNamed } from './connection-field.ts';
import { newFields, parseLength, scanFields } from './fields.ts';

export type ResponseHead = {
  readonly ok: true;
  readonly status: number;
  /** Reason phrase as it came; may be empty. */
  readonly reason: string;
  readonly framing: Framing;
  /** The upstream connection may serve another exchange. */
  readonly keepAlive: boolean;
  /** What the upstream announced in `Keep-Alive: timeout=`, in milliseconds; null when it did not. */
  readonly keepAliveMs: number | null;
  /** Of a 101: what it switched to. */
  readonly upgrade: string | null;
  /** From control: a twin's handler asks for the client's connection to be cut instead of an answer. */
  readonly fault: boolean;
  /** The fields that go on to the client, each with its CRLF. */
  readonly forwarded: string;
};

export type UnreadableResponse = { readonly ok: false; readonly why: string };

const fields = newFields();
const unreadable = (why: string): UnreadableResponse => ({ ok: false, why });

const LENGTHS = new Uint8Array(256);
for (const name of [
  'te',
  'upgrade',
  'alt-svc',
  'x-wrld-fault',
  'connection',
  'keep-alive',
  'content-length',
  'proxy-connection',
  'transfer-encoding',
  'proxy-authenticate',
  'x-wrld-world-refusal',
  'x-wrld-world-refusal-record',
])
  LENGTHS[name.length] = 1;

/**
 * Reads a whole head. `method` is the request's: an answer to HEAD has no body whatever it says. As long as it is for
 * the reason of readRequestHead: one pass, its findings in locals.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one pass with its findings in locals (see above)
export function readResponseHead(text: string, method: string): ResponseHead | UnreadableResponse {
  const minorCode = text.charCodeAt(7);
  if (!text.startsWith('HTTP/1.') || (minorCode !== 49 && minorCode !== 48) || text.charCodeAt(8) !== 32)
    return unreadable('its status line is malformed');
  const minor = minorCode - 48;
  const status = statusAt(text, 9);
  if (status === -1) return unreadable('its status line is malformed');
  const after = text.charCodeAt(12);
  const lineEnd = text.indexOf('\r\n', 12);
  if (after !== 32 && lineEnd !== 12) return unreadable('its status line is malformed');
  const reason = after === 32 ? text.slice(13, lineEnd) : '';
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(reason)) return unreadable('its status line is malformed');
  const start = lineEnd + 2;
  if (!scanFields(text, start, fields)) return unreadable('a header field is malformed');

  let length = -1;
  let chunked = false;
  let close = minor === 0;
  let keepAliveMs: number | null = null;
  let upgrade: string | null = null;
  let fault = false;
  let named: readonly string[] | null = null;
  let forwarded = '';
  let kept = start;
  const { at: offsets, count } = fields;
  for (let i = 0; i < count; i++) {
    const o = i * 4;
    const nameStart = offsets[o]!;
    const nameEnd = offsets[o + 1]!;
    if (LENGTHS[nameEnd - nameStart] !== 1) continue;
    const name = text.slice(nameStart, nameEnd).toLowerCase();
    const value = text.slice(offsets[o + 2]!, offsets[o + 3]!);
    let dropped = false;
    switch (name) {
      case 'content-length': {
        const parsed = parseLength(value);
        if (parsed === null || (length !== -1 && length !== parsed))
          return unreadable('its content length is malformed or repeated');
        // RFC 9112 6.2: an answer of these has none, and says no length of it.
        dropped = length !== -1 || status < 200 || status === 204;
        length = parsed;
        break;
      }
      case 'transfer-encoding':
        if (chunked || value.toLowerCase() !== 'chunked')
          return unreadable('its transfer coding is not one "chunked"');
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
      case 'keep-alive': {
        const seconds = /(?:^|[,\s])timeout=(\d{1,6})/i.exec(value)?.[1];
        if (seconds !== undefined) keepAliveMs = Number(seconds) * 1_000;
        dropped = true;
        break;
      }
      case 'x-wrld-fault':
        fault = true;
        dropped = true;
        break;
      // An upstream must not speak as the world does, nor lead clients around the proxy (bad-input.md).
      case 'x-wrld-world-refusal':
      case 'x-wrld-world-refusal-record':
      case 'alt-svc':
        dropped = true;
        break;
      case 'upgrade':
        upgrade = value;
        dropped = true;
        break;
      case 'te':
      case 'proxy-connection':
      case 'proxy-authenticate':
        dropped = true;
        break;
    }
    if (!dropped) continue;
    if (kept < nameStart) forwarded += text.slice(kept, nameStart);
    kept = text.indexOf('\n', offsets[o + 3]!) + 1;
  }
  if (chunked && length !== -1) return unreadable('it has a content length and is chunked');
  // HTTP/1.0 knows no chunks: whoever sends them so may not mean what follows either (RFC 9112 6.1).
  if (chunked && minor === 0) close = true;
  const fieldsEnd = text.length - 2;
  if (kept < fieldsEnd) forwarded += text.slice(kept, fieldsEnd);
  if (named !== null) forwarded = withoutNamed(forwarded, named);
  const framing = responseFraming(method, status, chunked, length);
  return {
    ok: true,
    status,
    reason,
    framing,
    keepAlive: !close && framing.kind !== 'close',
    keepAliveMs,
    upgrade,
    fault,
    forwarded,
  };
}

/** Three digits, the first of them not 0; -1 for anything else. */
function statusAt(text: string, at: number): number {
  const hundreds = text.charCodeAt(at) - 48;
  const tens = text.charCodeAt(at + 1) - 48;
  const ones = text.charCodeAt(at + 2) - 48;
  const digits = hundreds >= 1 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
  return digits ? hundreds * 100 + tens * 10 + ones : -1;
}

function responseFraming(method: string, status: number, chunked: boolean, length: number): Framing {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return NO_BODY;
  if (chunked) return CHUNKED;
  if (length === 0) return NO_BODY;
  return length > 0 ? { kind: 'length', length } : UNTIL_CLOSE;
}
