// Every operation that the OpenAI twin models.

import type { ModelOperation } from '../kit/model-api.ts';
import { ASSISTANTS } from './assistants.ts';
import { BATCHES } from './batches.ts';
import { CHAT } from './chat.ts';
import { COMPACTION } from './compaction.ts';
import { COMPLETIONS } from './completions.ts';
import { CONTAINERS } from './containers.ts';
import { CONVERSATIONS } from './conversations.ts';
import { EMBEDDINGS } from './embeddings.ts';
import { FILES } from './files.ts';
import { FINE_TUNING } from './fine-tuning.ts';
import { IMAGES } from './images.ts';
import { MODEL_OPERATIONS } from './models.ts';
import { MODERATIONS } from './moderations.ts';
import { REALTIME } from './realtime.ts';
import { RESPONSES } from './responses.ts';
import { RUN_STEPS } from './run-steps.ts';
import { RUNS } from './runs.ts';
import { SPEECH } from './speech.ts';
import { STORED_CHAT } from './stored-chat.ts';
import { THREAD_MESSAGES } from './thread-messages.ts';
import { THREADS } from './threads.ts';
import { TRANSCRIPTIONS } from './transcriptions.ts';
import { UPLOADS } from './uploads.ts';
import { VECTOR_STORE_FILES } from './vector-store-files.ts';
import { VECTOR_STORES } from './vector-stores.ts';

export const OPERATIONS: readonly ModelOperation[] = [
  ...CHAT,
  ...STORED_CHAT,
  ...RESPONSES,
  ...COMPACTION,
  ...CONVERSATIONS,
  ...CONTAINERS,
  ...ASSISTANTS,
  ...THREADS,
  ...THREAD_MESSAGES,
  ...RUNS,
  ...RUN_STEPS,
  ...COMPLETIONS,
  ...IMAGES,
  ...SPEECH,
  ...TRANSCRIPTIONS,
  ...EMBEDDINGS,
  ...MODERATIONS,
  ...MODEL_OPERATIONS,
  ...FINE_TUNING,
  ...FILES,
  ...UPLOADS,
  ...VECTOR_STORES,
  ...VECTOR_STORE_FILES,
  ...BATCHES,
  ...REALTIME,
];
