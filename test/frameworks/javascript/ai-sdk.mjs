// The AI SDK, with each vendor's provider as it comes.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { API, inPieces, MODEL, say, tellRows } from './rows.mjs';

const model =
  API === 'anthropic' ? anthropic(MODEL) : API === 'chat' ? openai.chat(MODEL) : openai.responses(MODEL);

const ask = async prompt => (await generateText({ model, prompt })).text;

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
