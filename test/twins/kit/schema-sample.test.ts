// What a twin makes up for a schema satisfies it: judged by ajv, for schemas of hand and for those of zod.
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { z } from 'zod';
import { patternSample } from '../../../twins/kit/pattern-sample.ts';
import { sampleOf } from '../../../twins/kit/schema-sample.ts';

type Schema = Parameters<typeof sampleOf>[0];

const SCHEMAS: readonly object[] = [
  { type: 'string' },
  { type: 'string', minLength: 12 },
  { type: 'string', maxLength: 2 },
  { type: 'string', pattern: '^[A-Z]{3}-\\d{4}(?:-x|y)?$' },
  { type: 'string', enum: ['b', 'a'] },
  { const: { a: 1 } },
  { type: 'integer', minimum: 5, maximum: 9 },
  { type: 'integer', exclusiveMinimum: 5, maximum: 6 },
  { type: 'number', minimum: 0.25, exclusiveMaximum: 0.5 },
  { type: 'number', maximum: -3 },
  { type: 'integer', multipleOf: 7, minimum: 20 },
  { type: ['null', 'boolean'] },
  { type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true },
  { type: 'array', items: { enum: ['x', 'y', 'z'] }, minItems: 3, uniqueItems: true },
  { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2, items: false },
  {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'integer' } },
    required: ['b'],
    additionalProperties: false,
  },
  { anyOf: [{ type: 'null' }, { type: 'object', properties: { kind: { const: 'k' } }, required: ['kind'] }] },
  {
    allOf: [
      { properties: { a: { type: 'integer' } }, required: ['a'] },
      { properties: { b: { type: 'string' } }, required: ['b'] },
    ],
    type: 'object',
  },
  {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
        required: ['name', 'children'],
      },
    },
  },
  z.toJSONSchema(
    z.object({
      id: z.string().regex(/^[a-f0-9]{8}$/),
      size: z.int().min(3),
      tags: z.array(z.enum(['a', 'b'])).min(2),
      at: z.union([z.literal('now'), z.number()]),
    }),
  ),
];

t.test('the sample satisfies its schema, and is the same each time', t => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const schema of SCHEMAS) {
    const { $schema: _, ...plain } = schema as { readonly $schema?: string };
    const made = sampleOf(schema as Schema);
    const validate = ajv.compile(plain);
    t.ok(
      validate(made),
      `${JSON.stringify(schema)} → ${JSON.stringify(made)}: ${ajv.errorsText(validate.errors)}`,
    );
    t.same(sampleOf(schema as Schema), made);
  }
  t.end();
});

t.test('what cannot be satisfied or does not end is answered all the same', t => {
  t.equal(sampleOf(undefined), 'text');
  t.doesNotThrow(() => sampleOf({ $ref: '#' }));
  t.doesNotThrow(() => sampleOf({ $ref: '#/nowhere' }));
  t.doesNotThrow(() => sampleOf({ type: 'array', items: { $ref: '#' }, minItems: 99 }));
  t.doesNotThrow(() => sampleOf({ type: 'integer', minimum: 5, maximum: 4 }));
  t.same(
    sampleOf({ type: 'object', properties: { ['__proto__']: { type: 'integer' } }, required: ['__proto__'] }),
    JSON.parse('{"__proto__":1}'),
  );
  t.end();
});

t.test('bounds that an SDK moved into the description are kept', t => {
  const integer = (description: string): unknown => sampleOf({ type: 'integer', description });
  t.equal(integer('minimum: 18; maximum: 99.'), 18);
  t.equal(integer('The age.\n\n{minimum: 18, maximum: 99}'), 18);
  t.equal(integer('minimum wage: 18 dollars'), 1);
  t.equal(sampleOf({ type: 'string', description: 'format: email.' }), 'ada@example.com');
  t.end();
});

t.test('a pattern’s sample, or none', t => {
  for (const source of [
    '^a+b*$',
    '^(?:x|yz){2}$',
    '[^a]',
    '\\d{3}-\\w',
    '^$',
    '^.{3}$',
    '\\bword\\b',
    '^\\$\\d+\\.\\d{2}$',
    '^[\\w.-]+@[\\w.-]+$',
  ]) {
    const made = patternSample(source);
    t.ok(made !== null && new RegExp(source).test(made), `${source} → ${made}`);
  }
  t.equal(patternSample('(?=a)b'), null);
  t.equal(patternSample('('), null);
  t.end();
});
