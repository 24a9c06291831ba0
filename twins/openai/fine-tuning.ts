// Fine-tuning, by the world's clock: the training file is read, the job trains, and a model of the caller's own comes of it. It
// answers as any model does; nothing is learnt.
import { schedule } from '../kit/due.ts';
import {
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  numberField,
  objectField,
  readJson,
  textField,
} from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import { tokensOf } from '../kit/tokens.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import { checkWord } from './amounts.ts';
import type { Due } from './due.ts';
import { invalid, missing, notFound } from './errors.ts';
import { fileBytes, keepFile } from './files.ts';
import { listOf, pageOf, partOf, publicFields } from './list.ts';

/** World milliseconds from one state to the next. */
const VALIDATING_MS = 10_000;
const TRAINING_MS = 300_000;
const EXAMPLES_MIN = 10;
const EPOCHS_USUAL = 3;
const SUFFIX = /^[a-zA-Z0-9-]{1,64}$/;
const FINAL = ['succeeded', 'failed', 'cancelled'];

export const JOB = 'fine_tuning_job';
const dueKey = (id: string): string => `fine_tuning:${id}`;

type Job = RecordBody & {
  readonly id: string;
  readonly status: string;
  readonly model: string;
  readonly training_file: string;
  readonly $events: readonly JsonObject[];
  readonly $checkpoints: readonly JsonObject[];
  readonly $suffix: string | null;
};

const jobOf = ({ tx, path }: ModelAsk): Job => {
  const found = tx.get<Job>(JOB, path['job'] ?? '');
  if (found === undefined) throw notFound(`Could not find fine tune: ${path['job']}`, 'fine_tuning_job_id');
  return found;
};

function goOn(tx: Tx, id: string, ms: number): void {
  schedule<Due>(tx, dueKey(id), tx.now + ms, { kind: 'fineTuning', job: id });
}

const create = ({ body, tx, now }: ModelAsk): { readonly json: object } => {
  const model = textField(body, 'model');
  const training_file = textField(body, 'training_file');
  const suffix = textField(body, 'suffix');
  if (model === null) throw missing('model');
  if (training_file === null) throw missing('training_file');
  if (suffix !== null && !SUFFIX.test(suffix))
    throw invalid("Invalid 'suffix': at most 64 letters, digits and dashes.", 'suffix', 'invalid_value');
  for (const name of ['training_file', 'validation_file']) {
    const id = textField(body, name);
    if (id !== null && tx.get('file', id) === undefined)
      throw invalid(`invalid ${name}: ${id}`, name, 'invalid_file');
  }
  const method = objectField(body, 'method') ?? { type: 'supervised' };
  checkWord(field(method, 'type'), 'method.type', ['supervised', 'dpo', 'reinforcement']);
  const id = tx.id('ftjob-', 24);
  const job: Job = {
    id,
    object: 'fine_tuning.job',
    created_at: now,
    error: null,
    estimated_finish: null,
    fine_tuned_model: null,
    finished_at: null,
    hyperparameters: hyperparametersOf(body, method),
    integrations: field(body, 'integrations') ?? [],
    metadata: objectField(body, 'metadata'),
    method,
    model,
    organization_id: 'org-wrld',
    result_files: [],
    seed: numberField(body, 'seed') ?? 42,
    status: 'validating_files',
    trained_tokens: null,
    training_file,
    validation_file: textField(body, 'validation_file'),
    $events: [
      event(tx, `Created fine-tuning job: ${id}`),
      event(tx, `Validating training file: ${training_file}`),
    ],
    $checkpoints: [],
    $suffix: suffix,
  };
  tx.put(JOB, id, job);
  goOn(tx, id, VALIDATING_MS);
  return { json: publicFields(job) };
};

/** Of the request itself, or of its method; `auto` stands until the file is read. */
function hyperparametersOf(body: JsonObject, method: JsonObject): JsonObject {
  const of = objectField(method, textField(method, 'type') ?? '');
  const asked = objectField(of, 'hyperparameters') ?? objectField(body, 'hyperparameters') ?? {};
  return { batch_size: 'auto', learning_rate_multiplier: 'auto', n_epochs: 'auto', ...asked };
}

function event(tx: Tx, message: string, more: JsonObject = {}): JsonObject {
  const created_at = Math.floor(tx.now / 1000);
  return {
    object: 'fine_tuning.job.event',
    id: tx.id('ftevent-', 24),
    created_at,
    level: 'info',
    message,
    type: 'message',
    data: null,
    ...more,
  };
}

function move(
  tx: Tx,
  job: Job,
  fields: RecordBody & { readonly status: string },
  told: readonly JsonObject[],
): Job {
  const moved = { ...job, ...fields, $events: [...job.$events, ...told] };
  tx.kind(`fine_tuning.job.${fields.status}`);
  tx.put(JOB, job.id, moved);
  return moved;
}

/** From one state to the next. */
export function workOnJob(id: string, tx: Tx): void {
  const job = tx.get<Job>(JOB, id);
  if (job === undefined) return;
  if (job.status === 'running') train(tx, job);
  if (job.status !== 'validating_files') return;
  const examples = examplesOf(tx, job.training_file);
  if (typeof examples !== 'string') {
    const started = event(tx, 'Fine-tuning job started');
    const estimated_finish = Math.floor((tx.now + TRAINING_MS) / 1000);
    move(tx, job, { status: 'running', estimated_finish }, [event(tx, 'Files validated'), started]);
    goOn(tx, id, TRAINING_MS);
    return;
  }
  const error = { code: 'invalid_training_file', message: examples, param: 'training_file' };
  const finished_at = Math.floor(tx.now / 1000);
  move(tx, job, { status: 'failed', error, finished_at }, [event(tx, examples, { level: 'error' })]);
}

