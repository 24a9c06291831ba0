import t from 'tap';
import { Tally } from '../../../../control/world/requests/tally.ts';
import { fc } from '../../../kit/property.ts';

const tallyOf = (times: readonly number[]): Tally => {
  const tally = new Tally();
  for (const us of times) tally.count(200, us, false);
  return tally;
};
const nearestRank = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1]! / 1000;

t.test('[4.4] percentiles are by nearest rank, within 3 % of what was measured', t => {
  t.same(tallyOf(Array.from({ length: 31 }, (_, n) => n + 1)).percentiles(), { p50: 0.016, p95: 0.03 });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100_000_000 }), { minLength: 1 }), times => {
      const { p50, p95 } = tallyOf(times).percentiles();
      for (const [told, share] of [
        [p50, 0.5],
        [p95, 0.95],
      ] as const) {
        const exact = nearestRank(times, share);
        t.ok(Math.abs(told - exact) <= exact * 0.032 + 0.0005, `${told} for ${exact}`);
      }
    }),
  );
  t.end();
});

t.test('[4.4] what was counted apart is the same together, in memory and as it is kept', t => {
  const status = fc.constantFrom(0, 101, 200, 204, 302, 400, 404, 500, 503);
  const request = fc.tuple(status, fc.integer({ min: 0, max: 5_000_000 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(request), fc.array(request), (some, others) => {
      const [all, one, other] = [new Tally(), new Tally(), new Tally()];
      for (const each of [...some, ...others]) all.count(...each);
      for (const each of some) one.count(...each);
      for (const each of others) other.count(...each);
      const [merged, kept] = [new Tally(), new Tally()];
      for (const each of [one, other]) {
        merged.merge(each);
        kept.add(each.numbers);
      }
      const shown = ({ requests, errors, unmatched, classes, ...rest }: Tally) => ({
        requests,
        errors,
        unmatched,
        classes,
        ...rest,
      });
      for (const each of [merged, kept]) {
        t.strictSame(shown(each), shown(all));
        t.same(each.percentiles(), all.percentiles());
      }
      t.equal(all.requests, some.length + others.length);
      t.equal(all.errors, [...some, ...others].filter(([code]) => code === 0 || code >= 400).length);
      t.equal(
        all.classes.reduce((sum, n) => sum + n, 0),
        all.requests,
        'each in one class',
      );
    }),
  );
  t.end();
});
