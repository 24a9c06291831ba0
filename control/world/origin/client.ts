// The origin as this world reaches it: at its place, with its token, and no answer but that of a world.
import type { OutboundBody } from '../../ports/outbound.ts';
import type { AskOrigin, OriginPlace } from './asking.ts';
import { OriginFault } from './origin-fault.ts';

export type OriginReply = { readonly status: number; readonly value: unknown };

export class OriginClient {
  readonly #ask: AskOrigin;
  readonly #place: OriginPlace & { readonly token: string };

  constructor(ask: AskOrigin, place: OriginPlace & { readonly token: string }) {
    this.#ask = ask;
    this.#place = place;
  }

  /** Throws `OriginFault` where nobody answers, or not to this token. */
  get(
    path: string,
    how: { readonly bytes?: boolean; readonly timeoutMs?: number } = {},
  ): Promise<OriginReply> {
    return this.#reply({ method: 'GET', path, ...how });
  }

  /** Throws as `get`; whether it arrived nobody knows then. */
  post(path: string, body: OutboundBody): Promise<OriginReply> {
    return this.#reply({ method: 'POST', path, body });
  }

  async #reply(request: Parameters<AskOrigin>[1]): Promise<OriginReply> {
    const { url, token } = this.#place;
    const answer = await this.#ask(this.#place, request);
    if (!answer.ok) throw new OriginFault('origin-away', `The origin ${url} does not answer: ${answer.why}`);
    const { status, value } = answer;
    if (status === 401 || status === 403)
      throw new OriginFault(
        'origin-refuses',
        `The origin ${url} does not take the token for this (${status}): ${wordsOf(value).replaceAll(token, '[secret]')} Set it again: wrld world origin set ${url}`,
      );
    if (status >= 300 && status < 400)
      throw new OriginFault(
        'no-world',
        `The origin ${url} sends elsewhere (${status}), which is not followed.`,
      );
    return { status, value };
  }
}

/** What a world says went wrong. */
export const wordsOf = (value: unknown): string => {
  const { error } = (value ?? {}) as { readonly error?: { readonly message?: unknown } };
  return typeof error?.message === 'string' ? error.message.slice(0, 300) : '';
};
