// What the OpenAI twin says of itself (2.2). The numbers are counted, not claimed.
import { type Manifest, type ModelRow, manifestOf, modelsOf } from '../kit/manifest.ts';
import { PICTURES_HOST } from './images.ts';
import { OPERATIONS } from './operations.ts';

/** Object type, its id prefix, and the SDK resource whose operations make it. */
const MODELS: readonly ModelRow[] = [
  ['chat.completion', 'chatcmpl-', 'chat.completions'],
  ['response', 'resp_', 'responses'],
  ['text_completion', 'cmpl-', 'completions'],
  ['image', null, 'images'],
  ['speech', null, 'audio.speech'],
  ['transcription', null, 'audio.transcriptions'],
  ['translation', null, 'audio.translations'],
  ['conversation', 'conv_', 'conversations'],
  ['assistant', 'asst_', 'beta.assistants'],
  ['thread', 'thread_', 'beta.threads'],
  ['thread.message', 'msg_', 'beta.threads.messages'],
  ['thread.run', 'run_', 'beta.threads.runs'],
  ['thread.run.step', 'step_', 'beta.threads.runs.steps'],
  ['embedding', null, 'embeddings'],
  ['moderation', 'modr-', 'moderations'],
  ['model', null, 'models'],
  ['fine_tuning.job', 'ftjob-', 'fineTuning.jobs'],
  ['fine_tuning.job.checkpoint', 'ftckpt_', 'fineTuning.jobs.checkpoints'],
  ['container', 'cntr_', 'containers'],
  ['container.file', 'cfile_', 'containers.files'],
  ['file', 'file-', 'files'],
  ['upload', 'upload_', 'uploads'],
  ['vector_store', 'vs_', 'vectorStores'],
  ['vector_store.file', 'file-', 'vectorStores.files'],
  ['vector_store.files_batch', 'vsfb_', 'vectorStores.fileBatches'],
  ['batch', 'batch_', 'batches'],
  ['realtime.session', 'sess_', 'realtime'],
];

/** Requests that openai@7.55.0 can make; docs/twins/openai.coverage.json lists them. */
const SDK_OPERATIONS = 381;

export const OPENAI_MANIFEST: Manifest = manifestOf({
  vendor: 'openai',
  version: '0.1.0',
  api: { sdks: [{ npm: 'openai', version: '7.55.0' }] },
  models: modelsOf(MODELS, OPERATIONS),
  coverage: { modelled: OPERATIONS.length, generic: 0, catalog: SDK_OPERATIONS },
  hosts: [
    { host: 'api.openai.com', paths: ['/v1/'] },
    { host: PICTURES_HOST, paths: ['/private/'] },
  ],
  endpointEnv: { OPENAI_BASE_URL: '/v1' },
  upgrades: ['/v1/realtime'],
  generative: true,
});
