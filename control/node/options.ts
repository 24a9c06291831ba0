// How a world is started on this machine.
import type { Prompter } from '../http/prompter.ts';
import type { Log } from '../ports/log.ts';
import type { BudgetLimits } from '../world/access/budget.ts';
import type { StartProxy } from './data-plane.ts';
import type { BranchLimits, SupervisorLimits } from './limits.ts';

/** Of control alone, without a proxy, runs or branches (the plain serve command). */
export type ServeOptions = {
  /** The folder that holds `.wrld/world.json`. */
  readonly folder: string;
  /** Where it keeps what is its own: `.wrld` of the folder unless given. */
  readonly home?: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Requests that each world answers (8); none by default, since this is the developer's own machine. */
  readonly budget?: BudgetLimits | null;
  /** Platforms whose passes open sessions (5.3-7), beside those of TRUSTED_ISSUERS (trusted-issuers.ts). */
  readonly trust?: readonly string[];
  /** Whether the root of a twin may be at an address of this machine's own; yes unless given. */
  readonly ownMachine?: boolean;
  readonly log: Log;
  /** For a test's world: may answer calls in the place of their twins (prompter.ts). Its calls are kept besides. */
  readonly prompt?: Prompter['prompt'];
};

export type ControlOptions = ServeOptions & {
  readonly proxyPort: number;
  /** Threads that the proxy serves with; 1 unless given. */
  readonly workers?: number;
  /** Where guests of the proxy come in (7.2 `guest-*`); none by default. */
  readonly guestPort?: number;
  readonly sandbox: boolean;
  /** Up for one `wrld world run`, and gone when that ends; no unless given. */
  readonly forRun?: boolean;
  /** Other limits of its branches, for tests of these. */
  readonly branches?: Partial<BranchLimits>;
  /**
   * Another program in the proxy's place, and other limits of its supervision: for tests of the supervision. `start` brings
   * one up in another way than as a process: a test's world has it in its own thread.
   */
  readonly proxy?: {
    readonly script?: string;
    readonly limits?: Partial<SupervisorLimits>;
    readonly start?: StartProxy;
  };
};
