// What a payer is asked to do before a payment or a setup goes on, and where: pages of the vendor's own hosts.

import type { Act } from '../api/act.ts';
import { depositsAction, waitsForDeposits } from './microdeposits.ts';
import type { PaymentIntent, PaymentMethod, SetupIntent } from './records.ts';

export const ACTION_HOST = 'hooks.stripe.com';

type Intent = Pick<PaymentIntent | SetupIntent, 'payment_method_options'> & {
  readonly id: string;
  readonly object: 'payment_intent' | 'setup_intent';
  readonly client_secret: string | null;
};

/** A QR code or a voucher instead of a page to be sent to. */
const SHOWN: { readonly [type: string]: string } = {
  boleto: 'boleto_display_details',
  konbini: 'konbini_display_details',
  multibanco: 'multibanco_display_details',
  oxxo: 'oxxo_display_details',
  paynow: 'paynow_display_qr_code',
  pix: 'pix_display_qr_code',
  promptpay: 'promptpay_display_qr_code',
};

/** Seconds until a voucher is no longer taken. */
const VOUCHER_SECONDS = 3 * 24 * 60 * 60;

export function actionFor(
  act: Act,
  intent: Intent,
  method: PaymentMethod,
  returnUrl: string | null,
): NonNullable<PaymentIntent['next_action']> & NonNullable<SetupIntent['next_action']> {
  const source = act.tx.id('src_', 24);
  const page = method.type === 'card' ? '3d_secure_2/hosted' : `redirect/${method.type}`;
  const url = `https://${ACTION_HOST}/${page}?${intent.object}=${intent.id}&${intent.object}_client_secret=${intent.client_secret}&source=${source}`;
  if (waitsForDeposits(intent, method)) return depositsAction(act, url);
  const shown = Object.hasOwn(SHOWN, method.type) ? SHOWN[method.type] : undefined;
  if (shown !== undefined) {
    const details = {
      expires_at: act.at + VOUCHER_SECONDS,
      hosted_voucher_url: url,
      hosted_instructions_url: url,
    };
    return { type: shown, [shown]: details };
  }
  if (returnUrl !== null) {
    return { redirect_to_url: { return_url: returnUrl, url }, type: 'redirect_to_url' };
  }
  return {
    type: 'use_stripe_sdk',
    use_stripe_sdk: { type: 'three_d_secure_redirect', source, stripe_js: url },
  };
}
