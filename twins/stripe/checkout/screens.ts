// The hosted pages of checkout: one pays with a test card in a plain form.
import { StripeRefusal } from '../errors.ts';
import { methodFrom } from '../payment-methods.ts';
import type { Session } from '../payments/wire.ts';
import { type Act, find, need } from '../records.ts';
import { type Html, html, notice, pageReply, type Screen, sendTo } from '../screen.ts';
import { complete } from './complete.ts';
import { itemsOf } from './items.ts';
import { sessionOfLink } from './payment-links.ts';

export const checkoutScreen: Screen = {
  id: 'checkout',
  host: 'checkout.stripe.com',
  path: '/c/pay/{session}',
  run({ act, method, path, form }) {
    const held = need(act, 'checkout.session', path['session'] ?? '', { param: 'session', inPath: true });
    if (held.status === 'complete') return notice(200, 'Paid', 'This checkout session was paid before.');
    if (held.status === 'expired') return notice(410, 'Expired', 'This checkout session has expired.');
    if (method === 'GET') return pageReply('Checkout', paymentForm(act, held, null, new Map()));
    try {
      const email = form.get('email') || held.customer_email;
      const name = form.get('name') || null;
      const [month = '', year = ''] = (form.get('expiry') ?? '').split('/').map(part => part.trim());
      const paying = methodFrom(act, {
        type: 'card',
        billing_details: { email: email ?? null, name },
        card: {
          number: form.get('number') ?? '',
          exp_month: Number(month) || 12,
          exp_year: Number(year) || new Date(act.tx.now).getUTCFullYear() + 1,
        },
      });
      const done = complete(act, held, paying, { email: email ?? null, name });
      const url = (done.success_url ?? done.return_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', done.id);
      return url === '' ? notice(200, 'Thank you', 'Your payment went through.') : sendTo(url);
    } catch (thrown) {
      if (!(thrown instanceof StripeRefusal) || act.wrote) throw thrown;
      return pageReply('Checkout', paymentForm(act, held, thrown.message, form), thrown.status);
    }
  },
};

function paymentForm(act: Act, held: Session, error: string | null, form: ReadonlyMap<string, string>): Html {
  const rows = itemsOf(act.tx, held.id).map(
    item =>
      html`<tr><td>${item.description} × ${item.quantity ?? 1}</td><td>${money(item.amount_total, item.currency)}</td></tr>`,
  );
  const customer = held.customer === null ? undefined : find(act, 'customer', held.customer);
  const email = form.get('email') ?? held.customer_email ?? customer?.email ?? '';
  const button = held.mode === 'setup' ? 'Save card' : held.mode === 'subscription' ? 'Subscribe' : 'Pay';
  return html`<table>${rows}
<tr><td><strong>Total</strong></td><td><strong>${held.amount_total === null ? '' : money(held.amount_total, held.currency ?? '')}</strong></td></tr></table>
${error === null ? null : html`<p class="error" role="alert">${error}</p>`}
<form method="post">
<label for="email">Email</label><input id="email" name="email" type="email" required value="${email}">
<label for="number">Card number</label><input id="number" name="number" required inputmode="numeric" placeholder="4242 4242 4242 4242" value="${form.get('number') ?? ''}">
<label for="expiry">Expiry (MM / YY)</label><input id="expiry" name="expiry" placeholder="12 / 34" value="${form.get('expiry') ?? ''}">
<label for="cvc">CVC</label><input id="cvc" name="cvc" inputmode="numeric" placeholder="123">
<label for="name">Name on card</label><input id="name" name="name" value="${form.get('name') ?? ''}">
<button type="submit">${button}</button></form>
${held.cancel_url === null || !/^https?:/.test(held.cancel_url) ? null : html`<p><a href="${held.cancel_url}">Back</a></p>`}`;
}

function money(amount: number, currency: string): string {
  return `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
}

export const linkScreen: Screen = {
  id: 'payment-link',
  host: 'buy.stripe.com',
  path: '/{link}',
  run({ act, path }) {
    const session = sessionOfLink(act, path['link'] ?? '');
    return session === null || session.url === null
      ? notice(404, 'Not found', 'This payment link is not active.')
      : sendTo(session.url);
  },
};
