// LangChain: its models, its agent with a checkpointer, and its embeddings.
import { ChatAnthropic } from '@langchain/anthropic';
import { MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { API, inPieces, MODEL, say, tellRows } from './rows.mjs';

const model =
  API === 'anthropic'
    ? new ChatAnthropic({ model: MODEL })
    : new ChatOpenAI({ model: MODEL, useResponsesApi: API === 'responses' });

const ask = async prompt => (await model.invoke(prompt)).text;

async function* texts(chunks) {
  for await (const chunk of chunks) yield chunk.text;
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
        embed: async () => {
          const embeddings = new OpenAIEmbeddings({ model: 'text-embedding-3-small' });
          return (await embeddings.embedDocuments([say('one'), say('two')])).map(({ length }) => length);
        },
      }),
});
