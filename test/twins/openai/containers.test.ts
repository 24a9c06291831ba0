// Containers by the vendor's own SDK: files in them, the end of what nobody uses, and those of a response's code interpreter.
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const named = (text: string, name: string): Promise<File> => toFile(Buffer.from(text), name);

t.test('files come by upload and by id, are read, and are gone with their container', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const { containers } = openai;
  const kept = await openai.files.create({ file: await named('Gloves', 'gloves.txt'), purpose: 'user_data' });
  const container = await containers.create({ name: 'hats', file_ids: [kept.id] });
  t.match(container, {
    id: /^cntr_/,
    object: 'container',
    status: 'running',
    expires_after: { anchor: 'last_active_at', minutes: 20 },
    memory_limit: '1g',
  });
  const container_id = container.id;
  const file = await containers.files.create(container_id, { file: await named('Hats', 'hats.txt') });
  t.match(file, { id: /^cfile_/, container_id, bytes: 4, path: '/mnt/data/hats.txt', source: 'user' });
  await containers.files.create(container_id, { file_id: kept.id });
  const other = sdk(made).containers;
  t.same(
    (await other.files.list(container_id, { order: 'asc' })).data.map(({ path }) => path),
    ['/mnt/data/gloves.txt', '/mnt/data/hats.txt', '/mnt/data/gloves.txt'],
  );
  const content = await other.files.content.retrieve(file.id, { container_id });
  t.equal(await content.text(), 'Hats');
  t.equal((await other.files.retrieve(file.id, { container_id })).id, file.id);
  await other.files.delete(file.id, { container_id });
  await t.rejects(other.files.retrieve(file.id, { container_id }), { status: 404, message: /not found/ });
  t.same((await other.list({ name: 'hats' })).data.length, 1);
  t.same((await other.list({ name: 'gloves' })).data.length, 0);
  await other.delete(container_id);
  await t.rejects(other.retrieve(container_id), { status: 404, message: /not found/ });
});

t.test('one that nobody has used for its minutes is expired, and takes nothing more', async t => {
  await using made = await openLlmWorld('openai');
  const { containers } = sdk(made);
  const { id } = await containers.create({
    name: 'short',
    expires_after: { anchor: 'last_active_at', minutes: 10 },
  });
  await made.advance('6m');
  await containers.files.create(id, { file: await named('Hats', 'hats.txt') });
  await made.advance('6m');
  t.equal((await containers.retrieve(id)).status, 'running', 'it was used since');
  await made.advance('5m');
  t.equal((await containers.retrieve(id)).status, 'expired');
  await t.rejects(containers.files.list(id), { status: 404, message: /Container is expired/ });
  const wrong = { name: 'long', expires_after: { anchor: 'last_active_at', minutes: 90 } } as const;
  await t.rejects(containers.create(wrong), { status: 400, message: /Expected a value <= 20/ });
});

t.test('the code interpreter of a response works in one', async t => {
  await using made = await openLlmWorld('openai');
  const { responses, containers } = sdk(made);
  const { output } = await responses.create({
    model: 'gpt-4.1',
    input: 'sum',
    tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
    tool_choice: { type: 'code_interpreter' },
  });
  const [call] = output as [OpenAI.Responses.ResponseCodeInterpreterToolCall];
  t.equal((await containers.retrieve(call.container_id)).status, 'running');
});
