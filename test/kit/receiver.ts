// What stands where a world's webhooks go: it sees each request, whose body is a text, and says how it answers.
import type { Outbound, OutboundFailure, OutboundRequest } from '../../control/ports/outbound.ts';

export type Webhook = OutboundRequest & { readonly body: string };
export type Receipt = { readonly ok: true; readonly status: number; readonly ms: number } | OutboundFailure;

/** `discarded`: called when the world lets go of an answer. */
export const receiver = (
  answer: (request: Webhook) => Receipt | Promise<Receipt>,
  discarded: () => void = () => {},
  ready: () => Promise<void> | null = () => null,
): Outbound => ({
  ready,
  send: async request => {
    if (typeof request.body !== 'string') throw new TypeError('A webhook is a text.');
    const receipt = await answer(request as Webhook);
    return receipt.ok ? { ...receipt, headers: [], body: NOTHING, discard: discarded } : receipt;
  },
});

const NOTHING: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};
