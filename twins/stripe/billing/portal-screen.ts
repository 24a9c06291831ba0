// The billing portal as customers see it: what its configuration lets them do, as plain forms.

import { type Html, html } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import { type Act, find, need, select } from '../api/act.ts';
import { StripeRefusal } from '../api/errors.ts';
import { money } from '../api/money.ts';
import { notice, type Screen, type ScreenAsk, screenReply, sendTo } from '../api/screen.ts';
import { onItsClock } from '../api/test-clock.ts';
import type { Price } from '../catalog/records.ts';
import type { Customer } from '../customers/records.ts';
import { day } from '../invoicing/page-words.ts';
import { CARD_FIELDS } from '../payments/card-form.ts';
import { itemsOf } from '../subscriptions/clock.ts';
import type { Subscription } from '../subscriptions/records.ts';
import { cancelAsAllowed, saveCard, saveDetails } from './portal-deeds.ts';
import { choicesOf, confirmUpdate, switchPlan } from './portal-update.ts';
import type { PortalConfiguration, PortalSession } from './records.ts';

const SHOWN_MAX = 20;
const TOKEN = /^test_/;

type Visit = {
  readonly act: Act;
  readonly session: PortalSession;
  readonly features: PortalConfiguration['features'];
  readonly customer: Customer;
};

export const portalScreen: Screen = {
  id: 'billing-portal',
  host: 'billing.stripe.com',
  path: '/p/session/{token}',
  run({ act: world, method, path, form }) {
    const id = (path['token'] ?? '').replace(TOKEN, '');
    const session = need(world, 'billing_portal.session', id, { param: 'session', inPath: true });
    const act = onItsClock(world, { id: session.customer }, {});
    const { features } = need(act, 'billing_portal.configuration', session.configuration, {
      param: 'configuration',
    });
    const customer = (): Customer => need(act, 'customer', session.customer, { param: 'customer' });
    const visit = { act, session, features, customer: customer() };
    if (method === 'GET') return screenReply('Your billing', page(visit, null));
    try {
      const done = does(visit, form);
      if (done === null) return notice(404, 'Not found', 'There is no such thing to change here.');
      return after(session) ?? screenReply('Your billing', page({ ...visit, customer: customer() }, null));
    } catch (thrown) {
      if (!(thrown instanceof StripeRefusal) || (act.wrote && thrown.status !== 402)) throw thrown;
      return screenReply('Your billing', page(visit, thrown.message), thrown.status);
    }
  },
};

/** Does what a form asks for; null where the configuration or the session does not let one. */
function does({ act, session, features, customer }: Visit, form: ScreenAsk['form']): true | null {
  const deed = form.get('do') ?? '';
  if (deed === 'card') return features.payment_method_update.enabled ? saveCard(act, customer, form) : null;
  if (deed === 'details') return saveDetails(act, customer, features, form);
  const held = find(act, 'subscription', form.get('subscription') ?? '');
  if (held === undefined || held.customer !== session.customer || held.ended_at !== null) return null;
  switch (deed) {
    case 'cancel':
    case 'keep':
      return cancelAsAllowed(act, features, held, deed === 'keep');
    case 'plan':
      return switchPlan(act, features, held, form.get('price') ?? '');
    case 'confirm':
      return confirmUpdate(act, session, features, held);
    default:
      return null;
  }
}

/** Where a flow goes once it is through; null: to the portal's own page. */
function after({ flow }: PortalSession): Reply | null {
  const completion = flow?.after_completion;
  if (completion?.type === 'redirect') return sendTo(completion.redirect?.return_url ?? '');
  if (completion?.type !== 'hosted_confirmation') return null;
  return notice(200, 'Done', completion.hosted_confirmation?.custom_message ?? 'Your changes were saved.');
}

function page(visit: Visit, error: string | null): Html {
  const { session, features } = visit;
  const only = session.flow?.type ?? null;
  const shows = (...types: string[]): boolean => only === null || types.includes(only);
  const back = session.return_url;
  return html`${error === null ? null : html`<p class="error" role="alert">${error}</p>`}
${shows('subscription_cancel', 'subscription_update', 'subscription_update_confirm') ? subscriptions(visit) : null}
${shows('payment_method_update') && features.payment_method_update.enabled ? card(visit) : null}
${shows('customer_update') && features.customer_update.enabled ? details(visit) : null}
${only === null && features.invoice_history.enabled ? history(visit) : null}
${back !== null && /^https?:/.test(back) ? html`<p><a href="${back}">Back</a></p>` : null}`;
}

/** The one that the session's flow is about; null for all. */
function flowOf({ flow }: PortalSession): string | null {
  return (
    flow?.subscription_cancel?.subscription ??
    flow?.subscription_update?.subscription ??
    flow?.subscription_update_confirm?.subscription ??
    null
  );
}

