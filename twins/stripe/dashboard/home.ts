// The dashboard's first page: what came last.
import { html } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import { select } from '../api/act.ts';
import { eventColumns } from './events.ts';
import { framed } from './frame.ts';
import { paymentColumns } from './payments.ts';
import { table } from './table.ts';
import type { Visit } from './visit.ts';

const SHOWN = 5;

export function homePage(visit: Visit): Reply {
  const { tx } = visit.act;
  const paid = select(tx, 'payment_intent', { limit: SHOWN }).items;
  const told = select(tx, 'event', { limit: SHOWN }).items;
  const { base } = visit;
  const body = html`<h2><a href="${base}payments">Payments</a></h2>
<div class="card">${paid.length === 0 ? NOTHING : table(visit, 'Payments', paymentColumns, paid)}</div>
<h2><a href="${base}events">Events</a></h2>
<div class="card">${told.length === 0 ? NOTHING : table(visit, 'Events', eventColumns, told)}</div>`;
  return framed(visit, { title: 'Home', at: 'home', body });
}

const NOTHING = html`<div class="empty"><p>Nothing yet: your app’s requests to <code>https://api.stripe.com</code> make it.</p></div>`;
