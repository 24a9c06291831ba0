// The Vercel AI SDK, unmodified, with both providers: text, streams, tools in a loop, structure, embeddings, errors.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { embedMany, generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai';
import t from 'tap';
import { z } from 'zod';
import { type LlmWorld, openLlmWorld } from '../kit/llm-world.ts';

type Provider = {
  readonly name: string;
  readonly vendor: 'openai' | 'anthropic';
  readonly model: (made: LlmWorld) => LanguageModel;
};

const PROVIDERS: readonly Provider[] = [
  {
    name: 'openai responses',
    vendor: 'openai',
    model: ({ fetch }) => createOpenAI({ apiKey: 'sk-test', fetch })('gpt-5'),
  },
  {
    name: 'openai chat',
    vendor: 'openai',
    model: ({ fetch }) => createOpenAI({ apiKey: 'sk-test', fetch }).chat('gpt-4o'),
  },
  {
    name: 'anthropic',
    vendor: 'anthropic',
    model: ({ fetch }) => createAnthropic({ apiKey: 'sk-test', fetch })('claude-opus-4-5'),
  },
];

for (const { name, vendor, model } of PROVIDERS) {
  t.test(`${name}: generateText and streamText`, async t => {
    await using made = await openLlmWorld(vendor, {
      handlers: [
        {
          id: 'thought',
          match: { lastUser: 'think' },
          reply: { reasoning: 'Hmm.', text: 'Done.', usage: { input: 11, output: 22 } },
        },
      ],
    });
    const made1 = await generateText({ model: model(made), prompt: 'Hello' });
    t.equal(made1.text, 'You said: Hello');
    t.equal(made1.finishReason, 'stop');
    t.ok((made1.usage.inputTokens ?? 0) > 0);
    const stream = streamText({ model: model(made), system: 'Be kind.', prompt: 'Hello there you' });
    const pieces: string[] = [];
    for await (const piece of stream.textStream) pieces.push(piece);
    t.equal(pieces.join(''), 'You said: Hello there you');
    t.ok(pieces.length > 2);
    t.equal(await stream.finishReason, 'stop');
    const thought = streamText({ model: model(made), prompt: 'think' });
    t.equal(await thought.text, 'Done.');
    t.match(await thought.usage, { inputTokens: 11, outputTokens: 22 });
    if (name !== 'openai chat') t.equal(await thought.reasoningText, 'Hmm.');
  });

  t.test(`${name}: an agent loop with tools`, async t => {
    await using made = await openLlmWorld(vendor, {
      scope: 'conversation',
      handlers: [
        {
          id: 'two',
          match: { toolResult: false, tool: { offered: 'add' } },
          reply: { toolCalls: [{ name: 'add', arguments: { a: 2, b: 3 } }] },
        },
        {
          id: 'more',
          match: { toolResult: { name: 'add', text: { contains: '5' } }, turn: 2 },
          reply: { toolCalls: [{ name: 'add', arguments: { a: 5, b: 5 } }] },
        },
        {
          id: 'end',
          match: { toolResult: { text: { contains: '10' } }, turn: 3 },
          reply: { text: 'It is ten.' },
        },
      ],
    });
    const asked: unknown[] = [];
    const add = tool({
      description: 'adds',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: async ({ a, b }) => {
        asked.push([a, b]);
        return a + b;
      },
    });
    const whole = await generateText({
      model: model(made),
      prompt: 'Sum it',
      tools: { add },
      stopWhen: stepCountIs(5),
    });
    t.equal(whole.text, 'It is ten.');
    t.equal(whole.steps.length, 3);
    const streamed = streamText({
      model: model(made),
      prompt: 'Sum it',
      tools: { add },
      stopWhen: stepCountIs(5),
    });
    t.equal(await streamed.text, 'It is ten.');
    t.same(asked, [
      [2, 3],
      [5, 5],
      [2, 3],
      [5, 5],
    ]);
    const { handlers, unmatchedTotal } = await made.scenario();
    t.same(
      handlers.map(({ matched }: { matched: number }) => matched),
      [2, 2, 2],
    );
    t.equal(unmatchedTotal, 0);
    const forced = await generateText({
      model: model(made),
      prompt: 'x',
      tools: { other: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }) }) },
      toolChoice: 'required',
    });
    t.match(forced.toolCalls, [{ toolName: 'other', input: { a: 1, b: 1 } }]);
  });

  t.test(`${name}: structure that fits its schema, and from a handler`, async t => {
    await using made = await openLlmWorld(vendor, {
      handlers: [
        {
          id: 'given',
          match: { lastUser: 'given' },
          reply: { json: { city: 'Oslo', people: [{ name: 'Ada', age: 36 }] } },
        },
      ],
    });
    const schema = z.object({
      city: z.string(),
      people: z.array(z.object({ name: z.string(), age: z.number().int().min(18) })),
    });
    const own = await generateText({ model: model(made), prompt: 'x', output: Output.object({ schema }) });
    t.equal(own.output.people[0]!.age, 18);
    const given = streamText({ model: model(made), prompt: 'given', output: Output.object({ schema }) });
    t.same(await given.output, { city: 'Oslo', people: [{ name: 'Ada', age: 36 }] });
  });

  t.test(`${name}: errors before and in the middle of a stream, retries, aborts`, async t => {
    const error = { status: 529, type: 'overloaded_error', message: 'Overloaded' };
    await using made = await openLlmWorld(vendor, {
      handlers: [
        { id: 'once', match: { lastUser: 'retry' }, times: 1, reply: { error: { ...error, retryAfter: 0 } } },
        {
          id: 'bad',
          match: { lastUser: 'bad' },
          reply: { error: { status: 400, type: 'invalid_request_error', message: 'No.' } },
        },
        {
          id: 'middle',
          match: { lastUser: 'middle' },
          reply: { text: 'one two three', error, stream: { cutAfterChunks: 2 } },
        },
        {
          id: 'slow',
          match: { lastUser: 'slow' },
          reply: { text: 'one two three', stream: { chunkDelayMs: 60_000 } },
        },
      ],
    });
    t.equal(
      (await generateText({ model: model(made), prompt: 'retry', maxRetries: 1 })).text,
      'You said: retry',
    );
    await t.rejects(generateText({ model: model(made), prompt: 'bad' }), { message: 'No.' });
    const failed: unknown[] = [];
    let heard = '';
    const broken = streamText({
      model: model(made),
      prompt: 'middle',
      onError: ({ error }) => void failed.push(error),
    });
    for await (const part of broken.fullStream) if (part.type === 'text-delta') heard += part.text;
    t.equal(heard, 'one two');
    t.match(JSON.stringify(failed), /Overloaded/);
    const abort = new AbortController();
    const slow = streamText({ model: model(made), prompt: 'slow', abortSignal: abort.signal });
    for await (const part of slow.fullStream) if (part.type === 'text-delta') abort.abort();
    t.equal(made.open(), 0, 'the stream is ended at its source');
  });
}

t.test('openai: embedMany', async t => {
  await using made = await openLlmWorld('openai');
  const model = createOpenAI({ apiKey: 'sk-test', fetch: made.fetch }).embedding('text-embedding-3-small');
  const { embeddings } = await embedMany({ model, values: ['a b', 'c d'] });
  t.same(
    embeddings.map(({ length }) => length),
    [1536, 1536],
  );
});
