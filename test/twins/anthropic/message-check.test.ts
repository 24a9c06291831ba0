// What Anthropic refuses of a Messages request: in its own words, and nothing of it stored.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import t from 'tap';
import { isBlock, PARAMETERS } from '../../../twins/anthropic/message-check.ts';
import { openLlmWorld } from '../../kit/llm-world.ts';

const user = { role: 'user', content: 'x' };
const asked = { model: 'claude-sonnet-4-5', max_tokens: 10, messages: [user] };
const withText = (text: string, more: object = {}) => ({
  ...asked,
  messages: [{ role: 'user', content: [{ type: 'text', text, ...more }] }],
});
const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const withMedia = (type: string, media_type: string, data: string) => ({
  ...asked,
  messages: [{ role: 'user', content: [{ type, source: { type: 'base64', media_type, data } }] }],
});
const open = { type: 'object', properties: { a: { type: 'string' } } };
const closed = { ...open, additionalProperties: false };
const nested = { ...closed, properties: { steps: { type: 'array', items: open } } };
const tool = (more: object = {}) => ({ name: 'a', input_schema: open, ...more });
const mark = { cache_control: { type: 'ephemeral' } };
const marked = (...ttls: string[]) => ({
  ...asked,
  system: ttls.map(ttl => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl } })),
});
const assistant = (content: unknown) => ({ role: 'assistant', content });
const called = assistant([{ type: 'tool_use', id: 'toolu_1', name: 'a', input: {} }]);

const REFUSED: readonly (readonly [what: string, body: object, message: string | RegExp])[] = [
  ['an empty text', withText(''), 'messages: text content blocks must be non-empty'],
  ['a blank text', withText(' \n'), 'messages: text content blocks must contain non-whitespace text'],
  [
    'an empty text that is to be cached',
    withText('', mark),
    'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
  ],
  [
    'empty instructions',
    { ...asked, system: [{ type: 'text', text: '' }] },
    'system: text content blocks must be non-empty',
  ],
  [
    'an empty message',
    { ...asked, messages: [{ role: 'user', content: '' }] },
    /^messages\.0: all messages must/,
  ],
  [
    'a role of another vendor',
    { ...asked, messages: [{ role: 'tool', content: 'x' }] },
    /Unexpected role "tool"/,
  ],
  ['a parameter of another vendor', { ...asked, n: 2 }, 'n: Extra inputs are not permitted'],
  [
    'a name beside a role',
    { ...asked, messages: [{ ...user, name: 'Ada' }] },
    'messages.0.name: Extra inputs are not permitted',
  ],
  [
    'more tokens than the model says',
    { ...asked, max_tokens: 64_001 },
    'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5-20250929',
  ],
  ['a temperature that is too high', { ...asked, temperature: 1.5 }, 'temperature: range: 0..1'],
  [
    'two ways to sample',
    { ...asked, temperature: 0.5, top_p: 0.5 },
    /^`temperature` and `top_p` cannot both be specified for this model/,
  ],
  [
    'a picture of a type that no model sees',
    withMedia('image', 'image/bmp', PNG),
    "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  ],
  ['a picture that is none', withMedia('image', 'image/png', 'AAAA'), 'Could not process image'],
  [
    'a picture in no Base64',
    withMedia('image', 'image/png', 'https://a.example/b.png'),
    'messages.0.content.0.image.source.base64.data: Invalid base64 data',
  ],
  [
    'a picture that is another',
    withMedia('image', 'image/jpeg', PNG),
    /using the image\/jpeg media type, but the image appears to be a image\/png image$/,
  ],
  [
    'a document that is no PDF',
    withMedia('document', 'application/pdf', PNG),
    'The PDF specified was not valid.',
  ],
  [
    'a block that is none',
    withText('x', { type: 'image_url' }),
    /^messages\.0\.content\.0: Input tag 'image_url'/,
  ],
  [
    'a text block without text',
    withText('x', { text: undefined }),
    'messages.0.content.0.text.text: Field required',
  ],
  [
    'a strict tool whose schema is open',
    { ...asked, tools: [tool({ strict: true })] },
    "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  [
    'an answer whose schema is open somewhere',
    { ...asked, output_config: { format: { type: 'json_schema', schema: nested } } },
    /^output_config\.format\.schema: For 'object' type, 'additionalProperties'/,
  ],
  [
    'a tool without a schema',
    { ...asked, tools: [{ name: 'a' }] },
    'tools.0.custom.input_schema: Field required',
  ],
  [
    'a tool with an odd name',
    { ...asked, tools: [tool({ name: 'a b' })] },
    /^tools\.0\.custom\.name: String should match/,
  ],
  ['two tools of one name', { ...asked, tools: [tool(), tool()] }, 'tools: Tool names must be unique.'],
  [
    'a choice that is none',
    { ...asked, tools: [tool()], tool_choice: { type: 'required' } },
    /^tool_choice: Input tag 'required'/,
  ],
  [
    'a call at the end that nothing answers',
    { ...asked, messages: [user, called] },
    /^messages\.1: `tool_use` ids were found without `tool_result`/,
  ],
  [
    'an answer begun with a space at its end',
    { ...asked, messages: [user, assistant('The answer is ')] },
    'messages: final assistant content cannot end with trailing whitespace',
  ],
  [
    'an answer begun for a model that takes none',
    { ...asked, model: 'claude-opus-4-6', messages: [user, assistant('The')] },
    /^This model does not support assistant message prefill/,
  ],
  [
    'five breakpoints',
    marked('5m', '5m', '5m', '5m', '5m'),
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'an hour after five minutes',
    marked('5m', '1h'),
    /^system\.1\.cache_control\.ttl: a ttl='1h' cache_control block/,
  ],
  [
    'thinking at another temperature',
    { ...asked, max_tokens: 2000, temperature: 0.5, thinking: { type: 'enabled', budget_tokens: 1024 } },
    /^`temperature` may only be set to 1 when thinking is enabled/,
  ],
];

const TAKEN: readonly (readonly [what: string, body: object])[] = [
  ['a text', withText('x')],
  ['as many tokens as the model says', { ...asked, max_tokens: 64_000 }],
  [
    'a strict tool whose schema is closed',
    { ...asked, tools: [tool({ strict: true, input_schema: closed })] },
  ],
  ['a tool that is not strict', { ...asked, tools: [tool()] }],
  ['messages of one role in a row, as one turn', { ...asked, messages: [user, user, assistant('y'), user] }],
  [
    'a result in the second message of a turn',
    {
      ...asked,
      tools: [tool()],
      messages: [
        user,
        called,
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'y' }] },
        user,
      ],
    },
  ],
  ['an answer begun', { ...asked, messages: [user, assistant('The')] }],
  ['four breakpoints', marked('1h', '1h', '5m', '5m')],
  ['a model that nobody here knows', { ...asked, model: 'claude-next', max_tokens: 1_000_000 }],
];

