// What a call sees of the twin's records, by whose account it is.
import t from 'tap';
import type { Tx } from '../../../../twins/kit/tx.ts';
import { scoped } from '../../../../twins/stripe/api/account-scope.ts';

t.test('a page of an account says where the next one begins, as the whole does', t => {
  const held = { items: [{ id: 'cus_1', $acct: 'acct_1' }], more: true, cursor: 'next' };
  const whole = { get: () => ({ id: 'any' }), list: () => held } as unknown as Tx;
  const own = scoped(whole, { account: 'acct_1', learns: false });
  t.same(own.list('customer', { limit: 1 }), { items: [{ id: 'cus_1' }], more: true, cursor: 'next' });
  t.end();
});
