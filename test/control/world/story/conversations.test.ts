// What models were asked, over the twins of OpenAI and Anthropic and the world's endpoints.
import t from 'tap';
import { anthropicTwin } from '../../../../twins/anthropic/twin.ts';
import type { Handlers } from '../../../../twins/kit/handlers.ts';
import { mountTwin } from '../../../../twins/kit/mount.ts';
import type { TurnPart } from '../../../../twins/kit/turns.ts';
import { openaiTwin } from '../../../../twins/openai/twin.ts';
import { openTestSite } from '../../../kit/site.ts';

const HANDLERS: Handlers = {
  version: 1,
  handlers: [
    {
      id: 'weather',
      match: { lastUser: { contains: 'weather' }, toolResult: false },
      reply: { toolCalls: [{ name: 'forecast', arguments: { city: 'Oslo' }, id: 'call_1' }] },
    },
    { id: 'rain', match: { toolResult: true }, reply: { text: 'Take an umbrella.', reasoning: 'It rains.' } },
  ],
};
const PIXEL = 'iVBORw0KGgo=';
const TOOL = { type: 'function', function: { name: 'forecast', parameters: { type: 'object' } } };
const long = 'x'.repeat(70_000);

async function openModels() {
  const site = await openTestSite({
    twins: {
      openai: mountTwin(openaiTwin, HANDLERS),
      anthropic: mountTwin(anthropicTwin, null),
    },
  });
  const post = async (path: string, body: object, more: readonly (readonly [string, string])[] = []) => {
    const answer = await site.ask({
      method: 'POST',
      target: `/acme/notes/${path}`,
      headers: [['x-wrld-token', site.token], ['content-type', 'application/json'], ...more],
      body: JSON.stringify(body),
    });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json;
  };
  const get = (path: string) =>
    site.ask({ target: `/-/acme/notes/${path}`, headers: [['x-wrld-token', site.readToken]] });
  return { site, post, get };
}

t.test('[4.9] calls to models are listed, and one is read by turns', async t => {
  const { site, post, get } = await openModels();
  await using _site = site;
  const asked = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is the weather here? <b>\u0000' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
        { type: 'image_url', image_url: { url: 'https://p.test/a.png' } },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
    },
  ];
  await post('openai/v1/chat/completions', { model: 'gpt-5', messages: asked, tools: [TOOL], stream: true });
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'forecast', arguments: '{"city":"Oslo"}' },
  };
  await post('openai/v1/chat/completions', {
    model: 'gpt-5',
    messages: [
      ...asked,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: `{"rain":"${long}"}` },
    ],
    tools: [TOOL],
  });
  const { calls, next } = (await get('conversations')).json;
  t.equal(next, null);
  t.match(calls, [
    {
      id: 'openai:2',
      endpoint: 'chat.completions',
      messages: 4,
      answered: 'Take an umbrella.',
      handler: 'rain',
      calls: [],
      tokens: { input: /\d+/, output: /\d+/ },
    },
    { id: 'openai:1', messages: 2, calls: ['forecast'], handler: 'weather', stream: true },
  ]);
  t.equal(calls[0].conversation, calls[1].conversation);
  t.match(calls[0], { asked: /^What is the weather/, results: ['forecast'] });

  const { json: whole } = await get('conversations/openai/2');
  t.match(whole, { tools: ['forecast'], finish: 'stop', after: null, short: false });
  t.strictSame(whole.turns, [
    { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      parts: [
        { kind: 'text', text: 'What is the weather here? <b>\u0000' },
        { kind: 'image', type: 'image/png', data: PIXEL, at: null },
        { kind: 'image', type: null, data: null, at: 'https://p.test/a.png' },
        { kind: 'other', text: 'file file-1' },
      ],
    },
    {
      role: 'assistant',
      parts: [{ kind: 'call', id: 'call_1', name: 'forecast', arguments: '{"city":"Oslo"}' }],
    },
    {
      role: 'tool',
      parts: [{ kind: 'result', id: 'call_1', name: 'forecast', text: `{"rain":"${long}"}` }],
    },
  ]);
  t.strictSame(whole.answer.parts, [
    { kind: 'reasoning', text: 'It rains.' },
    { kind: 'text', text: 'Take an umbrella.' },
  ]);
  t.equal((await get('conversations/openai/9')).status, 404);
  t.equal((await get('conversations/openai/x')).status, 404);
  t.equal((await get('conversations?before=x')).status, 400);
  const first = (await get('conversations?limit=1')).json;
  t.match([first.calls.length, first.calls[0].id], [1, 'openai:2']);
  t.match((await get(`conversations?limit=1&before=${first.next}`)).json, {
    calls: [{ id: 'openai:1' }],
    next: null,
  });
});

