// OpenAI Agents, which has a choice of OpenAI's two APIs, streams, and a session that remembers.
import { Agent, MemorySession, OpenAIConversationsSession, run, setOpenAIAPI, tool } from '@openai/agents';
import { z } from 'zod';
import { keptAsChat, keptByResponse, keptInConversation, newConversation } from './kept.mjs';
import { API, inPieces, MODEL, say, tellRows } from './rows.mjs';

setOpenAIAPI(API === 'chat' ? 'chat_completions' : 'responses');
const agent = new Agent({ name: 'Helper', instructions: 'Be brief.', model: MODEL });

const ask = async prompt => (await run(agent, prompt)).finalOutput;

async function keptTurns() {
  const first = await run(agent, say('I am Ada'));
  const after = { previousResponseId: first.lastResponseId };
  const last = await run(agent, say('what is my name'), after);
  const session = new OpenAIConversationsSession();
  const conversationId = await newConversation();
  for (const way of [{ session }, { conversationId }])
    for (const words of ['I am Ada', 'what is my name']) await run(agent, say(words), way);
  return [
    await keptByResponse(last.lastResponseId),
    await keptInConversation(await session.getSessionId()),
    await keptInConversation(conversationId),
  ];
}

async function keptChats() {
  const storing = agent.clone({ modelSettings: { store: true } });
  const session = new MemorySession();
  await run(storing, say('I am Ada'), { session });
  const { lastResponseId } = await run(storing, say('what is my name'), { session });
  return [await keptAsChat(lastResponseId)];
}

await tellRows({
  plain: () => ask(say('hello')),
  stream: async () =>
    inPieces(
      (await run(agent, say('in pieces'), { stream: true })).toTextStream({
        compatibleWithNodeStreams: false,
      }),
    ),
  tool: async () => {
    const cities = [];
    const getWeather = tool({
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => {
        cities.push(city);
        return 'rain';
      },
    });
    const weatherman = new Agent({
      name: 'Weather',
      instructions: 'Be brief.',
      model: MODEL,
      tools: [getWeather],
    });
    return { text: (await run(weatherman, say('the weather'))).finalOutput, cities };
  },
  structure: async () => {
    const outputType = z.object({ city: z.string(), people: z.number().int() });
    const clerk = new Agent({ name: 'Clerk', instructions: 'Be brief.', model: MODEL, outputType });
    return (await run(clerk, say('the facts'))).finalOutput;
  },
  busy: () => ask(say('busy')),
  refused: () => ask(say('forbidden')),
  memory: async () => {
    const session = new MemorySession();
    await run(agent, say('I am Ada'), { session });
    return (await run(agent, say('what is my name'), { session })).finalOutput;
  },
  kept: API === 'chat' ? keptChats : keptTurns,
});
