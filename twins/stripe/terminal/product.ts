// Terminal as this twin models it.
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
