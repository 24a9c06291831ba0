// What the OpenAI twin waits for on the world's clock.
import type { DueWork } from '../kit/build-twin.ts';
import type { DueHandlers } from '../kit/due.ts';
import { workOnBatch } from './batches.ts';
import { expireContainer } from './containers.ts';
import { expireFile } from './files.ts';
import { workOnJob } from './fine-tuning.ts';
import { completeResponse } from './responses.ts';
import { moveRun } from './run-outcome.ts';
import { expireUpload } from './uploads.ts';
import { expireStore } from './vector-store.ts';
import { readFile } from './vector-store-file.ts';

export type Due = {
  readonly batch: { readonly batch: string };
  readonly response: { readonly response: string };
  readonly run: { readonly run: string };
  readonly file: { readonly file: string };
  readonly container: { readonly container: string };
  readonly fineTuning: { readonly job: string };
  readonly upload: { readonly upload: string };
  readonly vectorStore: { readonly store: string };
  readonly storeFile: { readonly store: string; readonly file: string };
};

export const DUE: DueHandlers<Due, DueWork> = {
  batch: ({ batch }, work) => workOnBatch(batch, work),
  response: ({ response }, { tx }) => completeResponse(response, tx),
  run: ({ run }, { tx }) => moveRun(run, tx),
  file: ({ file }, { tx }) => expireFile(file, tx),
  container: ({ container }, { tx }) => expireContainer(container, tx),
  fineTuning: ({ job }, { tx }) => workOnJob(job, tx),
  upload: ({ upload }, { tx }) => expireUpload(upload, tx),
  vectorStore: ({ store }, { tx }) => expireStore(store, tx),
  storeFile: ({ store, file }, { tx }) => readFile(store, file, tx),
};
