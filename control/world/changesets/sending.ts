// One action and its vendor (storage.md, Deploy): the intent is on disk before the vendor is asked, so that whoever comes
// after a crash knows that it may have been done, and asks again only where that does it once.
import type { Deploys, Done, Lookup, VendorRequest } from '../../../twins/kit/real-vendor.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Entropy } from '../../ports/entropy.ts';
import {
  DEPLOY_PAUSE_MS,
  DEPLOY_PAUSE_MS_MAX,
  DEPLOY_SENDS_MAX,
  VENDOR_ANSWER_BYTES_MAX,
  VENDOR_ANSWER_MS,
} from '../limits.ts';
import type { ReceiptRow } from '../log/receipt-row.ts';
import type { VendorAsks } from '../roots/vendor-asks.ts';
import { hex } from '../store/identifier.ts';
import { outcomeOf } from './vendor-outcome.ts';
import { referenced, requestHash } from './vendor-request.ts';

/** How it ended: settled, or left for another time, be it that nothing was done or that it is not known yet. */
export type Sent =
  | { readonly at: 'done'; readonly done: Done }
  | { readonly at: 'refused' | 'failed'; readonly reason: string }
  | { readonly at: 'put-off'; readonly reason: string; readonly uncertain: boolean };

export type SendingParts = {
  readonly sql: DurableSql;
  readonly wall: WallClock;
  readonly digest: Digest;
  readonly entropy: Entropy;
  readonly asks: VendorAsks;
  /** Waits so many milliseconds of wall time, less when the world ends. */
  readonly pause: (ms: number) => Promise<void>;
  /** The world ends. */
  readonly ending: () => boolean;
};

export type Errand = {
  readonly changeset: string;
  readonly twin: string;
  readonly deploys: Deploys;
  /** Without a reference. */
  readonly request: VendorRequest;
  readonly receipt: Pick<ReceiptRow, 'action' | 'intent' | 'attempt' | 'idem' | 'at' | 'sent'>;
  /** Who holds the deploy: nobody else sends anything. */
  readonly holder: string;
};

/** Another one deploys this changeset from here on. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const REFERENCE_BYTES = 16;
const UNKNOWN = 'outcome unknown';

export const send = async (parts: SendingParts, errand: Errand): Promise<Sent> => {
  const { deploys, receipt } = errand;
  const reference = receipt.idem ?? `wrld-${hex(parts.entropy.bytes(REFERENCE_BYTES))}`;
  const marked = referenced(errand.request, reference, deploys);
  const sent = requestHash(parts.digest.hasher(), marked);
  const lookup = deploys.lookup?.(errand.request) ?? null;
  const state = { reference, marked, sent, lookup, first: receipt.at, last: receipt.at };
  // Sent before a crash, and nobody knows more.
  let uncertain: string | null =
    receipt.intent === 'sending' ? 'the world ended while the vendor was asked' : null;
  /** Of one of the times that it was sent nobody knew at first what became of it. */
  let again = uncertain !== null;
  for (let sends = 0; ; ) {
    if (uncertain !== null) {
      const known = await clarify(parts, errand, state, uncertain);
      if (known !== 'ask-again') return known;
    }
    // Under its key it may be asked again for as long as the vendor remembers that, by the next deploy.
    const open = deploys.once === null ? null : uncertain;
    if (sends === DEPLOY_SENDS_MAX)
      return {
        at: 'put-off',
        reason: open ?? uncertain ?? 'the vendor has no time',
        uncertain: open !== null,
      };
    if (parts.ending()) return { at: 'put-off', reason: 'the world ends', uncertain: open !== null };
    intend(parts, errand, state, open !== null);
    sends += 1;
    const answered = await parts.asks.ask(errand.twin, state.marked, LIMITS);
    const outcome = outcomeOf(state.marked, answered, { deploys, again });
    switch (outcome.at) {
      case 'done':
      case 'refused':
        return outcome;
      case 'unknown':
        uncertain = outcome.reason;
        again = true;
        await parts.pause(Math.min(DEPLOY_PAUSE_MS * 2 ** (sends - 1), DEPLOY_PAUSE_MS_MAX));
        break;
      case 'not-done':
        uncertain = open;
        if (outcome.pauseMs === null || sends === DEPLOY_SENDS_MAX)
          return { at: 'put-off', reason: outcome.reason, uncertain: open !== null };
        await parts.pause(Math.max(outcome.pauseMs, DEPLOY_PAUSE_MS));
    }
  }
};

type State = {
  readonly reference: string;
  readonly marked: VendorRequest;
  readonly sent: string;
  readonly lookup: Lookup | null;
  /** Wall time, when it was sent first. */
  first: number;
  last: number;
};

/** Of what may have been done: whether it was, or whether to ask again does it once. */
const clarify = async (
  parts: SendingParts,
  errand: Errand,
  state: State,
  why: string,
): Promise<Sent | 'ask-again'> => {
  const { deploys, receipt } = errand;
  const failed: Sent = { at: 'failed', reason: `${UNKNOWN}: ${why}` };
  if (deploys.once !== null) {
    if (parts.wall.now() - state.first >= deploys.once.keptMs - VENDOR_ANSWER_MS) return failed;
    // The vendor knows a key by what came with it.
    return receipt.sent === null || receipt.sent === state.sent ? 'ask-again' : failed;
  }
  return state.lookup === null ? failed : await lookUp(parts, errand, state, { lookup: state.lookup, why });
};

const lookUp = async (
  parts: SendingParts,
  errand: Errand,
  { marked, reference, first, last }: State,
  { lookup, why }: { readonly lookup: Lookup; readonly why: string },
): Promise<Sent | 'ask-again'> => {
  const later = (words: string): Sent => ({ at: 'put-off', reason: `${why}; ${words}`, uncertain: true });
  for (;;) {
    const answered = await parts.asks.ask(errand.twin, lookup.ask(marked, reference), LIMITS);
    if (!answered.ok) return later('whether it was done cannot be asked now');
    let found: ReturnType<Lookup['found']>;
    try {
      found = lookup.found(answered, { reference, since: first });
    } catch {
      return later('what the vendor says of it cannot be read');
    }
    if (found === 'unknown') return { at: 'failed', reason: `${UNKNOWN}: ${why}` };
    if (found !== null) return { at: 'done', done: found };
    const unseen = last + lookup.graceMs - parts.wall.now();
    if (unseen <= 0) return 'ask-again';
    if (parts.ending()) return later('the world ends');
    await parts.pause(unseen);
  }
};

/** On disk before it returns. Under a key that the vendor remembers, what counts is when it was sent first. */
const intend = (parts: SendingParts, errand: Errand, state: State, again: boolean): void => {
  const { sql, wall } = parts;
  const { changeset, holder, receipt } = errand;
  const now = wall.now();
  state.last = now;
  if (!again) state.first = now;
  const at = errand.deploys.once === null ? state.last : state.first;
  const written = sql.durable(() =>
    sql.run(
      `UPDATE receipt SET intent = 'sending', attempt = attempt + 1, idem = ?, sent = ?, at = ?, reason = NULL
       WHERE name = ? AND action = ? AND status = 'landed'
         AND EXISTS (SELECT 1 FROM deploying WHERE deploying.name = receipt.name AND holder = ?)`,
      state.reference,
      state.sent,
      at,
      changeset,
      receipt.action,
      holder,
    ),
  );
  if (written === 0) throw new LeaseLost(`${changeset} is deployed by somebody else.`);
};

const LIMITS = { timeoutMs: VENDOR_ANSWER_MS, bodyBytesMax: VENDOR_ANSWER_BYTES_MAX };
