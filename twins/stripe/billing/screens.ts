// The hosted pages of billing: an invoice that one pays with a test card, and the portal where one cancels.
import { StripeRefusal } from '../errors.ts';
import { update } from '../events.ts';
import { linesOf } from '../invoice-draft.ts';
import { collect, subscriptionPaid } from '../invoice-payment.ts';
import { methodFrom } from '../payment-methods.ts';
import { type Act, find, need, select } from '../records.ts';
import { type Html, html, notice, pageReply, type Screen } from '../screen.ts';
import { itemsOf, periodOf, reschedule } from '../subscription-clock.ts';
import { cancelNow } from '../subscription-end.ts';
import type { Invoice, Subscription } from '../wire.ts';
import type { PortalConfiguration } from './records.ts';
import { onItsClock } from './test-clocks.ts';

const SHOWN_MAX = 20;
const TOKEN = /^test_/;

export const invoiceScreen: Screen = {
  id: 'invoice',
  host: 'invoice.stripe.com',
  path: '/i/{account}/{token}',
  run({ act: world, method, path, form }) {
    const id = (path['token'] ?? '').replace(TOKEN, '');
    const act = onItsClock(world, { id }, {});
    const held = need(act, 'invoice', id, { param: 'invoice', inPath: true });
    if (held.status === 'draft') return notice(404, 'Page not found', 'There is no such page.');
    if (held.status === 'paid') return notice(200, 'Invoice paid', `Invoice ${held.number ?? ''} was paid.`);
    if (held.status === 'void')
      return notice(200, 'Invoice void', 'This invoice is void and asks for nothing.');
    if (method === 'GET') return pageReply(`Invoice ${held.number ?? ''}`, invoiceForm(act, held, null));
    try {
      const [month = '', year = ''] = (form.get('expiry') ?? '').split('/').map(part => part.trim());
      const paying = methodFrom(act, {
        type: 'card',
        card: {
          number: form.get('number') ?? '',
          exp_month: Number(month) || 12,
          exp_year: Number(year) || new Date(act.tx.now).getUTCFullYear() + 1,
        },
      });
      const { outcome, invoice } = collect(act, held, paying, { offSession: false });
      if (outcome === 'paid') {
        subscriptionPaid(act, invoice);
        return notice(200, 'Invoice paid', `Invoice ${invoice.number ?? ''} was paid. Thank you.`);
      }
      const message =
        outcome === 'action' ? 'Your bank asks you to confirm this payment.' : 'Your card was declined.';
      return pageReply(`Invoice ${held.number ?? ''}`, invoiceForm(act, invoice, message), 402);
    } catch (thrown) {
      if (!(thrown instanceof StripeRefusal) || act.wrote) throw thrown;
      return pageReply(`Invoice ${held.number ?? ''}`, invoiceForm(act, held, thrown.message), thrown.status);
    }
  },
};

function invoiceForm(act: Act, invoice: Invoice, error: string | null): Html {
  const rows = linesOf(act, invoice.id)
    .slice(0, SHOWN_MAX)
    .map(
      line =>
        html`<tr><td>${line.description ?? ''}</td><td>${money(line.amount, invoice.currency)}</td></tr>`,
    );
  return html`<table>${rows}
<tr><td><strong>Amount due</strong></td><td><strong>${money(invoice.amount_remaining, invoice.currency)}</strong></td></tr></table>
${error === null ? null : html`<p class="error" role="alert">${error}</p>`}
<form method="post">
<label for="number">Card number</label><input id="number" name="number" required inputmode="numeric" placeholder="4242 4242 4242 4242">
<label for="expiry">Expiry (MM / YY)</label><input id="expiry" name="expiry" placeholder="12 / 34">
<label for="cvc">CVC</label><input id="cvc" name="cvc" inputmode="numeric" placeholder="123">
<button type="submit">Pay invoice</button></form>`;
}

function money(amount: number, currency: string): string {
  return `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
}

export const portalScreen: Screen = {
  id: 'billing-portal',
  host: 'billing.stripe.com',
  path: '/p/session/{token}',
  run({ act: world, method, path, form }) {
    const id = (path['token'] ?? '').replace(TOKEN, '');
    const session = need(world, 'billing_portal.session', id, { param: 'session', inPath: true });
    const act = onItsClock(world, { id: session.customer }, {});
    const configuration = need(act, 'billing_portal.configuration', session.configuration, {
      param: 'configuration',
    });
    if (method === 'POST') {
      const held = find(act, 'subscription', form.get('subscription') ?? '');
      if (held === undefined || held.customer !== session.customer || held.ended_at !== null) {
        return notice(404, 'Not found', 'There is no such subscription.');
      }
      cancelAsAllowed(act, configuration, held, form.get('do') === 'keep');
    }
    return pageReply(
      'Your subscriptions',
      portalPage(act, configuration, session.customer, session.return_url),
    );
  },
};

/** As the configuration says: at once, or at the end of what is paid for; `keep` takes that back. */
function cancelAsAllowed(
  act: Act,
  { features }: PortalConfiguration,
  held: Subscription,
  keep: boolean,
): void {
  const allowed = features.subscription_cancel;
  if (!allowed.enabled) return;
  if (allowed.mode === 'immediately' && !keep) {
    cancelNow(act, held, 'cancellation_requested');
    return;
  }
  const end = periodOf(itemsOf(act, held.id)).end;
  const next: Subscription = {
    ...held,
    cancel_at: keep ? null : end,
    cancel_at_period_end: !keep,
    canceled_at: keep ? null : act.at,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      ...held.cancellation_details,
      reason: keep ? null : 'cancellation_requested',
    },
  };
  act.tx.kind('customer.subscription.updated');
  update(act, 'subscription', held, next, 'customer.subscription.updated');
  reschedule(act, next);
}

function portalPage(
  act: Act,
  { features }: PortalConfiguration,
  customer: string,
  back: string | null,
): Html {
  const held = select(act.tx, 'subscription', {
    where: { customer },
    limit: SHOWN_MAX,
    keep: body => body['ended_at'] === null,
  }).items;
  const rows = held.map(subscription =>
    subscriptionRow(act, subscription, features.subscription_cancel.enabled),
  );
  const list = rows.length === 0 ? html`<p>You have no subscriptions.</p>` : html`<table>${rows}</table>`;
  const link = back !== null && /^https?:/.test(back) ? html`<p><a href="${back}">Back</a></p>` : null;
  return html`${list}${link}`;
}

function subscriptionRow(act: Act, held: Subscription, cancels: boolean): Html {
  const [item] = itemsOf(act, held.id);
  const price = find(act, 'price', item?.price ?? '');
  const name = find(act, 'product', price?.product ?? '')?.name ?? held.id;
  const ends = held.cancel_at === null ? null : new Date(held.cancel_at * 1000).toISOString().slice(0, 10);
  const button = !cancels
    ? null
    : html`<form method="post"><input type="hidden" name="subscription" value="${held.id}">
<input type="hidden" name="do" value="${ends === null ? 'cancel' : 'keep'}">
<button class="quiet" type="submit">${ends === null ? 'Cancel subscription' : 'Do not cancel'}</button></form>`;
  return html`<tr><td>${name}<br><span class="note">${ends === null ? held.status : `ends on ${ends}`}</span></td><td>${button}</td></tr>`;
}
