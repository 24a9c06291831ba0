// Test clocks: a time of its own for the customers attached to one and all that is theirs. What they wait for is
// kept with the clock and comes when the clock is advanced; the world's own clock does not move them.

import type { Stripe } from 'stripe';
import { schedule } from '../../kit/due.ts';
import type { Tx } from '../../kit/tx.ts';
import { type Act, actOf, all, find, need, remove, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import type { Falling } from '../api/product.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tell } from '../events/events.ts';
import type { RecordName } from '../records.ts';
import { cancelNow } from '../subscriptions/end.ts';
import type { TestClock } from './records.ts';

/** Stripe deletes a clock after 30 days. Seconds. */
const LIFE_SECONDS = 30 * 86_400;
/** One advance lets at most this many things happen; Stripe bounds it by two billing periods. */
const STEPS_MAX = 2_000;

/** The act at the time of a test clock: its waits are the clock's, and now is where the clock stands. */
export function onClock(act: Act, clock: TestClock, at: number = clock.frozen_time): Act {
  const { tx } = act;
  const key = (name: string): string => `${clock.id}:${name}`;
  const frozen: Tx = {
    now: at * 1000,
    get: (type, id) => tx.get(type, id),
    list: (type, query) => tx.list(type, query),
    blob: sha => tx.blob(sha),
    put: (type, id, body) => tx.put(type, id, body),
    delete: (type, id) => tx.delete(type, id),
    putBlob: bytes => tx.putBlob(bytes),
    id: (prefix, length) => tx.id(prefix, length),
    hex: bytes => tx.hex(bytes),
    kind: kind => tx.kind(kind),
    schedule: (name, due, payload) =>
      tx.put('clock_wait', key(name), {
        id: key(name),
        object: 'clock_wait',
        clock: clock.id,
        at: Math.ceil(due / 1000),
        payload,
      }),
    cancel: name => {
      if (tx.get('clock_wait', key(name)) !== undefined) tx.delete('clock_wait', key(name));
    },
    deliver: request => tx.deliver(request),
    recall: name => tx.recall(name),
    remember: (name, memo, expires) => tx.remember(name, memo, expires),
  };
  return { ...actOf(act.records, frozen, act.request, act.account), wrote: act.wrote };
}

const TYPES: readonly (readonly [prefix: string, type: RecordName])[] = [
  ['cus_', 'customer'],
  ['sub_sched_', 'subscription_schedule'],
  ['sub_', 'subscription'],
  ['si_', 'subscription_item'],
  ['in_', 'invoice'],
  ['ii_', 'invoiceitem'],
  ['qt_', 'quote'],
  ['pi_', 'payment_intent'],
  ['cn_', 'credit_note'],
  ['credgr_', 'billing.credit_grant'],
];
const NAMES = ['test_clock', 'customer', 'subscription', 'invoice', 'from_subscription'] as const;

/** The act at the time of the test clock that what is asked for belongs to; itself where there is none. */
export function onItsClock(
  act: Act,
  path: { readonly [name: string]: string },
  params: { readonly [name: string]: unknown },
): Act {
  // What is done to a clock is done in the world's time.
  if (path['id']?.startsWith('clock_') === true) return act;
  for (const id of [...NAMES.map(name => params[name]), ...Object.values(path)]) {
    if (typeof id !== 'string') continue;
    const clock = clockOf(act, id, 0);
    if (clock !== undefined) return onClock(act, clock);
  }
  return act;
}

function clockOf(act: Act, id: string, depth: number): TestClock | undefined {
  if (id.startsWith('clock_')) return find(act, 'test_helpers.test_clock', id);
  const type = TYPES.find(([prefix]) => id.startsWith(prefix))?.[1];
  const held = type === undefined ? undefined : act.tx.get(type, id);
  if (held === undefined) return undefined;
  if (typeof held['test_clock'] === 'string') return find(act, 'test_helpers.test_clock', held['test_clock']);
  const owner = held['test_clock'] === undefined ? (held['subscription'] ?? held['customer']) : undefined;
  return typeof owner === 'string' && depth < 2 ? clockOf(act, owner, depth + 1) : undefined;
}

const create = vendor<Stripe.TestHelpers.TestClockCreateParams>(
  'testHelpers.testClocks.create',
  ({ act, params }) => {
    const clock = whole<TestClock>('test_helpers.test_clock', {
      id: act.tx.id('clock_', 24),
      created: act.at,
      deletes_after: act.at + LIFE_SECONDS,
      frozen_time: params.frozen_time,
      name: params.name ?? null,
      status: 'ready',
      status_details: {},
    });
    save(act, 'test_helpers.test_clock', clock);
    tell(act, 'test_helpers.test_clock.created', 'test_helpers.test_clock', clock);
    return viewOf(act, 'test_helpers.test_clock', clock);
  },
);

function needClock(act: Act, path: { readonly [name: string]: string }): TestClock {
  return need(act, 'test_helpers.test_clock', path['id'] ?? '', { param: 'test_clock', inPath: true });
}

const retrieve = vendor<object>('testHelpers.testClocks.retrieve', ({ act, path }) =>
  viewOf(act, 'test_helpers.test_clock', needClock(act, path)),
);

const listAll = vendor<Stripe.PaginationParams>('testHelpers.testClocks.list', ({ act, params }) =>
  page(act, 'test_helpers.test_clock', params, '/v1/test_helpers/test_clocks'),
);

const advance = vendor<Stripe.TestHelpers.TestClockAdvanceParams>(
  'testHelpers.testClocks.advance',
  ({ act, path, params }) => {
    const held = needClock(act, path);
    if (held.status !== 'ready') {
      throw invalid('Test clock advancement underway - cannot perform modifications.', {
        code: 'test_clock_advancement_underway',
      });
    }
    if (params.frozen_time <= held.frozen_time) {
      throw invalid('Test clocks can only be advanced forward in time.', { param: 'frozen_time' });
    }
    const next: TestClock = {
      ...held,
      status: 'advancing',
      status_details: { advancing: { target_frozen_time: params.frozen_time } },
    };
    act.tx.kind('test_helpers.test_clock.advancing');
    save(act, 'test_helpers.test_clock', next);
    // The event is of the clock's time; the advance itself comes by the world's.
    tell(onClock(act, held), 'test_helpers.test_clock.advancing', 'test_helpers.test_clock', next);
    schedule<Due>(act.tx, `advance:${held.id}`, act.tx.now, { kind: 'test_clock.advance', clock: held.id });
    return viewOf(act, 'test_helpers.test_clock', next);
  },
);

/** What an advance asked for: everything that falls due on the way, in its order, then ready. */
export function advanceNow(act: Act, id: string, happen: Falling['happen']): void {
  const held = find(act, 'test_helpers.test_clock', id);
  const target = held?.status_details.advancing?.target_frozen_time;
  if (held === undefined || target === undefined) return;
  act.tx.kind('test_helpers.test_clock.ready');
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const next = all(act, 'clock_wait', { clock: id })
      .filter(({ at }) => at <= target)
      .sort((a, b) => a.at - b.at)[0];
    if (next === undefined) break;
    remove(act, 'clock_wait', next.id);
    happen(onClock(act, held, Math.max(next.at, held.frozen_time)), next.payload);
  }
  const ready: TestClock = { ...held, frozen_time: target, status: 'ready', status_details: {} };
  save(act, 'test_helpers.test_clock', ready);
  tell(onClock(act, ready), 'test_helpers.test_clock.ready', 'test_helpers.test_clock', ready);
}

/** Its customers go with it, and all that was theirs ends. */
const del = vendor<object>('testHelpers.testClocks.del', ({ act, path }) => {
  const held = needClock(act, path);
  act.tx.kind('test_helpers.test_clock.deleted');
  for (const customer of all(act, 'customer', { test_clock: held.id })) {
    const running = select(act.tx, 'subscription', {
      where: { customer: customer.id },
      limit: 100,
      keep: body => body['ended_at'] === null,
    });
    for (const subscription of running.items) cancelNow(act, subscription, 'cancellation_requested');
    tell(act, 'customer.deleted', 'customer', customer);
    act.wrote = true;
    act.tx.put('customer', customer.id, { id: customer.id, object: 'customer', deleted: true });
  }
  for (const wait of all(act, 'clock_wait', { clock: held.id })) remove(act, 'clock_wait', wait.id);
  tell(act, 'test_helpers.test_clock.deleted', 'test_helpers.test_clock', held);
  remove(act, 'test_helpers.test_clock', held.id);
  return { id: held.id, object: 'test_helpers.test_clock', deleted: true };
});

export const testClockOperations = [create, retrieve, listAll, advance, del];
