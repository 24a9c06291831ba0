// What the SDKs of language models are asked for when the answers of their twins are held against the SDKs' declarations:
// every kind of object is made, and read again.
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { toFile } from 'openai';

const TOOL = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const asked = { model: 'gpt-4.1', messages: [{ role: 'user' as const, content: 'Hello' }] };

export async function callOpenai(openai: OpenAI): Promise<void> {
  await callChat(openai);
  await callResponses(openai);
  await callFiles(openai);
  await callAssistants(openai);
  await callJobs(openai);
  await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'Hello' });
  await openai.moderations.create({ input: 'Hello' });
  await openai.images.generate({ model: 'gpt-image-1', prompt: 'A hat' });
  await openai.completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: 'Hello', logprobs: 1 });
  await openai.models.list();
  await openai.models.retrieve('gpt-4.1');
  await openai.realtime.clientSecrets.create({ session: { type: 'realtime', model: 'gpt-realtime' } });
}

async function callChat({ chat: { completions } }: OpenAI): Promise<void> {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: TOOL } }] as const;
  await completions.create({ ...asked, tools: [...tools], tool_choice: 'required' });
  await completions.create({ ...asked, logprobs: true, top_logprobs: 2, n: 2 });
  const { id } = await completions.create({ ...asked, store: true, metadata: { run: '1' } });
  await completions.retrieve(id);
  await completions.list();
  await completions.messages.list(id);
  await completions.update(id, { metadata: { run: '2' } });
  await completions.delete(id);
}

/** Not `compact`: it answers with the user's messages, for which the SDK declares no type of an output. */
async function callResponses({ responses, conversations }: OpenAI): Promise<void> {
  const { id: conversation } = await conversations.create({ metadata: { run: '1' } });
  const tool = { type: 'function', name: 'weather', parameters: TOOL, strict: true } as const;
  await responses.create({ model: 'gpt-4.1', input: 'Hello', conversation });
  await responses.create({ model: 'gpt-4.1', input: 'Hello', tools: [tool], tool_choice: 'required' });
  await responses.create({ model: 'gpt-5', input: 'Hello', reasoning: { effort: 'low', summary: 'auto' } });
  const { id } = await responses.create({ model: 'gpt-4.1', input: 'Hello', background: true });
  await responses.cancel(id);
  await responses.retrieve(id);
  await responses.inputItems.list(id);
  await responses.inputTokens.count({ model: 'gpt-4.1', input: 'Hello' });
  await responses.delete(id);
  const items = await conversations.items.list(conversation);
  const item = items.data[0]?.id ?? '';
  await conversations.items.retrieve(item, { conversation_id: conversation });
  await conversations.items.create(conversation, { items: [{ role: 'user', content: 'Again' }] });
  await conversations.items.delete(item, { conversation_id: conversation });
  await conversations.update(conversation, { metadata: { run: '2' } });
  await conversations.retrieve(conversation);
  await conversations.delete(conversation);
}

async function callFiles({ files, uploads, vectorStores, batches }: OpenAI): Promise<void> {
  const text = await toFile(Buffer.from('Hats are warm. Gloves are too.'), 'hats.txt');
  const file = await files.create({ file: text, purpose: 'assistants' });
  await files.list();
  await files.retrieve(file.id);
  const upload = await uploads.create({
    bytes: 5,
    filename: 'a.txt',
    mime_type: 'text/plain',
    purpose: 'assistants',
  });
  const part = await uploads.parts.create(upload.id, { data: await toFile(Buffer.from('Hello'), 'part') });
  await uploads.complete(upload.id, { part_ids: [part.id] });
  const store = await vectorStores.create({ name: 'Hats', file_ids: [file.id] });
  await vectorStores.files.create(store.id, { file_id: file.id });
  await vectorStores.files.list(store.id);
  await vectorStores.files.retrieve(file.id, { vector_store_id: store.id });
  const batch = await vectorStores.fileBatches.create(store.id, { file_ids: [file.id] });
  await vectorStores.fileBatches.retrieve(batch.id, { vector_store_id: store.id });
  await vectorStores.fileBatches.listFiles(batch.id, { vector_store_id: store.id });
  await vectorStores.search(store.id, { query: 'warm' });
  await vectorStores.update(store.id, { name: 'Coats' });
  await vectorStores.list();
  await vectorStores.retrieve(store.id);
  await vectorStores.files.delete(file.id, { vector_store_id: store.id });
  await vectorStores.delete(store.id);
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: asked };
  const lines = await files.create({
    file: await toFile(Buffer.from(JSON.stringify(line)), 'a.jsonl'),
    purpose: 'batch',
  });
  const wanted = {
    input_file_id: lines.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  } as const;
  const { id } = await batches.create(wanted);
  await batches.retrieve(id);
  await batches.list();
  await batches.cancel(id);
  await files.delete(file.id);
}

