import t from 'tap';
import { RequestBudget } from '../../../../control/world/access/budget.ts';
import { BUDGET_BURST_REQUESTS, BUDGET_REQUESTS_PER_SECOND } from '../../../../control/world/limits.ts';

t.test('[8] a budget is a burst, then so many a second', t => {
  let now = 1_000_000;
  const limits = { requestsPerSecond: BUDGET_REQUESTS_PER_SECOND, burst: BUDGET_BURST_REQUESTS };
  const budget = new RequestBudget(limits, () => now);
  const granted = (asked: number): number => {
    let count = 0;
    for (let n = 0; n < asked; n++) if (budget.take() === 0) count += 1;
    return count;
  };
  t.equal(granted(3000), 2000, 'the burst');
  t.equal(budget.take(), 1, 'whole seconds, 1 or more');
  now += 5;
  t.equal(granted(2), 1, '200 a second: one every 5 ms');
  for (let second = 0; second < 10; second++) {
    now += 1000;
    t.equal(granted(500), 200);
  }
  now += 3_600_000;
  t.equal(granted(5000), 2000, 'a quiet hour saves no more than the burst');
  t.end();
});

t.test('a budget of less than one a second says how long to wait', t => {
  let now = 0;
  const budget = new RequestBudget({ requestsPerSecond: 0.1, burst: 1 }, () => now);
  t.equal(budget.take(), 0);
  t.equal(budget.take(), 10);
  now += 8_500;
  t.equal(budget.take(), 2);
  now += 1_500;
  t.equal(budget.take(), 0, 'and then it is granted');
  t.end();
});
