// A form of the dashboard is taken once: somebody who presses its button twice, or sends the page again, asked for one thing.
import { type Html, html } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import type { Act } from '../api/act.ts';
import type { Visit } from './visit.ts';

const NAME_CHARS = 20;
/** As long as Stripe's idempotency keys replay. */
const KNOWN_MS = 24 * 60 * 60 * 1000;

/** The name under which the form is known. */
export function onceField({ tx }: Act): Html {
  return html`<input type="hidden" name="once" value="${tx.id('', NAME_CHARS)}">`;
}

/** Where it led the first time; null for a form that was not taken yet. */
export function takenBefore({ act, form }: Visit): string | null {
  const key = keyOf(form);
  return key === null ? null : (act.tx.recall(key)?.body ?? null);
}

export function taken({ act, form }: Visit, to: string): void {
  const key = keyOf(form);
  if (key === null) return;
  const memo = { fingerprint: '', status: 303, headers: [], body: to };
  act.tx.remember(key, memo, act.tx.now + KNOWN_MS);
}

/** On to a page of the dashboard. */
export function seeOther(to: string): Reply {
  return {
    status: 303,
    headers: [
      ['Location', to],
      ['Cache-Control', 'no-store'],
    ],
    body: '',
  };
}

function keyOf(form: Visit['form']): string | null {
  const name = form.get('once') ?? '';
  return /^\w{20}$/.test(name) ? `dashboard ${name}` : null;
}
