// JPEG and WebP of one colour, by the vendor's own SDK: what is asked for, with its size where readers look for it.
import OpenAI from 'openai';
import t from 'tap';
import { jpegOf } from '../../../twins/openai/jpeg.ts';
import { webpOf } from '../../../twins/openai/webp.ts';
import { openLlmWorld } from '../../kit/llm-world.ts';

/** Bits that are read from the lowest of a byte on. */
const bitsAt = (bytes: Uint8Array, from: number, count: number): number =>
  Array.from({ length: count }, (_, at) => (bytes[(from + at) >> 3]! >> ((from + at) & 7)) & 1).reduce(
    (sum, bit, at) => sum + bit * 2 ** at,
    0,
  );

t.test('each is of the format and the size that were asked for', async t => {
  await using made = await openLlmWorld('openai');
  const { images, responses } = new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
  const ask = async (output_format: 'jpeg' | 'webp'): Promise<Buffer> => {
    const asked = { model: 'gpt-image-1', prompt: 'a hat', size: '1536x1024', output_format } as const;
    const answer = await images.generate(asked);
    t.equal(answer.output_format, output_format);
    return Buffer.from(answer.data![0]!.b64_json!, 'base64');
  };
  const jpeg = await ask('jpeg');
  t.equal(jpeg.subarray(0, 3).toString('hex'), 'ffd8ff');
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  t.same([jpeg.readUInt16BE(frame + 7), jpeg.readUInt16BE(frame + 5)], [1536, 1024]);
  const webp = await ask('webp');
  t.equal(`${webp.subarray(0, 4)} ${webp.subarray(8, 16)}`, 'RIFF WEBPVP8L');
  t.equal(webp.readUInt32LE(4), webp.length - 8);
  t.same([1 + bitsAt(webp, 21 * 8, 14), 1 + bitsAt(webp, 21 * 8 + 14, 14)], [1536, 1024]);
  const { output } = await responses.create({
    model: 'gpt-4.1',
    input: 'Draw a hat',
    tools: [{ type: 'image_generation', output_format: 'webp' }],
  });
  t.match(output, [{ type: 'image_generation_call', output_format: 'webp', result: /^UklGR/ }]);
  await t.rejects(
    images.generate({ model: 'gpt-image-1', prompt: 'a hat', output_format: 'gif' as 'webp' }),
    {
      status: 501,
      param: 'output_format',
      message: /PNG, JPEG and WebP, and no gif/,
    },
  );
});

t.test('the bytes are those that a decoder outside of this repository read as one colour', t => {
  const picture = { width: 16, height: 8, colour: [255, 255, 255] } as const;
  const jpeg = Buffer.from(jpegOf(picture)).toString('hex');
  t.equal(
    jpeg.split('003f00')[1],
    '7fe0000007ffd9',
    'its first block, that the second is the same, and the end',
  );
  t.equal(
    Buffer.from(webpOf(picture)).toString('hex'),
    '524946461a000000574542505650384c0d0000002f0fc00100e87ffffbdfff020000',
  );
  t.end();
});
