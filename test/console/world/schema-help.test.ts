// What the schema of handlers files says of the places in one.
import { readFileSync } from 'node:fs';
import t from 'tap';

type Help = {
  readonly name: string;
  readonly known: boolean;
  readonly text: string;
  readonly choices: readonly string[];
  readonly fields: readonly { readonly name: string; readonly text: string }[];
};

// A page's modules have their types in comments, which this program does not read.
const { helpOf } = (await import(new URL('../../../console/world/schema-help.js', import.meta.url).href)) as {
  helpOf(schema: object, pointer: string): Help;
};
const { HANDLERS_SCHEMA } = (await import(
  new URL('../../../console/world/handlers-schema.generated.js', import.meta.url).href
)) as { HANDLERS_SCHEMA: object };

const help = (pointer: string): Help => helpOf(HANDLERS_SCHEMA, pointer);
const names = (pointer: string): readonly string[] => help(pointer).fields.map(({ name }) => name);

t.test('it is the schema’s own', t => {
  const file = new URL('../../../schema/handlers.schema.json', import.meta.url);
  t.strictSame(HANDLERS_SCHEMA, JSON.parse(readFileSync(file, 'utf8')));
  t.end();
});

t.test('each place by what the schema says of it, of what it refers to, and of what may stand in it', t => {
  t.match(help(''), { known: true, name: '', text: /^What a twin answers instead/ });
  t.ok(names('').includes('handlers'));
  t.notOk(names('').includes('$schema'), 'what is there for editors is not written by a person');
  t.strictSame(names('/handlers/3'), ['id', 'match', 'times', 'reply', 'replies', 'then']);
  t.match(help('/handlers/0/then'), { name: 'then', choices: ['repeat-last', 'cycle', 'next'], fields: [] });
  t.match(help('/handlers/0/match/all/1/not/lastUser'), {
    known: true,
    text: /^The last message of the user/,
  });
  t.ok(names('/handlers/0/match/lastUser').includes('contains'), 'through what it refers to');
  t.match(help('/scope').choices, ['conversation', 'key', 'world']);
  t.match(help('/unmatched'), { choices: ['error'], fields: [{ name: 'status' }] }, 'a word or a reply');
  t.match(help('/handlers/0/replies/2/usage').fields, [{ name: 'input' }]);
  t.ok(help('/handlers/0/match/header/x-a').known, 'a name of one’s own');
  t.end();
});

t.test('what is not known is said, with what is', t => {
  const { known, name, fields } = help('/handlers/0/matches');
  t.strictSame([known, name], [false, 'matches']);
  t.ok(fields.some(field => field.name === 'match'));
  t.equal(help('/nothing/of/it').known, false);
  t.equal(help('/constructor').known, false);
  t.end();
});
