// A schema in a prompt: the last that is one, whatever braces stand around it, in time that hostile braces do not stretch.
import t from 'tap';
import { PROMPT_BRACES_MAX, PROMPT_CHARS_MAX } from '../../../twins/kit/limits.ts';
import { schemaSaid } from '../../../twins/kit/schema-said.ts';

const one = { properties: { a: { type: 'string', description: 'in {braces}, \\ and "quotes"' } } };
const two = { type: 'object', properties: { b: { type: 'integer' } } };

const CASES: readonly (readonly [what: string, text: string, found: object | null])[] = [
  ['no braces', 'Say JSON.', null],
  ['an object that is no schema', 'As {"a": 1}.', null],
  ['one among words', `As ${JSON.stringify(one)}, please.`, one],
  ['one over several lines', `\`\`\`json\n${JSON.stringify(two, null, 2)}\n\`\`\``, two],
  ['the last of two', `${JSON.stringify(one)} or ${JSON.stringify(two)}`, two],
  ['one inside of what is no JSON', `{go ${JSON.stringify(two)}}`, two],
  ['one behind a brace that never ends', `{ ${JSON.stringify(two)}`, two],
  ['one behind more braces than are looked at', '{'.repeat(PROMPT_BRACES_MAX) + JSON.stringify(two), null],
  ['one before the end that is read', JSON.stringify(two) + ' '.repeat(PROMPT_CHARS_MAX), null],
];

t.test('a schema is found in a text', t => {
  for (const [what, text, found] of CASES) t.strictSame(schemaSaid([text]), found, what);
  const said = [JSON.stringify(one), JSON.stringify(two), 'Go on.'];
  t.strictSame(schemaSaid(said), two, 'the last of several texts');
  t.strictSame(
    schemaSaid([...said, ' '.repeat(PROMPT_CHARS_MAX)]),
    null,
    'of all of them together the end is read',
  );
  t.end();
});
