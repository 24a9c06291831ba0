// A real vendor's answer as a handler's reply: its status, the fields that mean something, and its bytes, or those of a stream
// with their times, all of it masked. What cannot be looked through for secrets is not kept.

import { toBase64 } from '../../../twins/kit/base64.ts';
import type { HandlerReply } from '../../../twins/kit/handlers.ts';
import { type Json, readJson } from '../../../twins/kit/json.ts';
import { RAW_CHUNKS_MAX } from '../../../twins/kit/limits.ts';
import type { RawReply } from '../../../twins/kit/raw-reply.ts';
import { hasSecret, isCredentialHeader, maskJson, maskText } from '../../../twins/kit/secrets.ts';
import { maskPieces } from './masked-pieces.ts';

export type HeardPiece = { readonly atMs: number; readonly bytes: Uint8Array };

export type Heard = {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly pieces: readonly HeardPiece[];
  /** The vendor's connection broke off after that. */
  readonly cut: boolean;
};

export type KeptReply =
  | { readonly ok: true; readonly reply: HandlerReply }
  /** Completes "it was not kept:". */
  | { readonly ok: false; readonly why: string };

/** Of a connection, of an hour, of a machine: nothing that a program goes by. */
const LEFT_OUT =
  /^(?:date|server|via|age|vary|set-cookie|content-length|transfer-encoding|strict-transport-security|nel|report-to|reporting-endpoints|server-timing|x-wrld-.*|cf-.*|x-envoy-.*|x-amz-cf-.*|x-served-by|x-timer|x-cache.*)$/;
const STREAMED =
  /^(?:text\/event-stream|application\/(?:x-)?(?:ndjson|jsonl)|application\/(?:stream\+json|vnd\.amazon\.eventstream))\b/i;

/** `own`: what the request was let in with. */
export function keptReply({ status, headers, pieces, cut }: Heard, own: readonly string[]): KeptReply {
  const no = (why: string): KeptReply => ({ ok: false, why });
  const field = (name: string): string => headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
  const encoding = field('content-encoding');
  if (encoding !== '' && encoding !== 'identity')
    return no(`it is encoded (${encoding}), and nobody can look for secrets in it`);
  if (status < 200 || status > 599) return no(`its status is ${status}`);
  const streamed = STREAMED.test(field('content-type'));
  const raw = streamed ? streamOf(pieces, own) : wholeOf(pieces, own);
  if (raw === null) return no('its bytes hold what looks like a key');
  const said = saidOf(headers, own);
  const reply = {
    status,
    ...(said !== null && { headers: said }),
    raw: cut ? { ...raw, cut: true as const } : raw,
  };
  return { ok: true, reply };
}

function saidOf(headers: Heard['headers'], own: readonly string[]): { [name: string]: string } | null {
  const said = new Map<string, string>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (LEFT_OUT.test(lower) || isCredentialHeader(lower)) continue;
    const masked = maskText(value, own);
    const named = maskText(lower, own);
    const there = said.get(named);
    said.set(named, there === undefined ? masked : `${there}, ${masked}`);
  }
  return said.size === 0 ? null : Object.fromEntries(said);
}

function wholeOf(pieces: Heard['pieces'], own: readonly string[]): RawReply | null {
  const bytes = together(pieces);
  if (bytes.length === 0) return {};
  const text = textOf(bytes);
  if (text === null) return hasSecret(latin1(bytes), own) ? null : { base64: toBase64(bytes) };
  return { text: maskDocument(text, own) };
}

/** As text it is masked; as JSON besides, where a name says more than a value does, and escapes hide nothing. */
function maskDocument(text: string, own: readonly string[]): string {
  const masked = maskText(text, own);
  const json = readJson(masked);
  if (json === undefined || typeof json !== 'object') return masked;
  const clean: Json = maskJson(json, own);
  if (clean === json) return masked;
  return /^[[{]\s*\n/.test(masked) ? `${JSON.stringify(clean, null, 2)}\n` : JSON.stringify(clean);
}

function streamOf(pieces: Heard['pieces'], own: readonly string[]): RawReply | null {
  const texts = textsOf(pieces);
  if (texts === null) {
    if (hasSecret(latin1(together(pieces)), own)) return null;
    return { chunks: merged(pieces.map(({ atMs, bytes }) => ({ atMs, base64: toBase64(bytes) }))) };
  }
  const masked = maskPieces(texts, own);
  const chunks = masked.map((text, at) => ({ atMs: pieces[at]!.atMs, text }));
  return { chunks: merged(chunks.filter(({ text }) => text !== '')) };
}

/** A piece ends where its character does; null for what is no text. */
function textsOf(pieces: Heard['pieces']): readonly string[] | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    const texts = pieces.map(({ bytes }) => decoder.decode(bytes, { stream: true }));
    decoder.decode();
    return texts;
  } catch {
    return null;
  }
}

/** More pieces than a file takes are put together; their times are those of the first. */
function merged<Chunk extends { readonly atMs: number; readonly text?: string }>(
  chunks: readonly Chunk[],
): readonly Chunk[] {
  if (chunks.length <= RAW_CHUNKS_MAX) return chunks;
  const size = Math.ceil(chunks.length / RAW_CHUNKS_MAX);
  const made: Chunk[] = [];
  for (let at = 0; at < chunks.length; at += size) {
    const text = chunks
      .slice(at, at + size)
      .map(chunk => chunk.text ?? '')
      .join('');
    made.push({ ...chunks[at]!, text });
  }
  return made;
}

function together(pieces: Heard['pieces']): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.bytes.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece.bytes, at);
    at += piece.bytes.length;
  }
  return bytes;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

const LATIN1_BYTES = 32_768;

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += LATIN1_BYTES)
    text += String.fromCharCode(...bytes.subarray(from, from + LATIN1_BYTES));
  return text;
}
