// What the OpenAI twin waits for on the world's clock.
import type { DueWork } from '../kit/build-twin.ts';
import type { DueHandlers } from '../kit/due.ts';
import { workOnBatch } from './batches.ts';
import { expireFile } from './files.ts';
import { completeResponse } from './responses.ts';

export type Due = {
  readonly batch: { readonly batch: string };
  readonly response: { readonly response: string };
  readonly file: { readonly file: string };
};

export const DUE: DueHandlers<Due, DueWork> = {
  batch: ({ batch }, work) => workOnBatch(batch, work),
  response: ({ response }, { tx }) => completeResponse(response, tx),
  file: ({ file }, { tx }) => expireFile(file, tx),
};
