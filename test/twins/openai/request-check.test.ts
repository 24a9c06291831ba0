// What OpenAI refuses of a chat completion and of a response: in its own words, and nothing of it stored.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import t from 'tap';
import { CHAT_PARAMETERS } from '../../../twins/openai/chat-check.ts';
import { ITEMS, RESPONSE_PARAMETERS } from '../../../twins/openai/response-check.ts';
import { openLlmWorld } from '../../kit/llm-world.ts';

const user = { role: 'user', content: 'x' };
const chat = { model: 'gpt-4o', messages: [user] };
const saying = (content: unknown) => ({ ...chat, messages: [{ role: 'user', content }] });
const open = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const closed = { ...open, additionalProperties: false };
const nested = { ...closed, properties: { a: { type: 'array', items: open } } };
const optional = { ...closed, required: [] };
const schema = (of: object, strict = true) => ({
  ...chat,
  response_format: { type: 'json_schema', json_schema: { name: 'point', strict, schema: of } },
});
const tool = (of: object) => ({
  ...chat,
  tools: [{ type: 'function', function: { name: 'add', strict: true, parameters: of } }],
});
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }],
};

type Refused = readonly [what: string, body: object, expected: object];

const CHAT: readonly Refused[] = [
  [
    'a parameter that is none',
    { ...chat, foo: 1 },
    { message: 'Unrecognized request argument supplied: foo', param: null },
  ],
  [
    'two of them',
    { ...chat, foo: 1, bar: 2 },
    { message: 'Unrecognized request arguments supplied: foo, bar' },
  ],
  [
    'a picture at no address',
    saying([{ type: 'image_url', image_url: { url: 'a.png' } }]),
    {
      param: 'messages[0].content[0].image_url.url',
      message: /Expected a valid URL, but got a value with an invalid format/,
    },
  ],
  [
    'a picture that is none',
    saying([{ type: 'image_url', image_url: { url: 'data:application/pdf;base64,AAAA' } }]),
    { code: 'invalid_value', message: /but got unsupported MIME type 'application\/pdf'/ },
  ],
  [
    'a picture without its address',
    saying([{ type: 'image_url', image_url: {} }]),
    { param: 'messages[0].content[0].image_url.url', code: 'missing_required_parameter' },
  ],
  [
    'json_object without the word',
    { ...chat, response_format: { type: 'json_object' } },
    { param: 'messages', message: /must contain the word 'json' in some form/ },
  ],
  [
    'a format that is none',
    { ...chat, response_format: { type: 'xml' } },
    { param: 'response_format.type', code: 'invalid_value' },
  ],
  [
    'a format as a word',
    { ...chat, response_format: 'json' },
    { code: 'invalid_type', message: /expected an object, but got a string/ },
  ],
  [
    'a schema beside the format',
    { ...chat, response_format: { type: 'json_schema', schema: {} } },
    { message: "Unknown parameter: 'response_format.schema'.", code: 'unknown_parameter' },
  ],
  [
    'a strict schema that is open',
    schema(open),
    {
      param: 'response_format',
      message:
        "Invalid schema for response_format 'point': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    },
  ],
  [
    'one that is open within',
    schema(nested),
    { message: /In context=\('properties', 'a', 'items'\), 'additionalProperties'/ },
  ],
  [
    'a strict schema that does not require all',
    schema(optional),
    { message: /'required' is required to be supplied.*Missing 'a'\./ },
  ],
  [
    'a schema of no object',
    schema({ type: 'string' }),
    { message: /schema must be a JSON Schema of 'type: "object"', got 'type: "string"'/ },
  ],
  [
    'a strict function whose schema is open',
    tool(open),
    { param: 'tools[0].function.parameters', code: 'invalid_function_parameters' },
  ],
  [
    'a function with an odd name',
    { ...chat, tools: [{ type: 'function', function: { name: 'a b' } }] },
    { param: 'tools[0].function.name', message: /does not match pattern/ },
  ],
  ['no tools at all', { ...chat, tools: [] }, { code: 'empty_array' }],
  ['an empty list of parts', saying([]), { code: 'empty_array', param: 'messages[0].content' }],
  [
    'a part of another vendor',
    saying([{ type: 'image', source: {} }]),
    { code: 'invalid_value', param: 'messages[0].content[0].type' },
  ],
  ['nothing said', saying(null), { message: /expected a string, got null/ }],
  [
    'a call that nothing answers',
    { ...chat, messages: [user, call, user] },
    { message: /must be followed by tool messages.*call_1/ },
  ],
  [
    'more tokens than the model says',
    { ...chat, max_tokens: 16_385 },
    { param: 'max_tokens', message: /^max_tokens is too large: 16385\. This model supports at most 16384/ },
  ],
  [
    'max_tokens of a reasoning model',
    { ...chat, model: 'o3', max_tokens: 5 },
    { code: 'unsupported_parameter', message: /Use 'max_completion_tokens' instead/ },
  ],
  [
    'a temperature of a reasoning model',
    { ...chat, model: 'gpt-5', temperature: 0 },
    { code: 'unsupported_value' },
  ],
  ['a temperature that is too high', { ...chat, temperature: 3 }, { code: 'decimal_above_max_value' }],
  ['no answer', { ...chat, n: 0 }, { code: 'integer_below_min_value' }],
  ['five stops', { ...chat, stop: ['a', 'b', 'c', 'd', 'e'] }, { code: 'array_above_max_length' }],
  [
    'stream options without a stream',
    { ...chat, stream_options: { include_usage: true } },
    { param: 'stream_options' },
  ],
];

const response = { model: 'gpt-4o', input: 'x' };
const format = (of: object) => ({ ...response, text: { format: of } });
const items = (...input: object[]) => ({ ...response, input });

const RESPONSES: readonly Refused[] = [
  [
    'a picture that is no Base64',
    items({ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png,AAAA' }] }),
    { param: 'input[0].content[0].image_url', message: /not base64-encoded/ },
  ],
  [
    'a parameter that is none',
    { ...response, foo: 1 },
    { message: "Unknown parameter: 'foo'.", code: 'unknown_parameter' },
  ],
  [
    'a parameter of chat completions',
    { ...response, response_format: {} },
    { code: 'unsupported_parameter', message: /has moved to 'text\.format'/ },
  ],
  [
    'json_object without the word',
    format({ type: 'json_object' }),
    { param: 'input', message: /must contain the word 'json'/ },
  ],
  [
    'a strict schema that is open',
    format({ type: 'json_schema', name: 'point', strict: true, schema: open }),
    { param: 'text.format.schema', code: 'invalid_json_schema' },
  ],
  [
    'a strict function that is open',
    { ...response, tools: [{ type: 'function', name: 'a', strict: true, parameters: open }] },
    { code: 'invalid_function_parameters' },
  ],
  ['a tool without a type', { ...response, tools: [{ name: 'a' }] }, { param: 'tools[0].type' }],
  [
    'too few tokens',
    { ...response, max_output_tokens: 5 },
    { code: 'integer_below_min_value', param: 'max_output_tokens' },
  ],
  [
    'a part of chat completions',
    items({ role: 'user', content: [{ type: 'text', text: 'x' }] }),
    { param: 'input[0].content[0]', message: /^Invalid value: 'text'\./ },
  ],
  ['a role that is none', items({ role: 'boss', content: 'x' }), { param: 'input[0]' }],
  ['an item that is none', items({ type: 'thought' }), { param: 'input[0]', code: 'invalid_value' }],
  [
    'a result without its call',
    items({ type: 'function_call_output', call_id: 'call_1', output: 'x' }),
    { param: 'input', message: 'No tool call found for function call output with call_id call_1.' },
  ],
  [
    'a call without its result',
    items({ type: 'function_call', call_id: 'call_1', name: 'a', arguments: '{}' }),
    { message: 'No tool output found for function call call_1.' },
  ],
];

for (const [path, refused] of [
  ['/v1/chat/completions', CHAT],
  ['/v1/responses', RESPONSES],
] as const) {
  t.test(`${path}: what OpenAI refuses is refused in its words, and nothing is stored`, async t => {
    await using made = await openLlmWorld('openai');
    for (const [what, body, expected] of refused) {
      const { status, body: answer } = await made.ask('POST', path, body);
      t.match({ status, ...answer.error }, { status: 400, type: 'invalid_request_error', ...expected }, what);
    }
    t.same(await made.kinds(), []);
  });
}

t.test('the nearest neighbours of what is refused are taken', async t => {
  await using made = await openLlmWorld('openai');
  for (const [path, body] of [
    ['/v1/chat/completions', schema(closed)],
    ['/v1/chat/completions', schema(open, false)],
    ['/v1/chat/completions', tool(closed)],
    ['/v1/chat/completions', { ...saying('as JSON'), response_format: { type: 'json_object' } }],
    ['/v1/chat/completions', { ...chat, max_tokens: 16_384 }],
    ['/v1/chat/completions', { ...chat, model: 'o3', max_completion_tokens: 5 }],
    [
      '/v1/chat/completions',
      { ...chat, messages: [user, call, { role: 'tool', tool_call_id: 'call_1', content: 'y' }] },
    ],
    ['/v1/chat/completions', { ...chat, model: 'somebody/elses-model', max_tokens: 10_000_000 }],
    ['/v1/responses', { ...response, max_output_tokens: 16 }],
    ['/v1/responses', { ...format({ type: 'json_object' }), instructions: 'Answer as JSON.' }],
  ] as const) {
    const { status, body: answer } = await made.ask('POST', path, body);
    t.equal(status, 200, `${JSON.stringify(body)}: ${JSON.stringify(answer.error)}`);
  }
});

t.test('every parameter and every item of the SDK is known', t => {
  const sdk = join(dirname(createRequire(import.meta.url).resolve('openai')), 'resources');
  const paramsOf = (file: string): readonly string[] => {
    const text = readFileSync(join(sdk, file), 'utf8');
    const from = text.search(/^export interface \w*CreateParamsBase /m);
    const found = [...text.slice(from, text.indexOf('\n}', from)).matchAll(/^ {4}([a-z_]+)\??:/gm)];
    return found.map(([, name]) => name!);
  };
  const asked = paramsOf('chat/completions/completions.d.ts');
  t.ok(asked.includes('messages'));
  t.same(
    asked.filter(name => !CHAT_PARAMETERS.has(name)),
    [],
  );
  for (const file of ['responses/responses.d.ts', 'beta/responses/responses.d.ts']) {
    const params = paramsOf(file);
    t.ok(params.includes('input'), file);
    // Sent as a header.
    t.same(
      params.filter(name => name !== 'betas' && !RESPONSE_PARAMETERS.has(name)),
      [],
      file,
    );
  }
  const text = readFileSync(join(sdk, 'responses', 'responses.d.ts'), 'utf8');
  const from = text.indexOf('export declare namespace ResponseInputItem {');
  const types = [...text.slice(from, text.indexOf('\n}', from)).matchAll(/^ {8}type\??: '([a-z_]+)'/gm)];
  t.ok(types.length > 15);
  t.same(
    types.map(([, type]) => type!).filter(type => !ITEMS.includes(type)),
    [],
  );
  t.end();
});
