// What the Anthropic twin says of itself (2.2). The numbers are counted, not claimed.
import { type Manifest, type ModelRow, manifestOf, modelsOf } from '../kit/manifest.ts';
import { OPERATIONS } from './operations.ts';

/** Requests that @anthropic-ai/sdk@1.11.0 can make; docs/twins/anthropic.coverage.json lists them. */
const SDK_OPERATIONS = 271;

/** Object type, its id prefix, and the SDK resource whose operations make it. */
const MODELS: readonly ModelRow[] = [
  ['message', 'msg_', 'messages'],
  ['message_batch', 'msgbatch_', 'messages.batches'],
  ['file', 'file_', 'files'],
  ['model', null, 'models'],
];

export const ANTHROPIC_MANIFEST: Manifest = manifestOf({
  vendor: 'anthropic',
  version: '0.1.0',
  api: { version: '2023-06-01', sdks: [{ npm: '@anthropic-ai/sdk', version: '1.11.0' }] },
  models: modelsOf(MODELS, OPERATIONS),
  coverage: { modelled: OPERATIONS.length, generic: 0, catalog: SDK_OPERATIONS },
  hosts: [{ host: 'api.anthropic.com', paths: ['/v1/', '/api/'] }],
  endpointEnv: { ANTHROPIC_BASE_URL: '' },
  generative: true,
});
