// The Anthropic twin, whole.
import { buildTwin } from '../kit/build-twin.ts';
import { handleDue } from '../kit/due.ts';
import { modelApi } from '../kit/model-api.ts';
import type { Twin } from '../kit/twin.ts';
import { DUE } from './due.ts';
import { anthropicError, unknownOperation, unreadable } from './errors.ts';
import { features } from './features.ts';
import { ANTHROPIC_MANIFEST } from './manifest.ts';
import { OPERATIONS } from './operations.ts';
import { anthropicVendor } from './real/vendor.ts';
import { RECORDS } from './records.ts';
import { authenticate, headersOf, newRequest } from './request.ts';
import { turnsOf } from './turns.ts';

export const anthropicTwin: Twin = buildTwin({
  ...modelApi({ text: JSON.stringify, headers: headersOf, unreadable }),
  manifest: ANTHROPIC_MANIFEST,
  records: RECORDS,
  operations: OPERATIONS,
  request: newRequest,
  authenticate,
  unknown: unknownOperation,
  error: anthropicError,
  features,
  turns: turnsOf,
  real: anthropicVendor,
  keeps: { headers: ['anthropic-version', 'anthropic-beta'] },
  due: ({ payload }, work) => handleDue(DUE, payload, work),
});
