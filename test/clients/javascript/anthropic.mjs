// Messages with a tool, a count of tokens and a batch, by the vendor's own library.
import Anthropic from '@anthropic-ai/sdk';
import { moveClock, tell } from './world.mjs';

const anthropic = new Anthropic({ apiKey: 'sk-ant-story' });
const model = 'claude-opus-4-5';
const words = content => ({ model, messages: [{ role: 'user', content }] });
const say = content => ({ ...words(content), max_tokens: 99 });

const message = await anthropic.messages.create(say('hello you'));

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const asked = { ...say('What is the weather?'), tools: [{ name: 'get_weather', input_schema: schema }] };
const stream = anthropic.messages.stream(asked);
let pieces = 0;
stream.on('inputJson', () => {
  pieces += 1;
});
const whole = await stream.finalMessage();
const use = whole.content.find(({ type }) => type === 'tool_use');
asked.messages.push(
  { role: 'assistant', content: whole.content },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'rain' }] },
);
const told = await anthropic.messages.create(asked);

const count = await anthropic.messages.countTokens(words('hello you'));

const batch = await anthropic.messages.batches.create({
  requests: ['one', 'two'].map(each => ({ custom_id: each, params: say(each) })),
});
await moveClock('5m');
const ended = await anthropic.messages.batches.retrieve(batch.id);
const results = {};
for await (const { custom_id, result } of await anthropic.messages.batches.results(batch.id))
  results[custom_id] = result.message.content[0].text;

const other = await anthropic.messages.batches.create({
  requests: [{ custom_id: 'three', params: say('three') }],
});
const listed = [];
for await (const { id } of anthropic.messages.batches.list({ limit: 1 })) listed.push(id);

const busy = await anthropic.messages.create(say('busy'));
let heard = '';
let broke = '';
try {
  await anthropic.messages
    .stream(say('a long story'))
    .on('text', text => {
      heard += text;
    })
    .done();
} catch (error) {
  if (error.message.includes('It broke.')) broke = 'It broke.';
}
const missing = await anthropic.messages.batches.retrieve('msgbatch_nobody').catch(error => error.status);

tell({
  text: message.content[0].text,
  tool: { name: use.name, input: use.input, pieces: pieces > 2, stop: whole.stop_reason },
  told: told.content[0].text,
  tokens: count.input_tokens > 0,
  batch: batch.id,
  status: [batch.processing_status, ended.processing_status],
  results,
  listed: listed.join() === [other.id, batch.id].join(),
  busy: busy.content[0].text,
  heard,
  broke,
  missing,
});
