// What an answer of a vendor, or none, says of an action (storage.md, Deploy): whether it was done there, was not, or may
// have been.
import type { Deploys, Done, VendorAnswer, VendorRequest } from '../../../twins/kit/real-vendor.ts';
import { DEPLOY_PAUSE_MS_MAX, RECEIPT_REASON_CHARS_MAX } from '../limits.ts';
import type { VendorAnswered } from '../roots/vendor-asks.ts';

export type Outcome =
  | { readonly at: 'done'; readonly done: Done }
  /** The vendor said no: asked again, it would say the same. */
  | { readonly at: 'refused'; readonly reason: string }
  /** Nothing was done, for a reason that is none of the action's. `pauseMs`: the vendor asks to be asked again. */
  | { readonly at: 'not-done'; readonly reason: string; readonly pauseMs: number | null }
  | { readonly at: 'unknown'; readonly reason: string };

/** `again`: it was sent before, and may have been done then. */
export const outcomeOf = (
  request: VendorRequest,
  answered: VendorAnswered,
  { deploys, again }: { readonly deploys: Deploys; readonly again: boolean },
): Outcome => {
  if (!answered.ok)
    return answered.sent
      ? { at: 'unknown', reason: answered.message }
      : { at: 'not-done', reason: answered.message, pauseMs: null };
  const { status } = answered;
  if (status >= 200 && status < 300) {
    try {
      return { at: 'done', done: deploys.done(request, answered) };
    } catch {
      return { at: 'unknown', reason: `the vendor’s answer of ${status} cannot be read` };
    }
  }
  const words = refusalOf(answered, deploys);
  if (status === 429) return { at: 'not-done', reason: words, pauseMs: pauseAsked(answered) };
  // What was sealed is not what the vendor takes: no action's fault.
  if (status === 401) return { at: 'not-done', reason: words, pauseMs: null };
  // Another request under the same key is still under way there, or it gave up on ours.
  if (status === 408 || (status === 409 && deploys.once !== null)) return { at: 'unknown', reason: words };
  // What is to be gone is gone: vendors keep no keys of what ends by itself the second time.
  if (again && request.method === 'DELETE' && (status === 404 || status === 410))
    return { at: 'done', done: {} };
  if (status >= 400 && status < 500) return { at: 'refused', reason: words };
  if (status >= 300 && status < 400)
    return {
      at: 'refused',
      reason: `the vendor answers ${status} with another address, which is not followed`,
    };
  return { at: 'unknown', reason: words };
};

const refusalOf = (answer: VendorAnswer, deploys: Deploys): string => {
  let words = '';
  try {
    words = deploys.refusal(answer);
  } catch {
    // No answer of the vendor's own.
  }
  const said = words.replace(/\s+/g, ' ').trim().slice(0, RECEIPT_REASON_CHARS_MAX);
  return said === '' ? `the vendor answers ${answer.status}` : said;
};

const pauseAsked = ({ headers }: VendorAnswer): number | null => {
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1] ?? '';
  return /^\d{1,6}$/.test(value) ? Math.min(Number(value) * 1000, DEPLOY_PAUSE_MS_MAX) : 0;
};
