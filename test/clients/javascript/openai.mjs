// A chat with a tool, answers that are kept, vectors and a file, by the vendor's own library.
import { isDeepStrictEqual } from 'node:util';
import OpenAI, { toFile } from 'openai';
import { tell } from './world.mjs';

const openai = new OpenAI({ apiKey: 'sk-story' });
const say = content => ({ model: 'gpt-5', messages: [{ role: 'user', content }] });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];

const chat = await openai.chat.completions.create(say('hello you'));

const asked = { ...say('What is the weather?'), tools };
const stream = openai.chat.completions.stream({ ...asked, stream_options: { include_usage: true } });
let pieces = 0;
for await (const { choices } of stream) pieces += choices[0]?.delta.tool_calls?.length ?? 0;
const whole = await stream.finalChatCompletion();
const { message } = whole.choices[0];
const [call] = message.tool_calls;
asked.messages.push(message, { role: 'tool', tool_call_id: call.id, content: 'rain' });
const told = await openai.chat.completions.create(asked);

const kept = [];
for (const each of ['one', 'two', 'three'])
  kept.push(await openai.chat.completions.create({ ...say(each), store: true }));
await openai.chat.completions.update(kept[0].id, { metadata: { read: 'yes' } });
await openai.chat.completions.delete(kept[1].id);
const { metadata } = await openai.chat.completions.retrieve(kept[0].id);
const listed = [];
for await (const { id } of openai.chat.completions.list({ limit: 1 })) listed.push(id);

const response = await openai.responses.create({ model: 'gpt-5', input: 'keep this' });
const follow = await openai.responses.create({
  model: 'gpt-5',
  input: 'and this',
  previous_response_id: response.id,
});
let streamed = '';
for await (const event of await openai.responses.create({
  model: 'gpt-5',
  input: 'in pieces please',
  stream: true,
})) {
  if (event.type === 'response.output_text.delta') streamed += event.delta;
}

const { data } = await openai.embeddings.create({
  model: 'text-embedding-3-small',
  input: ['a red apple', 'a red apple', 'rain'],
});
const vectors = data.map(({ embedding }) => embedding);
const file = await openai.files.create({
  file: await toFile(Buffer.from('one\ntwo\n'), 'notes.txt'),
  purpose: 'user_data',
});
const content = await (await openai.files.content(file.id)).text();

const busy = await openai.chat.completions.create(say('busy'));
let heard = '';
let broke = '';
try {
  for await (const { choices } of await openai.chat.completions.create({
    ...say('a long story'),
    stream: true,
  })) {
    heard += choices[0].delta.content ?? '';
  }
} catch (error) {
  if (error.message.includes('It broke.')) broke = 'It broke.';
}
const missing = await openai.files.retrieve('file-nobody').catch(error => error.status);

tell({
  chat: chat.choices[0].message.content,
  tool: { ...call.function, pieces: pieces > 2, usage: whole.usage.total_tokens > 0 },
  told: told.choices[0].message.content,
  kept: { ids: kept.map(({ id }) => id), listed, metadata },
  response: response.id,
  text: response.output_text,
  follow: follow.id,
  streamed,
  embedding: {
    length: vectors[0].length,
    same: isDeepStrictEqual(vectors[0], vectors[1]),
    other: isDeepStrictEqual(vectors[0], vectors[2]),
  },
  file: file.id,
  content,
  busy: busy.choices[0].message.content,
  heard,
  broke,
  missing,
});
