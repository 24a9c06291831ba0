// Mandates: what a payer agreed to, for one debit or for all that follow.
import { type Act, need, save } from '../api/act.ts';
import type { Tree } from '../api/params.ts';
import { tell } from '../events/events.ts';
import { needsMandate } from './method-kinds.ts';
import type { Accepted, Charge, Mandate, PaymentIntent, PaymentMethod } from './records.ts';

/** What some types' mandates say of themselves; the others say nothing. */
function mandateDetails(type: string): object {
  const url = `https://payments.stripe.com/mandates/${type}`;
  switch (type) {
    case 'acss_debit':
      return { interval_description: null, payment_schedule: 'sporadic', transaction_type: 'personal' };
    case 'au_becs_debit':
      return { url };
    case 'bacs_debit':
      return { network_status: 'accepted', reference: 'TWINMANDATE', revocation_reason: null, url };
    case 'sepa_debit':
      return { reference: 'TWINMANDATE', url };
    default:
      return {};
  }
}

/** What the payer accepted, as `mandate_data` says it; null where nothing was said. */
export function acceptedOf(data: { readonly [field: string]: Tree } | null | undefined): Accepted | null {
  const said = data?.['customer_acceptance'] as { readonly [field: string]: Tree } | undefined;
  if (said === undefined) return null;
  const online = said['online'] as { readonly [field: string]: string } | undefined;
  const at = Number(said['accepted_at'] ?? Number.NaN);
  return {
    at: Number.isFinite(at) ? at : null,
    type: said['type'] === 'offline' ? 'offline' : 'online',
    ip: online?.['ip_address'] ?? null,
    agent: online?.['user_agent'] ?? null,
  };
}

export type Agreed = {
  readonly customer: string | null;
  readonly accepted: Accepted | null;
  /** For this debit alone; null: for all that follow. */
  readonly once: { readonly amount: number; readonly currency: string } | null;
};

export function mandateFor(act: Act, method: PaymentMethod, { customer, accepted, once }: Agreed): string {
  const type = accepted?.type ?? 'online';
  const online = { ip_address: accepted?.ip ?? '127.0.0.1', user_agent: accepted?.agent ?? 'device' };
  const made: Mandate = {
    id: act.tx.recordId('mandate_', 24),
    object: 'mandate',
    customer_acceptance: {
      accepted_at: accepted?.at ?? act.at,
      ...(type === 'online' ? { online } : { offline: {} }),
      type,
    },
    livemode: false,
    ...(once === null ? { multi_use: {} } : { single_use: once }),
    payment_method: method.id,
    payment_method_details: {
      [method.type]: mandateDetails(method.type),
      type: method.type,
    } as Mandate['payment_method_details'],
    status: 'active',
    type: once === null ? 'multi_use' : 'single_use',
    $customer: customer,
  };
  save(act, 'mandate', made);
  tell(act, 'mandate.updated', 'mandate', made);
  return made.id;
}

/** Under which mandate an intent is debited: the one it names, the method's own, or one that is made for it. */
export function mandateOf(act: Act, intent: PaymentIntent, method: PaymentMethod): string | null {
  if (!needsMandate(method.type)) return null;
  if (intent.$mandate != null) return need(act, 'mandate', intent.$mandate, { param: 'mandate' }).id;
  if (method.$mandate !== undefined) return method.$mandate;
  const lasts = intent.setup_future_usage === 'off_session';
  const { amount, currency, customer, $accepted: accepted = null } = intent;
  const id = mandateFor(act, method, { customer, accepted, once: lasts ? null : { amount, currency } });
  if (lasts) save(act, 'payment_method', { ...method, $mandate: id });
  return id;
}

/** The charge, where its type of method tells of the mandate. */
export function underMandate(charge: Charge, type: string, mandate: string | null): Charge {
  const details = charge.payment_method_details as { readonly [field: string]: unknown } | null;
  const own = details?.[type] as { readonly [field: string]: unknown } | undefined;
  if (mandate === null || own === undefined || !Object.hasOwn(own, 'mandate')) return charge;
  return {
    ...charge,
    payment_method_details: { ...details, [type]: { ...own, mandate } } as Charge['payment_method_details'],
  };
}
