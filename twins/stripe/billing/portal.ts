// The billing portal: what customers may do there, and the sessions that let one in.
import type { Stripe } from 'stripe';
import { type Act, find, need, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { page } from '../api/list.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { mergeTags } from '../catalog/coupons.ts';
import { tell, update } from '../events/events.ts';
import type { PortalConfiguration, PortalSession } from './records.ts';

type Features = PortalConfiguration['features'];
type Asked = { readonly [feature: string]: { readonly [field: string]: unknown } | undefined };

const REASONS = ['too_expensive', 'missing_features', 'switched_service', 'unused', 'other'] as const;

const FEATURES_OFF: Features = {
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: { enabled: false, feedback_options: null, options: [...REASONS] },
    enabled: false,
    mode: 'at_period_end',
    proration_behavior: 'none',
  },
  subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
  subscription_update: {
    billing_cycle_anchor: null,
    default_allowed_updates: [],
    enabled: false,
    proration_behavior: 'none',
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: 'end_trial',
  },
};

/** What the portal of an account lets one do that never configured it. */
const DEFAULT_FEATURES: Features = {
  ...FEATURES_OFF,
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true, payment_method_configuration: null },
  subscription_cancel: { ...FEATURES_OFF.subscription_cancel, enabled: true },
  customer_update: { allowed_updates: ['email', 'address', 'name', 'phone', 'tax_id'], enabled: true },
};

/** What a flow needs of the configuration. */
const FEATURE_OF: { readonly [flow: string]: keyof Features } = {
  customer_update: 'customer_update',
  payment_method_update: 'payment_method_update',
  subscription_cancel: 'subscription_cancel',
  subscription_update: 'subscription_update',
  subscription_update_confirm: 'subscription_update',
};

/** The features that were asked for over those that are held, field by field. */
function featuresOf(held: Features, asked: unknown): Features {
  const next: { [feature: string]: unknown } = { ...held };
  for (const [name, fields] of Object.entries((asked ?? {}) as Asked)) {
    const old = next[name] as { readonly [field: string]: unknown };
    const given = Object.fromEntries(
      Object.entries(fields ?? {}).map(([field, value]) => [
        field,
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? { ...(old[field] as object), ...value }
          : value,
      ]),
    );
    next[name] = { ...old, ...given };
  }
  const products = (next['subscription_update'] as Features['subscription_update']).products;
  if (products != null) {
    const whole = products.map((product: object) => ({ adjustable_quantity: FIXED_QUANTITY, ...product }));
    next['subscription_update'] = { ...(next['subscription_update'] as object), products: whole };
  }
  return filledField('billing_portal.configuration', 'features', next) as Features;
}

const FIXED_QUANTITY = { enabled: false, maximum: null, minimum: 0 };

function newConfiguration(act: Act, isDefault: boolean, features: Features): PortalConfiguration {
  return whole<PortalConfiguration>('billing_portal.configuration', {
    id: act.tx.id('bpc_', 24),
    active: true,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: act.at,
    features,
    is_default: isDefault,
    login_page: { enabled: false, url: null },
    metadata: {},
    updated: act.at,
  });
}

function withFields(
  act: Act,
  held: PortalConfiguration,
  params: { readonly [name: string]: unknown },
): PortalConfiguration {
  const { business_profile: profile, features, login_page, metadata, expand: _none, ...scalars } = params;
  const login = (login_page as { enabled?: boolean } | undefined)?.enabled ?? held.login_page.enabled;
  return {
    ...held,
    ...(scalars as Partial<PortalConfiguration>),
    business_profile: { ...held.business_profile, ...(profile as object | undefined) },
    features: featuresOf(held.features, features),
    login_page: { enabled: login, url: login ? `https://billing.stripe.com/p/login/test_${held.id}` : null },
    metadata: mergeTags(held.metadata, metadata),
    updated: act.at,
  };
}

const create = vendor<Stripe.BillingPortal.ConfigurationCreateParams>(
  'billingPortal.configurations.create',
  ({ act, params }) => {
    const made = withFields(act, newConfiguration(act, false, FEATURES_OFF), params);
    save(act, 'billing_portal.configuration', made);
    tell(act, 'billing_portal.configuration.created', 'billing_portal.configuration', made);
    return viewOf(act, 'billing_portal.configuration', made);
  },
);

function needConfiguration(act: Act, path: { readonly [name: string]: string }): PortalConfiguration {
  return need(act, 'billing_portal.configuration', path['id'] ?? '', {
    param: 'configuration',
    inPath: true,
  });
}

const retrieve = vendor<object>('billingPortal.configurations.retrieve', ({ act, path }) =>
  viewOf(act, 'billing_portal.configuration', needConfiguration(act, path)),
);

