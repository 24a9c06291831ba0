// Webhooks of the real Stripe, as records: the object of each event as it was then.
import type { Ingests, Observed, RealVendor } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';

/** `adopt`: what becomes of an object; none yet where nothing is kept. */
export const ingestsWith = (adopt: () => RealVendor['adopt']): Ingests => ({
  scheme: 'stripe',
  fold: body => {
    const { id, type, created, data } = body;
    if (body['object'] !== 'event' || typeof id !== 'string' || typeof type !== 'string') return null;
    const object = isObject(data) && isObject(data['object']) ? data['object'] : null;
    const records = object === null ? [] : (adopt()?.(object) ?? []);
    if (object === null || records.length === 0) return null;
    const gone = isDeletion(type) ? records.filter(each => each.id === object['id']) : [];
    return {
      id,
      kind: type,
      ...(typeof created === 'number' && { at: created }),
      put: gone.length > 0 ? [] : records,
      gone: gone.map(({ type: of, id: which }: Observed) => ({ type: of, id: which })),
    };
  },
});

/** A subscription that has ended is said to be deleted, and is still there. */
const isDeletion = (type: string): boolean =>
  type.endsWith('.deleted') && type !== 'customer.subscription.deleted';

const isObject = (value: unknown): value is RecordBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
