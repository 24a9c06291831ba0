// Pictures: generated, edited and varied, each a real PNG, JPEG or WebP of one colour that its prompt decides; as base64, as an address
// that the twin answers for an hour, or as a stream.

import { EVEN_PACE } from '../kit/generative.ts';
import { field, type JsonObject, numberField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import type { Asked, Screen } from '../kit/operation.ts';
import { Refusal } from '../kit/refusal.ts';
import { streamOf } from '../kit/stream.ts';
import { textDigest, tokensOf } from '../kit/tokens.ts';
import type { Tx } from '../kit/tx.ts';
import { checkAmount, checkLength, checkWord } from './amounts.ts';
import { base64 } from './base64.ts';
import { errorOf, invalid, missing } from './errors.ts';
import { readUploadForm } from './form.ts';
import { jpegOf } from './jpeg.ts';
import { type Picture, pngOf } from './png.ts';
import { webpOf } from './webp.ts';

/** Where the vendor's pictures are fetched from. */
export const PICTURES_HOST = 'oaidalleapiprodscus.blob.core.windows.net';
const PICTURES_MAX = 10;
const WRITERS: { readonly [format: string]: (picture: Picture) => Uint8Array } = {
  png: pngOf,
  jpeg: jpegOf,
  webp: webpOf,
};
const PARTIALS_MAX = 3;

type Family = {
  readonly sizes: readonly string[];
  readonly usual: string;
  readonly qualities: readonly string[];
  readonly promptChars: number;
  /** Answers with an address, unless base64 is asked for; the others answer with base64 alone. */
  readonly urls: boolean;
};

const GPT: Family = {
  sizes: ['1024x1024', '1024x1536', '1536x1024', 'auto'],
  usual: '1024x1024',
  qualities: ['low', 'medium', 'high', 'xhigh', 'max', 'auto'],
  promptChars: 32_000,
  urls: false,
};
const DALL_E_3: Family = {
  sizes: ['1024x1024', '1024x1792', '1792x1024'],
  usual: '1024x1024',
  qualities: ['standard', 'hd'],
  promptChars: 4_000,
  urls: true,
};
const DALL_E_2: Family = {
  sizes: ['256x256', '512x512', '1024x1024'],
  usual: '1024x1024',
  qualities: ['standard'],
  promptChars: 1_000,
  urls: true,
};

const familyOf = (model: string): Family =>
  model === 'dall-e-2' ? DALL_E_2 : model === 'dall-e-3' ? DALL_E_3 : GPT;

type Wish = {
  readonly kind: 'generation' | 'edit' | 'variation';
  readonly model: string;
  /** What the colour is made of. */
  readonly prompt: string;
  readonly asked: JsonObject;
  readonly inputImages: number;
};

function picturesOf(context: ModelAsk, wish: Wish): ModelOutcome {
  const { tx, now } = context;
  const { model, asked, prompt } = wish;
  const family = familyOf(model);
  check(wish, family);
  const n = numberField(asked, 'n') ?? 1;
  const named = textField(asked, 'size') ?? family.usual;
  const size = named === 'auto' ? family.usual : named;
  const [width = 0, height = 0] = size.split('x').map(Number);
  const pictures = Array.from({ length: n }, (_, at) =>
    writerOf(family.urls ? null : textField(asked, 'output_format'))({
      width,
      height,
      colour: colourOf(`${prompt} ${at}`),
    }),
  );
  const id = `img_${tx.hex(16)}`;
  const urls = family.urls && textField(asked, 'response_format') !== 'b64_json';
  const data = pictures.map(bytes => ({
    ...(model === 'dall-e-3' && { revised_prompt: prompt }),
    ...(urls ? { url: addressOf(tx, bytes) } : { b64_json: base64(bytes) }),
  }));
  tx.kind(`image.${wish.kind}`);
  tx.put('completion', id, {
    id,
    object: 'completion',
    created: now,
    endpoint: `images.${wish.kind}s`,
    model,
    request: { prompt: prompt.slice(0, 2_000), n, size },
  });
  if (family.urls) return { json: { created: now, data } };
  const output_format = textField(asked, 'output_format') ?? 'png';
  const shown = { background: 'opaque', output_format, quality: qualityOf(asked), size };
  const usage = usageOf(wish, n);
  if (field(asked, 'stream') !== true) return { json: { created: now, ...shown, data, usage } };
  return { stream: streamed(wish, base64(pictures[0]!), { created_at: now, ...shown }, usage) };
}

function check({ kind, model, prompt, asked }: Wish, family: Family): void {
  checkLength(prompt, 'prompt', family.promptChars);
  checkAmount(asked, 'n', { min: 1, max: model === 'dall-e-3' ? 1 : PICTURES_MAX, whole: true });
  checkAmount(asked, 'partial_images', { min: 0, max: PARTIALS_MAX, whole: true });
  const size = textField(asked, 'size');
  if (size !== null) checkWord(size, 'size', family.sizes);
  const quality = textField(asked, 'quality');
  if (quality !== null) checkWord(quality, 'quality', family.qualities);
  const format = textField(asked, 'response_format');
  if (format !== null && !family.urls)
    throw invalid("Unknown parameter: 'response_format'.", 'response_format', 'unknown_parameter');
  if (format !== null) checkWord(format, 'response_format', ['url', 'b64_json']);
  if (kind === 'variation' && model !== 'dall-e-2')
    throw invalid("Invalid value: the model must be 'dall-e-2' for variations.", 'model', 'invalid_value');
  writerOf(textField(asked, 'output_format'));
}

/** Of what the request asks for; refuses what is not drawn here. */
function writerOf(format: string | null): (picture: Picture) => Uint8Array {
  const named = format ?? 'png';
  const writer = Object.hasOwn(WRITERS, named) ? WRITERS[named] : undefined;
  if (writer !== undefined) return writer;
  throw new Refusal(
    501,
    'wrld_unmodelled_operation',
    `This OpenAI twin draws PNG, JPEG and WebP, and no ${named}. Answer it with a handler, or ask for one of them.`,
    { param: 'output_format' },
  );
}

/** Muted, so that a page full of them can be looked at. */
function colourOf(text: string): readonly [number, number, number] {
  const digest = textDigest(text);
  const part = (at: number): number => 64 + (Number.parseInt(digest.slice(at, at + 2), 16) >> 1);
  return [part(10), part(12), part(14)];
}

/** Of a response's tool: drawn by the models of GPT's family. */
export function pictureOf(
  prompt: string,
  asked: string | null,
  format: string | null,
): { bytes: Uint8Array; size: string } {
  const size = asked === null || asked === 'auto' ? GPT.usual : asked;
  checkWord(size, 'size', GPT.sizes);
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { bytes: writerOf(format)({ width, height, colour: colourOf(`${prompt} 0`) }), size };
}

export const qualityOf = (asked: JsonObject): string => {
  const quality = textField(asked, 'quality') ?? 'auto';
  return quality === 'auto' ? 'high' : quality;
};

function usageOf({ prompt, inputImages }: Wish, n: number): object {
  const input_tokens_details = { text_tokens: tokensOf(prompt), image_tokens: inputImages * 323 };
  const input_tokens = input_tokens_details.text_tokens + input_tokens_details.image_tokens;
  const output_tokens = 4_160 * n;
  return {
    input_tokens,
    input_tokens_details,
    output_tokens,
    output_tokens_details: { text_tokens: 0, image_tokens: output_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}

function addressOf(tx: Tx, bytes: Uint8Array): string {
  const name = `img-${tx.id('', 24)}.png`;
  tx.put('image', name, { id: name, created_at: Math.floor(tx.now / 1000), $blob: tx.putBlob(bytes) });
  return `https://${PICTURES_HOST}/private/${name}`;
}

function streamed(wish: Wish, b64_json: string, shown: object, usage: object): AsyncIterable<Uint8Array> {
  const name = wish.kind === 'edit' ? 'image_edit' : 'image_generation';
  const partials = numberField(wish.asked, 'partial_images') ?? 0;
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, b64_json, ...shown, ...fields })}\n\n`;
  const frames = Array.from({ length: partials }, (_, partial_image_index) => ({
    text: event(`${name}.partial_image`, { partial_image_index }),
    piece: true,
  }));
  frames.push({ text: event(`${name}.completed`, { usage }), piece: true });
  return streamOf(
    frames,
    EVEN_PACE,
    null,
    ({ status, message }) => `data: ${JSON.stringify({ error: errorOf(status, message) })}\n\n`,
  );
}

/** The fields of a form as a JSON body has them. */
function formBody(form: ReturnType<typeof readUploadForm>): JsonObject {
  const made: { [name: string]: string | number | boolean } = {};
  for (const name of ['model', 'prompt', 'size', 'quality', 'response_format', 'output_format']) {
    const value = form.text(name);
    if (value !== null) made[name] = value;
  }
  for (const name of ['n', 'partial_images']) {
    const value = form.text(name);
    if (value !== null) made[name] = Number(value);
  }
  if (form.text('stream') === 'true') made['stream'] = true;
  return made;
}

const generate = (context: ModelAsk): ModelOutcome => {
  const { body } = context;
  const prompt = textField(body, 'prompt');
  if (prompt === null || prompt === '') throw missing('prompt');
  const model = textField(body, 'model') ?? 'dall-e-2';
  return picturesOf(context, { kind: 'generation', model, prompt, asked: body, inputImages: 0 });
};

const edit = (context: ModelAsk): ModelOutcome => {
  const form = readUploadForm(context.call);
  const asked = formBody(form);
  const images = form.files('image');
  if (images.length === 0) throw missing('image');
  const prompt = textField(asked, 'prompt');
  if (prompt === null || prompt === '') throw missing('prompt');
  const model = textField(asked, 'model') ?? 'dall-e-2';
  if (images.some(({ bytes }) => bytes.length === 0))
    throw invalid('Uploaded image must not be empty.', 'image');
  return picturesOf(context, { kind: 'edit', model, prompt, asked, inputImages: images.length });
};

const vary = (context: ModelAsk): ModelOutcome => {
  const form = readUploadForm(context.call);
  const { bytes } = form.file('image');
  const PNG = [0x89, 0x50, 0x4e, 0x47];
  if (PNG.some((byte, at) => bytes[at] !== byte))
    throw invalid('Uploaded image must be a PNG and less than 4 MB.', 'image');
  const asked = formBody(form);
  const prompt = textDigest(bytes.subarray(0, 4_096).join());
  const model = textField(asked, 'model') ?? 'dall-e-2';
  return picturesOf(context, { kind: 'variation', model, prompt, asked, inputImages: 1 });
};

export const IMAGES: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/images/generations', name: 'images.generate', run: generate },
  { method: 'POST', path: '/v1/images/edits', name: 'images.edit', form: true, run: edit },
  { method: 'POST', path: '/v1/images/variations', name: 'images.createVariation', form: true, run: vary },
];

/** A picture at its address, for whoever has it. */
export const PICTURE: Screen<Asked> = {
  id: 'picture',
  host: PICTURES_HOST,
  path: '/private/{picture}',
  run: ({ tx, path }) => {
    const held = tx.get('image', path['picture'] ?? '');
    const bytes = held === undefined ? undefined : tx.blob(String(held['$blob']));
    if (bytes === undefined) throw new Refusal(404, 'BlobNotFound', 'The specified blob does not exist.');
    return { status: 200, headers: [['Content-Type', 'image/png']], body: bytes };
  },
};
