import t from 'tap';
import { boundary, periodAt } from '../../../../twins/stripe/api/periods.ts';
import { fc } from '../../../kit/property.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const shown = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 16);

t.test('[4.9 clock] boundaries are counted from the anchor', async t => {
  const table: readonly [string, string, number, number, string][] = [
    ['2026-01-31T09:30:00Z', 'month', 1, 1, '2026-02-28T09:30'],
    ['2026-01-31T09:30:00Z', 'month', 1, 2, '2026-03-31T09:30'],
    ['2026-01-31T09:30:00Z', 'month', 3, 1, '2026-04-30T09:30'],
    ['2028-01-31T00:00:00Z', 'month', 1, 1, '2028-02-29T00:00'],
    ['2028-02-29T12:00:00Z', 'year', 1, 1, '2029-02-28T12:00'],
    ['2028-02-29T12:00:00Z', 'year', 1, 4, '2032-02-29T12:00'],
    ['2026-01-15T00:00:00Z', 'week', 2, 1, '2026-01-29T00:00'],
    ['2026-01-15T00:00:00Z', 'day', 10, 3, '2026-02-14T00:00'],
    ['2026-03-31T00:00:00Z', 'month', 1, -1, '2026-02-28T00:00'],
  ];
  for (const [anchor, interval, interval_count, n, wanted] of table) {
    t.equal(
      shown(boundary(at(anchor), { interval, interval_count }, n)),
      wanted,
      `${anchor} ${interval} × ${n}`,
    );
  }
});

t.test('[4.9 clock] every instant is in exactly one period, and periods meet', async t => {
  const interval = fc.record({
    interval: fc.constantFrom('day', 'week', 'month', 'year'),
    interval_count: fc.integer({ min: 1, max: 12 }),
  });
  const instant = fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2060-01-01T00:00:00Z') });
  fc.assert(
    fc.property(instant, instant, interval, (anchor, now, every) => {
      const { start, end } = periodAt(anchor, every, now);
      return start <= now && now < end && periodAt(anchor, every, end).start === end;
    }),
  );
  t.pass('held');
});
