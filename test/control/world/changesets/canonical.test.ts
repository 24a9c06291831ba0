// Canonical JSON: the examples of RFC 8785, and that order never counts.

import t from 'tap';
import { canonical } from '../../../../control/world/changesets/canonical.ts';
import { fc } from '../../../kit/property.ts';

t.test('[RFC 8785 3.2] numbers, texts and names are written in one way', async t => {
  const value = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  );
  t.equal(
    canonical(value),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const names = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 };
  t.strictSame(Object.values(JSON.parse(canonical(names))).length, 7);
  t.match(canonical(names), /^\{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3\}$/);
  t.equal(canonical({ a: '\ud800' }), '{"a":"\\ud800"}', 'half a character, by its escape');
});

t.test('the order of names does not count, and the value is the same again', async t => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = canonical(value);
      t.strictSame(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      t.equal(canonical(Object.fromEntries(Object.entries(value).reverse())), text);
    }),
  );
});
