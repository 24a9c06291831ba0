// The generic tier: operations that are answered from the vendor's own declarations, statefully. What it cannot
// know it does not say: such operations stay unmodelled (plan.ts).
import type { RecordBody } from '../../kit/tx.ts';
import type { Act } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { fillShape } from '../api/fill-shape.ts';
import { inRange, type Range } from '../api/list.ts';
import type { Ask, Operation } from '../api/operation.ts';
import { type MetadataParam, mergeMetadata, type Shape } from '../api/params.ts';
import { startOf } from '../api/start-values.ts';
import { fieldsOf, objectFields, shapeOf, type VendorShape } from '../api/vendor.ts';
import { listView, type View } from '../api/view.ts';
import { tellView } from '../events/events.ts';
import { eventOf, filtersOf, type GenericPlan, PAGING, sameKind } from './plan.ts';

const ID_CHARS = 24;
const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;

/** Prefixes of ids, as Stripe writes them. */
const PREFIXES: { readonly [object: string]: string } = {
  apple_pay_domain: 'apwc_',
  'apps.secret': 'appsecret_',
  'climate.order': 'climorder_',
  'entitlements.feature': 'feat_',
  invoice_rendering_template: 'inrtem_',
  'issuing.personalization_design': 'ipd_',
  payment_method_domain: 'pmd_',
  product_feature: 'prodft_',
  'radar.value_list': 'rsl_',
  'radar.value_list_item': 'rsli_',
  shipping_rate: 'shr_',
  'tax.registration': 'taxreg_',
  'terminal.configuration': 'tmc_',
  'terminal.location': 'tml_',
  'terminal.reader': 'tmr_',
};

export function prefixOf(object: string): string {
  return (
    PREFIXES[object] ??
    `${object
      .slice(object.lastIndexOf('.') + 1)
      .split('_')
      .map(word => word.slice(0, 4))
      .join('')}_`
  );
}

type Params = { readonly [name: string]: unknown };
type GenericAsk = Ask<Shape>;

export function genericOperation(plan: GenericPlan): Operation {
  const filters = plan.does === 'list' ? filtersOf(plan) : [];
  let shape: Shape | undefined;
  return {
    name: plan.name,
    method: plan.method,
    path: plan.path,
    get shape() {
      shape ??= {
        expand: { kind: 'list', of: { kind: 'text', max: 5_000 } as Shape[string] },
        ...paramsOf(plan, filters),
      };
      return shape;
    },
    // A filter this tier has no field for would be ignored: it says so instead.
    unmodelled: plan.does === 'list' ? Object.keys(shapeOf(plan)).filter(name => !known(name, filters)) : [],
    body: plan.path.startsWith('/v2/') ? 'json' : 'form',
    run: ask => WORK[plan.does](plan, ask as GenericAsk),
  };
}

const known = (name: string, filters: readonly string[]): boolean =>
  PAGING.includes(name) || filters.includes(name);

function paramsOf(plan: GenericPlan, filters: readonly string[]): Shape {
  const whole = shapeOf(plan);
  if (plan.does !== 'list') return whole;
  return Object.fromEntries(Object.entries(whole).filter(([name]) => known(name, filters)));
}

const WORK: { readonly [Does in GenericPlan['does']]: (plan: GenericPlan, ask: GenericAsk) => View } = {
  create: (plan, { act, path, params }) => {
    const record = {
      ...blank(plan, act, path),
      ...fieldsFrom(act, plan, {}, params as Params),
      $parent: parentOf(plan, path),
    };
    put(act, plan.object, record as Held, 'created', null);
    return asAnswer(record);
  },
  retrieve: (plan, { act, path }) => asAnswer(needed(plan, act, path)),
  update: (plan, { act, path, params }) => {
    const held = needed(plan, act, path);
    const next = {
      ...held,
      ...fieldsFrom(act, plan, held, params as Params),
      ...('updated' in held ? { updated: now(plan, act) } : {}),
    };
    put(act, plan.object, next, 'updated', held);
    return asAnswer(next);
  },
  delete: (plan, { act, path }) => {
    const held = needed(plan, act, path);
    act.wrote = true;
    act.tx.kind(`${plan.object}.deleted`);
    act.tx.delete(plan.object, held.id);
    const event = eventOf(plan.object, 'deleted');
    if (event !== null) tellView(act, event, asAnswer(held));
    return { id: held.id, object: plan.object, deleted: true };
  },
  act: (plan, { act, path, params }) => {
    const held = needed(plan, act, path);
    if (held['status'] === plan.status) {
      throw invalid(`This ${plan.object.replaceAll(/[._]/g, ' ')} is already ${plan.status}.`, {
        param: 'id',
      });
    }
    const next = { ...held, ...fieldsFrom(act, plan, held, params as Params), status: plan.status };
    put(act, plan.object, next, plan.status ?? 'updated', held);
    return asAnswer(next);
  },
  list: (plan, { act, path, params }) => listed(plan, act, path, params as Params),
};

type Held = RecordBody & { readonly id: string };

function now(plan: GenericPlan, act: Act): number | string {
  return plan.path.startsWith('/v2/') ? new Date(act.at * 1000).toISOString() : act.at;
}

