// Stores of before the kinds had names: what they wait for still happens.
import t from 'tap';
import { dueOfToday } from '../../../twins/stripe/earlier-due.ts';

t.test('what was scheduled before kinds had names is understood', t => {
  const rows = [
    [
      { do: 'renew', subscription: 'sub_1' },
      { kind: 'subscription.renew', subscription: 'sub_1' },
    ],
    [
      { do: 'expire', subscription: 'sub_1' },
      { kind: 'subscription.expire', subscription: 'sub_1' },
    ],
    [
      { do: 'expire', grant: 'credgr_1' },
      { kind: 'credit_grant.expire', grant: 'credgr_1' },
    ],
    [
      { do: 'expire', quote: 'qt_1' },
      { kind: 'quote.expire', quote: 'qt_1' },
    ],
    [
      { do: 'refuse refund', refund: 're_1' },
      { kind: 'refund.settle', refund: 're_1', succeeds: false },
    ],
    [
      { do: 'refund', refund: 're_1' },
      { kind: 'refund.settle', refund: 're_1', succeeds: true },
    ],
    [
      { do: 'top up', topup: 'tu_1', fails: true },
      { kind: 'topup.settle', topup: 'tu_1', fails: true },
    ],
    [
      { kind: 'invoice.retry', invoice: 'in_1' },
      { kind: 'invoice.retry', invoice: 'in_1' },
    ],
    [
      { do: 'nothing that ever was', invoice: 'in_1' },
      { do: 'nothing that ever was', invoice: 'in_1' },
    ],
  ] as const;
  for (const [earlier, today] of rows) t.strictSame(dueOfToday(earlier), today);
  t.end();
});
