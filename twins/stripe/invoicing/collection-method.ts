// How an invoice is collected: charged by itself, or sent with days to pay it in.
import { invalid } from '../api/errors.ts';

export function checkCollection(params: { readonly days_until_due?: number }, collection: string): void {
  if (collection === 'send_invoice' && params.days_until_due === undefined) {
    throw invalid("You must pass `days_until_due` when `collection_method` is 'send_invoice'.", {
      code: 'parameter_missing',
      param: 'days_until_due',
    });
  }
  if (collection === 'charge_automatically' && params.days_until_due !== undefined) {
    throw invalid("`days_until_due` can only be set if `collection_method` is 'send_invoice'.", {
      param: 'days_until_due',
    });
  }
}
