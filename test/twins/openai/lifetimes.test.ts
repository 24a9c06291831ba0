// How long what a request made is kept, and by which tier it was answered: as the request says.
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const HOUR = 3_600;

t.test('[4.9 clock] the files of what came out of a batch go when their time is over', async t => {
  await using made = await openLlmWorld('openai');
  const { batches, files } = sdk(made);
  const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hello' }] };
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body });
  const input = await files.create({ file: await toFile(Buffer.from(line), 'a.jsonl'), purpose: 'batch' });
  const asked = {
    input_file_id: input.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    output_expires_after: { anchor: 'created_at', seconds: HOUR },
  } as const;
  const { id, ...shown } = await batches.create(asked);
  t.notOk('$lifetime' in shown);
  await made.advance('5m');
  const { output_file_id: output } = await batches.retrieve(id);
  const { expires_at: end, created_at: begin } = await files.retrieve(output ?? '');
  t.equal(end, begin + HOUR);
  await made.advance('1h');
  await t.rejects(files.retrieve(output ?? ''), { status: 404, message: /No such/ });
  const short = { ...asked, output_expires_after: { anchor: 'created_at', seconds: 60 } } as const;
  await t.rejects(batches.create(short), { status: 400, message: /Expected a value >= 3600/ });
});

t.test('[4.1] a realtime secret lasts as long as is asked, within what the vendor allows', async t => {
  await using made = await openLlmWorld('openai');
  const { clientSecrets } = sdk(made).realtime;
  const session = { type: 'realtime', model: 'gpt-realtime' } as const;
  const { expires_at: usual } = await clientSecrets.create({ session });
  const given = await clientSecrets.create({ session, expires_after: { anchor: 'created_at', seconds: 60 } });
  t.equal(usual - given.expires_at, 600 - 60);
  for (const seconds of [9, 7_201]) {
    const asked = clientSecrets.create({ session, expires_after: { anchor: 'created_at', seconds } });
    await t.rejects(asked, { status: 400, message: /Invalid 'seconds'/ });
  }
});

t.test('[4.1] a response says by which tier it was answered', async t => {
  await using made = await openLlmWorld('openai');
  const { responses } = sdk(made);
  const tierOf = async (service_tier?: 'auto' | 'flex' | 'priority'): Promise<unknown> =>
    (await responses.create({ model: 'gpt-4.1', input: 'Hello', ...(service_tier && { service_tier }) }))
      .service_tier;
  t.strictSame(
    [await tierOf(), await tierOf('auto'), await tierOf('flex'), await tierOf('priority')],
    ['default', 'default', 'flex', 'priority'],
  );
});
