// Pictures by the vendor's own SDK: real PNGs as base64, at an address that lasts an hour, as events.
import { inflateSync } from 'node:zlib';
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const bytesOf = (base64: string | undefined): Buffer => Buffer.from(base64!, 'base64');

/** Width, height and colour of a PNG whose data inflate to as much as its header says. */
function read(png: Buffer): { size: string; colour: string } {
  if (png.subarray(0, 8).toString('hex') !== '89504e470d0a1a0a') throw new Error('no PNG');
  const at = (name: string): Buffer => {
    const from = png.indexOf(name) + 4;
    return png.subarray(from, from + png.readUInt32BE(from - 8));
  };
  const header = at('IHDR');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  // Inflating checks the sum over all of it.
  const pixels = inflateSync(at('IDAT'));
  if (pixels.length !== height * (1 + Math.ceil(width / 8)) || pixels.some(byte => byte !== 0))
    throw new Error('pixels');
  return { size: `${width}x${height}`, colour: at('PLTE').toString('hex') };
}

t.test('generated: base64 of the size that is asked for, the same colour for the same words', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const asked = { model: 'gpt-image-1', prompt: 'a cat', size: '1536x1024', n: 2 } as const;
  const first = await openai.images.generate(asked);
  t.match(first, {
    output_format: 'png',
    size: '1536x1024',
    usage: { output_tokens: 8320, total_tokens: Number },
  });
  const [one, two] = first.data!.map(({ b64_json }) => read(bytesOf(b64_json)));
  t.equal(one!.size, '1536x1024');
  t.not(one!.colour, two!.colour);
  const again = await openai.images.generate(asked);
  t.same(again.data, first.data);
  t.ok(bytesOf(first.data![0]!.b64_json).length < 2_000, 'small');
});

t.test('[4.9 clock] at an address, without a key, for an hour', async t => {
  await using made = await openLlmWorld('openai');
  const { data } = await sdk(made).images.generate({ model: 'dall-e-3', prompt: 'a cat' });
  t.match(data, [
    { revised_prompt: 'a cat', url: /^https:\/\/oaidalleapiprodscus\.blob\.core\.windows\.net\/private\// },
  ]);
  const fetched = await made.fetch(data![0]!.url!);
  t.equal(fetched.headers.get('content-type'), 'image/png');
  t.equal(read(Buffer.from(await fetched.arrayBuffer())).size, '1024x1024');
  await made.advance('61m');
  t.equal((await made.fetch(data![0]!.url!)).status, 404);
  const small = await sdk(made).images.generate({
    prompt: 'a cat',
    response_format: 'b64_json',
    size: '256x256',
  });
  t.equal(read(bytesOf(small.data![0]!.b64_json)).size, '256x256', 'dall-e-2 where no model is named');
});

t.test('edited, varied, and streamed with pictures on the way', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const { data } = await openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
  const image = await toFile(bytesOf(data![0]!.b64_json), 'cat.png', { type: 'image/png' });
  const edited = await openai.images.edit({
    model: 'gpt-image-1',
    image: [image, image],
    prompt: 'with a hat',
  });
  t.match(edited.usage, { input_tokens_details: { image_tokens: 646 } });
  const varied = await openai.images.createVariation({ image, n: 2, response_format: 'b64_json' });
  t.equal(varied.data!.length, 2);
  const stream = await openai.images.generate({
    model: 'gpt-image-1',
    prompt: 'a dog',
    stream: true,
    partial_images: 2,
  });
  const types: string[] = [];
  for await (const event of stream) {
    types.push(event.type);
    t.equal(read(bytesOf(event.b64_json)).size, '1024x1024');
  }
  t.same(types, [
    'image_generation.partial_image',
    'image_generation.partial_image',
    'image_generation.completed',
  ]);
  t.same([...new Set(await made.kinds())], ['image.generation', 'image.edit', 'image.variation']);
});

t.test(
  '[2.3] what OpenAI refuses is refused in its words; what is not drawn says so, and a handler draws it',
  async t => {
    await using made = await openLlmWorld('openai', {
      handlers: [
        {
          id: 'webp',
          match: { path: '/v1/images/generations', body: { output_format: 'webp' } },
          reply: { json: { data: [] } },
        },
      ],
    });
    for (const [body, status, expected] of [
      [{}, 400, { param: 'prompt' }],
      [{ prompt: 'x', model: 'dall-e-3', n: 2 }, 400, { code: 'integer_above_max_value' }],
      [
        { prompt: 'x', model: 'dall-e-3', size: '256x256' },
        400,
        { param: 'size', message: /'1024x1024', '1024x1792', and '1792x1024'/ },
      ],
      [
        { prompt: 'x', model: 'gpt-image-1', response_format: 'url' },
        400,
        { message: "Unknown parameter: 'response_format'." },
      ],
      [{ prompt: 'x'.repeat(1001) }, 400, { code: 'string_above_max_length' }],
      [
        { prompt: 'x', model: 'gpt-image-1', output_format: 'gif' },
        501,
        { code: 'wrld_unmodelled_operation' },
      ],
    ] as const) {
      const answer = await made.ask('POST', '/v1/images/generations', body);
      t.match(
        { status: answer.status, ...answer.body.error },
        { status, ...expected },
        JSON.stringify(body).slice(0, 80),
      );
    }
    t.same(await made.kinds(), []);
    t.match(await made.ask('POST', '/v1/images/generations', { output_format: 'webp' }), { status: 200 });
  },
);
