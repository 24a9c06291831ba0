// A chat's answer as sound, where the request wants some: the words as its transcript, and the sound that they make.
import { arrayField, field, type JsonObject, objectField, textField } from '../kit/json.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Tx } from '../kit/tx.ts';
import { checkWord } from './amounts.ts';
import { base64 } from './base64.ts';
import { invalid, missing } from './errors.ts';
import { type SoundFormat, soundOf } from './sound.ts';

const MODALITIES = ['text', 'audio'];
const FORMATS = ['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16'];
const SPOKEN: { readonly [format: string]: SoundFormat } = { wav: 'wav', mp3: 'mp3', pcm16: 'pcm' };
const KEPT_SECONDS = 3_600;

export type ChatAudio = {
  readonly id: string;
  readonly data: string;
  readonly expires_at: number;
  readonly transcript: string;
};

export function checkAudio(body: JsonObject): void {
  for (const [at, each] of arrayField(body, 'modalities').entries())
    checkWord(each, `modalities[${at}]`, MODALITIES);
  if (!wantsAudio(body)) return;
  const audio = objectField(body, 'audio');
  if (audio === null) throw missing('audio');
  if (field(audio, 'voice') === undefined) throw missing('audio.voice');
  const format = textField(audio, 'format');
  if (format === null) throw missing('audio.format');
  checkWord(format, 'audio.format', FORMATS);
  if (field(body, 'stream') === true && format !== 'pcm16')
    throw invalid(
      `Unsupported value: 'audio.format' does not support '${format}' when stream=true. Supported values are: 'pcm16'.`,
      'audio.format',
      'unsupported_value',
    );
  if (!Object.hasOwn(SPOKEN, format))
    throw new Refusal(
      501,
      'wrld_unmodelled_operation',
      `This OpenAI twin speaks wav, mp3 and pcm16, and no ${format}. Answer it with a handler, or ask for one of them.`,
      { param: 'audio.format' },
    );
}

const wantsAudio = (body: JsonObject): boolean => arrayField(body, 'modalities').includes('audio');

/** Null where nothing is to be heard. */
export function audioOf(text: string | null, body: JsonObject, tx: Tx): ChatAudio | null {
  if (text === null || !wantsAudio(body)) return null;
  const format = SPOKEN[textField(objectField(body, 'audio'), 'format') ?? ''] ?? 'wav';
  return {
    id: `audio_${tx.hex(16)}`,
    data: base64(soundOf(text, format, 1)),
    expires_at: Math.floor(tx.now / 1000) + KEPT_SECONDS,
    transcript: text,
  };
}
