// Asking a real vendor (3, 4.6, 4.7): as the root of a twin, with its credential opened for the moment of the call, and
// nowhere else than at the root's own origin. No redirect is followed.
import type { VendorAnswer, VendorRequest } from '../../../twins/kit/real-vendor.ts';

export type AskLimits = {
  /** Until the head of the answer; then until the next bytes of its body. Milliseconds. */
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
};

export type VendorAnswered =
  | ({ readonly ok: true; readonly ms: number } & VendorAnswer)
  | {
      readonly ok: false;
      /**
       * `no-root`: the twin has none. `no-credential`: none is sealed, or it opens for another origin. `vault-away`: it
       * cannot be opened now. `refused`: policy does not let it out. `too-large`: the answer is over `bodyBytesMax`.
       */
      readonly why: 'no-root' | 'no-credential' | 'vault-away' | 'refused' | 'no-answer' | 'too-large';
      readonly message: string;
      /** Whether the vendor may have got it. */
      readonly sent: boolean;
    };

export type VendorAsks = {
  /** As the root of that twin. Never rejects. */
  ask(twin: string, request: VendorRequest, limits: AskLimits): Promise<VendorAnswered>;
};
