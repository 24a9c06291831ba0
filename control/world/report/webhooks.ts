// What became of the webhooks that a run of entries tells of.
import { REPORT_ROWS_MAX } from '../limits.ts';
import type { Entry } from '../log/entry.ts';

export type FailedWebhook = {
  readonly event: string;
  readonly url: string;
  readonly attempts: number;
  /** The status that was answered, or why nothing was. */
  readonly why: string;
};

export type Webhooks = {
  /** Webhooks, whatever the number of attempts. */
  readonly delivered: number;
  readonly failed: number;
  /** Those whose last attempt so far failed. */
  readonly failures: readonly FailedWebhook[];
};

type Last = { readonly ok: boolean; readonly told: FailedWebhook };

export class WebhookFates {
  readonly #twins = new Map<string, Map<string, Last>>();

  add({ twin, delivery }: Entry): void {
    if (delivery === undefined) return;
    const { id, endpoint, event, attempt, status, error } = delivery;
    const ok = status !== undefined && status >= 200 && status < 300;
    const why = status === undefined ? (error ?? 'no answer') : `answered ${status}`;
    const lasts = this.#twins.get(twin) ?? new Map<string, Last>();
    this.#twins.set(
      twin,
      lasts.set(id, { ok, told: { event: event.type, url: endpoint.url, attempts: attempt, why } }),
    );
  }

  of(twin: string): Webhooks {
    const lasts = [...(this.#twins.get(twin)?.values() ?? [])];
    const failed = lasts.filter(({ ok }) => !ok);
    return {
      delivered: lasts.length - failed.length,
      failed: failed.length,
      failures: failed.slice(0, REPORT_ROWS_MAX).map(({ told }) => told),
    };
  }
}
