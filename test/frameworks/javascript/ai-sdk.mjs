// The AI SDK, with each vendor's provider as it comes.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { keptAsChat, keptByResponse, keptInConversation, newConversation } from './kept.mjs';
import { API, inPieces, MODEL, say, tellRows } from './rows.mjs';

const model =
  API === 'anthropic' ? anthropic(MODEL) : API === 'chat' ? openai.chat(MODEL) : openai.responses(MODEL);

const ask = async prompt => (await generateText({ model, prompt })).text;

async function keptTurns() {
  const first = await generateText({ model, prompt: say('I am Ada') });
  const last = await generateText({
    model,
    prompt: say('what is my name'),
    providerOptions: { openai: { previousResponseId: first.response.id } },
  });
  const conversation = await newConversation();
  const within = { model, providerOptions: { openai: { conversation } } };
  for (const words of ['I am Ada', 'what is my name']) await generateText({ ...within, prompt: say(words) });
  return [await keptByResponse(last.response.id), await keptInConversation(conversation)];
}

async function keptChats() {
  const stored = { model, providerOptions: { openai: { store: true } } };
  const messages = [{ role: 'user', content: say('I am Ada') }];
  const { response } = await generateText({ ...stored, messages });
  messages.push(...response.messages, { role: 'user', content: say('what is my name') });
  return [await keptAsChat((await generateText({ ...stored, messages })).response.id)];
}

await tellRows({
  plain: () => ask(say('hello')),
  stream: () => inPieces(streamText({ model, prompt: say('in pieces') }).textStream),
  tool: async () => {
    const cities = [];
    const get_weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        cities.push(city);
        return 'rain';
      },
    });
    const tools = { get_weather };
    const { text } = await generateText({
      model,
      prompt: say('the weather'),
      tools,
      stopWhen: stepCountIs(5),
    });
    return { text, cities };
  },
  structure: async () => {
    const schema = z.object({ city: z.string(), people: z.number().int() });
    const output = Output.object({ schema });
    return (await generateText({ model, prompt: say('the facts'), output })).output;
  },
  busy: () => ask(say('busy')),
  refused: () => ask(say('forbidden')),
  memory: async () => {
    const messages = [{ role: 'user', content: say('I am Ada') }];
    const { response } = await generateText({ model, messages });
    messages.push(...response.messages, { role: 'user', content: say('what is my name') });
    return (await generateText({ model, messages })).text;
  },
  ...(API === 'anthropic'
    ? {}
    : {
        kept: API === 'chat' ? keptChats : keptTurns,
        embed: async () => {
          const values = [say('one'), say('two')];
          const { embeddings } = await embedMany({
            model: openai.embedding('text-embedding-3-small'),
            values,
          });
          return embeddings.map(({ length }) => length);
        },
      }),
});
