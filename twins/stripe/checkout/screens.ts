// The hosted pages of checkout: one pays with a test card in a plain form, a link opens a session, and an abandoned
// one is come back to.
import type { Reply } from '../../kit/reply.ts';
import { type Act, find, need, save, select } from '../api/act.ts';
import { StripeRefusal } from '../api/errors.ts';
import { notice, type Screen, screenReply, sendTo } from '../api/screen.ts';
import { couponOf } from '../catalog/discounts.ts';
import { methodFrom, ownedMethod } from '../payments/methods.ts';
import type { PaymentMethod } from '../payments/records.ts';
import { complete, needsMethod, refuseDeclined } from './complete.ts';
import { recoveredFrom } from './expire.ts';
import {
  amountsOf,
  billingOf,
  buyerOf,
  detailsFrom,
  type Form,
  pageForm,
  quantitiesOf,
} from './page-form.ts';
import { sessionOfLink } from './payment-links.ts';
import type { Session } from './records.ts';
import { withNewSums } from './recount.ts';

export const checkoutScreen: Screen = {
  id: 'checkout',
  host: 'checkout.stripe.com',
  path: '/c/pay/{session}',
  run({ act, method, path, query, form }) {
    const held = need(act, 'checkout.session', path['session'] ?? '', { param: 'session', inPath: true });
    if (held.status === 'complete') {
      // Where the payer comes back from a page on which they have proven who they are.
      return query.has('redirect_status')
        ? thanks(act, held)
        : notice(200, 'Paid', 'This checkout session was paid before.');
    }
    if (held.status === 'expired') return notice(410, 'Expired', 'This checkout session has expired.');
    const failed = query.get('redirect_status') === 'failed';
    const why = failed ? 'The payment was not authenticated. Please try another way to pay.' : null;
    if (method === 'GET') return screenReply('Checkout', pageForm(act, held, why, new Map()));
    try {
      return form.get('do') === 'apply' ? applied(act, held, form) : paid(act, held, form);
    } catch (thrown) {
      if (!(thrown instanceof StripeRefusal) || act.wrote) throw thrown;
      return screenReply('Checkout', pageForm(act, held, thrown.message, form), thrown.status);
    }
  },
};

function paid(act: Act, held: Session, form: Form): Reply {
  const buyer = buyerOf(held, form);
  const method = payingWith(act, held, form);
  const quantities = quantitiesOf(held, act, form);
  const amounts = amountsOf(held, act, form);
  const chosen = form.get('shipping_rate');
  const changed = quantities.size > 0 || amounts.size > 0 || chosen !== undefined;
  refuseDeclined(method);
  const session = changed ? withNewSums(act, held, { quantities, amounts, shipping: chosen }) : held;
  const done = complete(act, session, method, buyer);
  return done.action === null ? thanks(act, done.session) : sendTo(done.action);
}

function applied(act: Act, held: Session, form: Form): Reply {
  const code = form.get('promotionCode') ?? '';
  const found = select(act.tx, 'promotion_code', {
    where: { code },
    limit: 10,
    keep: body => body['active'] === true,
  });
  const [promotion] = held.allow_promotion_codes === true ? found.items : [];
  if (promotion === undefined) {
    return screenReply('Checkout', pageForm(act, held, 'This promotion code is not valid.', form), 400);
  }
  const discount = couponOf(act, { promotion_code: promotion.id }, 'discounts[0]');
  const next = withNewSums(act, held, { discount });
  save(act, 'checkout.session', next);
  return screenReply('Checkout', pageForm(act, next, null, form));
}

/** The method that the form names: a saved one, or what was typed in; null where none is needed. Throws. */
function payingWith(act: Act, held: Session, form: Form): PaymentMethod | null {
  const saved = form.get('saved') ?? '';
  if (!needsMethod(held) && saved === '' && (form.get('cardNumber') ?? '') === '') return null;
  if (saved !== '') return ownedMethod(act, saved, String(held.customer), 'saved');
  const types: readonly string[] = held.payment_method_types;
  const type = form.get('type') ?? (types.includes('card') ? 'card' : (types[0] ?? 'card'));
  const billing_details = {
    email: form.get('email') || null,
    name: form.get('billingName') || null,
    ...billingOf(form),
  };
  const common = { type, billing_details, ...redisplayOf(held) };
  if (type !== 'card') return methodFrom(act, { ...common, [type]: detailsFrom(type, form) });
  // `12 / 34`, `12/2034` or `1234`.
  const [, month, year] = /^\s*(\d{1,2})\s*\/?\s*(\d{2}|\d{4})\s*$/.exec(form.get('cardExpiry') ?? '') ?? [];
  const cvc = form.get('cardCvc') || undefined;
  return methodFrom(act, {
    ...common,
    card: {
      number: form.get('cardNumber') ?? '',
      exp_month: Number(month) || 12,
      exp_year: Number(year) || new Date(act.tx.now).getUTCFullYear() + 1,
      ...(cvc === undefined ? {} : { cvc }),
    },
  });
}

/** Who saves a card knows that it is shown again; who pays with one that is kept for later has said nothing of that. */
function redisplayOf({ mode, $ask }: Session): { readonly allow_redisplay?: 'always' | 'limited' } {
  if (mode === 'setup') return { allow_redisplay: 'always' };
  const data = $ask['payment_intent_data'] as { readonly setup_future_usage?: unknown } | null;
  const keeps = mode === 'subscription' || data?.setup_future_usage !== undefined;
  return keeps ? { allow_redisplay: 'limited' } : {};
}

function thanks(act: Act, done: Session): Reply {
  const link = done.payment_link === null ? undefined : find(act, 'payment_link', String(done.payment_link));
  const hosted = link?.after_completion as
    | { hosted_confirmation?: { custom_message?: string | null } }
    | undefined;
  const url = (done.success_url ?? done.return_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', done.id);
  if (url !== '') return sendTo(url);
  return notice(
    200,
    'Thank you',
    hosted?.hosted_confirmation?.custom_message ?? 'Your payment went through.',
  );
}

export const linkScreen: Screen = {
  id: 'payment-link',
  host: 'buy.stripe.com',
  path: '/{link}',
  run({ act, path }) {
    const opened = sessionOfLink(act, path['link'] ?? '');
    return opened.session === null || opened.session.url === null
      ? notice(404, 'Not available', opened.why)
      : sendTo(opened.session.url);
  },
};

export const recoveryScreen: Screen = {
  id: 'abandoned-checkout',
  host: 'buy.stripe.com',
  path: '/r/{session}',
  run({ act, path }) {
    const session = recoveredFrom(act, path['session'] ?? '');
    return session === null || session.url === null
      ? notice(404, 'Not available', 'There is nothing left of this cart.')
      : sendTo(session.url);
  },
};
