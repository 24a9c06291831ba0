// What banks and time do to payments on their own, as the world's clock moves.
import type { RecordBody } from '../../kit/tx.ts';
import { becomeAvailable } from '../balance/ledger.ts';
import { arrive } from '../balance/payouts.ts';
import { settleTopup } from '../balance/topups.ts';
import { sessionPaid } from '../checkout/complete.ts';
import { expireSession } from '../checkout/expire.ts';
import { settlePaid } from '../invoicing/collect.ts';
import { decide as authorize } from '../issuing/authorizations.ts';
import { judge } from '../issuing/disputes.ts';
import { type Act, find } from '../records.ts';
import { letGo } from './capture-window.ts';
import { decide, lapse } from './disputes.ts';
import { settle } from './payments.ts';
import { settleRefund } from './refunds.ts';
import { finishReport } from './review-operations.ts';

/** Whether the event was one of the payments side; a record that is gone or moved on is left alone. */
export function paymentDue(act: Act, payload: RecordBody): boolean {
  const id = (name: string): string => String(payload[name]);
  switch (payload['do']) {
    case 'available':
      becomeAvailable(act, id('balance'), id('at'));
      return true;
    case 'arrive': {
      const payout = find(act, 'payout', id('payout'));
      if (payout !== undefined) arrive(act, payout);
      return true;
    }
    case 'top up': {
      const topup = find(act, 'topup', id('topup'));
      if (topup !== undefined) settleTopup(act, topup, payload['fails'] === true);
      return true;
    }
    case 'settle': {
      const intent = find(act, 'payment_intent', id('intent'));
      const settled = intent === undefined ? null : settle(act, intent);
      if (settled?.outcome === 'paid') settlePaid(act, settled.intent);
      if (settled !== null) sessionPaid(act, settled.intent, settled.outcome === 'paid');
      return true;
    }
    case 'refund':
    case 'refuse refund': {
      const refund = find(act, 'refund', id('refund'));
      if (refund !== undefined) settleRefund(act, refund, payload['do'] === 'refund');
      return true;
    }
    case 'decide':
    case 'lapse': {
      const dispute = find(act, 'dispute', id('dispute'));
      if (dispute !== undefined) (payload['do'] === 'decide' ? decide : lapse)(act, dispute);
      return true;
    }
    case 'let go':
      letGo(act, id('charge'));
      return true;
    case 'judge':
      judge(act, id('dispute'));
      return true;
    case 'report': {
      const run = find(act, 'reporting.report_run', id('run'));
      if (run?.status === 'pending') finishReport(act, run);
      return true;
    }
    case 'expire session': {
      const session = find(act, 'checkout.session', id('session'));
      if (session?.status === 'open') expireSession(act, session);
      return true;
    }
    case 'authorize': {
      const held = find(act, 'issuing.authorization', id('authorization'));
      if (held !== undefined && held.pending_request !== null) authorize(act, held, 'webhook_timeout');
      return true;
    }
    default:
      return false;
  }
}
