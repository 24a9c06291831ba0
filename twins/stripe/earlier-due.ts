// What worlds that were made before kinds had names are still waiting for: their stores hold `{ do, <subject> }`, and
// what was scheduled then happens all the same. It may go when no such world is left.
import type { DuePayload } from '../kit/due.ts';
import type { RecordBody } from '../kit/tx.ts';
import type { Due } from './due.ts';

/** By what was to be done; `dispute` and the like: with what, where the same word stood for several. */
const KINDS: { readonly [what: string]: keyof Due | { readonly [subject: string]: keyof Due } } = {
  advance: 'test_clock.advance',
  arrive: 'payout.arrive',
  authorize: 'issuing_authorization.time_out',
  available: 'balance.mature',
  cancel: 'subscription.cancel',
  decide: 'dispute.decide',
  expire: { grant: 'credit_grant.expire', quote: 'quote.expire', subscription: 'subscription.expire' },
  'expire session': 'session.expire',
  expiring: 'schedule.expiring',
  finalize: 'invoice.finalize',
  judge: 'issuing_dispute.judge',
  lapse: 'dispute.lapse',
  'let go': 'authorization.lapse',
  overdue: 'invoice.overdue',
  pending: 'subscription.forget_change',
  phase: 'schedule.phase',
  refund: 'refund.settle',
  'refuse refund': 'refund.settle',
  renew: 'subscription.renew',
  report: 'report.finish',
  resume: 'subscription.resume',
  retry: 'invoice.retry',
  settle: 'payment.settle',
  start: 'schedule.start',
  'top up': 'topup.settle',
  trial_will_end: 'subscription.trial_will_end',
  upcoming: 'subscription.upcoming',
};

/** The payload as it is stored today; itself where it is. */
export function dueOfToday(payload: RecordBody): RecordBody {
  const { do: what, ...rest } = payload;
  if (typeof what !== 'string' || payload['kind'] !== undefined) return payload;
  const named = KINDS[what];
  const subject = Object.keys(rest).find(name => typeof named === 'object' && name in named);
  const kind = typeof named === 'object' ? named[subject ?? ''] : named;
  if (kind === undefined) return payload;
  const more = kind === 'refund.settle' ? { succeeds: what === 'refund' } : {};
  return { kind, ...rest, ...more } as DuePayload<Due> & RecordBody;
}
