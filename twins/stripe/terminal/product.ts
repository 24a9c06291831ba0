// Stripe's Terminal: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { terminalOperations } from './readers.ts';

export const terminal: Product<object> = {
  operations: [...terminalOperations],
  records: {},
  due: {},
  models: [],
  events: [
    'terminal.reader.action_failed',
    'terminal.reader.action_succeeded',
    'terminal.reader.action_updated',
  ],
};
