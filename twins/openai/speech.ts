// Speech: what is said as sound, whole or as events.
import { EVEN_PACE } from '../kit/generative.ts';
import { field, numberField, objectField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import { Refusal } from '../kit/refusal.ts';
import { streamOf } from '../kit/stream.ts';
import { tokensOf } from '../kit/tokens.ts';
import { wordsIn } from '../kit/words.ts';
import { checkAmount, checkLength, checkWord } from './amounts.ts';
import { base64 } from './base64.ts';
import { errorOf, invalid, missing } from './errors.ts';
import { SOUND_TYPES, type SoundFormat, soundOf } from './sound.ts';

const INPUT_CHARS_MAX = 4_096;
const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];
const VOICES = wordsIn(`
  alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar
`);
const EVENT_BYTES = 12_000;

const create = ({ body, tx, now }: ModelAsk): ModelOutcome => {
  const model = textField(body, 'model');
  const input = textField(body, 'input');
  const format = textField(body, 'response_format') ?? 'mp3';
  if (model === null) throw missing('model');
  if (input === null) throw missing('input');
  if (input.trim() === '')
    throw invalid("Invalid 'input': the text must not be empty.", 'input', 'invalid_value');
  checkLength(input, 'input', INPUT_CHARS_MAX);
  // A voice of the caller's own is named by its id.
  if (objectField(body, 'voice') === null) {
    if (field(body, 'voice') === undefined) throw missing('voice');
    checkWord(field(body, 'voice'), 'voice', VOICES);
  }
  checkWord(format, 'response_format', FORMATS);
  checkAmount(body, 'speed', { min: 0.25, max: 4, whole: false });
  const events = textField(body, 'stream_format') === 'sse';
  if (events && model.startsWith('tts-1'))
    throw invalid("'sse' is not supported for 'tts-1' or 'tts-1-hd'.", 'stream_format', 'unsupported_value');
  if (!Object.hasOwn(SOUND_TYPES, format))
    throw new Refusal(
      501,
      'wrld_unmodelled_operation',
      `This OpenAI twin speaks wav, pcm and mp3, and no ${format}. Answer it with a handler, or ask for one of them.`,
      { param: 'response_format' },
    );
  const bytes = soundOf(input, format as SoundFormat, numberField(body, 'speed') ?? 1);
  const id = `speech_${tx.hex(16)}`;
  tx.kind('audio.speech');
  const request = { input: input.slice(0, 2_000), voice: field(body, 'voice') ?? null, format };
  tx.put('completion', id, {
    id,
    object: 'completion',
    created: now,
    endpoint: 'audio.speech',
    model,
    request,
  });
  if (!events) return { bytes, type: SOUND_TYPES[format as SoundFormat] };
  return { stream: streamed(bytes, input) };
};

function streamed(bytes: Uint8Array, input: string): AsyncIterable<Uint8Array> {
  const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const frames = Array.from({ length: Math.ceil(bytes.length / EVENT_BYTES) }, (_, at) => {
    const audio = base64(bytes.subarray(at * EVENT_BYTES, (at + 1) * EVENT_BYTES));
    return { text: event({ type: 'speech.audio.delta', audio }), piece: true };
  });
  const input_tokens = tokensOf(input);
  const output_tokens = Math.ceil(bytes.length / 2_400);
  const usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
  frames.push({ text: event({ type: 'speech.audio.done', usage }), piece: false });
  return streamOf(frames, EVEN_PACE, null, ({ status, message }) =>
    event({ error: errorOf(status, message) }),
  );
}

export const SPEECH: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/audio/speech', name: 'audio.speech.create', run: create },
];
