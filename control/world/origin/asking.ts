// What is asked of the origin: its own endpoints, with the token that was sealed for it. What comes back is somebody
// else's, bounded and read as such.
import { parseJson } from '../../../policy/json-text.ts';
import type { Outbound, OutboundBody } from '../../ports/outbound.ts';
import { ORIGIN_ANSWER_BYTES_MAX, ORIGIN_ANSWER_MS_MAX } from '../limits.ts';
import { readWhole } from '../store/stream-bytes.ts';

/** `https://<host>/<org>/<world>`, taken apart. */
export type OriginPlace = { readonly url: string; readonly origin: string; readonly world: string };

export type OriginAnswer =
  | { readonly ok: true; readonly status: number; readonly value: unknown }
  /** `sent`: it may have arrived all the same. */
  | { readonly ok: false; readonly sent: boolean; readonly why: string };

/** Asks one endpoint of a world: `path` is what follows `/-/<org>/<world>/`. Never rejects. */
export type AskOrigin = (
  place: OriginPlace & { readonly token: string },
  request: {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly body?: OutboundBody;
    /** Until it answers; milliseconds. */
    readonly timeoutMs?: number;
    /** The answer is bytes where it succeeds, and no JSON. */
    readonly bytes?: boolean;
  },
) => Promise<OriginAnswer>;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;

/** A world's URL: https, or http to an address of this machine in figures. Null for any other. */
export const parsePlace = (url: string): OriginPlace | null => {
  const parsed = URL.parse(url);
  const named = parsed === null ? null : /^\/([a-z0-9-]+\/[a-z0-9-]+)\/?$/.exec(parsed.pathname);
  if (parsed === null || named === null) return null;
  const { protocol, hostname, username, password, search, hash, origin } = parsed;
  if (username !== '' || password !== '' || search !== '' || hash !== '') return null;
  if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK.test(hostname))) return null;
  const world = named[1]!;
  return { url: `${origin}/${world}`, origin, world };
};

export const askOver =
  (outbound: Outbound): AskOrigin =>
  async (
    { origin, world, token },
    { method, path, body = null, bytes: raw = false, timeoutMs = ORIGIN_ANSWER_MS_MAX },
  ) => {
    const answer = await outbound.send({
      url: `${origin}/-/${world}/${path}`,
      method,
      headers: [
        ['x-wrld-token', token],
        ['accept', 'application/json'],
        ...(body === null ? [] : [['content-type', 'application/json'] as const]),
      ],
      body,
      timeoutMs,
    });
    if (!answer.ok) return { ok: false, sent: answer.sent, why: answer.why };
    try {
      const bytes = await readWhole(answer.body, ORIGIN_ANSWER_BYTES_MAX);
      if (bytes === null)
        return { ok: false, sent: true, why: `it answered more than ${ORIGIN_ANSWER_BYTES_MAX} bytes` };
      if (raw && answer.status === 200) return { ok: true, status: 200, value: bytes };
      const read = parseJson(bytes);
      if (!read.ok)
        return { ok: false, sent: true, why: `it answered ${answer.status} with what is ${read.why}` };
      return { ok: true, status: answer.status, value: read.value };
    } catch {
      return { ok: false, sent: true, why: 'its answer broke off' };
    }
  };
