// An agent that calls a tool and reads its result, by the Vercel AI SDK with each vendor's provider as it comes.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { tell } from './world.mjs';

const MODELS = {
  openai: createOpenAI({ apiKey: 'sk-agent' })('gpt-5'),
  anthropic: createAnthropic({ apiKey: 'sk-ant-agent' })('claude-opus-4-5'),
};

const told = {};
for (const [vendor, model] of Object.entries(MODELS)) {
  const cities = [];
  const get_weather = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => {
      cities.push(city);
      return 'rain';
    },
  });
  const loop = streamText({
    model,
    prompt: 'What is the weather?',
    tools: { get_weather },
    stopWhen: stepCountIs(5),
  });
  told[vendor] = { text: await loop.text, steps: (await loop.steps).length, cities };
}
tell(told);
