// The versions that a world has at hand: bounded, the oldest gone first, and never another than the tables have.
import t from 'tap';
import { KeptHeads } from '../../../../control/world/store/kept-heads.ts';
import type { Head } from '../../../../control/world/store/records.ts';

const head = (pos: number, chars = 10): Head => {
  const body = 'x'.repeat(chars);
  return { pos, ord: 1, at: 0, row: body, body, values: null };
};

t.test('the newest of a record is what is kept', t => {
  const kept = new KeptHeads(1000);
  t.equal(kept.get('customer', 'a'), undefined);
  kept.keep('customer', 'a', head(1));
  kept.keep('customer', 'a', head(2));
  kept.keep('charge', 'a', head(3));
  t.equal(kept.get('customer', 'a')?.pos, 2);
  t.equal(kept.get('charge', 'a')?.pos, 3);
  kept.drop('customer', 'a');
  t.equal(kept.get('customer', 'a'), undefined);
  kept.forget();
  t.equal(kept.get('charge', 'a'), undefined);
  t.end();
});

t.test('the oldest go, and what is asked for stays', t => {
  const kept = new KeptHeads(1000);
  for (let n = 0; n < 100; n++) {
    kept.keep('customer', `c${n}`, head(n, 40));
    t.equal(kept.get('customer', 'c0')?.pos, 0, 'asked for all the time');
  }
  t.equal(kept.get('customer', 'c1'), undefined);
  t.equal(kept.get('customer', 'c99')?.pos, 99);
  const left = Array.from({ length: 100 }, (_, n) => kept.get('customer', `c${n}`)).filter(Boolean);
  t.ok(left.length * 50 <= 1000, `${left.length} are left`);
  t.end();
});

t.test('what is too long is not kept, nor what it stands in the place of', t => {
  const kept = new KeptHeads(1000);
  kept.keep('customer', 'a', head(1));
  kept.keep('customer', 'a', head(2, 600));
  t.equal(kept.get('customer', 'a'), undefined);
  kept.keep('customer', 'a', head(3));
  for (let n = 0; n < 6; n++) kept.keep('customer', `b${n}`, head(n, 60));
  t.equal(kept.get('customer', 'a')?.pos, 3, 'in the older half by now');
  for (let n = 0; n < 6; n++) kept.keep('customer', `c${n}`, head(n, 60));
  kept.keep('customer', 'a', head(4, 600));
  t.equal(kept.get('customer', 'a'), undefined);
  t.end();
});
