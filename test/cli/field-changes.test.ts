// What differs between two versions of a record, as `wrld world changeset diff` shows it.
import t from 'tap';
import { fieldChanges } from '../../cli/field-changes.ts';

t.test('objects name by name, everything else whole', t => {
  const from = {
    id: 'a',
    name: 'Gold',
    recurring: { interval: 'month', count: 1 },
    list: [1, 2],
    $secret: 1,
  };
  const to = { id: 'a', recurring: { interval: 'year', count: 1 }, list: [2], tax: null, $secret: 2 };
  t.strictSame(fieldChanges(from, to), [
    { field: 'name', from: 'Gold', to: undefined },
    { field: 'recurring.interval', from: 'month', to: 'year' },
    { field: 'list', from: [1, 2], to: [2] },
    { field: 'tax', from: undefined, to: null },
  ]);
  t.strictSame(fieldChanges({}, { a: { b: 1 } }), [{ field: 'a.b', from: undefined, to: 1 }]);
  t.strictSame(fieldChanges({ a: { b: 1 } }, { a: 1 }), [{ field: 'a', from: { b: 1 }, to: 1 }]);
  t.strictSame(fieldChanges(from, structuredClone(from)), []);
  t.strictSame(fieldChanges({ constructor: 1 }, {}), [{ field: 'constructor', from: 1, to: undefined }]);
  t.end();
});
