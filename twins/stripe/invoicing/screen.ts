// The hosted page of an invoice: what it is for, and a form that pays it with a test card.

import { type Html, html } from '../../kit/html.ts';
import { type Act, need } from '../api/act.ts';
import { StripeRefusal } from '../api/errors.ts';
import { money } from '../api/money.ts';
import { notice, type Screen, screenReply, sendTo } from '../api/screen.ts';
import { onItsClock } from '../api/test-clock.ts';
import { CARD_FIELDS, cardFrom } from '../payments/card-form.ts';
import { collect, subscriptionPaid } from './collect.ts';
import { linesOf } from './draft.ts';
import { day, taxWords } from './page-words.ts';
import type { Invoice } from './records.ts';
import { sumOf } from './sums.ts';

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
    const title = `Invoice ${held.number ?? ''}`;
    if (held.status === 'draft') return notice(404, 'Page not found', 'There is no such page.');
    if (held.status === 'paid')
      return screenReply('Invoice paid', html`<p>${title} was paid.</p>${sums(act, held)}`);
    if (held.status === 'void')
      return notice(200, 'Invoice void', 'This invoice is void and asks for nothing.');
    if (method === 'GET') return screenReply(title, invoiceForm(act, held, null));
    try {
      const { outcome, invoice, attempted } = collect(act, held, cardFrom(act, form), {
        offSession: false,
        returnUrl: held.hosted_invoice_url ?? null,
      });
      if (outcome === 'paid') {
        subscriptionPaid(act, invoice);
        return notice(200, 'Invoice paid', `${title} was paid. Thank you.`);
      }
      const proof = attempted?.intent.next_action?.redirect_to_url?.url;
      if (outcome === 'action' && typeof proof === 'string') return sendTo(proof);
      const why =
        outcome === 'action' ? 'Your bank asks you to confirm this payment.' : 'Your card was declined.';
      return screenReply(title, invoiceForm(act, invoice, why), 402);
    } catch (thrown) {
      if (!(thrown instanceof StripeRefusal) || act.wrote) throw thrown;
      return screenReply(title, invoiceForm(act, held, thrown.message), thrown.status);
    }
  },
};

/** Lines and sums, as the customer reads them. */
function sums(act: Act, invoice: Invoice): Html {
  const row = (name: string, amount: number): Html =>
    html`<tr><td>${name}</td><td>${money(amount, invoice.currency)}</td></tr>`;
  const lines = linesOf(act, invoice.id);
  const off = sumOf(invoice.total_discount_amounts);
  const taxes = taxWords(act, invoice).map(({ name, amount }) => row(name, amount));
  const more = lines.length - SHOWN_MAX;
  return html`<table>${lines.slice(0, SHOWN_MAX).map(line => row(line.description ?? '', line.amount))}
${more > 0 ? html`<tr><td>and ${more} more</td><td></td></tr>` : null}
${off > 0 ? row('Discount', -off) : null}${taxes}
<tr><td><strong>Amount due</strong></td><td><strong>${money(invoice.amount_remaining, invoice.currency)}</strong></td></tr></table>
${invoice.due_date === null ? null : html`<p class="note">Due ${day(invoice.due_date)}</p>`}`;
}

function invoiceForm(act: Act, invoice: Invoice, error: string | null): Html {
  return html`${sums(act, invoice)}
${error === null ? null : html`<p class="error" role="alert">${error}</p>`}
<form method="post">${CARD_FIELDS}
<button type="submit">Pay invoice</button></form>`;
}