t.test('a response that the vendor keeps goes on from another; what is no call is passed over', async t => {
  const { site, post, get } = await openModels();
  await using _site = site;
  const one = await post('openai/v1/responses', {
    model: 'gpt-5',
    instructions: 'Be kind.',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
  });
  await post('openai/v1/responses', { model: 'gpt-5', previous_response_id: one.id, input: 'And now?' });
  await post('openai/v1/chat/completions', {
    model: 'gpt-5',
    store: true,
    messages: [{ role: 'user', content: 'Kept' }],
  });
  await post('openai/v1/conversations', {});
  await post('openai/v1/images/generations', { model: 'gpt-image-1', prompt: 'A fox' });
  const { calls } = (await get('conversations')).json;
  t.match(calls, [
    { endpoint: 'images.generations', asked: 'A fox', tokens: null, answered: null },
    { endpoint: 'chat.completions', asked: 'Kept', answered: 'You said: Kept', handler: null },
    { endpoint: 'responses', asked: 'And now?' },
    { endpoint: 'responses', asked: 'Hello' },
  ]);
  const { json: second } = await get(`conversations/openai/${calls[2].position}`);
  t.match(second, {
    after: { id: one.id, entry: calls[3].id },
    turns: [{ role: 'user', parts: [{ text: 'And now?' }] }],
    answer: { parts: [{ kind: 'text', text: /You said: And now\?/ }] },
  });
  t.match((await get(`conversations/openai/${calls[3].position}`)).json.turns, [
    { role: 'system', parts: [{ text: 'Be kind.' }] },
    { role: 'user', parts: [{ text: 'Hello' }] },
  ]);
  t.match((await get(`conversations/openai/${calls[0].position}`)).json, {
    turns: [{ role: 'user', parts: [{ text: 'A fox' }] }],
    answer: null,
  });
  // Only the twin of something else did anything since: the calls are further down.
  for (let n = 0; n < 3; n++) await post('openai/v1/conversations', {});
  t.match((await get('conversations?limit=2')).json, { calls: [{ asked: 'A fox' }] });
});

t.test('Anthropic’s messages', async t => {
  const { site, post, get } = await openModels();
  await using _site = site;
  const parts: readonly TurnPart['kind'][] = ['text', 'image', 'other'];
  await post(
    'anthropic/v1/messages',
    {
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
            { type: 'document', title: 'Terms', source: { type: 'url', url: 'https://p.test/a.pdf' } },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'A fox' }] },
          ],
        },
      ],
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    },
    [
      ['x-api-key', 'sk-ant-x'],
      ['anthropic-version', '2023-06-01'],
    ],
  );
  const { json } = await get('conversations/anthropic/1');
  t.strictSame(
    json.turns[1].parts.map(({ kind }: TurnPart) => kind),
    parts,
  );
  t.match(json, {
    endpoint: 'messages',
    asked: 'Look',
    results: ['look'],
    turns: [
      { role: 'system', parts: [{ text: 'Be brief.' }] },
      {
        role: 'user',
        parts: [{ text: 'Look' }, { data: PIXEL, type: 'image/png' }, { text: 'document Terms' }],
      },
      { role: 'assistant', parts: [{ kind: 'call', name: 'look', arguments: '{"at":1}' }] },
      { role: 'tool', parts: [{ kind: 'result', name: 'look', text: 'A fox' }] },
    ],
    answer: { role: 'assistant', parts: [{ kind: 'text', text: 'look answered: A fox' }] },
  });
});
