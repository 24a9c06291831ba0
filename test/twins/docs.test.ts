// The handlers files that docs/twins/ shows work as it says.
import { readFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import t from 'tap';
import { openLlmWorld } from '../kit/llm-world.ts';

async function shown(vendor: 'openai' | 'anthropic'): Promise<object> {
  const page = await readFile(new URL(`../../docs/twins/${vendor}.md`, import.meta.url), 'utf8');
  const block = /<!-- a test runs this file -->\n```json\n([\s\S]*?)```/.exec(page);
  return JSON.parse(block![1]!);
}

t.test('docs/twins/openai.md', async t => {
  await using made = await openLlmWorld('openai', await shown('openai'));
  const openai = new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 1 });
  const told = await openai.chat.completions
    .runTools({
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'What is the weather?' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: '',
            parameters: { type: 'object' },
            parse: JSON.parse,
            function: () => 'rain',
          },
        },
      ],
    })
    .finalContent();
  t.equal(told, 'Take an umbrella.');
  const say = (content: string) => ({ model: 'gpt-5', messages: [{ role: 'user' as const, content }] });
  const { data } = await openai.chat.completions.create(say('hello')).withResponse();
  t.equal(data.choices[0]!.message.content, 'You said: hello', 'the SDK tried again');
  let heard = '';
  await t.rejects(
    async () => {
      for await (const chunk of await openai.chat.completions.create({
        ...say('a long story'),
        stream: true,
      })) {
        heard += chunk.choices[0]?.delta.content ?? '';
      }
    },
    { message: /The server had an error/ },
  );
  t.equal(heard, 'Once upon a');
  const { handlers } = await made.scenario();
  t.same(
    handlers.map(({ matched }: { matched: number }) => matched),
    [1, 1, 1, 1],
  );
});

t.test('docs/twins/anthropic.md', async t => {
  await using made = await openLlmWorld('anthropic', await shown('anthropic'));
  const anthropic = new Anthropic({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
  const asked = {
    model: 'claude-opus-4-5',
    max_tokens: 99,
    tools: [{ name: 'get_weather', input_schema: { type: 'object' as const } }],
  };
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather?' }];
  const first = await anthropic.messages.create({ ...asked, messages });
  t.same(
    first.content.map(({ type }) => type),
    ['thinking', 'text', 'tool_use'],
  );
  const call = first.content.find(({ type }) => type === 'tool_use') as Anthropic.ToolUseBlock;
  messages.push({ role: 'assistant', content: first.content });
  messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'rain' }] });
  t.match((await anthropic.messages.create({ ...asked, messages })).content, [{ text: 'Take an umbrella.' }]);
  const story = anthropic.messages.stream({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'a long story' }],
  });
  await t.rejects(story.finalText(), { message: /Overloaded/ });
});
