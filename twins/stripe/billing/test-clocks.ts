// Test clocks: a time of its own for the customers attached to one and all that is theirs. What they wait for is
// kept with the clock and comes when the clock is advanced; the world's own clock does not move them.

import type { Stripe } from 'stripe';
import { schedule } from '../../kit/due.ts';
import { type Act, all, find, need, remove, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import type { Falling } from '../api/product.ts';
import { onClock } from '../api/test-clock.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tell } from '../events/events.ts';
import { cancelNow } from '../subscriptions/end.ts';
import type { TestClock } from './records.ts';

/** Stripe deletes a clock after 30 days. Seconds. */
const LIFE_SECONDS = 30 * 86_400;
/** One advance lets at most this many things happen; Stripe bounds it by two billing periods. */
const STEPS_MAX = 2_000;

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