function subscriptions(visit: Visit): Html {
  const { act, session } = visit;
  const only = flowOf(session);
  const held = select(act.tx, 'subscription', {
    where: { customer: session.customer },
    limit: SHOWN_MAX,
    keep: body => body['ended_at'] === null && (only === null || body['id'] === only),
  }).items;
  if (held.length === 0) return html`<p>You have no subscriptions.</p>`;
  return html`<h2>Subscriptions</h2><table>${held.map(each => subscriptionRow(visit, each))}</table>`;
}

function subscriptionRow({ act, session, features }: Visit, held: Subscription): Html {
  const [item] = itemsOf(act, held.id);
  const price = find(act, 'price', item?.price ?? '');
  const ends = held.cancel_at === null ? null : day(held.cancel_at);
  const flow = session.flow?.type ?? null;
  const hidden = html`<input type="hidden" name="subscription" value="${held.id}">`;
  const cancels = features.subscription_cancel.enabled && (flow === null || flow === 'subscription_cancel');
  const choices = flow === null || flow === 'subscription_update' ? choicesOf(act, features, held) : [];
  return html`<tr><td>${nameOf(act, price)}<br><span class="note">${ends === null ? held.status : `ends on ${ends}`}</span></td><td>
${cancels ? cancelForm(hidden, ends !== null) : null}
${choices.length > 0 ? planForm(act, hidden, held.id, choices) : null}
${flow === 'subscription_update_confirm' ? confirmForm(hidden) : null}</td></tr>`;
}

function cancelForm(hidden: Html, ending: boolean): Html {
  return html`<form method="post">${hidden}<input type="hidden" name="do" value="${ending ? 'keep' : 'cancel'}">
<button class="quiet" type="submit">${ending ? 'Do not cancel' : 'Cancel subscription'}</button></form>`;
}

function planForm(act: Act, hidden: Html, id: string, choices: readonly Price[]): Html {
  const options = choices.map(
    price => html`<option value="${price.id}">${nameOf(act, price)}, ${priceOf(price)}</option>`,
  );
  return html`<form method="post">${hidden}<input type="hidden" name="do" value="plan">
<label for="plan-${id}">Another plan</label><select id="plan-${id}" name="price">${options}</select>
<button class="quiet" type="submit">Switch plan</button></form>`;
}

function confirmForm(hidden: Html): Html {
  return html`<form method="post">${hidden}<input type="hidden" name="do" value="confirm">
<button type="submit">Confirm the change</button></form>`;
}

function nameOf(act: Act, price: Price | undefined): string {
  return find(act, 'product', price?.product ?? '')?.name ?? price?.id ?? 'Subscription';
}

function priceOf({ unit_amount: amount, currency, recurring }: Price): string {
  const shown = amount === null ? 'by tiers' : money(amount, currency);
  return `${shown} / ${recurring?.interval ?? 'once'}`;
}

function card({ act, customer }: Visit): Html {
  const held = find(act, 'payment_method', customer.invoice_settings.default_payment_method ?? '');
  const shown =
    held === undefined
      ? 'None yet.'
      : `${held.card?.brand ?? held.type} ending in ${held.card?.last4 ?? '????'}`;
  return html`<h2>Payment method</h2><p>${shown}</p>
<form method="post"><input type="hidden" name="do" value="card">${CARD_FIELDS}
<button type="submit">Save card</button></form>`;
}

function details({ features, customer }: Visit): Html {
  const allowed: readonly string[] = features.customer_update.allowed_updates;
  const field = (name: 'name' | 'email' | 'phone', label: string): Html | null =>
    allowed.includes(name)
      ? html`<label for="${name}">${label}</label><input id="${name}" name="${name}" value="${customer[name] ?? ''}">`
      : null;
  return html`<h2>Billing information</h2><form method="post"><input type="hidden" name="do" value="details">
${field('name', 'Name')}${field('email', 'Email')}${field('phone', 'Phone')}
<button type="submit">Save</button></form>`;
}

function history({ act, session }: Visit): Html {
  const { items } = select(act.tx, 'invoice', {
    where: { customer: session.customer },
    limit: SHOWN_MAX,
    keep: body => body['status'] !== 'draft',
  });
  if (items.length === 0) return html`<h2>Invoices</h2><p>None yet.</p>`;
  const rows = items.map(
    invoice =>
      html`<tr><td><a href="${invoice.hosted_invoice_url ?? ''}">${day(invoice.created)}</a> <span class="note">${invoice.status}</span></td><td>${money(invoice.total, invoice.currency)}</td></tr>`,
  );
  return html`<h2>Invoices</h2><table>${rows}</table>`;
}
