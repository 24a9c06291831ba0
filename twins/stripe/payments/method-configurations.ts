// Which payment methods an account offers, as its dashboard keeps it: one configuration is there from the start. And
// the domains that wallets are shown on, which are valid at once.

import { type Act, find, save, select } from '../api/act.ts';
import { missing } from '../api/errors.ts';
import { type PageAsk, pageOf } from '../api/list.ts';
import { objectFields, vendor } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import type { Kept } from '../api/wire.ts';

/** What an account may make. */
const CONFIGURATIONS_MAX = 100;
const DEFAULT_ID = 'pmc_default';
const OWN = ['id', 'object', 'active', 'application', 'is_default', 'livemode', 'name', 'parent'];
const METHODS = (objectFields('payment_method_configuration') ?? [])
  .map(({ name }) => name)
  .filter(name => !OWN.includes(name));

/** Taken by Stripe, and shown in no configuration. */
const UNSHOWN = ['apple_pay_later', 'fr_meal_voucher_conecs'];

type Preference = 'none' | 'off' | 'on';
type Asked = { readonly [method: string]: unknown };

/** `value` is what comes of a preference: none is as the vendor has it, on for cards alone. */
function method(name: string, preference: Preference) {
  const value = preference === 'none' ? (name === 'card' ? 'on' : 'off') : preference;
  return { available: value === 'on', display_preference: { overridable: null, preference, value } };
}

function withFields(held: Kept, asked: Asked): Kept {
  const next: Kept = { ...held, active: asked['active'] ?? held['active'] };
  for (const name of METHODS) {
    const ask = asked[name] as
      | { readonly display_preference?: { readonly preference?: Preference } }
      | undefined;
    const preference = ask?.display_preference?.preference;
    if (preference !== undefined) next[name] = method(name, preference);
  }
  for (const name of ['name', 'parent']) if (asked[name] !== undefined) next[name] = asked[name];
  return next;
}

function blank(id: string, name: string, is_default: boolean): Kept {
  return {
    id,
    object: 'payment_method_configuration',
    active: true,
    application: null,
    is_default,
    livemode: false,
    name,
    parent: null,
    ...Object.fromEntries(METHODS.map(type => [type, method(type, 'none')])),
  };
}

function needConfiguration(act: Act, id: string, at?: string): Kept {
  const held = find(act, 'payment_method_configuration', id);
  if (held !== undefined) return held;
  if (id === DEFAULT_ID) return blank(id, 'Default', true);
  throw missing('payment_method_configuration', id, {
    param: at ?? 'configuration',
    inPath: at === undefined,
  });
}

type Details = { id: string; parent: string | null };

/**
 * The one by which methods are offered, as what is paid with them names it: the account's own where none is asked for, and
 * none where who asks names the methods.
 */
export function configurationDetails(
  act: Act,
  asked: {
    readonly payment_method_configuration?: string | undefined;
    readonly payment_method_types?: readonly string[] | undefined;
  },
): Details | null {
  if (asked.payment_method_types !== undefined) return null;
  const held = needConfiguration(
    act,
    asked.payment_method_configuration ?? DEFAULT_ID,
    'payment_method_configuration',
  );
  return { id: String(held['id']), parent: (held['parent'] as string | null) ?? null };
}

/** The types that a configuration offers: the account's own where none is named. */
export function offered(act: Act, id: string = DEFAULT_ID): readonly string[] {
  const held = needConfiguration(act, id, 'payment_method_configuration');
  return METHODS.filter(type => (held[type] as ReturnType<typeof method> | undefined)?.available === true);
}

const configurationView = (act: Act, held: Kept): View => viewOf(act, 'payment_method_configuration', held);

const create = vendor<Asked>(
  'paymentMethodConfigurations.create',
  ({ act, params }) => {
    const made = blank(act.tx.id('pmc_', 24), String(params['name'] ?? 'Configuration'), false);
    const next = withFields(made, params as Asked);
    save(act, 'payment_method_configuration', next);
    return configurationView(act, next);
  },
  {},
  UNSHOWN,
);

const retrieve = vendor<object>('paymentMethodConfigurations.retrieve', ({ act, path }) =>
  configurationView(act, needConfiguration(act, path['id'] ?? '')),
);

const change = vendor<Asked>(
  'paymentMethodConfigurations.update',
  ({ act, path, params }) => {
    const next = withFields(needConfiguration(act, path['id'] ?? ''), params as Asked);
    save(act, 'payment_method_configuration', next);
    return configurationView(act, next);
  },
  {},
  UNSHOWN,
);

const listAll = vendor<PageAsk & { readonly active?: boolean }>(
  'paymentMethodConfigurations.list',
  ({ act, params }) => {
    const made = select(act.tx, 'payment_method_configuration', { limit: CONFIGURATIONS_MAX }).items;
    const known = made.some(({ id }) => id === DEFAULT_ID);
    const all = known ? made : [...made, needConfiguration(act, DEFAULT_ID)];
    const asked = all.filter(held => params.active === undefined || held['active'] === params.active);
    return pageOf(
      asked.map(held => ({ ...configurationView(act, held), id: held.id })),
      params,
      '/v1/payment_method_configurations',
    );
  },
);

const validate = vendor<object>('paymentMethodDomains.validate', ({ act, path }) => {
  const held = act.tx.get('payment_method_domain', path['id'] ?? '');
  if (held === undefined) {
    throw missing('payment_method_domain', path['id'] ?? '', {
      param: 'payment_method_domain',
      inPath: true,
    });
  }
  const { $parent: _parent, ...view } = held;
  return view;
});

export const methodConfigurationOperations = [create, retrieve, change, listAll, validate];
