// Sessions that nobody paid in time, and those that follow them where the buyer comes back.
import { schedule } from '../../kit/due.ts';
import { type Act, find, save } from '../api/act.ts';
import type { Due } from '../due.ts';
import { tell } from '../events/events.ts';
import { itemsOf, linesToRecount, saveLines } from './items.ts';
import type { Session } from './records.ts';
import { sumsOf, withTotals } from './totals.ts';

/** How long an abandoned cart can be come back to. */
const RECOVERY_SECONDS = 30 * 24 * 60 * 60;
const DAY_SECONDS = 86_400;

export function expireSession(act: Act, held: Session): Session {
  const recovery = held.after_expiration?.recovery ?? null;
  const next: Session = {
    ...held,
    status: 'expired',
    url: null,
    ...(recovery?.enabled === true
      ? {
          after_expiration: {
            recovery: {
              ...recovery,
              expires_at: act.at + RECOVERY_SECONDS,
              url: `https://buy.stripe.com/r/${held.id}`,
            },
          },
        }
      : {}),
  };
  act.tx.cancel(`session:${held.id}`);
  save(act, 'checkout.session', next);
  tell(act, 'checkout.session.expired', 'checkout.session', next);
  return next;
}

/** A new session like one that expired; null where it cannot be come back to. */
export function recoveredFrom(act: Act, id: string): Session | null {
  const held = find(act, 'checkout.session', id);
  const recovery = held?.after_expiration?.recovery ?? null;
  if (held === undefined || held.status !== 'expired' || recovery?.url == null) return null;
  if (recovery.expires_at !== null && recovery.expires_at <= act.at) return null;
  const lines = linesToRecount(act, itemsOf(act.tx, held.id));
  const sums = sumsOf(lines, null);
  const next = act.tx.id('cs_test_', 58);
  const fresh: Session = {
    ...held,
    id: next,
    after_expiration: null,
    allow_promotion_codes: recovery.allow_promotion_codes,
    created: act.at,
    discounts: [],
    expires_at: act.at + DAY_SECONDS,
    recovered_from: held.id,
    status: 'open',
    url: `https://checkout.stripe.com/c/pay/${next}`,
    ...withTotals(held, sums, held.shipping_cost?.amount_total ?? null),
  };
  act.tx.kind('checkout.session.created');
  save(act, 'checkout.session', fresh);
  saveLines(act, next, lines, sums);
  schedule<Due>(act.tx, `session:${next}`, fresh.expires_at * 1000, {
    kind: 'session.expire',
    session: next,
  });
  return fresh;
}
