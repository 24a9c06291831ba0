import t from 'tap';
import { Needle } from '../../../../control/world/story/needle.ts';

t.test('every word, in whatever case, in what is said or in the values that are held', t => {
  const body = { id: 'cus_1', metadata: { Desk: 'Northern window' }, amount: 1900, live: true, none: null };
  const isIn = (text: string): boolean => new Needle(text).isIn('customer Ada "Amazing" King', () => body);
  for (const text of [
    '',
    '  ',
    'ada',
    'ADA king',
    '"amazing"',
    'ada northern',
    ' window\tada ',
    '1900',
    'CUS_1',
  ])
    t.equal(isIn(text), true, JSON.stringify(text));
  for (const text of ['nowhere', 'ada nowhere', 'metadata', 'desk', 'null', 'true', '19001'])
    t.equal(isIn(text), false, text);
  t.equal(
    new Needle('ada').isIn('Ada', () => t.fail('what is said is enough')),
    true,
  );
  t.end();
});
