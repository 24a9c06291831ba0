// Mastra, which takes a model by its name alone and reads the vendor's key from the environment.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { keptByResponse, keptInConversation, newConversation } from './kept.mjs';
import { API, inPieces, MODEL, say, tellRows } from './rows.mjs';

const model = `${API === 'anthropic' ? 'anthropic' : 'openai'}/${MODEL}`;
const agent = new Agent({ id: 'helper', name: 'Helper', instructions: 'Be brief.', model });

const ask = async prompt => (await agent.generate(prompt)).text;

async function keptTurns() {
  const first = await agent.generate(say('I am Ada'));
  const last = await agent.generate(say('what is my name'), {
    providerOptions: { openai: { previousResponseId: first.response.id } },
  });
  const conversation = await newConversation();
  const within = { providerOptions: { openai: { conversation } } };
  for (const words of ['I am Ada', 'what is my name']) await agent.generate(say(words), within);
  return [await keptByResponse(last.response.id), await keptInConversation(conversation)];
}

await tellRows({
  plain: () => ask(say('hello')),
  stream: async () => inPieces((await agent.stream(say('in pieces'))).textStream),
  tool: async () => {
    const cities = [];
    const getWeather = createTool({
      id: 'get_weather',
      description: 'The weather of a city',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        cities.push(city);
        return { weather: 'rain' };
      },
    });
    const weatherman = new Agent({
      ...{ id: 'weather', name: 'Weather', instructions: 'Be brief.', model },
      tools: { get_weather: getWeather },
    });
    return { text: (await weatherman.generate(say('the weather'))).text, cities };
  },
  structure: async () => {
    const schema = z.object({ city: z.string(), people: z.number().int() });
    return (await agent.generate(say('the facts'), { structuredOutput: { schema } })).object;
  },
  busy: () => ask(say('busy')),
  refused: () => ask(say('forbidden')),
  memory: async () => {
    const messages = [{ role: 'user', content: say('I am Ada') }];
    const { text } = await agent.generate(messages);
    messages.push({ role: 'assistant', content: text }, { role: 'user', content: say('what is my name') });
    return (await agent.generate(messages)).text;
  },
  ...(API === 'anthropic' ? {} : { kept: keptTurns }),
});
