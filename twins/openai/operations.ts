// Every operation that the OpenAI twin models.
import { BATCHES } from './batches.ts';
import { CHAT } from './chat.ts';
import { CONVERSATIONS } from './conversations.ts';
import { EMBEDDINGS } from './embeddings.ts';
import { FILES } from './files.ts';
import { MODEL_OPERATIONS } from './models.ts';
import { MODERATIONS } from './moderations.ts';
import type { Operation } from './operation.ts';
import { REALTIME } from './realtime.ts';
import { RESPONSES } from './responses.ts';
import { STORED_CHAT } from './stored-chat.ts';

export const OPERATIONS: readonly Operation[] = [
  ...CHAT,
  ...STORED_CHAT,
  ...RESPONSES,
  ...CONVERSATIONS,
  ...EMBEDDINGS,
  ...MODERATIONS,
  ...MODEL_OPERATIONS,
  ...FILES,
  ...BATCHES,
  ...REALTIME,
];
