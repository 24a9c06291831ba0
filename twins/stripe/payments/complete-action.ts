// The page where a payer does what was asked (3-D Secure, a bank, a voucher), and what comes of it.

import { html } from '../../kit/html.ts';
import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { notice, type Screen, screenReply, sendTo } from '../api/screen.ts';
import { provenFor } from '../checkout/complete.ts';
import { settlePaid } from '../invoicing/collect.ts';
import { ACTION_HOST } from './actions.ts';
import { attempt, charge, decline, refusedAfterProof } from './attempt.ts';
import { attachTo } from './methods.ts';
import { waitsForDeposits } from './microdeposits.ts';
import type { PaymentIntent, SetupIntent } from './records.ts';
import { confirmSetup, failSetup } from './setup.ts';

const NOT_AUTHENTICATED = {
  code: 'payment_intent_authentication_failure',
  decline_code: 'authentication_required',
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
};

/** For an intent that requires action; everything is written and told. */
export function completePayment(act: Act, intent: PaymentIntent, succeeds: boolean): PaymentIntent {
  const method = need(act, 'payment_method', intent.payment_method ?? '', { param: 'payment_method' });
  if (!succeeds) return decline(act, intent, method, NOT_AUTHENTICATED).intent;
  // The account is verified, and its bank has yet to answer.
  if (waitsForDeposits(intent, method)) {
    return attempt(act, intent, { ...method, $setUp: true }, { offSession: false, returnUrl: null }).intent;
  }
  const why = refusedAfterProof(method);
  if (why !== null) return decline(act, intent, method, why).intent;
  const made = charge(act, intent, method);
  if (intent.setup_future_usage !== null && made.outcome !== 'declined') {
    const kept = { ...method, $setUp: true };
    if (intent.customer === null || method.customer !== null) save(act, 'payment_method', kept);
    else attachTo(act, kept, intent.customer);
  }
  if (made.outcome === 'paid') settlePaid(act, made.intent);
  return made.intent;
}

export function completeSetup(act: Act, intent: SetupIntent, succeeds: boolean): SetupIntent {
  const method = need(act, 'payment_method', intent.payment_method ?? '', { param: 'payment_method' });
  if (succeeds) return confirmSetup(act, intent, method, null, true).intent;
  return failSetup(act, intent, method, { ...NOT_AUTHENTICATED, code: 'setup_intent_authentication_failure' })
    .intent;
}

/** The checkout session that waited for the payer goes on. */
function tellSession(act: Act, intent: PaymentIntent | SetupIntent): void {
  if (intent.object === 'setup_intent') {
    if (intent.$session !== null) provenFor(act, intent.$session, intent);
    return;
  }
  const invoice = intent.$invoice === null ? undefined : find(act, 'invoice', intent.$invoice);
  const where =
    invoice === undefined ? { payment_intent: intent.id } : { $subscription: invoice.$subscription ?? '' };
  const session = act.tx.list('checkout.session', { where, limit: 1 }).items[0];
  if (session !== undefined) provenFor(act, String(session['id']), intent);
}

function screen(id: string, path: string): Screen {
  return {
    id,
    host: ACTION_HOST,
    path,
    query: 'payment_intent={id}&payment_intent_client_secret={client_secret}',
    run({ act, method, query, form }) {
      const kind = query.has('setup_intent') ? 'setup_intent' : 'payment_intent';
      const held = need(act, kind, query.get(kind) ?? '', { param: kind, inPath: true });
      if (held.client_secret !== query.get(`${kind}_client_secret`)) {
        throw invalid('The client_secret provided does not match the client_secret associated with it.', {});
      }
      if (held.status !== 'requires_action') {
        return notice(200, 'Authentication', 'There is nothing left to do here. You may close this page.');
      }
      if (method === 'GET') {
        const amount = held.object === 'payment_intent' ? ` of ${held.amount} ${held.currency}` : '';
        return screenReply(
          id === '3d-secure' ? '3D Secure 2 authentication' : 'Authorize the payment',
          html`<p>A test payment${amount} asks for your consent.</p><form method="post">
<button id="test-source-authorize-3ds" name="outcome" value="complete">Complete authentication</button>
<button id="test-source-fail-3ds" class="quiet" name="outcome" value="fail">Fail authentication</button></form>`,
        );
      }
      const proves = form.get('outcome') !== 'fail';
      const after =
        held.object === 'payment_intent'
          ? completePayment(act, held, proves)
          : completeSetup(act, held, proves);
      tellSession(act, after);
      const succeeds = after.status !== 'requires_payment_method';
      const back = (held.next_action as { redirect_to_url?: { return_url: string | null } } | null)
        ?.redirect_to_url?.return_url;
      if (typeof back !== 'string' || !URL.canParse(back)) {
        return notice(200, succeeds ? 'Authenticated' : 'Not authenticated', 'You may close this page.');
      }
      const url = new URL(back);
      url.searchParams.set(kind, after.id);
      url.searchParams.set(`${kind}_client_secret`, after.client_secret ?? '');
      url.searchParams.set('redirect_status', succeeds ? 'succeeded' : 'failed');
      return sendTo(url.href);
    },
  };
}

export const actionScreens = [
  screen('3d-secure', '/3d_secure_2/hosted'),
  screen('redirect', '/redirect/{type}'),
];
