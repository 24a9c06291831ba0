// Speech as sound: a soft tone as long as the words would take, as WAV, PCM or MP3. A WAV of the twin's own has its words
// in a comment, so that what was spoken here is understood again.

const RATE = 24_000;
const WORD_MS = 300;
const SOUND_MS_MIN = 300;
const SOUND_MS_MAX = 10_000;
const TONE_HZ = 220;
const LOUDNESS = 1_600;
/** MPEG-2 layer III, 32 kbit/s at 24 kHz, one channel: a frame of 96 bytes is 24 ms, and one of zeros is silence. */
const MP3_HEADER = [0xff, 0xf3, 0x44, 0xc4];
const MP3_FRAME_BYTES = 96;
const MP3_FRAME_MS = 24;

export type SoundFormat = 'wav' | 'pcm' | 'mp3';
export const SOUND_TYPES: { readonly [format in SoundFormat]: string } = {
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  mp3: 'audio/mpeg',
};

export function soundOf(words: string, format: SoundFormat, speed: number): Uint8Array {
  const count = words.match(/\S+/g)?.length ?? 0;
  const ms = Math.min(SOUND_MS_MAX, Math.max(SOUND_MS_MIN, Math.round((count * WORD_MS) / speed)));
  if (format === 'mp3') return silentMp3(ms);
  const samples = toneOf(ms);
  return format === 'pcm' ? samples : wavOf(samples, words);
}

function toneOf(ms: number): Uint8Array {
  const count = Math.round((RATE * ms) / 1000);
  const view = new DataView(new ArrayBuffer(count * 2));
  for (let at = 0; at < count; at += 1)
    view.setInt16(at * 2, Math.round(LOUDNESS * Math.sin((2 * Math.PI * TONE_HZ * at) / RATE)), true);
  return new Uint8Array(view.buffer);
}

function silentMp3(ms: number): Uint8Array {
  const frames = Math.ceil(ms / MP3_FRAME_MS);
  const bytes = new Uint8Array(frames * MP3_FRAME_BYTES);
  for (let at = 0; at < frames; at += 1) bytes.set(MP3_HEADER, at * MP3_FRAME_BYTES);
  return bytes;
}

/** RIFF: the format, the words as a comment, the samples. */
function wavOf(samples: Uint8Array, words: string): Uint8Array {
  const text = new TextEncoder().encode(words);
  const comment = new Uint8Array(text.length + (text.length % 2 === 0 ? 2 : 1));
  comment.set(text);
  const bytes = new Uint8Array(12 + 24 + 20 + comment.length + 8 + samples.length);
  const view = new DataView(bytes.buffer);
  const name = (at: number, id: string): void => bytes.set(new TextEncoder().encode(id), at);
  name(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  name(8, 'WAVE');
  name(12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  name(36, 'LIST');
  view.setUint32(40, 12 + comment.length, true);
  name(44, 'INFO');
  name(48, 'ICMT');
  view.setUint32(52, comment.length, true);
  bytes.set(comment, 56);
  const at = 56 + comment.length;
  name(at, 'data');
  view.setUint32(at + 4, samples.length, true);
  bytes.set(samples, at + 8);
  return bytes;
}

export type Heard = {
  readonly seconds: number;
  /** What a WAV of the twin's own says of itself. */
  readonly words: string | null;
};

/** Of sound that is no WAV, a length by what speech commonly takes. */
export function heardOf(bytes: Uint8Array): Heard {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number): string => new TextDecoder('latin1').decode(bytes.subarray(at, at + 4));
  if (bytes.length < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE')
    return { seconds: hundredths(bytes.length / COMMON_BYTES_A_SECOND), words: null };
  let rate = 0;
  let seconds = 0;
  let words: string | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    const inside = at + 8;
    if (name(at) === 'fmt ' && size >= 12 && inside + 12 <= bytes.length)
      rate = view.getUint32(inside + 8, true);
    if (name(at) === 'data' && rate > 0) seconds = Math.min(size, bytes.length - inside) / rate;
    if (name(at) === 'LIST' && name(inside) === 'INFO' && name(inside + 4) === 'ICMT')
      words = new TextDecoder().decode(bytes.subarray(inside + 12, Math.min(inside + size, bytes.length)));
    at = inside + size + (size % 2);
  }
  return { seconds: hundredths(seconds), words: words?.replace(/\0+$/, '') ?? null };
}

/** 64 kbit/s. */
const COMMON_BYTES_A_SECOND = 8_000;
const hundredths = (seconds: number): number => Math.round(seconds * 100) / 100;