function blank(plan: GenericPlan, act: Act, path: { readonly [name: string]: string }): Held {
  const made: { [name: string]: unknown } = {};
  for (const field of objectFields(plan.object) ?? []) {
    const parent = path[field.name] ?? path[`${field.name}Id`];
    if (field.name === 'id') made['id'] = act.tx.id(prefixOf(plan.object), ID_CHARS);
    else if (field.name === 'object') made['object'] = plan.object;
    else if (field.name === 'created' || field.name === 'updated') made[field.name] = now(plan, act);
    else if (field.optional) continue;
    else if (parent !== undefined) made[field.name] = parent;
    else made[field.name] = fresh(act, startOf(plan.object, field));
  }
  return made as Held;
}

/** What a start stands for (starts.ts). */
function fresh(act: Act, value: unknown): unknown {
  if (value === '$hex') return act.tx.hex(8);
  return value === '$now' ? act.at : value;
}

/** The parameters that are fields of the object; each over what is held. */
function fieldsFrom(act: Act, plan: GenericPlan, held: Params, params: Params): Params {
  const declared = fieldsOf(JSON.parse(plan.params) as VendorShape);
  const next: { [name: string]: unknown } = {};
  for (const field of objectFields(plan.object) ?? []) {
    const value = params[field.name];
    const param = declared.find(({ name }) => name === field.name);
    if (value === undefined || param === undefined) continue;
    if (field.name === 'metadata') {
      next['metadata'] = mergeMetadata(
        (held['metadata'] as { [name: string]: string } | undefined) ?? {},
        (value === null ? '' : value) as MetadataParam,
      );
    } else if (typeof field.shape === 'string' && field.shape.startsWith('&') && typeof value === 'string') {
      next[field.name] = embedded(act, field.shape.slice(1), value, field.name);
    } else if (sameKind(param.shape, field.shape)) next[field.name] = fillShape(field.shape, value);
  }
  return next;
}

/** An object that is shown whole in another, named by its id. */
function embedded(act: Act, object: string, id: string, param: string): View {
  const held = act.tx.get(object, id);
  if (held === undefined) throw missing(object.slice(object.lastIndexOf('.') + 1), id, { param });
  return asAnswer(held);
}

function put(act: Act, type: string, next: Held, happened: string, before: Held | null): void {
  const same = before !== null && JSON.stringify(before) === JSON.stringify(next);
  if (same) return;
  act.wrote = true;
  act.tx.kind(`${type}.${happened}`);
  act.tx.put(type, next.id, next);
  const event = eventOf(type, happened) ?? eventOf(type, before === null ? 'created' : 'updated');
  if (event !== null) tellView(act, event, asAnswer(next), before === null ? undefined : asAnswer(before));
}

/** What comes before the record's own id in its path. */
function parentOf(plan: GenericPlan, path: { readonly [name: string]: string }): string {
  const names = [...plan.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const own = plan.does === 'create' || plan.does === 'list' ? names : names.slice(0, -1);
  return own.map(name => path[name] ?? '').join('/');
}

function needed(plan: GenericPlan, act: Act, path: { readonly [name: string]: string }): Held {
  const names = [...plan.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const id = path[names.at(-1) ?? ''] ?? '';
  const held = act.tx.get<Held>(plan.object, id);
  if (held === undefined || held['$parent'] !== parentOf(plan, path)) {
    throw missing(plan.object.slice(plan.object.lastIndexOf('.') + 1), id, { param: 'id', inPath: true });
  }
  return held;
}

function asAnswer(record: RecordBody): View {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('$')));
}

function listed(
  plan: GenericPlan,
  act: Act,
  path: { readonly [name: string]: string },
  params: Params,
): View {
  const limit = typeof params['limit'] === 'number' ? params['limit'] : LIMIT_DEFAULT;
  if (limit < 1 || limit > LIMIT_MAX) {
    throw invalid(`This value must be between 1 and ${LIMIT_MAX}.`, {
      code: 'parameter_invalid_integer',
      param: 'limit',
    });
  }
  const v2 = plan.path.startsWith('/v2/');
  const after = v2 ? params['page'] : params['starting_after'];
  const before = v2 ? undefined : params['ending_before'];
  for (const id of [after, before]) {
    if (id !== undefined && act.tx.get(plan.object, String(id)) === undefined) {
      throw missing(plan.object, String(id), { param: v2 ? 'page' : 'starting_after' });
    }
  }
  const parent = parentOf(plan, path);
  const asked = filtersOf(plan).filter(name => params[name] !== undefined);
  const [first] = asked;
  const found = act.tx.list<Held>(plan.object, {
    where: first === undefined || parent !== '' ? { $parent: parent } : { [first]: String(params[first]) },
    limit,
    ...(after === undefined ? {} : { after: String(after) }),
    ...(before === undefined ? {} : { before: String(before) }),
    keep: body =>
      body['$parent'] === parent &&
      asked.every(name => body[name] === params[name]) &&
      inRange(Number(body['created'] ?? 0), params['created'] as Range | undefined),
  });
  const data = found.items.map(asAnswer);
  const url = plan.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => path[name] ?? '');
  if (!v2) return listView(data, found.more, url);
  const last = found.items.at(-1)?.id;
  return {
    data,
    next_page_url: found.more && last !== undefined ? `${url}?page=${last}&limit=${limit}` : null,
    previous_page_url: null,
  };
}
