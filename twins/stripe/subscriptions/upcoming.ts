// The invoice to come, which nobody has made yet.
import type { Act } from '../api/act.ts';
import { viewOf } from '../api/view.ts';
import { tellView } from '../events/events.ts';
import { foreseeCredits } from '../invoicing/credits.ts';
import type { Draft } from '../invoicing/draft.ts';
import type { Invoice, InvoiceLineItem } from '../invoicing/records.ts';
import { itemsOf, periodOf } from './clock.ts';
import { draftOf } from './invoice.ts';
import type { Subscription } from './records.ts';
import { inPeriodAt } from './trial.ts';

/** `invoice.upcoming` shows the invoice to come; it has no id, because there is none yet. */
export function tellUpcoming(act: Act, subscription: Subscription): void {
  const { draft, at } = upcomingDraft(act, subscription);
  const { id: _none, ...upcoming } = previewView(act, draft.invoice, draft.lines, at);
  tellView(act, 'invoice.upcoming', upcoming);
}

/** The next cycle's invoice as it would be, by what is known now; and when it would be made. */
export function upcomingDraft(
  act: Act,
  subscription: Subscription,
): { readonly draft: Draft; readonly at: number } {
  const items = itemsOf(act, subscription.id);
  const ended = periodOf(items);
  const next = items.map(item => inPeriodAt(act, subscription, item, ended.end));
  const draft = draftOf(act, {
    subscription,
    items: next,
    reason: 'upcoming',
    share: 1,
    period: ended,
    waits: true,
  });
  return { draft, at: ended.end };
}

/** A draft that was never saved, as an object with its lines in it. */
export function previewView(
  act: Act,
  invoice: Invoice,
  lines: readonly InvoiceLineItem[],
  created: number,
): { readonly [field: string]: unknown } {
  const counted = foreseeCredits(act, invoice, lines);
  const shown = {
    ...viewOf(act, 'invoice', {
      ...counted.invoice,
      created,
      automatically_finalizes_at: null,
      next_payment_attempt: created,
    }),
    id: `upcoming_${invoice.id}`,
  };
  const data = counted.lines.map(line => ({ ...viewOf(act, 'line_item', line), invoice: shown.id }));
  return { ...shown, lines: { object: 'list', data, has_more: false, url: `/v1/invoices/upcoming/lines` } };
}
