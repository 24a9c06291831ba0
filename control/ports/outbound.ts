// Requests that a world itself makes: deliveries of webhooks, and what its roots, links and deploys ask of real
// vendors. The host judges each by the world's policy before anything is sent.

export type OutboundBody = string | Uint8Array | AsyncIterable<Uint8Array> | null;

export type OutboundRequest = {
  /** http or https, absolute. */
  readonly url: string;
  /** Upper case. */
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A stream is sent as it comes, and read no faster than the destination takes it. */
  readonly body: OutboundBody;
  /** How long a stream is, where that is known. */
  readonly bodyBytes?: number;
  /**
   * The root or link of a world in whose name it is asked: it goes to that one's origin or nowhere. A recording is held to
   * that and to the world's grants besides. Absent: it is held to the world's grants.
   */
  readonly as?: {
    readonly by: 'root' | 'link' | 'recording';
    readonly world: string;
    readonly name: string;
  };
  /** Of a recording: what the programs declare of which one asks; each must have declared where it goes. */
  readonly declared?: readonly { readonly egress?: readonly string[] }[];
  /** Gives it up, and its answer too. */
  readonly signal?: AbortSignal;
  /**
   * Until the head of the answer, counted anew whenever the destination takes more of a streamed body; then, each time,
   * until the next bytes of its body. Milliseconds.
   */
  readonly timeoutMs: number;
};

export type OutboundAnswer = {
  readonly ok: true;
  readonly status: number;
  /** As they came, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * To be read to its end or left by `return`, once; an answer whose body nobody wants is given up with `discard`. It
   * throws when the destination breaks off or is silent for `timeoutMs`.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Lets go of the body and its connection. Harmless after the end. */
  readonly discard: () => void;
  /** Until the head of the answer. Milliseconds. */
  readonly ms: number;
};

/** The fields of a refusal's record that whoever is told of it reads. */
export type OutboundRefusal = {
  readonly missing: string;
  readonly rule: string;
  readonly reason: string;
  readonly see: string;
};

export type OutboundFailure = {
  readonly ok: false;
  /** Policy refused it, and `why` begins with the rule's name; otherwise the destination did not answer. */
  readonly refused: boolean;
  /** Of what policy refused: its record (2.1). */
  readonly record?: OutboundRefusal;
  /** Whether any of it may have reached the destination. */
  readonly sent: boolean;
  readonly why: string;
  readonly ms: number;
};

export type Outbound = {
  /** Null when there is a policy to judge by; otherwise resolves when there is. Never rejects. */
  ready(): Promise<void> | null;
  /** Not before there is a policy. Never rejects. */
  send(request: OutboundRequest): Promise<OutboundAnswer | OutboundFailure>;
};
