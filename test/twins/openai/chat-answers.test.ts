// What a chat may ask of an answer besides words, by the vendor's own SDK: sound, how sure each word was, JSON as the prompt has it.
import OpenAI from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const says = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content }];
const SPOKEN = {
  model: 'gpt-audio',
  modalities: ['text', 'audio'],
  messages: says('hi'),
} satisfies OpenAI.ChatCompletionCreateParams;

t.test('sound: a real WAV with its transcript; in pieces as PCM', async t => {
  await using made = await openLlmWorld('openai');
  const { chat, audio } = sdk(made);
  const asked = { ...SPOKEN, audio: { voice: 'alloy', format: 'wav' } } as const;
  const { choices } = await chat.completions.create({ ...asked, modalities: [...asked.modalities] });
  const { message } = choices[0]!;
  t.match(message, {
    content: null,
    audio: { id: /^audio_/, transcript: 'You said: hi', expires_at: Number },
  });
  const file = new File([Buffer.from(message.audio!.data, 'base64')], 'a.wav', { type: 'audio/wav' });
  const heard = await audio.transcriptions.create({ model: 'whisper-1', file });
  t.equal(heard.text, 'You said: hi', 'which is understood again');
  const pieces: { transcript?: string; data?: string }[] = [];
  for await (const chunk of await chat.completions.create({
    ...SPOKEN,
    audio: { voice: 'alloy', format: 'pcm16' },
    stream: true,
  })) {
    const delta = chunk.choices[0]?.delta as { audio?: (typeof pieces)[number] } | undefined;
    if (delta?.audio !== undefined) pieces.push(delta.audio);
  }
  t.equal(pieces.map(({ transcript = '' }) => transcript).join(''), 'You said: hi');
  t.ok(pieces.some(({ data = '' }) => data.length > 1_000));
  await t.rejects(chat.completions.create(SPOKEN), { status: 400, param: 'audio', message: /'audio'/ });
  await t.rejects(chat.completions.create({ ...asked, modalities: ['audio'], stream: true }), {
    status: 400,
    param: 'audio.format',
    message: /when stream=true/,
  });
});

t.test('how sure: of each word, and of others, whole and in pieces, in chats and in responses', async t => {
  await using made = await openLlmWorld('openai');
  const { chat, responses } = sdk(made);
  const asked = { model: 'gpt-4o', messages: says('hi'), logprobs: true, top_logprobs: 3 } as const;
  const { choices } = await chat.completions.create({ ...asked, messages: [...asked.messages] });
  const { content } = choices[0]!.logprobs!;
  t.equal(content!.map(({ token }) => token).join(''), 'You said: hi');
  t.ok(content!.every(({ top_logprobs: top }) => top.length === 3 && top[0]!.logprob > top[2]!.logprob));
  const told: string[] = [];
  for await (const chunk of await chat.completions.create({ ...asked, stream: true }))
    told.push(...(chunk.choices[0]?.logprobs?.content ?? []).map(({ token }) => token));
  t.equal(told.join(''), 'You said: hi');
  const include: OpenAI.Responses.ResponseIncludable[] = ['message.output_text.logprobs'];
  const sure = { model: 'gpt-4o', input: 'hi', include, top_logprobs: 2 };
  const { output } = await responses.create(sure);
  t.match(output, [{ content: [{ logprobs: [{ token: 'You', top_logprobs: [{ token: 'You' }, {}] }] }] }]);
  const deltas: unknown[] = [];
  for await (const event of await responses.create({ ...sure, stream: true }))
    if (event.type === 'response.output_text.delta') deltas.push(...event.logprobs);
  t.equal(deltas.length, 3);
});

t.test('an object as the prompt has its schema, the last of them; any other without one', async t => {
  await using made = await openLlmWorld('openai');
  const { completions } = sdk(made).chat;
  const schema = {
    properties: { city: { type: 'string' }, people: { type: 'integer' } },
    required: ['city', 'people'],
  };
  const example = 'For {"properties": {"foo": {"type": "string"}}} the object {"foo": "bar"} is well-formed.';
  const ask = async (content: string): Promise<unknown> => {
    const { choices } = await completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'system', content }, ...says('Oslo')],
      response_format: { type: 'json_object' },
    });
    return JSON.parse(choices[0]!.message.content!);
  };
  t.match(await ask(`As JSON. ${example}\nHere it is:\n${JSON.stringify(schema, null, 2)}\nNow {go`), {
    city: String,
    people: Number,
  });
  t.same(await ask(`As JSON, without {any} of ${'{'.repeat(500)}`), { answer: 'You said: Oslo' });
});

t.test('a choice among tools is refused where there are none', async t => {
  await using made = await openLlmWorld('openai');
  const asked = { model: 'gpt-4o', messages: says('hi'), tool_choice: 'auto' } as const;
  await t.rejects(sdk(made).chat.completions.create({ ...asked, messages: [...asked.messages] }), {
    status: 400,
    param: 'tool_choice',
    message: /only allowed when 'tools' are specified/,
  });
});
