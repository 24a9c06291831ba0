// The handlers files that docs/twins/ shows work as it says.
import { readFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import { createTransport } from 'nodemailer';
import OpenAI from 'openai';
import t from 'tap';
import type { Handlers } from '../../twins/kit/handlers.ts';
import { openLlmWorld } from '../kit/llm-world.ts';
import { openSmtpWorld } from '../kit/smtp-world.ts';
import { openStripeWorld } from '../kit/stripe-world.ts';

async function shown(vendor: string): Promise<object> {
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

t.test('docs/twins/stripe.md', async t => {
  await using made = await openStripeWorld({ handlers: (await shown('stripe')) as Handlers });
  await t.rejects(made.stripe.customers.create({ name: 'Ada' }), {
    type: 'StripeRateLimitError',
    message: 'Too many requests.',
  });
  t.match(await made.stripe.customers.create({ name: 'Ada' }), { name: 'Ada' });
});

t.test('docs/twins/smtp.md', async t => {
  const { handlers } = (await shown('smtp')) as { handlers: object[] };
  await using world = await openSmtpWorld({ handlers });
  const { host, port } = world.at;
  const transport = createTransport({ host, port, ignoreTLS: true });
  const mail = { from: 'shop@example.com', subject: 'Hello', text: 'Hello' };
  await t.rejects(transport.sendMail({ ...mail, to: 'gone@example.com' }), {
    message: /550 .*No such user here/,
  });
  await transport.sendMail({ ...mail, to: 'ada@example.com' });
  transport.close();
  t.match(await world.mails(), [{ subject: 'Hello' }]);
});
