// What is kept of files: their names and sizes; their bytes are blobs.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import type { Stored } from '../api/wire.ts';

export type File = Stored<Stripe.File, 'links', { $sha256: string }>;
export type FileLink = Stored<Stripe.FileLink, never, object>;

export type FileRecords = { file: File; file_link: FileLink };

export const FILE_RECORDS: RecordRows<FileRecords> = {
  file: { indexes: [['purpose']], noun: 'file upload' },
  file_link: { indexes: [['file']] },
};
