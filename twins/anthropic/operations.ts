// Every operation that the Anthropic twin models.

import type { ModelOperation } from '../kit/model-api.ts';
import { BATCHES } from './batches.ts';
import { FILES } from './files.ts';
import { MESSAGES } from './messages.ts';
import { MODEL_OPERATIONS } from './models.ts';

export const OPERATIONS: readonly ModelOperation[] = [...MESSAGES, ...BATCHES, ...FILES, ...MODEL_OPERATIONS];