async function callJobs({ fineTuning: { jobs }, files, containers }: OpenAI): Promise<void> {
  const { id: training_file } = await files.create({
    file: await toFile(Buffer.from('{}'), 'a.jsonl'),
    purpose: 'fine-tune',
  });
  const { id: job } = await jobs.create({ model: 'gpt-4.1', training_file });
  await jobs.list();
  await jobs.listEvents(job);
  await jobs.cancel(job);
  await jobs.retrieve(job);
  const { id: container_id } = await containers.create({ name: 'hats' });
  const { id: file } = await containers.files.create(container_id, { file_id: training_file });
  await containers.files.list(container_id);
  await containers.files.retrieve(file, { container_id });
  await containers.list();
  await containers.retrieve(container_id);
}

async function callAssistants({ beta: { assistants, threads } }: OpenAI): Promise<void> {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: TOOL } }] as const;
  const { id: assistant_id } = await assistants.create({ model: 'gpt-4.1', tools: [...tools] });
  const { id: thread_id } = await threads.create({ messages: [{ role: 'user', content: 'Hello' }] });
  const message = await threads.messages.create(thread_id, { role: 'user', content: 'Again' });
  await threads.messages.retrieve(message.id, { thread_id });
  const run = await threads.runs.create(thread_id, { assistant_id });
  await threads.runs.retrieve(run.id, { thread_id });
  await threads.runs.list(thread_id);
  await threads.runs.steps.list(run.id, { thread_id });
  await threads.messages.list(thread_id);
  await threads.createAndRun({ assistant_id, thread: { messages: [{ role: 'user', content: 'Hello' }] } });
  await threads.update(thread_id, { metadata: { run: '1' } });
  await threads.retrieve(thread_id);
  await threads.delete(thread_id);
  await assistants.list();
  await assistants.retrieve(assistant_id);
  await assistants.delete(assistant_id);
}

export async function callAnthropic(anthropic: Anthropic): Promise<void> {
  const { messages, files, models } = anthropic;
  const params = {
    model: 'claude-opus-4-5',
    max_tokens: 2_000,
    messages: [{ role: 'user', content: 'Hello' }],
  } as const;
  const wanted = { ...params, messages: [...params.messages] };
  await messages.create(wanted);
  await messages.create({
    ...wanted,
    tools: [{ name: 'weather', input_schema: TOOL }],
    tool_choice: { type: 'any' },
  });
  await messages.create({ ...wanted, thinking: { type: 'enabled', budget_tokens: 1_024 } });
  await messages.create({
    ...wanted,
    system: [{ type: 'text', text: 'Short.', cache_control: { type: 'ephemeral' } }],
  });
  await messages.countTokens({ model: wanted.model, messages: wanted.messages });
  const batch = await messages.batches.create({ requests: [{ custom_id: 'a', params: wanted }] });
  await messages.batches.retrieve(batch.id);
  await messages.batches.list();
  await messages.batches.cancel(batch.id);
  const file = await files.upload({
    file: await toFile(Buffer.from('Hello'), 'a.txt', { type: 'text/plain' }),
  });
  await files.retrieveMetadata(file.id);
  await files.list();
  await files.delete(file.id);
  await models.list();
  await models.retrieve(wanted.model);
}
