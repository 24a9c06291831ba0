// Sessions that nobody pays end by the world's clock.
import type { DueHandlers } from '../../kit/due.ts';
import { find } from '../api/act.ts';
import type { Falling } from '../api/product.ts';
import { expireSession } from './expire.ts';

export type CheckoutDue = { 'session.expire': { readonly session: string } };

export const checkoutDue: DueHandlers<CheckoutDue, Falling> = {
  'session.expire': ({ session: id }, { act }) => {
    const session = find(act, 'checkout.session', id);
    if (session?.status === 'open') expireSession(act, session);
  },
};
