// What the Anthropic twin says of itself (2.2). The numbers are counted, not claimed.
import { GENERATIVE_MATCHERS } from '../kit/handlers.ts';
import type { Manifest } from '../kit/manifest.ts';
import { OPERATIONS } from './operations.ts';

/** Requests that @anthropic-ai/sdk@1.11.0 can make; docs/twins/anthropic.coverage.json lists them. */
const SDK_OPERATIONS = 271;

const operationsOf = (names: RegExp): readonly string[] =>
  OPERATIONS.filter(({ name }) => names.test(name)).map(({ name }) => name.slice(name.lastIndexOf('.') + 1));

export const ANTHROPIC_MANIFEST: Manifest = {
  kind: 'wrld-twin',
  vendor: 'anthropic',
  version: '0.1.0',
  protocol: 'http',
  api: { version: '2023-06-01', sdks: [{ npm: '@anthropic-ai/sdk', version: '1.11.0' }] },
  models: [
    { type: 'message', idPrefix: 'msg_', operations: operationsOf(/^messages\.[^.]+$/) },
    { type: 'message_batch', idPrefix: 'msgbatch_', operations: operationsOf(/^messages\.batches\./) },
    { type: 'model', operations: operationsOf(/^models\./) },
  ],
  coverage: { modelled: OPERATIONS.length, generic: 0, catalog: SDK_OPERATIONS },
  hosts: [{ host: 'api.anthropic.com', paths: ['/v1/'] }],
  endpointEnv: { ANTHROPIC_BASE_URL: '' },
  generative: true,
  matchers: GENERATIVE_MATCHERS,
  root: false,
  screens: [],
};
