// What the writes that an app makes most ask of the store. Counts do not change with the machine: one statement more is
// a change of ours, and is to be meant.
import t from 'tap';
import { countWrites, type Write } from '../../bench/counts.ts';

/** At most; the rows are those of the tables, without their indexes'. */
const MOST: { readonly [write in Write]: { readonly statements: number; readonly rows: number } } = {
  customer: { statements: 6, rows: 9 },
  'customer update': { statements: 7, rows: 7 },
  'confirmed payment intent': { statements: 7, rows: 27 },
  subscription: { statements: 10, rows: 41 },
  mail: { statements: 5, rows: 5 },
};

t.test('[performance] the main writes put no more statements to the store than they did', async t => {
  const found = await countWrites(t.testdir());
  for (const [write, most] of Object.entries(MOST)) {
    const { statements, rows, texts } = found.get(write as Write)!;
    const asked = [...texts].map(([text, times]) => `${times} × ${text}`);
    t.ok(statements <= most.statements, `${write}: ${statements} of ${most.statements} statements`, {
      asked,
    });
    t.ok(rows <= most.rows, `${write}: ${rows} of ${most.rows} rows`);
  }
});

t.test('[performance] what is counted is one call, whatever was asked before it', async t => {
  const [first, second] = [await countWrites(t.testdir()), await countWrites(t.testdir())];
  for (const [write, { statements, rows, parses, stringifies }] of first)
    t.match(second.get(write), { statements, rows, parses, stringifies }, write);
});
