// Requests that no client would send: whatever arrives, the twins of language models answer in their vendor's shape,
// and none of it is a bug of theirs (a fault fails the world's close).

import t from 'tap';
import { openLlmWorld } from '../kit/llm-world.ts';
import { fc } from '../kit/property.ts';

const RUNS = 150;
const tool = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] } },
};
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

/** Whole requests, of which parts are exchanged for anything at all. */
const SEEDS = {
  openai: [
    [
      '/v1/chat/completions',
      {
        model: 'm',
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'x' }] },
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c', content: 'y' },
        ],
        tools: [tool],
        tool_choice: 'required',
        stop: ['a'],
        n: 2,
        store: true,
        metadata: { a: 'b' },
        stream: true,
        stream_options: { include_usage: true },
      },
    ],
    [
      '/v1/chat/completions',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
        response_format: {
          type: 'json_schema',
          json_schema: {
            schema: { type: 'object', properties: { a: { type: 'array', items: { enum: [1] } } } },
          },
        },
        max_tokens: 3,
        logprobs: true,
        functions: [{ name: 'f' }],
      },
    ],
    [
      '/v1/responses',
      {
        model: 'm',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
          { type: 'function_call_output', call_id: 'c', output: 'y' },
        ],
        tools: [{ type: 'function', name: 'f', parameters: {} }],
        text: { format: { type: 'json_schema', schema: {} } },
        instructions: 'i',
        include: ['reasoning.encrypted_content'],
        background: false,
        stream: true,
        conversation: 'conv_1',
        previous_response_id: 'resp_1',
      },
    ],
    ['/v1/embeddings', { model: 'm', input: ['a', [1, 2]], dimensions: 4, encoding_format: 'base64' }],
    ['/v1/moderations', { input: [{ type: 'text', text: 'x' }, { type: 'image_url' }] }],
    ['/v1/conversations', { items: [{ role: 'user', content: 'x', id: 'i' }], metadata: {} }],
    [
      '/v1/batches',
      { input_file_id: 'file-1', endpoint: '/v1/responses', completion_window: '24h', metadata: {} },
    ],
    ['/v1/realtime/client_secrets', { session: { type: 'realtime', model: 'm' } }],
  ],
  anthropic: [
    [
      '/v1/messages',
      {
        model: 'm',
        max_tokens: 5,
        system: [{ type: 'text', text: 's' }],
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'text', data: 'd' } }] },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'y' }] }],
          },
        ],
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
        tool_choice: { type: 'any' },
        stop_sequences: ['a'],
        stream: true,
        thinking: { type: 'enabled', budget_tokens: 1 },
        output_config: { format: { type: 'json_schema', schema: {} } },
      },
    ],
    ['/v1/messages/count_tokens', { model: 'm', messages: [{ role: 'user', content: 'x' }] }],
    [
      '/v1/messages/batches',
      {
        requests: [
          {
            custom_id: 'a',
            params: { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] },
          },
        ],
      },
    ],
  ],
} as const;

/** The value with the part at a random path exchanged or left out. */
function mutated(value: unknown, pick: () => number, anything: unknown): unknown {
  if (typeof value !== 'object' || value === null || pick() < 0.25) return anything;
  const keys = Object.keys(value);
  const key = keys[Math.floor(pick() * keys.length)];
  if (key === undefined) return anything;
  const held = (value as { [name: string]: unknown })[key];
  if (Array.isArray(value))
    return value.map((each, at) => (String(at) === key ? mutated(each, pick, anything) : each));
  if (pick() < 0.1) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  return { ...value, [key]: mutated(held, pick, anything) };
}

for (const vendor of ['openai', 'anthropic'] as const) {
  t.test(`${vendor}: any request is answered, and none with a fault`, async t => {
    await using made = await openLlmWorld(vendor, {
      scope: 'conversation',
      handlers: [
        {
          id: 'never',
          match: { lastUser: { regex: 'x{5}' }, toolResult: { name: 'q' }, tool: { offered: ['q'] } },
          reply: {},
        },
      ],
    });
    const headers = {
      authorization: 'Bearer k',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    };
    const anything = fc.oneof(
      fc.json().map(text => JSON.parse(text)),
      fc.constantFrom(null, -1, 1e308, '', '__proto__', [], {}, [null], { constructor: 1 }),
    );
    const seeds = SEEDS[vendor] as readonly (readonly [string, object])[];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...seeds),
        fc.array(
          fc.tuple(
            fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 30, maxLength: 30 }),
            anything,
          ),
          { maxLength: 3 },
        ),
        async ([path, seed], changes) => {
          let body: unknown = seed;
          for (const [numbers, value] of changes) {
            let at = 0;
            body = mutated(body, () => numbers[at++ % numbers.length]!, value);
          }
          const { status, body: answer } = await made.ask('POST', path, body, { headers });
          if (status >= 500) throw new Error(`${status} ${JSON.stringify(answer)}`);
          if (status >= 400 && typeof answer?.error?.message !== 'string')
            throw new Error(JSON.stringify(answer));
        },
      ),
      { numRuns: RUNS },
    );
    for (const body of ['', '[]', '"x"', '[['.repeat(5_000), '{"model":'.repeat(500)]) {
      t.equal((await made.ask('POST', seeds[0]![0], body, { headers })).status, 400);
    }
    await made.advance('2d');
    t.pass('what fell due did too');
  });
}
