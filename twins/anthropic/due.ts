// What the Anthropic twin waits for on the world's clock.
import type { DueWork } from '../kit/build-twin.ts';
import type { DueHandlers } from '../kit/due.ts';
import { workOnBatch } from './batches.ts';

export type Due = { readonly batch: { readonly batch: string } };

export const DUE: DueHandlers<Due, DueWork> = {
  batch: ({ batch }, work) => workOnBatch(batch, work),
};
