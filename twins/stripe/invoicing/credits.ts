// What credit grants take off an invoice as it is finalized, what they get back when it is void, and every move of
// their balance.

import { type Act, find, save, select } from '../api/act.ts';
import { whole } from '../api/vendor.ts';
import type { CreditGrant, CreditTransaction } from '../billing/records.ts';
import { tell } from '../events/events.ts';
import { linesOf } from './draft.ts';
import type { Invoice, InvoiceLineItem } from './records.ts';
import { summed, sumOf } from './sums.ts';

/** A customer has at most 100 grants that are not used up at Stripe. */
export const GRANTS_MAX = 100;

type Side = Pick<CreditTransaction, 'credit' | 'debit' | 'type'>;

/** Writes what moved the balance of a grant. */
export function moved(act: Act, grant: CreditGrant, side: Side): CreditTransaction {
  const made = whole<CreditTransaction>('billing.credit_balance_transaction', {
    id: act.tx.recordId('cbtxn_', 24),
    created: act.at,
    credit_grant: grant.id,
    customer: grant.customer,
    effective_at: Math.max(act.at, grant.effective_at ?? act.at),
    test_clock: grant.test_clock,
    ...side,
  });
  save(act, 'billing.credit_balance_transaction', made);
  tell(act, 'billing.credit_balance_transaction.created', 'billing.credit_balance_transaction', made);
  return made;
}

export function amountOf(grant: CreditGrant, value: number) {
  const currency = grant.amount.monetary?.currency ?? 'usd';
  return { monetary: { currency, value }, type: 'monetary' as const };
}

/** Whether something of it is left that can be used up now. */
export function isOpen(grant: CreditGrant, at: number): boolean {
  return (
    grant.$left > 0 &&
    grant.voided_at === null &&
    (grant.effective_at === null || grant.effective_at <= at) &&
    (grant.expires_at === null || grant.expires_at > at)
  );
}

type Taken = { readonly grant: CreditGrant; readonly line: string; readonly amount: number };

/** What grants take off, line by line. Nothing is saved. */
function deductionsFrom(act: Act, invoice: Invoice, lines: readonly InvoiceLineItem[]): readonly Taken[] {
  const metered = lines.filter(line => isMetered(act, line));
  if (metered.length === 0 || invoice.customer === null) return [];
  const grants = select(act.tx, 'billing.credit_grant', {
    where: { customer: invoice.customer },
    limit: GRANTS_MAX,
    keep: body => isOpen(body as unknown as CreditGrant, act.at),
  }).items.filter(grant => grant.amount.monetary?.currency === invoice.currency);
  const left = new Map(grants.map(grant => [grant.id, grant.$left]));
  const taken: Taken[] = [];
  for (const line of metered) {
    let due = line.amount - sumOf(line.discount_amounts);
    for (const grant of grants.toSorted(inOrder)) {
      const amount = Math.min(due, left.get(grant.id) ?? 0);
      if (amount <= 0 || !appliesTo(grant, line)) continue;
      left.set(grant.id, (left.get(grant.id) ?? 0) - amount);
      due -= amount;
      taken.push({ grant, line: line.id, amount });
    }
  }
  return taken;
}

function isMetered(act: Act, line: InvoiceLineItem): boolean {
  const price = find(act, 'price', line.pricing?.price_details?.price ?? '');
  return line.amount > 0 && price?.recurring?.usage_type === 'metered';
}

function appliesTo({ applicability_config: { scope } }: CreditGrant, line: InvoiceLineItem): boolean {
  const prices = scope.prices ?? [];
  if (prices.length === 0) return true;
  return prices.some(({ id }: { id: string | null }) => id === line.pricing?.price_details?.price);
}

/** By priority; then what expires first, what was not paid for, what was effective and made first. */
function inOrder(a: CreditGrant, b: CreditGrant): number {
  const keys = (grant: CreditGrant): number[] => [
    grant.priority ?? 0,
    grant.expires_at ?? Number.MAX_SAFE_INTEGER,
    grant.category === 'promotional' ? 0 : 1,
    grant.effective_at ?? 0,
    grant.created,
  ];
  const [left, right] = [keys(a), keys(b)];
  const at = left.findIndex((key, index) => key !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

type Credits = NonNullable<InvoiceLineItem['pretax_credit_amounts']>;

function credited(
  act: Act,
  invoice: Invoice,
  lines: readonly InvoiceLineItem[],
  credits: ReadonlyMap<string, Credits>,
): ReturnType<typeof summed> {
  const next = lines.map(line => ({ ...line, pretax_credit_amounts: credits.get(line.id) ?? [] }));
  return summed(act, invoice, next);
}

/** A draft that is about to be finalized, with what grants take off it used up. */
export function useCredits(act: Act, draft: Invoice): Invoice {
  const lines = linesOf(act, draft.id);
  const taken = deductionsFrom(act, draft, lines);
  if (taken.length === 0) return draft;
  const credits = new Map<string, Credits>();
  for (const { grant, line, amount } of taken) {
    const held = find(act, 'billing.credit_grant', grant.id) ?? grant;
    save(act, 'billing.credit_grant', { ...held, $left: held.$left - amount });
    const { id } = moved(act, held, {
      credit: null,
      debit: {
        amount: amountOf(held, amount),
        credits_applied: { invoice: draft.id, invoice_line_item: line },
        type: 'credits_applied',
      },
      type: 'debit',
    });
    credits.set(line, [
      ...(credits.get(line) ?? []),
      { amount, credit_balance_transaction: id, type: 'credit_balance_transaction' },
    ]);
  }
  const counted = credited(act, draft, lines, credits);
  for (const line of counted.lines) if (credits.has(line.id)) save(act, 'line_item', line);
  return counted.invoice;
}

/** As `useCredits`, of an invoice that is only looked at. */
export function foreseeCredits(
  act: Act,
  draft: Invoice,
  lines: readonly InvoiceLineItem[],
): ReturnType<typeof summed> {
  const credits = new Map<string, Credits>();
  for (const { line, amount } of deductionsFrom(act, draft, lines)) {
    const one = { amount, credit_balance_transaction: null, type: 'credit_balance_transaction' as const };
    credits.set(line, [...(credits.get(line) ?? []), one]);
  }
  return credits.size === 0 ? { invoice: draft, lines } : credited(act, draft, lines, credits);
}

/** A void invoice asks for nothing, so what it used up is there again. */
export function returnCredits(act: Act, invoice: Invoice): void {
  for (const line of linesOf(act, invoice.id)) {
    for (const { amount, credit_balance_transaction: id } of line.pretax_credit_amounts ?? []) {
      const used = find(act, 'billing.credit_balance_transaction', typeof id === 'string' ? id : '');
      const grant = find(act, 'billing.credit_grant', String(used?.credit_grant ?? ''));
      if (grant === undefined || grant.voided_at !== null) continue;
      save(act, 'billing.credit_grant', { ...grant, $left: grant.$left + amount });
      moved(act, grant, {
        credit: {
          amount: amountOf(grant, amount),
          credits_application_invoice_voided: { invoice: invoice.id, invoice_line_item: line.id },
          type: 'credits_application_invoice_voided',
        },
        debit: null,
        type: 'credit',
      });
    }
  }
}
