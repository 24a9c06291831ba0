// A record that two sides changed, merged name by name.

import t from 'tap';
import { mergeRecord } from '../../../../control/world/store/three-way.ts';
import { fc } from '../../../kit/property.ts';

t.test('[4.7] what one side alone changed is taken, name by name', t => {
  const base = { name: 'Ada', metadata: { plan: 'a', note: 'x' }, tags: ['a'] };
  const ours = { name: 'Ada L.', metadata: { plan: 'a', note: 'y' }, tags: ['a'] };
  const theirs = { name: 'Ada', metadata: { plan: 'b', note: 'x', more: 1 }, tags: ['a', 'b'] };
  t.strictSame(mergeRecord(base, ours, theirs), {
    merged: { name: 'Ada L.', metadata: { plan: 'b', note: 'y', more: 1 }, tags: ['a', 'b'] },
    conflicts: [],
  });
  t.end();
});

t.test('[4.7] what both changed is a conflict by its pointer; lists are taken whole', t => {
  const { merged, conflicts } = mergeRecord(
    { a: { 'b/c': 1 }, tags: ['a'] },
    { a: { 'b/c': 2 }, tags: ['a', 'x'] },
    { a: { 'b/c': 3 }, tags: ['a', 'y'] },
  );
  t.strictSame(merged, { a: { 'b/c': 3 }, tags: ['a', 'y'] });
  t.strictSame(conflicts, [
    { field: '/a/b~1c', base: 1, ours: 2, theirs: 3 },
    { field: '/tags', base: ['a'], ours: ['a', 'x'], theirs: ['a', 'y'] },
  ]);
  t.end();
});

t.test('[4.7] a change against an end is a conflict of the whole record', t => {
  t.strictSame(mergeRecord({ a: 1 }, null, { a: 2 }), {
    merged: { a: 2 },
    conflicts: [{ field: '', base: { a: 1 }, ours: undefined, theirs: { a: 2 } }],
  });
  t.strictSame(mergeRecord({ a: 1 }, null, { a: 1 }), { merged: null, conflicts: [] });
  t.strictSame(mergeRecord({ a: 1 }, { a: 1 }, null), { merged: null, conflicts: [] });
  t.strictSame(mergeRecord(null, { a: 1 }, null), { merged: { a: 1 }, conflicts: [] });
  t.end();
});

t.test('[4.7] a merge with a side that stood still is the other side', t => {
  const record = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
  fc.assert(
    fc.property(record, record, (base, theirs) => {
      t.strictSame(mergeRecord(base, base, theirs), { merged: theirs, conflicts: [] });
      t.strictSame(mergeRecord(base, theirs, base), { merged: theirs, conflicts: [] });
      t.strictSame(mergeRecord(base, theirs, theirs), { merged: theirs, conflicts: [] });
    }),
    { numRuns: 200 },
  );
  t.end();
});
