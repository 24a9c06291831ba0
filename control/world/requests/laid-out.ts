// An exchange as it is shown (`Exchange` of the documentation): in words that can be read, and without its secrets. They are
// masked here, so that none is ever sent to a page.
import { parseJson } from '../../../policy/json-text.ts';
import type { ShownBody, ShownExchange, ShownHeaders } from '../../../twins/kit/journal.ts';
import type { Json } from '../../../twins/kit/json.ts';
import {
  credentialsOf,
  isCredentialHeader,
  maskField,
  maskJson,
  maskPath,
  maskText,
} from '../../../twins/kit/secrets.ts';
import type { KeptRequest } from '../../../twins/kit/twin.ts';
import type { Exchange, KeptBody } from './exchanges.ts';

const MASK = 'masked-credential';
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

/** `keeps`: what the twin says of its vendor's secrets. */
export function laidOut(
  { call, asked, status, headers, answered }: Exchange,
  keeps?: KeptRequest,
): ShownExchange {
  const own = credentialsOf(call.headers, call.query);
  const names = keeps?.secrets;
  const sent: ShownHeaders = Object.entries(call.headers).flatMap(([name, values]) =>
    [values ?? []].flat().map(value => [name, value] as const),
  );
  return {
    request: {
      atHost: call.via === 'host',
      method: call.method,
      host: call.host,
      path: maskPath(call.path, own),
      query: maskedForm(call.query, own, names),
      headers: sent.map(field => maskedHeader(field, own)),
      body: shownBody(asked, [call.headers['content-type'] ?? ''].flat()[0] ?? '', own, names),
    },
    answer: {
      status,
      headers: headers.map(field => maskedHeader(field, own)),
      body: shownBody(
        answered,
        headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? '',
        own,
        names,
      ),
    },
  };
}

/** What it says besides the secret (`Bearer`) stays. */
function maskedHeader(
  [name, value]: readonly [string, string],
  own: readonly string[],
): readonly [string, string] {
  const masked = maskText(value, own);
  return [maskText(name, own), masked === value && isCredentialHeader(name.toLowerCase()) ? MASK : masked];
}

function shownBody(
  { bytes, pieces }: KeptBody,
  type: string,
  own: readonly string[],
  names: RegExp | undefined,
): ShownBody {
  if (pieces === null || bytes === 0) return { bytes, text: null, image: null };
  const whole = joined(pieces);
  const media = type.split(';', 1)[0]!.trim().toLowerCase();
  if (IMAGE.test(media)) return { bytes, text: null, image: base64(whole) };
  const text = textOf(whole);
  return { bytes, text: text === null ? null : maskedText(text, media, own, names), image: null };
}

function maskedText(text: string, media: string, own: readonly string[], names: RegExp | undefined): string {
  if (media === 'application/x-www-form-urlencoded') return maskedForm(text, own, names);
  const read = /[/+]json$/.test(media) ? parseJson(text) : null;
  if (read?.ok !== true) return maskText(text, own);
  const value = read.value as Json;
  const masked = maskJson(value, own);
  return masked === value ? text : JSON.stringify(masked);
}

function maskedForm(form: string, own: readonly string[], names: RegExp | undefined): string {
  if (form === '') return '';
  let changed = false;
  const fields = [...new URLSearchParams(form)].map(([name, value]) => {
    const masked = names?.test(name) === true ? MASK : maskField(name, value, own);
    const named = maskText(name, own);
    changed ||= masked !== value || named !== name;
    return [named, masked];
  });
  return changed ? String(new URLSearchParams(fields)) : form;
}

function joined(pieces: readonly (Uint8Array | string)[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = pieces.map(piece => (typeof piece === 'string' ? encoder.encode(piece) : piece));
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

const base64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
