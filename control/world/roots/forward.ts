// A link's way to its vendor (4.7): streams both ways, no faster than either side reads, with the sealed credential in the
// place of what the caller sent under the same names, and nothing of the world's own or of the connection's.

import { resolvePath } from '../../../policy/path.ts';
import { type Reply, StreamCut } from '../../../twins/kit/reply.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Outbound, OutboundAnswer } from '../../ports/outbound.ts';
import { LINK_SILENCE_MS_MAX } from '../limits.ts';
import { type Journal, linkRow } from '../requests/journal.ts';
import { type Credentials, credentialWords } from './credentials.ts';
import type { Links } from './links.ts';
import { credentialHeaders } from './vendor-asking.ts';

type Headers = readonly (readonly [name: string, value: string])[];

export type Forward = {
  readonly method: string;
  /** Below the link's own path, with the query; begins with `/`. */
  readonly target: string;
  /** Without those that are the world's own. */
  readonly headers: Headers;
  /** Null: the request has none. */
  readonly body: AsyncIterable<Uint8Array> | null;
  readonly bodyBytes: number | null;
  /** The caller has gone. */
  readonly gone: AbortSignal;
  readonly caller: string | null;
  readonly trace: { readonly traceId: string; readonly spanId: string };
};

export type ForwardResult =
  | { readonly ok: true; readonly reply: Reply }
  | {
      readonly ok: false;
      readonly why: 'no-such-link' | 'no-credential' | 'vault-away' | 'refused' | 'no-answer' | 'bad-target';
      readonly message: string;
    };

type Parts = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly links: Links;
  readonly credentials: Credentials;
  readonly outbound: Outbound;
  readonly wall: WallClock;
  readonly requests: Journal;
};

export class Forwarder {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves at the head of the vendor's answer. */
  async forward(name: string, asked: Forward): Promise<ForwardResult> {
    const { wall, requests } = this.#parts;
    const at = wall.now();
    const from = performance.now();
    const result = await this.#send(name, asked);
    requests.add({
      at,
      name: linkRow(name),
      method: asked.method,
      path: /^[^?]*/.exec(asked.target)![0],
      route: undefined,
      status: result.ok ? result.reply.status : FAILED_STATUS[result.why],
      ms: performance.now() - from,
      unmatched: false,
      caller: asked.caller,
      trace: asked.trace.traceId,
      span: asked.trace.spanId,
      answered: null,
    });
    return result;
  }

  async #send(name: string, asked: Forward): Promise<ForwardResult> {
    const { world, links, credentials, outbound } = this.#parts;
    const path = resolvePath(asked.target);
    const target = path.ok ? path.target : path.literal;
    if (target === null) return no('bad-target', 'The path cannot be read unambiguously.');
    const opened = await credentials.open(name);
    if (!opened.ok && opened.why === 'no-vendor') return no('no-such-link', `There is no link ${name}.`);
    if (!opened.ok)
      return no(opened.why === 'away' ? 'vault-away' : 'no-credential', credentialWords(name, opened.why));
    if (links.originOf(name) !== opened.origin)
      return no('no-credential', credentialWords(name, 'other-origin'));
    const shown = credentialHeaders(opened.credential, undefined)!;
    const sent = await outbound.send({
      url: opened.origin + target,
      method: asked.method,
      headers: [...forwarded(asked.headers, shown), ...shown],
      body: asked.body,
      ...(asked.bodyBytes !== null && { bodyBytes: asked.bodyBytes }),
      timeoutMs: LINK_SILENCE_MS_MAX,
      as: { by: 'link', world, name },
      signal: asked.gone,
    });
    if (!sent.ok) return no(sent.refused ? 'refused' : 'no-answer', sent.why);
    return { ok: true, reply: replyOf(sent, asked.method) };
  }
}

const FAILED_STATUS: { readonly [why in Extract<ForwardResult, { ok: false }>['why']]: number } = {
  'bad-target': 400,
  'no-such-link': 404,
  'no-credential': 409,
  'vault-away': 503,
  refused: 502,
  'no-answer': 502,
};

export const forwardStatus = (why: keyof typeof FAILED_STATUS): number => FAILED_STATUS[why];

const no = (why: keyof typeof FAILED_STATUS, message: string): ForwardResult => ({ ok: false, why, message });

/** Of one connection, and so of neither the next nor the last. RFC 9110 7.6.1. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const namedInConnection = (headers: Headers): ReadonlySet<string> =>
  new Set(
    headers
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) =>
        value
          .toLowerCase()
          .split(',')
          .map(each => each.trim()),
      ),
  );

/** Without those of one connection (RFC 9110 7.6.1). */
export const endToEnd = (headers: Headers): Headers => {
  const named = namedInConnection(headers);
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    // These frame the message: no `Connection` takes them away.
    return !OF_CONNECTION.has(lower) && (!named.has(lower) || lower === 'content-length');
  });
};

/** `expect`: whoever waited for a 100 has had it. */
const forwarded = (headers: Headers, shown: Headers): Headers => {
  const replaced = new Set(shown.map(([name]) => name.toLowerCase()));
  return endToEnd(headers).filter(([name]) => {
    const lower = name.toLowerCase();
    return !replaced.has(lower) && lower !== 'host' && lower !== 'expect' && lower !== 'content-length';
  });
};

/** A vendor does not speak in the world's name, and its other ways in are not this one. */
const NOT_THE_VENDORS = /^(?:x-wrld-.*|alt-svc)$/i;

/** Of a vendor's answer, those that its client is given. */
export const vendorFields = (headers: Headers): Headers =>
  endToEnd(headers).filter(([name]) => !NOT_THE_VENDORS.test(name));

const replyOf = (answer: OutboundAnswer, method: string): Reply => {
  const { status } = answer;
  const headers = vendorFields(answer.headers);
  if (method !== 'HEAD' && status !== 204 && status !== 304)
    return { status, headers, body: untilBroken(answer.body) };
  answer.discard();
  return { status, headers, body: null };
};

/** What breaks off at the vendor is cut here too: nobody takes half an answer for a whole one. */
async function* untilBroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new StreamCut('the vendor’s answer broke off');
  }
}
