// Sound by the vendor's own SDK: speech that is a real WAV, and what is heard of it, in every format of the vendor's.
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const WORDS = 'Ada lives in Oslo.';
const voice = { model: 'gpt-4o-mini-tts', voice: 'alloy' } as const;

const speak = async (
  made: LlmWorld,
  response_format: 'wav' | 'pcm' | 'mp3',
  input = WORDS,
): Promise<Buffer> => {
  const answer = await sdk(made).audio.speech.create({ ...voice, input, response_format });
  return Buffer.from(await answer.arrayBuffer());
};
const recording = async (made: LlmWorld) =>
  toFile(await speak(made, 'wav'), 'ada.wav', { type: 'audio/wav' });

t.test('speech: a real WAV, the same samples as PCM, frames of MP3, and events', async t => {
  await using made = await openLlmWorld('openai');
  const wav = await speak(made, 'wav');
  t.equal(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 12), 'RIFFWAVE');
  t.equal(wav.readUInt32LE(4), wav.length - 8);
  const at = wav.indexOf('data');
  t.same(
    [wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)],
    [1, 1, 24_000, 16],
  );
  t.equal(wav.readUInt32LE(at + 4), wav.length - at - 8);
  t.same(wav.subarray(at + 8), await speak(made, 'pcm'));
  const mp3 = await speak(made, 'mp3');
  t.equal(mp3.length % 96, 0);
  for (let frame = 0; frame < mp3.length; frame += 96) t.equal(mp3.readUInt32BE(frame), 0xfff344c4);
  const plain = await sdk(made).audio.speech.create({ ...voice, input: WORDS });
  t.equal(plain.headers.get('content-type'), 'audio/mpeg', 'MP3 unless something else is asked for');
  const events = await (
    await sdk(made).audio.speech.create({
      ...voice,
      input: WORDS,
      response_format: 'pcm',
      stream_format: 'sse',
    })
  ).text();
  const told = events
    .split('\n\n')
    .filter(Boolean)
    .map(line => JSON.parse(line.slice('data: '.length)));
  t.same(
    Buffer.concat(told.slice(0, -1).map(({ audio }) => Buffer.from(audio, 'base64'))),
    await speak(made, 'pcm'),
  );
  t.match(told.at(-1), { type: 'speech.audio.done', usage: { total_tokens: Number } });
});

t.test('what was spoken here is understood, in every format', async t => {
  await using made = await openLlmWorld('openai');
  const file = await recording(made);
  const transcribe = (response_format: string, more: object = {}): Promise<unknown> =>
    sdk(made).audio.transcriptions.create({ file, model: 'whisper-1', response_format, ...more } as never);
  t.match(await transcribe('json'), { text: WORDS, usage: { type: 'duration', seconds: 2 } });
  t.equal(await transcribe('text'), `${WORDS}\n`);
  t.equal(await transcribe('srt'), `1\n00:00:00,000 --> 00:00:01,200\n${WORDS}\n\n\n`);
  t.equal(await transcribe('vtt'), `WEBVTT\n\n00:00:00.000 --> 00:00:01.200\n${WORDS}\n\n`);
  const verbose = (await transcribe('verbose_json', {
    timestamp_granularities: ['word', 'segment'],
  })) as OpenAI.Audio.TranscriptionVerbose;
  t.match(verbose, {
    task: 'transcribe',
    duration: 1.2,
    text: WORDS,
    segments: [{ id: 0, text: WORDS, end: 1.2 }],
  });
  t.match(verbose.words, [{ word: 'Ada', start: 0, end: 0.3 }, {}, {}, { word: 'Oslo.', end: 1.2 }]);
  t.match(await transcribe('diarized_json', { model: 'gpt-4o-transcribe-diarize' }), {
    segments: [{ speaker: 'A', text: WORDS }],
  });
  t.match(await transcribe('json', { model: 'gpt-4o-transcribe' }), { usage: { type: 'tokens' } });
  t.same(await sdk(made).audio.translations.create({ file, model: 'whisper-1' }), { text: WORDS });
  const stream = await sdk(made).audio.transcriptions.create({
    file,
    model: 'gpt-4o-transcribe',
    stream: true,
  });
  let text = '';
  for await (const event of stream) text += event.type === 'transcript.text.delta' ? event.delta : '';
  t.equal(text, WORDS);
});

t.test('[2.3] a handler says what was spoken, by the file or by the prompt', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'prompted',
        match: { endpoint: 'audio.transcriptions', lastUser: 'A meeting' },
        reply: { text: 'Good morning.' },
      },
      {
        id: 'call',
        match: { endpoint: 'audio.translations', input: { contains: 'call.mp3' } },
        reply: { text: 'Hello.' },
      },
    ],
  });
  const file = await toFile(new Uint8Array(8_000), 'call.mp3');
  const prompted = await sdk(made).audio.transcriptions.create({
    file,
    model: 'whisper-1',
    prompt: 'A meeting',
  });
  t.equal(prompted.text, 'Good morning.');
  t.equal((await sdk(made).audio.translations.create({ file, model: 'whisper-1' })).text, 'Hello.');
  t.equal(
    (await sdk(made).audio.transcriptions.create({ file, model: 'whisper-1' })).text,
    'This is call.mp3.',
  );
  t.match((await made.scenario()).unmatched[0], { path: '/v1/audio/transcriptions' });
});

t.test('what OpenAI refuses is refused in its words, and nothing is stored', async t => {
  await using made = await openLlmWorld('openai');
  for (const [body, status, expected] of [
    [{ ...voice }, 400, { param: 'input' }],
    [{ ...voice, input: ' ' }, 400, { param: 'input' }],
    [{ ...voice, input: 'x'.repeat(4097) }, 400, { code: 'string_above_max_length' }],
    [{ ...voice, input: 'x', voice: 'ada' }, 400, { param: 'voice' }],
    [{ ...voice, input: 'x', speed: 5 }, 400, { code: 'decimal_above_max_value' }],
    [{ ...voice, input: 'x', response_format: 'flac' }, 501, { code: 'wrld_unmodelled_operation' }],
  ] as const) {
    const answer = await made.ask('POST', '/v1/audio/speech', body);
    t.match(
      { status: answer.status, ...answer.body.error },
      { status, ...expected },
      JSON.stringify(body).slice(0, 80),
    );
  }
  const heard = (name: string, response_format: 'srt' | 'json', model = 'whisper-1'): Promise<unknown> =>
    toFile(new Uint8Array(8), name).then(file =>
      sdk(made).audio.transcriptions.create({ file, model, response_format } as never),
    );
  await t.rejects(heard('a.txt', 'json'), {
    status: 400,
    message: /Invalid file format\. Supported formats/,
  });
  await t.rejects(heard('a.mp3', 'srt', 'gpt-4o-transcribe'), {
    status: 400,
    message: /Use 'json' or 'text' instead/,
  });
  t.same(await made.kinds(), []);
});
