// Ids in texts: a whole token is one, part of a token never is, however the text escapes what is around it.

import t from 'tap';
import { exchanged, mayBeNamed, tokensIn } from '../../../../control/world/changesets/id-token.ts';
import { fc } from '../../../kit/property.ts';

const IDS = new Map([
  ['cus_1A', 'cus_real'],
  ['sub_x-y', 'sub_real'],
]);

t.test('[3] a whole token is exchanged, and nothing else', t => {
  const rows: readonly (readonly [from: string, to: string])[] = [
    ['/v1/customers/cus_1A/sources', '/v1/customers/cus_real/sources'],
    ['customer=cus_1A&metadata[cus_1A]=sub_x-y', 'customer=cus_real&metadata[cus_real]=sub_real'],
    ['metadata%5Bof%5D=cus_1A', 'metadata%5Bof%5D=cus_real'],
    ['ids=a%2Ccus_1A%20sub_x-y', 'ids=a%2Ccus_real%20sub_real'],
    ['{"text":"to\\ncus_1A\\u0020cus_1A"}', '{"text":"to\\ncus_real\\u0020cus_real"}'],
    [
      '"cus_1A","xcus_1A","cus_1AB","cus_1A_","-cus_1A","CUS_1A"',
      '"cus_real","xcus_1A","cus_1AB","cus_1A_","-cus_1A","CUS_1A"',
    ],
    ['cus_1A.cus_1A@x:cus_1A', 'cus_real.cus_real@x:cus_real'],
    ['cus_1Ä cus_1Aß', 'cus_1Ä cus_realß'],
    ['', ''],
    ['constructor __proto__ toString', 'constructor __proto__ toString'],
  ];
  for (const [from, to] of rows) t.equal(exchanged(from, IDS), to, from);
  const text = 'nothing of it';
  t.equal(exchanged(text, IDS), text);
  t.strictSame([...tokensIn('cus_1A cus_1A x sub_x-y', IDS)], ['cus_1A', 'sub_x-y']);
  t.end();
});

t.test('a number is no name', t => {
  for (const id of ['1', '007', '12345678901234567890', '', 'a.b', 'a/b', 'ä', '_', '-1'])
    t.notOk(mayBeNamed(id), id);
  for (const id of ['a', 'cus_1', '1a', 'sub_x-y']) t.ok(mayBeNamed(id), id);
  t.end();
});

t.test('there and back is the same text, whatever is around the ids', async t => {
  const back = new Map([...IDS].map(([here, there]) => [there, here]));
  const word = fc.oneof(
    fc.constantFrom(
      ...IDS.keys(),
      '&',
      '=',
      '%',
      '%2',
      '%20',
      '\\',
      '\\n',
      '\\u00e',
      '"',
      '/',
      '🙂',
      '\ud800',
    ),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), words => {
      const text = words.join('');
      if (text.includes('_real')) return;
      t.equal(exchanged(exchanged(text, IDS), back), text);
      for (const id of IDS.keys()) t.notOk(tokensIn(exchanged(text, IDS), IDS).has(id));
    }),
  );
});
