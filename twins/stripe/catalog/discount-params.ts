// Discounts and tax rates as parameters of subscriptions, invoices and their items.
import { hash, list, text, unset } from '../api/params.ts';

export const discountsParam = unset(list(hash({ coupon: text(), discount: text(), promotion_code: text() })));
export const taxRatesParam = unset(list(text()));
