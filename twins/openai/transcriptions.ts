// Transcriptions and translations: what a handler says was spoken, in each of the vendor's formats; without one, the words
// of a WAV that this twin spoke, or the name of the file.
import type { Call } from '../kit/call.ts';
import { type Conversation, logSummary, SILENCE, utteranceOf } from '../kit/conversation.ts';
import type { Spoken } from '../kit/generative.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import { piecesOf, streamOf } from '../kit/stream.ts';
import { tokensOf } from '../kit/tokens.ts';
import { checkWord } from './amounts.ts';
import { errorOf, invalid, missing } from './errors.ts';
import { readUploadForm, type UploadForm } from './form.ts';
import { heardOf } from './sound.ts';

const SUFFIXES = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'];
const FILE_BYTES_MAX = 25 * 1024 * 1024;
const TRANSCRIBED = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'];
const TRANSLATED = ['json', 'text', 'srt', 'verbose_json', 'vtt'];

type Task = 'transcribe' | 'translate';
type Recording = {
  readonly task: Task;
  readonly form: UploadForm;
  readonly model: string;
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly format: string;
};

function recordingOf(call: Call, task: Task): Recording {
  const form = readUploadForm(call);
  const { filename, bytes } = form.file('file');
  const model = form.text('model');
  if (model === null) throw missing('model');
  const name = filename ?? '';
  if (!SUFFIXES.includes(name.split('.').at(-1)?.toLowerCase() ?? ''))
    throw invalid(`Invalid file format. Supported formats: ['${SUFFIXES.join("', '")}']`);
  if (bytes.length === 0)
    throw invalid('Audio file might be corrupted or unsupported', 'file', 'invalid_value');
  if (bytes.length > FILE_BYTES_MAX)
    throw invalid(`Maximum content size limit (${FILE_BYTES_MAX}) exceeded (${bytes.length} bytes read)`);
  const format = form.text('response_format') ?? 'json';
  checkWord(format, 'response_format', task === 'transcribe' ? TRANSCRIBED : TRANSLATED);
  if (!formatsOf(model).includes(format))
    throw invalid(
      `response_format '${format}' is not compatible with model '${model}'. Use ${formatsOf(model)
        .map(each => `'${each}'`)
        .join(' or ')} instead.`,
      'response_format',
      'unsupported_value',
    );
  return { task, form, model, filename: name, bytes, format };
}

function formatsOf(model: string): readonly string[] {
  if (model.includes('diarize')) return ['json', 'text', 'diarized_json'];
  return model.startsWith('gpt-') ? ['json', 'text'] : TRANSLATED;
}

/** What handlers match: the prompt is what the user said last, where there is one; else the name of the file. */
export function recordingConversation(call: Call, task: Task): Conversation {
  return conversationOf(recordingOf(call, task));
}

function conversationOf({ task, form, model, filename }: Recording): Conversation {
  const prompt = form.text('prompt') ?? '';
  return {
    endpoint: task === 'transcribe' ? 'audio.transcriptions' : 'audio.translations',
    model,
    sayings: [filename, prompt].filter(text => text !== '').map(text => ({ role: 'user', text })),
    tools: [],
    toolChoice: 'none',
    stream: task === 'transcribe' && form.text('stream') === 'true',
    format: { type: 'text', schema: null },
    id: null,
    maxTokens: null,
    stops: [],
  };
}

function run(context: ModelAsk, task: Task): ModelOutcome {
  const { call, tx, now } = context;
  const recording = recordingOf(call, task);
  const conversation = conversationOf(recording);
  const heard = heardOf(recording.bytes);
  const spoken = context.spoken ?? { ...SILENCE, text: heard.words ?? `This is ${recording.filename}.` };
  const utterance = utteranceOf(conversation, spoken, () => '');
  const text = utterance.text ?? '';
  const id = `transcription_${tx.hex(16)}`;
  tx.put('completion', id, {
    id,
    object: 'completion',
    created: now,
    ...logSummary(conversation, utterance),
  });
  const usage = usageOf(recording.model, heard.seconds, text);
  // Whisper does not stream, whatever is asked of it.
  if (conversation.stream && recording.model.startsWith('gpt-'))
    return { stream: streamed(text, spoken, usage) };
  return transcriptAnswer(recording, { text, seconds: heard.seconds, usage });
}

