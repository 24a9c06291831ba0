// Rows of the inventory as its answer has them, for a host that has them one by one.
import type { InventoryRow } from './host-worlds.ts';
import { INVENTORY_CHUNK_CHARS } from './limits.ts';

const encoder = new TextEncoder();

/** JSON of each, with commas between them, put together to pieces worth sending. */
export async function* rowsText(rows: AsyncIterable<InventoryRow>): AsyncGenerator<Uint8Array> {
  let text = '';
  let comma = '';
  for await (const row of rows) {
    text += `${comma}${JSON.stringify(row)}`;
    comma = ',';
    if (text.length < INVENTORY_CHUNK_CHARS) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}