/** The lines of a training file; words where they cannot be trained with. */
function examplesOf(tx: Tx, file: string): readonly Json[] | string {
  const bytes = fileBytes(tx, file);
  if (bytes === undefined) return `The job failed: the training file ${file} is gone.`;
  const lines = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter(line => line.trim() !== '');
  const read = lines.map(line => readJson(line));
  const wrong = read.findIndex(line => !isJsonObject(line));
  if (wrong >= 0)
    return `The job failed due to an invalid training file. Invalid file format. Line ${wrong + 1} is no JSON object.`;
  if (read.length < EXAMPLES_MIN)
    return `The job failed due to an invalid training file. Training file has ${read.length} example(s), but must have at least ${EXAMPLES_MIN} examples.`;
  return read as readonly Json[];
}

function train(tx: Tx, job: Job): void {
  const now = Math.floor(tx.now / 1000);
  const examples = examplesOf(tx, job.training_file);
  const asked = numberField(job['hyperparameters'], 'n_epochs');
  const n_epochs = asked ?? EPOCHS_USUAL;
  const name = `ft:${job.model}:wrld:${job.$suffix ?? ''}:${tx.id('', 8)}`;
  const metrics = (step: number): JsonObject => ({
    step,
    train_loss: Math.round(1_000 / step) / 1_000,
    train_mean_token_accuracy: Math.round(1_000 * (1 - 1 / (1 + step))) / 1_000,
  });
  const steps = Array.from(
    { length: Math.min(n_epochs, 3) },
    (_, at) => n_epochs - Math.min(n_epochs, 3) + at + 1,
  );
  const checkpoints = steps.map(step => ({
    object: 'fine_tuning.job.checkpoint',
    id: tx.id('ftckpt_', 24),
    created_at: now,
    fine_tuned_model_checkpoint: step === n_epochs ? name : `${name}:ckpt-step-${step}`,
    fine_tuning_job_id: job.id,
    metrics: metrics(step),
    step_number: step,
  }));
  const rows = steps.map(step => Object.values(metrics(step)).join(','));
  const csv = ['step,train_loss,train_accuracy', ...rows].join('\n');
  const results = keepFile(tx, {
    filename: 'step_metrics.csv',
    purpose: 'fine-tune-results',
    bytes: new TextEncoder().encode(csv),
    expiresAt: null,
  });
  tx.put('model', name, { id: name, object: 'model', created: now, owned_by: 'user-wrld' });
  const finished = {
    status: 'succeeded',
    estimated_finish: null,
    fine_tuned_model: name,
    finished_at: now,
    hyperparameters: { ...(job['hyperparameters'] as JsonObject), n_epochs },
    result_files: [results.id],
    trained_tokens: tokensOf(JSON.stringify(examples)) * n_epochs,
    $checkpoints: checkpoints,
  };
  const told = steps.map(step =>
    event(tx, `Step ${step}/${n_epochs}: training loss=${metrics(step)['train_loss']}`, {
      type: 'metrics',
      data: metrics(step),
    }),
  );
  move(tx, job, finished, [
    ...told,
    event(tx, `New fine-tuned model created: ${name}`),
    event(tx, 'The job has successfully completed'),
  ]);
}

/** What is over is neither ended nor held up. */
function changed(context: ModelAsk, verb: string, from: readonly string[], to: string): Job {
  const job = jobOf(context);
  if (!from.includes(job.status))
    throw invalid(`Job ${job.id} is ${job.status} and cannot be ${verb}.`, null, `cannot_be_${verb}`);
  const finished_at = FINAL.includes(to) ? context.now : null;
  const moved = move(context.tx, job, { status: to, finished_at }, [
    event(context.tx, `The job was ${verb}.`),
  ]);
  context.tx.cancel(dueKey(job.id));
  return moved;
}

const PATH = '/v1/fine_tuning/jobs/{job}';
const WORKING = ['validating_files', 'queued', 'running'];

export const FINE_TUNING: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/fine_tuning/jobs', name: 'fineTuning.jobs.create', run: create },
  {
    method: 'GET',
    path: '/v1/fine_tuning/jobs',
    name: 'fineTuning.jobs.list',
    run: context => ({ json: listOf(context, JOB) }),
  },
  {
    method: 'GET',
    path: PATH,
    name: 'fineTuning.jobs.retrieve',
    run: context => ({ json: publicFields(jobOf(context)) }),
  },
  {
    method: 'POST',
    path: `${PATH}/cancel`,
    name: 'fineTuning.jobs.cancel',
    run: context => ({
      json: publicFields(changed(context, 'cancelled', [...WORKING, 'paused'], 'cancelled')),
    }),
  },
  {
    method: 'POST',
    path: `${PATH}/pause`,
    name: 'fineTuning.jobs.pause',
    run: context => ({ json: publicFields(changed(context, 'paused', ['running'], 'paused')) }),
  },
  {
    method: 'POST',
    path: `${PATH}/resume`,
    name: 'fineTuning.jobs.resume',
    run: context => {
      const job = changed(context, 'resumed', ['paused'], 'running');
      goOn(context.tx, job.id, TRAINING_MS);
      return { json: publicFields(job) };
    },
  },
  {
    method: 'GET',
    path: `${PATH}/events`,
    name: 'fineTuning.jobs.listEvents',
    run: context => ({ json: pageOf(partOf([...jobOf(context).$events].reverse(), context.query)) }),
  },
  {
    method: 'GET',
    path: `${PATH}/checkpoints`,
    name: 'fineTuning.jobs.checkpoints.list',
    run: context => ({ json: pageOf(partOf([...jobOf(context).$checkpoints].reverse(), context.query)) }),
  },
];
