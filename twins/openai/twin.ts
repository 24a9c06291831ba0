// The OpenAI twin, whole.
import { buildTwin } from '../kit/build-twin.ts';
import { handleDue } from '../kit/due.ts';
import { modelApi } from '../kit/model-api.ts';
import type { Twin } from '../kit/twin.ts';
import { DUE } from './due.ts';
import { openaiError, unknownOperation, unreadable } from './errors.ts';
import { features } from './features.ts';
import { PICTURE } from './images.ts';
import { OPENAI_MANIFEST } from './manifest.ts';
import { OPERATIONS } from './operations.ts';
import { openaiVendor } from './real/vendor.ts';
import { openRealtime, resumeRealtime } from './realtime.ts';
import { RECORDS } from './records.ts';
import { authenticate, headersOf, newRequest } from './request.ts';
import { turnsOf } from './turns.ts';

export const openaiTwin: Twin = buildTwin({
  ...modelApi({ text: json => `${JSON.stringify(json, null, 2)}\n`, headers: headersOf, unreadable }),
  manifest: OPENAI_MANIFEST,
  records: RECORDS,
  operations: OPERATIONS,
  request: newRequest,
  authenticate,
  screens: { list: [PICTURE], page: asked => asked, error: refusal => openaiError(refusal, null) },
  unknown: unknownOperation,
  error: openaiError,
  features,
  turns: turnsOf,
  real: openaiVendor,
  keeps: { headers: ['openai-organization', 'openai-project', 'openai-beta'] },
  due: ({ payload }, work) => handleDue(DUE, payload, work),
  upgrade: openRealtime,
  resume: resumeRealtime,
});
