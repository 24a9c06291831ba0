// Where a request came in, and what is fixed by that.
import type { Scheme } from '../policy/ask.ts';
import type { Authority } from '../policy/authority.ts';
import type { Run } from '../policy/run.ts';

/** A tunnel as its CONNECT asked for it: to whom, for which run, and which way it came in. */
export type TunnelAsk = {
  readonly authority: Authority;
  readonly run: Run;
  /** Through the guest listener. */
  readonly guest: boolean;
  /** Through the socket of contained runs: a connection that a program opened itself, to whoever it pleased. */
  readonly contained?: boolean;
};

/** Inside a tunnel. Its authority is the CONNECT's; its scheme was told by its first bytes. */
export type TunnelPlace = TunnelAsk & {
  readonly at: 'tunnel';
  readonly scheme: Scheme;
  /** The name in the client's TLS hello, when it differs from the CONNECT's; such requests are refused. */
  readonly strayName: string | null;
};

export type Place =
  | {
      readonly at: 'proxy';
      /** It came in through the guest listener. */
      readonly guest: boolean;
      /** It came in through the socket of contained runs. */
      readonly contained?: boolean;
    }
  | TunnelPlace;
