// The time of a test clock, for what is asked of the customers attached to one and of all that is theirs.
import type { Tx } from '../../kit/tx.ts';
import type { TestClock } from '../billing/records.ts';
import type { RecordName } from '../records.ts';
import { type Act, actOf, find } from './act.ts';

/** The act at the time of a test clock: its waits are the clock's, and now is where the clock stands. */
export function onClock(act: Act, clock: TestClock, at: number = clock.frozen_time): Act {
  const { tx } = act;
  const key = (name: string): string => `${clock.id}:${name}`;
  const frozen: Tx = {
    now: at * 1000,
    log: tx.log,
    requests: tx.requests,
    get writes() {
      return tx.writes;
    },
    get: (type, id) => tx.get(type, id),
    list: (type, query) => tx.list(type, query),
    blob: sha => tx.blob(sha),
    put: (type, id, body) => tx.put(type, id, body),
    delete: (type, id) => tx.delete(type, id),
    putBlob: bytes => tx.putBlob(bytes),
    id: (prefix, length) => tx.id(prefix, length),
    recordId: (prefix, length) => tx.recordId(prefix, length),
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
  return { ...actOf(act.records, frozen, act.request, act.account, act.older), wrote: act.wrote };
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
