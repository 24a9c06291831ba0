// Tools that run at Anthropic, by the vendor's own SDK: the call and what came of it stand in the message, whole and streamed.
import Anthropic from '@anthropic-ai/sdk';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): Anthropic =>
  new Anthropic({ apiKey: 'sk-ant-test', fetch: made.fetch, maxRetries: 0 });
const SEARCH = { type: 'web_search_20250305', name: 'web_search' } as const;
const asks = (content: string, tools: Anthropic.ToolUnion[]): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'claude-opus-4-6',
  max_tokens: 500,
  messages: [{ role: 'user', content }],
  tools,
});
const typesOf = (message: Anthropic.Message): string[] => message.content.map(({ type }) => type);
const says = (match: string, text: string, name: string, given: object) => ({
  id: match,
  match: { lastUser: match },
  reply: { text, toolCalls: [{ name, arguments: given }] },
});

t.test('the web is searched for what is asked, and what a handler found is cited', async t => {
  const sources = [{ url: 'https://hats.example/a', title: 'Hats' }];
  await using made = await openLlmWorld('anthropic', {
    handlers: [says('news', 'Hats are back.', 'web_search', { query: 'hats', sources })],
  });
  const { messages } = sdk(made);
  const usual = await messages.create(asks('What is new?', [SEARCH]));
  t.match(usual.content, [
    { type: 'server_tool_use', id: /^srvtoolu_01/, name: 'web_search', input: { query: 'What is new?' } },
    { type: 'web_search_tool_result', content: [] },
    { type: 'text', text: 'You said: What is new?' },
  ]);
  t.equal(usual.stop_reason, 'end_turn');
  t.same(usual.usage.server_tool_use, { web_search_requests: 1, web_fetch_requests: 0 });
  const cited = await messages.create(asks('news', [SEARCH]));
  const { id } = cited.content[0] as Anthropic.ServerToolUseBlock;
  t.match(cited.content.slice(1), [
    { tool_use_id: id, content: [{ type: 'web_search_result', url: sources[0]!.url, page_age: null }] },
    {
      text: 'Hats are back.',
      citations: [{ type: 'web_search_result_location', url: sources[0]!.url, title: 'Hats' }],
    },
  ]);
  const streamed = await messages.stream(asks('news', [SEARCH])).finalMessage();
  t.same(typesOf(streamed), typesOf(cited));
  t.match(streamed.content, [
    { input: { query: 'hats' } },
    { content: [{ title: 'Hats' }] },
    { citations: [{}] },
  ]);
  t.same(streamed.usage.server_tool_use, cited.usage.server_tool_use);
  const next = await messages.create({
    ...asks('news', [SEARCH]),
    messages: [
      { role: 'user', content: 'news' },
      { role: 'assistant', content: cited.content as Anthropic.ContentBlockParam[] },
      { role: 'user', content: 'more' },
    ],
  });
  t.equal(next.content.at(-1)?.type, 'text', 'the app gives back what it was given');
});

t.test('one that must be called is; the app’s own tools are still the app’s', async t => {
  await using made = await openLlmWorld('anthropic');
  const { messages } = sdk(made);
  const own = { name: 'add', input_schema: { type: 'object' } } as const;
  const must = await messages.create({
    ...asks('Hi', [own, SEARCH]),
    tool_choice: { type: 'tool', name: 'web_search' },
  });
  t.same(typesOf(must), ['server_tool_use', 'web_search_tool_result', 'text']);
  const any = await messages.create({ ...asks('Hi', [own, SEARCH]), tool_choice: { type: 'any' } });
  t.same(typesOf(any), ['tool_use']);
  t.equal(any.stop_reason, 'tool_use');
  t.equal(any.usage.server_tool_use, null);
  const none = await messages.create({ ...asks('Hi', [SEARCH]), tool_choice: { type: 'none' } });
  t.same(typesOf(none), ['text']);
});

t.test('code was run, and a page fetched, where a handler says so', async t => {
  await using made = await openLlmWorld('anthropic', {
    handlers: [
      says('sum', 'Three.', 'code_execution', { code: 'print(1 + 2)', stdout: '3\n' }),
      says('page', 'Read.', 'web_fetch', { url: 'https://hats.example', text: 'Hats.' }),
    ],
  });
  const { messages } = sdk(made);
  const tool = (type: string): Anthropic.ToolUnion =>
    ({ type, name: type.replace(/_\d+$/, '') }) as Anthropic.ToolUnion;
  t.match((await messages.create(asks('sum', [tool('code_execution_20250825')]))).content, [
    { type: 'server_tool_use', name: 'bash_code_execution', input: { command: 'print(1 + 2)' } },
    { type: 'bash_code_execution_tool_result', content: { stdout: '3\n', stderr: '', return_code: 0 } },
    { type: 'text', text: 'Three.' },
  ]);
  t.match((await messages.create(asks('sum', [tool('code_execution_20250522')]))).content, [
    { name: 'code_execution', input: { code: 'print(1 + 2)' } },
    { type: 'code_execution_tool_result' },
    { text: 'Three.' },
  ]);
  const read = await messages.create(asks('page', [tool('web_fetch_20250910')]));
  t.match(read.content, [
    { name: 'web_fetch', input: { url: 'https://hats.example' } },
    { type: 'web_fetch_tool_result', content: { content: { source: { data: 'Hats.' } } } },
    { text: 'Read.' },
  ]);
  t.same(read.usage.server_tool_use, { web_search_requests: 0, web_fetch_requests: 1 });
});
