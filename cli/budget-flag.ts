// `--budget` of the commands that serve worlds: requests a second that each answers (8).
import type { BudgetLimits } from '../control/world/access/budget.ts';
import { BUDGET_BURST_REQUESTS, BUDGET_REQUESTS_PER_SECOND } from '../control/world/limits.ts';

/** Undefined for what is no budget; null for none. */
export function readBudget(text: string | undefined): BudgetLimits | null | undefined {
  if (text === 'off') return null;
  if (text === undefined)
    return { requestsPerSecond: BUDGET_REQUESTS_PER_SECOND, burst: BUDGET_BURST_REQUESTS };
  if (!/^[1-9]\d{0,6}$/.test(text)) return undefined;
  return { requestsPerSecond: Number(text), burst: Number(text) * 10 };
}