function usageOf(model: string, seconds: number, text: string): object {
  if (!model.startsWith('gpt-')) return { type: 'duration', seconds: Math.ceil(seconds) };
  const audio_tokens = Math.max(1, Math.round(seconds * 10));
  const output_tokens = tokensOf(text);
  return {
    type: 'tokens',
    input_tokens: audio_tokens,
    input_token_details: { text_tokens: 0, audio_tokens },
    output_tokens,
    total_tokens: audio_tokens + output_tokens,
  };
}

type Transcript = { readonly text: string; readonly seconds: number; readonly usage: object };

function transcriptAnswer(
  { task, form, format }: Recording,
  { text, seconds, usage }: Transcript,
): ModelOutcome {
  const plain = (body: string): ModelOutcome => ({ bytes: body, type: 'text/plain; charset=utf-8' });
  const end = Math.max(seconds, 0.01);
  switch (format) {
    case 'text':
      return plain(`${text}\n`);
    case 'srt':
      return plain(`1\n${clock(0, ',')} --> ${clock(end, ',')}\n${text}\n\n\n`);
    case 'vtt':
      return plain(`WEBVTT\n\n${clock(0, '.')} --> ${clock(end, '.')}\n${text}\n\n`);
    case 'verbose_json':
      return { json: verbose({ task, form, text, end, usage }) };
    case 'diarized_json': {
      const segment = { id: 'seg_0', type: 'transcript.text.segment', speaker: 'A', start: 0, end, text };
      return { json: { task, duration: end, text, segments: [segment], usage } };
    }
    default:
      return { json: task === 'translate' ? { text } : { text, usage } };
  }
}

/** `00:00:01,500` */
function clock(seconds: number, point: string): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const ms = String(Math.round((seconds % 1) * 1000)).padStart(3, '0');
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${point}${ms}`;
}

type Verbose = {
  readonly task: Task;
  readonly form: UploadForm;
  readonly text: string;
  readonly end: number;
  readonly usage: object;
};

function verbose({ task, form, text, end, usage }: Verbose): object {
  const wanted = form.texts('timestamp_granularities');
  const words = text.match(/\S+/g) ?? [];
  const each = end / Math.max(1, words.length);
  const segment = {
    id: 0,
    seek: 0,
    start: 0,
    end,
    text,
    tokens: words.map((_, at) => 50_364 + at),
    temperature: Number(form.text('temperature') ?? 0),
    avg_logprob: -0.25,
    compression_ratio: 1,
    no_speech_prob: 0.01,
  };
  return {
    task,
    language: form.text('language') ?? 'english',
    duration: end,
    text,
    ...((wanted.length === 0 || wanted.includes('segment')) && { segments: [segment] }),
    ...(wanted.includes('word') && {
      words: words.map((word, at) => ({ word, start: round(at * each), end: round((at + 1) * each) })),
    }),
    ...(task === 'transcribe' && { usage }),
  };
}

const round = (seconds: number): number => Math.round(seconds * 100) / 100;

function streamed(text: string, { pace, ending }: Spoken, usage: object): AsyncIterable<Uint8Array> {
  const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const frames = piecesOf(text, pace).map(delta => ({
    text: event({ type: 'transcript.text.delta', delta }),
    piece: true,
  }));
  frames.push({ text: event({ type: 'transcript.text.done', text, usage }), piece: false });
  return streamOf(frames, pace, ending, ({ status, type, code, message }) =>
    event({ error: errorOf(status, message, { type, code: code ?? null }) }),
  );
}

export const TRANSCRIPTIONS: readonly ModelOperation[] = [
  {
    method: 'POST',
    path: '/v1/audio/transcriptions',
    name: 'audio.transcriptions.create',
    form: true,
    run: context => run(context, 'transcribe'),
  },
  {
    method: 'POST',
    path: '/v1/audio/translations',
    name: 'audio.translations.create',
    form: true,
    run: context => run(context, 'translate'),
  },
];
