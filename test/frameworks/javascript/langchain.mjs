// LangChain: its models, its agent with a checkpointer, and its embeddings.
import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { keptAsChat, keptByResponse } from './kept.mjs';
import { API, inPieces, MODEL, say, tellRows } from './rows.mjs';

const model =
  API === 'anthropic'
    ? new ChatAnthropic({ model: MODEL })
    : new ChatOpenAI({ model: MODEL, useResponsesApi: API === 'responses' });

const ask = async prompt => (await model.invoke(prompt)).text;

async function* texts(chunks) {
  for await (const chunk of chunks) yield chunk.text;
}

async function keptTurns() {
  const first = await model.invoke(say('I am Ada'));
  const after = { previous_response_id: first.response_metadata.id };
  const last = await model.invoke(say('what is my name'), after);
  return [await keptByResponse(last.response_metadata.id)];
}

async function keptChats() {
  const storing = new ChatOpenAI({ model: MODEL, modelKwargs: { store: true } });
  const turns = [new HumanMessage(say('I am Ada'))];
  turns.push(await storing.invoke(turns), new HumanMessage(say('what is my name')));
  return [await keptAsChat((await storing.invoke(turns)).id)];
}

await tellRows({
  plain: () => ask(say('hello')),
  stream: async () => inPieces(texts(await model.stream(say('in pieces')))),
  tool: async () => {
    const cities = [];
    const getWeather = tool(
      ({ city }) => {
        cities.push(city);
        return 'rain';
      },
      { name: 'get_weather', description: 'The weather of a city', schema: z.object({ city: z.string() }) },
    );
    const agent = createAgent({ model, tools: [getWeather] });
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: say('the weather') }] });
    return { text: messages.at(-1).text, cities };
  },
  structure: () =>
    model
      .withStructuredOutput(z.object({ city: z.string(), people: z.number().int() }), { name: 'facts' })
      .invoke(say('the facts')),
  busy: () => ask(say('busy')),
  refused: () => ask(say('forbidden')),
  memory: async () => {
    const agent = createAgent({ model, tools: [], checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: '1' } };
    const tell = content => agent.invoke({ messages: [{ role: 'user', content }] }, config);
    await tell(say('I am Ada'));
    return (await tell(say('what is my name'))).messages.at(-1).text;
  },
  ...(API === 'anthropic'
    ? {}
    : {
        kept: API === 'chat' ? keptChats : keptTurns,
        embed: async () => {
          const embeddings = new OpenAIEmbeddings({ model: 'text-embedding-3-small' });
          return (await embeddings.embedDocuments([say('one'), say('two')])).map(({ length }) => length);
        },
      }),
});
