import t from 'tap';
import { json, problem } from '../../../control/http/answer.ts';

const retryAfter = ({ headers }: { readonly headers: readonly (readonly [string, string])[] }) =>
  headers.filter(([name]) => name.toLowerCase() === 'retry-after').map(([, value]) => value);

t.test('whoever is told to come again is told when, whatever the answer is', t => {
  t.strictSame(retryAfter(json(503, { status: 'draining' })), ['1'], 'the health of a host');
  t.strictSame(retryAfter(problem(429, 'over-budget', 'Too many.')), ['1']);
  t.strictSame(retryAfter(json(503, {}, [['Retry-After', '7']])), ['7'], 'who knows better says it');
  t.strictSame(retryAfter(problem(409, 'conflict', 'No.')), []);
  t.end();
});
