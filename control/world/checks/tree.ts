// What a check is told of the state around an entry (4.7): the records of the entry's twin, as they were once it had
// happened.
import { CHECK_LIST_RECORDS_MAX } from '../limits.ts';
import type { HistorySource, PastRecord } from '../log/history-source.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { WholeText } from '../store/records.ts';
import type { Question } from './driver.ts';

type Parts = { readonly history: HistorySource; readonly blobs: BlobStore; readonly whole: WholeText };

export class Tree {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** JSON. Throws where there is more than a check is told. */
  async answer({ twin, position, type, id }: Question): Promise<string> {
    const { history } = this.#parts;
    if (id !== undefined) {
      const found = await history.record(twin, position, type, id);
      return found === null ? 'null' : this.#text(twin, found);
    }
    const found = await history.records(twin, position, { type, order: -1 }, CHECK_LIST_RECORDS_MAX + 1);
    const records = found.filter(record => record.type === type);
    if (records.length > CHECK_LIST_RECORDS_MAX)
      throw new Error(
        `there are more than ${CHECK_LIST_RECORDS_MAX} ${type} records; ask for them by tree.get`,
      );
    const bodies: string[] = [];
    for (const record of records) bodies.push(await this.#text(twin, record));
    return `[${bodies.join(',')}]`;
  }

  #text(twin: string, { type, body }: PastRecord): string | Promise<string> {
    const { blobs, whole } = this.#parts;
    return blobs.reading(() => whole(twin, type, blobs.text(body)));
  }
}