t.test('what Anthropic refuses is refused in its words, and nothing is stored', async t => {
  await using made = await openLlmWorld('anthropic');
  const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  for (const [what, body, message] of REFUSED) {
    const { status, body: answer } = await made.ask('POST', '/v1/messages', body, { headers });
    t.match({ status, ...answer }, { status: 400, error: { type: 'invalid_request_error', message } }, what);
  }
  t.same(await made.kinds(), []);
  for (const [what, body] of TAKEN) {
    const { status, body: answer } = await made.ask('POST', '/v1/messages', body, { headers });
    t.equal(status, 200, `${what}: ${JSON.stringify(answer)}`);
  }
  const counted = await made.ask('POST', '/v1/messages/count_tokens', withText(''), { headers });
  t.equal(counted.status, 400, 'a count is refused for the same');
});

t.test('every parameter and every block of the SDK is known', t => {
  const sdk = join(dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sdk')), 'resources');
  const text = readFileSync(join(sdk, 'beta', 'messages', 'messages.d.ts'), 'utf8');
  const bodyOf = (name: string): string => {
    const from = text.search(new RegExp(`^export interface ${name} `, 'm'));
    return text.slice(from, text.indexOf('\n}', from));
  };
  const params = [...bodyOf('MessageCreateParamsBase').matchAll(/^ {4}([a-z_]+)\??:/gm)].map(
    ([, name]) => name!,
  );
  t.ok(params.includes('messages'));
  // Sent as headers.
  t.same(
    params.filter(name => !PARAMETERS.has(name)),
    ['betas'],
  );
  const [, union = ''] = /export type BetaContentBlockParam = ([^;]+);/.exec(text) ?? [];
  const types = union
    .split('|')
    .map(name => /^ {4}type\??: '([a-z_]+)'/m.exec(bodyOf(name.trim()))?.[1] ?? '');
  t.ok(types.length > 20 && types.includes('text'));
  t.same(
    types.filter(type => !isBlock(type)),
    [],
  );
  t.end();
});
