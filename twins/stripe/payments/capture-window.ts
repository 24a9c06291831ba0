// What was only authorized is held for a week. Then the bank lets it go, and the payment is over.

import { schedule } from '../../kit/due.ts';
import { type Act, find, save } from '../api/act.ts';
import type { Due } from '../due.ts';
import { tell } from '../events/events.ts';
import { canceled } from './intent-draft.ts';
import type { Charge } from './records.ts';

export const CAPTURE_WINDOW_SECONDS = 7 * 24 * 60 * 60;

/** For a charge that is saved and waits to be captured. */
export function watchWindow(act: Act, charge: Charge): void {
  schedule<Due>(act.tx, `window:${charge.id}`, (act.at + CAPTURE_WINDOW_SECONDS) * 1000, {
    kind: 'authorization.lapse',
    charge: charge.id,
  });
}

/** The week is over. A charge that was captured or given back before is left alone. */
export function letGo(act: Act, id: string): void {
  const charge = find(act, 'charge', id);
  if (charge === undefined || charge.captured || charge.refunded) return;
  const over: Charge = { ...charge, amount_refunded: charge.amount, refunded: true };
  save(act, 'charge', over);
  tell(act, 'charge.expired', 'charge', over);
  const intent = find(act, 'payment_intent', String(charge.payment_intent ?? ''));
  if (intent?.status !== 'requires_capture') return;
  const next = canceled(act, intent, 'expired');
  save(act, 'payment_intent', next);
  tell(act, 'payment_intent.canceled', 'payment_intent', next);
}