const change = vendor<Stripe.BillingPortal.ConfigurationUpdateParams>(
  'billingPortal.configurations.update',
  ({ act, path, params }) => {
    const held = needConfiguration(act, path);
    if (params.active === false && held.is_default) {
      throw invalid('You cannot deactivate the default configuration.', { param: 'active' });
    }
    const next = withFields(act, held, params);
    const after = update(
      act,
      'billing_portal.configuration',
      held,
      next,
      'billing_portal.configuration.updated',
    );
    return viewOf(act, 'billing_portal.configuration', after);
  },
);

const listAll = vendor<Stripe.BillingPortal.ConfigurationListParams>(
  'billingPortal.configurations.list',
  ({ act, params }) => {
    const { active, is_default } = params;
    const where =
      is_default !== undefined
        ? { is_default: String(is_default) }
        : active !== undefined
          ? { active: String(active) }
          : undefined;
    return page(act, 'billing_portal.configuration', params, '/v1/billing_portal/configurations', {
      ...(where === undefined ? {} : { where }),
      keep: held => active === undefined || held.active === active,
    });
  },
);

/** A session that names none uses the default, which an account has once its portal was used. */
function findDefault(act: Act): PortalConfiguration | null {
  const where = { is_default: 'true' };
  return select(act.tx, 'billing_portal.configuration', { where, limit: 1 }).items[0] ?? null;
}

function newDefault(act: Act): PortalConfiguration {
  const made = newConfiguration(act, true, DEFAULT_FEATURES);
  save(act, 'billing_portal.configuration', made);
  tell(act, 'billing_portal.configuration.created', 'billing_portal.configuration', made);
  return made;
}

/** Throws where the customer has no such subscription, or nothing is left of it to cancel. */
function checkSubscription(act: Act, id: string, customer: string, flow: string | undefined): void {
  const held = find(act, 'subscription', id);
  if (held?.customer !== customer)
    throw invalid(`No such subscription: '${id}'`, { code: 'resource_missing', param: 'flow_data' });
  if (flow === 'subscription_cancel' && held.cancel_at !== null)
    throw invalid(`The subscription \`${id}\` is already set to be canceled at period end.`, {
      param: 'flow_data[subscription_cancel][subscription]',
    });
}

const createSession = vendor<Stripe.BillingPortal.SessionCreateParams>(
  'billingPortal.sessions.create',
  ({ act, params }) => {
    const customer = need(act, 'customer', params.customer ?? '', { param: 'customer' });
    const chosen =
      params.configuration === undefined
        ? findDefault(act)
        : need(act, 'billing_portal.configuration', params.configuration, { param: 'configuration' });
    const flow = params.flow_data;
    const asked =
      flow?.subscription_cancel?.subscription ??
      flow?.subscription_update?.subscription ??
      flow?.subscription_update_confirm?.subscription;
    const feature = FEATURE_OF[flow?.type ?? ''];
    if (feature !== undefined && !(chosen?.features ?? DEFAULT_FEATURES)[feature].enabled) {
      throw invalid(
        `You cannot use the \`${flow?.type}\` flow because the configuration has not enabled \`${String(feature)}\`.`,
        { param: 'flow_data[type]' },
      );
    }
    if (asked !== undefined) checkSubscription(act, asked, customer.id, flow?.type);
    act.tx.kind('billing_portal.session.created');
    const configuration = chosen ?? newDefault(act);
    const id = act.tx.id('bps_', 24);
    const session = whole<PortalSession>('billing_portal.session', {
      id,
      configuration: configuration.id,
      created: act.at,
      customer: customer.id,
      flow:
        flow === undefined
          ? null
          : (filledField('billing_portal.session', 'flow', {
              ...flow,
              after_completion: flow.after_completion ?? { type: 'portal_homepage' },
            }) as unknown as PortalSession['flow']),
      locale: (params.locale ?? null) as PortalSession['locale'],
      on_behalf_of: params.on_behalf_of ?? null,
      return_url: params.return_url ?? configuration.default_return_url,
      url: `https://billing.stripe.com/p/session/test_${id}`,
    });
    save(act, 'billing_portal.session', session);
    tell(act, 'billing_portal.session.created', 'billing_portal.session', session);
    return viewOf(act, 'billing_portal.session', session);
  },
  {},
  [
    'after_expiration',
    'customer_account',
    'flow_data[subscription_cancel][retention]',
    'flow_data[subscription_pause]',
    'flow_data[subscription_update_confirm][discounts]',
  ],
);

export const portalOperations = [create, retrieve, change, listAll, createSession];
