// A thread: what messages are in, and which files its tools have.
import type { Reader, RecordBody } from '../kit/tx.ts';
import type { Resources } from './assistant-tools.ts';
import { notFound } from './errors.ts';

export const THREAD = 'thread';

export type Thread = RecordBody & { readonly id: string; readonly tool_resources: Resources | null };

export function threadOf(id: string, reader: Reader): Thread {
  const found = reader.get<Thread>(THREAD, id);
  if (found === undefined) throw notFound(`No thread found with id '${id}'.`);
  return found;
}
