// The published schema of the handlers file says what the parser says: the same keys at every level, and the same
// verdict on each document but for what no schema can tell.
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import t from 'tap';
import { checkHandlers, GENERATIVE_MATCHERS } from '../../../twins/kit/handlers.ts';

const file = new URL('../../../schema/handlers.schema.json', import.meta.url);
const schema = JSON.parse(await readFile(file, 'utf8'));
const validate = new Ajv({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
}).compile(schema);

const document = (reply: object, match: object = {}, more: object = {}): object => ({
  version: 1,
  ...more,
  handlers: [{ id: 'a', match, reply }],
});

t.test('every level has the same keys', t => {
  // What the parser says to a key that nobody knows names those it does.
  const known = (value: object, pointer: string): readonly string[] => {
    const checked = checkHandlers(value, { generative: true });
    const fault = checked.ok ? undefined : checked.faults.find(each => each.pointer === pointer);
    return (fault?.message.split('there are ')[1] ?? '').split(', ').sort();
  };
  const odd = { '?': 1 };
  const { definitions, properties } = schema;
  const levels: readonly (readonly [object, object, string])[] = [
    [properties, { ...document({}), ...odd }, '/?'],
    [properties.defaults.properties, document({}, {}, { defaults: odd }), '/defaults/?'],
    [
      definitions.handler.properties,
      { version: 1, handlers: [{ id: 'a', match: {}, reply: {}, ...odd }] },
      '/handlers/0/?',
    ],
    [definitions.match.properties, document({}, odd), '/handlers/0/match/?'],
    [
      definitions.match.properties.tool.properties,
      document({}, { tool: { offered: 'a', ...odd } }),
      '/handlers/0/match/tool/?',
    ],
    [definitions.reply.properties, document(odd), '/handlers/0/reply/?'],
    [definitions.error.anyOf[1].properties, document({ error: odd }), '/handlers/0/reply/error/?'],
    [definitions.reply.properties.usage.properties, document({ usage: odd }), '/handlers/0/reply/usage/?'],
    [definitions.reply.properties.stream.properties, document({ stream: odd }), '/handlers/0/reply/stream/?'],
    [
      definitions.reply.properties.toolCalls.items.properties,
      document({ toolCalls: [odd] }),
      '/handlers/0/reply/toolCalls/0/?',
    ],
  ];
  for (const [published, value, pointer] of levels) {
    t.same(Object.keys(published).sort(), known(value, pointer), pointer);
  }
  t.same(Object.keys(definitions.match.properties), GENERATIVE_MATCHERS);
  t.end();
});

t.test('the same verdict', t => {
  const error = { status: 429, type: 'x', message: 'y', retryAfter: 1 };
  const good: readonly object[] = [
    document({}),
    document(
      { text: 'a', error, stream: { cutAfterChunks: 0, chunkSize: 3 } },
      { toolResult: { name: 'a' } },
      { scope: 'conversation' },
    ),
    document(
      { error: 'reset' },
      { path: '/v1/*', query: { a: { containsAll: ['b'] } }, any: [{ not: { method: 'GET' } }] },
    ),
    document(
      { toolCalls: [{ name: 'a', arguments: [1] }], usage: { input: 1 }, finish: 'length' },
      { tool: { offered: ['a', { regex: 'b', flags: 'i' }] } },
    ),
    document(
      { embedding: [[1], [2]] },
      { toolResult: false, turn: 1, call: 2, stream: true, responseFormat: 'json_schema' },
    ),
    {
      version: 1,
      unmatched: 'error',
      handlers: [{ id: 'a', match: {}, replies: [{}], times: 3, ...JSON.parse('{"then":"cycle"}') }],
    },
    { version: 1, unmatched: { status: 503 }, defaults: { delayMs: 5 }, handlers: [] },
  ];
  const bad: readonly object[] = [
    {},
    { version: 2, handlers: [] },
    document({}, {}, { scope: 'planet' }),
    document({}, {}, { unmatched: 'ok' }),
    { version: 1, handlers: [{ id: 'a', match: {} }] },
    { version: 1, handlers: [{ id: 'a', match: {}, reply: {}, replies: [{}] }] },
    { version: 1, handlers: [{ id: 'a', match: {}, replies: [] }] },
    document({ status: 99 }),
    document({ headers: { 'a b': 'c' } }),
    document({ headers: { a: 'b\r\nc' } }),
    document({ error: 'gone' }),
    document({ error: { status: 200, type: 'a', message: 'b' } }),
    document({ delayMs: -1 }),
    document({ embedding: [] }),
    document({ embedding: [1, 'a'] }),
    document({ toolCalls: [{}] }),
    document({ stream: { chunks: [1] } }),
    document({}, { method: { equals: 'a', contains: 'b' } }),
    document({}, { method: { contains: 'a', flags: 'i' } }),
    document({}, { tool: {} }),
    document({}, { toolResult: {} }),
    document({}, { turn: 0 }),
    document({}, { query: 'a' }),
    document({}, { all: {} }),
  ];
  for (const [documents, wanted] of [
    [good, true],
    [bad, false],
  ] as const) {
    for (const value of documents) {
      t.equal(checkHandlers(value, { generative: true }).ok, wanted, `parser: ${JSON.stringify(value)}`);
      t.equal(validate(value), wanted, `schema: ${JSON.stringify(value)}`);
    }
  }
  t.end();
});
