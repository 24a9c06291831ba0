// Every operation that the Anthropic twin models.
import { BATCHES } from './batches.ts';
import { MESSAGES } from './messages.ts';
import { MODEL_OPERATIONS } from './models.ts';
import type { Operation } from './operation.ts';

export const OPERATIONS: readonly Operation[] = [...MESSAGES, ...BATCHES, ...MODEL_OPERATIONS];
