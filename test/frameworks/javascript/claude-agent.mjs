// The Claude Agent SDK, which starts Claude Code for each conversation; its own tools are left out, and ours is a server in
// this process.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { MODEL, say, tellRows } from './rows.mjs';

const CLAUDE_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'claude-'));

async function run(prompt, options = {}) {
  const own = { model: MODEL, tools: [], settingSources: [], permissionMode: 'dontAsk' };
  const pieces = [];
  for await (const message of query({
    prompt,
    options: { ...own, env: { ...process.env, CLAUDE_CONFIG_DIR }, ...options },
  })) {
    const delta = message.type === 'stream_event' ? message.event.delta : undefined;
    if (delta?.type === 'text_delta') pieces.push(delta.text);
    if (message.type !== 'result') continue;
    // What the vendor refused is told as a result too.
    if (message.is_error) throw new Error(message.result);
    return { ...message, pieces };
  }
  throw new Error('no result');
}

const ask = async (prompt, options) => (await run(prompt, options)).result;

await tellRows({
  plain: () => ask(say('hello')),
  stream: async () => {
    const { pieces } = await run(say('in pieces'), { includePartialMessages: true });
    return { text: pieces.join(''), pieces: pieces.length };
  },
  tool: async () => {
    const cities = [];
    const getWeather = tool(
      'get_weather',
      'The weather of a city',
      { city: z.string() },
      async ({ city }) => {
        cities.push(city);
        return { content: [{ type: 'text', text: 'rain' }] };
      },
    );
    const weather = createSdkMcpServer({ name: 'weather', tools: [getWeather] });
    const allowedTools = ['mcp__weather__get_weather'];
    return { text: await ask(say('the weather'), { mcpServers: { weather }, allowedTools }), cities };
  },
  structure: async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, people: { type: 'integer' } },
      required: ['city', 'people'],
      additionalProperties: false,
    };
    const { structured_output } = await run(say('the facts'), {
      outputFormat: { type: 'json_schema', schema },
    });
    return structured_output ?? {};
  },
  busy: () => ask(say('busy')),
  refused: () => ask(say('forbidden')),
  memory: async () => {
    const { session_id: resume } = await run(say('I am Ada'));
    return ask(say('what is my name'), { resume });
  },
});
