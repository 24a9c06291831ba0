// Alerts on use: each is told once for a customer whose use of a meter reaches its threshold.
import type { Stripe } from 'stripe';
import { type Act, find, need, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { tellView } from '../events/events.ts';
import type { Alert, Meter } from './records.ts';

/** Stripe lets one meter have at most this many. */
const ALERTS_MAX = 100;

const create = vendor<Stripe.Billing.AlertCreateParams>('billing.alerts.create', ({ act, params }) => {
  const threshold = params.usage_threshold;
  if (threshold === undefined) {
    throw invalid('Missing required param: usage_threshold.', {
      code: 'parameter_missing',
      param: 'usage_threshold',
    });
  }
  const meter = need(act, 'billing.meter', threshold.meter, { param: 'usage_threshold[meter]' });
  const filters = (threshold.filters ?? []) as readonly { readonly customer?: string }[];
  for (const [at, { customer }] of filters.entries()) {
    need(act, 'customer', customer ?? '', { param: `usage_threshold[filters][${at}][customer]` });
  }
  const alert = whole<Alert>('billing.alert', {
    id: act.tx.id('alrt_', 24),
    alert_type: 'usage_threshold',
    status: 'active',
    title: params.title,
    usage_threshold: {
      filters: filters.map(({ customer }) => ({ customer: customer ?? '', type: 'customer' })),
      gte: threshold.gte,
      meter: meter.id,
      recurrence: 'one_time',
    },
    $meter: meter.id,
  });
  act.tx.kind('billing.alert.created');
  save(act, 'billing.alert', alert);
  return viewOf(act, 'billing.alert', alert);
});

function needAlert(act: Act, path: { readonly [name: string]: string }): Alert {
  return need(act, 'billing.alert', path['id'] ?? '', { param: 'id', inPath: true });
}

const retrieve = vendor<object>('billing.alerts.retrieve', ({ act, path }) =>
  viewOf(act, 'billing.alert', needAlert(act, path)),
);

/** An archived alert never comes back. */
function turns(name: 'activate' | 'archive' | 'deactivate', status: NonNullable<Alert['status']>) {
  return vendor<object>(`billing.alerts.${name}`, ({ act, path }) => {
    const held = needAlert(act, path);
    if (held.status === 'archived') throw invalid('An archived alert cannot be changed.', { param: 'id' });
    const next: Alert = { ...held, status };
    act.tx.kind('billing.alert.updated');
    save(act, 'billing.alert', next);
    return viewOf(act, 'billing.alert', next);
  });
}

const listAll = vendor<Stripe.Billing.AlertListParams>('billing.alerts.list', ({ act, params }) => {
  const { meter } = params;
  return page(act, 'billing.alert', params, '/v1/billing/alerts', {
    ...(meter === undefined ? {} : { where: { $meter: meter } }),
  });
});

/** After a customer used something: tells of the alerts whose threshold that reached. */
export function tellAlerts(act: Act, meter: Meter, customer: string, used: number): void {
  const { items } = select(act.tx, 'billing.alert', {
    where: { $meter: meter.id },
    order: 'oldest',
    limit: ALERTS_MAX,
    keep: body => body['status'] === 'active',
  });
  for (const alert of items) {
    const { filters, gte } = alert.usage_threshold ?? { filters: null, gte: Number.POSITIVE_INFINITY };
    const of = (filters ?? []) as readonly { readonly customer: string | null }[];
    if (of.length > 0 && !of.some(each => each.customer === customer)) continue;
    const id = `${alert.id}:${customer}`;
    const held = find(act, 'billing.alert_use', id);
    if (held?.told === true) continue;
    const value = added(meter, held?.value ?? 0, used);
    const told = value >= gte;
    save(act, 'billing.alert_use', { id, object: 'billing.alert_use', value, told });
    if (!told) continue;
    tellView(act, 'billing.alert.triggered', {
      object: 'billing.alert_triggered',
      alert: viewOf(act, 'billing.alert', alert),
      created: act.at,
      customer,
      livemode: false,
      value,
    });
  }
}

/** Counted along, so that an event costs the same however many came before it. */
function added(meter: Meter, before: number, used: number): number {
  switch (meter.default_aggregation.formula) {
    case 'count':
      return before + 1;
    case 'last':
      return used;
    default:
      return before + used;
  }
}

export const alertOperations = [
  create,
  retrieve,
  turns('activate', 'active'),
  turns('archive', 'archived'),
  turns('deactivate', 'inactive'),
  listAll,
];
