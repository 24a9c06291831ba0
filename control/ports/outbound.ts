// Requests the world itself makes (webhook deliveries). The host judges each by the world's policy first.

export type OutboundRequest = {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly timeoutMs: number;
};

export type OutboundResult =
  | { readonly ok: true; readonly status: number; readonly ms: number }
  /** Refused by policy (`why` begins with the rule's name), or the destination did not answer. */
  | { readonly ok: false; readonly refused: boolean; readonly why: string; readonly ms: number };

export type Outbound = { send(request: OutboundRequest): Promise<OutboundResult> };
