// Fine-tuning by the vendor's own SDK: a file is read, a job trains by the world's clock, and a model comes of it.
import OpenAI, { toFile } from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const model = 'gpt-4o-mini';

async function fileOf(openai: OpenAI, lines: number, line = '{"messages":[]}'): Promise<string> {
  const text = Array.from({ length: lines }, () => line).join('\n');
  const file = await toFile(Buffer.from(text), 'hats.jsonl');
  return (await openai.files.create({ file, purpose: 'fine-tune' })).id;
}

t.test('a job trains by the clock; its model is listed, answers, and is deleted', async t => {
  await using made = await openLlmWorld('openai');
  const openai = sdk(made);
  const { jobs } = openai.fineTuning;
  const training_file = await fileOf(openai, 12);
  const job = await jobs.create({ model, training_file, suffix: 'hats', hyperparameters: { n_epochs: 2 } });
  t.match(job, {
    id: /^ftjob-/,
    object: 'fine_tuning.job',
    status: 'validating_files',
    hyperparameters: { n_epochs: 2, batch_size: 'auto' },
    fine_tuned_model: null,
    method: { type: 'supervised' },
  });
  await made.advance('15s');
  const other = sdk(made).fineTuning.jobs;
  t.match(await other.retrieve(job.id), { status: 'running', estimated_finish: Number });
  await made.advance('10m');
  const done = await other.retrieve(job.id);
  t.match(done, { status: 'succeeded', fine_tuned_model: /^ft:gpt-4o-mini:wrld:hats:/, error: null });
  t.ok(done.trained_tokens! > 0);
  const name = done.fine_tuned_model!;
  const csv = await (await openai.files.content(done.result_files[0]!)).text();
  t.match(csv, /^step,train_loss,train_accuracy\n1,/);
  const events: OpenAI.FineTuning.FineTuningJobEvent[] = [];
  for await (const event of other.listEvents(job.id, { limit: 3 })) events.push(event);
  t.equal(events[0]!.message, 'The job has successfully completed', 'the newest first');
  t.equal(events.at(-1)!.message, `Created fine-tuning job: ${job.id}`);
  const checkpoints = await other.checkpoints.list(job.id);
  t.match(checkpoints.data, [
    { step_number: 2, fine_tuned_model_checkpoint: name },
    { step_number: 1, fine_tuned_model_checkpoint: `${name}:ckpt-step-1` },
  ]);
  t.match(await openai.models.retrieve(name), { id: name, object: 'model' });
  t.ok((await openai.models.list()).data.some(({ id }) => id === name));
  const said = await openai.chat.completions.create({
    model: name,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  t.equal(said.model, name);
  t.same(await openai.models.delete(name), { id: name, object: 'model', deleted: true });
  await t.rejects(openai.models.delete(name), { status: 404, code: 'model_not_found', message: /404/ });
  await t.rejects(openai.models.delete('gpt-4o'), { status: 403, message: /insufficient permissions/ });
  t.same((await other.list()).data.length, 1);
});

t.test(
  'a file that cannot be trained with fails its job; a job is held up, goes on, and is cancelled',
  async t => {
    await using made = await openLlmWorld('openai');
    const openai = sdk(made);
    const { jobs } = openai.fineTuning;
    const few = await jobs.create({ model, training_file: await fileOf(openai, 3) });
    const broken = await jobs.create({ model, training_file: await fileOf(openai, 12, 'Hats') });
    const good = await jobs.create({ model, training_file: await fileOf(openai, 12) });
    await made.advance('15s');
    t.match(await jobs.retrieve(few.id), {
      status: 'failed',
      error: {
        code: 'invalid_training_file',
        param: 'training_file',
        message: /must have at least 10 examples/,
      },
    });
    t.match(await jobs.retrieve(broken.id), {
      status: 'failed',
      error: { message: /Line 1 is no JSON object/ },
    });
    await jobs.pause(good.id);
    await made.advance('1h');
    t.equal((await jobs.retrieve(good.id)).fine_tuned_model, null, 'nothing comes of it meanwhile');
    t.equal((await jobs.resume(good.id)).status, 'running');
    t.match(await jobs.cancel(good.id), { status: 'cancelled', finished_at: Number });
    await made.advance('1h');
    t.equal((await jobs.retrieve(good.id)).status, 'cancelled');
    await t.rejects(jobs.cancel(good.id), { status: 400, message: /is cancelled and cannot be cancelled/ });
    await t.rejects(jobs.retrieve('ftjob-none'), { status: 404, message: /Could not find fine tune/ });
    await t.rejects(jobs.create({ model, training_file: 'file-none' }), {
      status: 400,
      param: 'training_file',
      message: /invalid training_file/,
    });
  },
);
