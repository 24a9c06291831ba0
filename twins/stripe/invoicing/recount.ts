// A draft's sums after its lines changed.

import { type Act, save } from '../api/act.ts';
import { update } from '../events/events.ts';
import { linesOf } from './draft.ts';
import type { Invoice } from './records.ts';
import { summed } from './sums.ts';

/** Saves what changed of the lines and of the draft, and tells of the draft. Returns it. */
export function recountDraft(act: Act, invoice: Invoice, next: Invoice = invoice): Invoice {
  const held = linesOf(act, invoice.id);
  const counted = summed(act, next, held);
  for (const [at, line] of counted.lines.entries()) {
    if (JSON.stringify(line) !== JSON.stringify(held[at])) save(act, 'line_item', line);
  }
  return update(act, 'invoice', invoice, counted.invoice, 'invoice.updated');
}
