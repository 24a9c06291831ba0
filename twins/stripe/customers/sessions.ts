// Customer sessions: what a page of the vendor's may show and change of a customer, for half an hour.

import { need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { vendor } from '../api/vendor.ts';

const LIVES_SECONDS = 30 * 60;

type Component = { readonly enabled: boolean; readonly features?: object };
type Asked = { readonly components: { readonly [name: string]: Component }; readonly customer?: string };

/** What each may do where nothing is said. */
const SHEET = { payment_method_allow_redisplay_filters: ['always'], payment_method_remove: 'disabled' };
const MOBILE = {
  ...SHEET,
  payment_method_redisplay: 'enabled',
  payment_method_save: 'disabled',
  payment_method_save_allow_redisplay_override: null,
};
const ELEMENT = {
  ...SHEET,
  payment_method_redisplay: 'disabled',
  payment_method_redisplay_limit: 3,
  payment_method_save: 'disabled',
  payment_method_save_usage: null,
};
const COMPONENTS: { readonly [name: string]: object | null } = {
  active_entitlements: null,
  buy_button: null,
  customer_portal: null,
  customer_sheet: SHEET,
  mobile_payment_element: MOBILE,
  payment_element: ELEMENT,
  pricing_table: null,
};

export const createCustomerSession = vendor<Asked>('customerSessions.create', ({ act, params }) => {
  if (params.customer === undefined) {
    throw invalid('Missing required param: customer.', { code: 'parameter_missing', param: 'customer' });
  }
  const { id } = need(act, 'customer', params.customer, { param: 'customer' });
  const components = Object.entries(COMPONENTS).map(([name, features]) => {
    const asked = params.components[name];
    const enabled = asked?.enabled === true;
    if (features === null) return [name, { enabled }];
    return [name, { enabled, features: enabled ? { ...features, ...asked.features } : null }];
  });
  return {
    object: 'customer_session',
    client_secret: `cuss_secret_${act.tx.id('', 40)}`,
    components: Object.fromEntries(components),
    created: act.at,
    customer: id,
    customer_account: null,
    expires_at: act.at + LIVES_SECONDS,
    livemode: false,
  };
});
