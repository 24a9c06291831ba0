// One request of a pass over a root: made again while the vendor says that it has too much to do, or did not get to answer,
// as late as it says, and not for ever.

import type { VendorAnswer, VendorRequest } from '../../../twins/kit/real-vendor.ts';
import { headerOf, VendorFault } from '../../../twins/kit/vendor-fault.ts';
import {
  REFRESH_TRIES_MAX,
  REFRESH_WAIT_MS_MAX,
  REFRESH_WAIT_MS_MIN,
  ROOT_ANSWER_BYTES_MAX,
  ROOT_ANSWER_MS_MAX,
} from '../limits.ts';
import type { VendorAnswered, VendorAsks } from './vendor-asks.ts';

/** The vendor wants to be left alone for longer than a pass waits. */
export class VendorBusy extends VendorFault {
  readonly waitMs: number;

  constructor(message: string, waitMs: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** Nothing was asked of it: there is no credential, or nobody may go there. */
export class VendorUnasked extends VendorFault {}

export type Asking = {
  readonly asks: VendorAsks;
  readonly twin: string;
  /** Wall time. */
  readonly now: () => number;
  /** Resolves so much later, or rejects when nobody wants the pass any more. */
  readonly wait: (ms: number) => Promise<void>;
  /** Rejects when nobody wants the pass any more. */
  readonly whileWanted: <T>(asked: Promise<T>) => Promise<T>;
};

const LIMITS = { timeoutMs: ROOT_ANSWER_MS_MAX, bodyBytesMax: ROOT_ANSWER_BYTES_MAX };

/** Throws `VendorFault` for what no further try would mend. */
export const askRoot = async (asking: Asking, request: VendorRequest): Promise<VendorAnswer> => {
  const { asks, twin, wait, whileWanted } = asking;
  for (let tries = 1; ; tries++) {
    const answered = await whileWanted(asks.ask(twin, request, LIMITS));
    const trouble = troubleOf(answered);
    if (trouble === null) return answered as VendorAnswer;
    if (!trouble.passes)
      throw answered.ok || answered.sent
        ? new VendorFault(trouble.message)
        : new VendorUnasked(trouble.message);
    const said = answered.ok ? retryAfterMs(answered, asking.now()) : null;
    const usual = Math.min(REFRESH_WAIT_MS_MIN * 2 ** (tries - 1), REFRESH_WAIT_MS_MAX);
    const waitMs = said ?? usual;
    if (tries === REFRESH_TRIES_MAX || waitMs > REFRESH_WAIT_MS_MAX)
      throw new VendorBusy(`${trouble.message}, asked ${tries} ${tries === 1 ? 'time' : 'times'}`, waitMs);
    await wait(waitMs);
  }
};

type Trouble = { readonly message: string /** A further try may help. */; readonly passes: boolean };

/** Null for what the twin reads itself. */
const troubleOf = (answered: VendorAnswered): Trouble | null => {
  if (!answered.ok) {
    const { why, message } = answered;
    const what =
      why === 'no-answer' ? 'does not answer' : why === 'too-large' ? 'answers too much' : 'cannot be asked';
    return { message: `${what}: ${message.replace(/\.$/, '')}`, passes: why === 'no-answer' };
  }
  const { status } = answered;
  if (status >= 300 && status < 400)
    return {
      message: `answers ${status}, a redirect${toWhere(answered)}; a root’s URL is where the API itself answers`,
      passes: false,
    };
  if (status === 429) return { message: 'says that it was asked too often (429)', passes: true };
  return status >= 500 ? { message: `answers ${status}`, passes: true } : null;
};

/** The origin alone: what follows it may hold anything. */
const toWhere = (answer: VendorAnswer): string => {
  const to = URL.parse(headerOf(answer, 'location') ?? '');
  return to === null ? '' : ` to ${to.origin}`;
};

/** Seconds, or an HTTP date; null where it says nothing that can be read. */
const retryAfterMs = (answer: VendorAnswer, now: number): number | null => {
  const said = headerOf(answer, 'retry-after')?.trim();
  if (said === undefined || said === '') return null;
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  const at = Date.parse(said);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
};
