// Embeddings by the vendor's own SDK: as many numbers as the model has, or as fewer as are asked for.
import OpenAI from 'openai';
import t from 'tap';
import { openLlmWorld } from '../../kit/llm-world.ts';

t.test('dimensions: fewer than the model has, where it can be told', async t => {
  await using made = await openLlmWorld('openai');
  const { embeddings } = new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
  const ask = async (model: string, dimensions?: number): Promise<number> => {
    const asked = dimensions === undefined ? { model, input: 'hats' } : { model, input: 'hats', dimensions };
    return (await embeddings.create(asked)).data[0]!.embedding.length;
  };
  t.equal(await ask('text-embedding-3-small'), 1536);
  t.equal(await ask('text-embedding-3-large', 256), 256);
  t.equal(await ask('text-embedding-ada-002'), 1536);
  await t.rejects(ask('text-embedding-ada-002', 256), {
    status: 400,
    message: '400 This model does not support specifying dimensions.',
  });
  await t.rejects(ask('text-embedding-3-small', 3072), {
    status: 400,
    param: 'dimensions',
    message: /Must be less than or equal to 1536/,
  });
});
