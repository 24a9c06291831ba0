// Stripe's Files: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { fileOperations } from './files.ts';
import { FILE_RECORDS, type FileRecords } from './records.ts';

export const files: Product<FileRecords> = {
  operations: [...fileOperations],
  records: FILE_RECORDS,
  due: {},
  models: [
    ['file', 'file_', 'files'],
    ['file_link', 'link_', 'fileLinks'],
  ],
  events: ['file.created'],
};
