// Rows of the inventory on their way from whoever has the worlds to who asked: JSON already, which nobody on the way reads. A
// host has thousands of rows, and to parse and write them again took longer than to make them.
import { randomUUID } from 'node:crypto';
import { INVENTORY_PIECE_BYTES } from './limits.ts';

/** Sorted by name. */
export type InventoryPage = {
  readonly names: readonly string[];
  /** Of each row's text in `text`: where it ends, and the next begins. */
  readonly ends: readonly number[];
  readonly text: Uint8Array;
  /** Of this page and no other that was ever told; null for one that is not kept. */
  readonly stamp: string | null;
};

export type RowText = { readonly name: string; readonly text: string };

export function pageOf(rows: readonly RowText[], stamp: string | null = null): InventoryPage {
  let end = 0;
  return {
    stamp,
    names: rows.map(({ name }) => name),
    ends: rows.map(({ text }) => (end += Buffer.byteLength(text))),
    text: Buffer.from(rows.map(({ text }) => text).join('')),
  };
}

/** As it is, but for the rows of names that `again` has another text for; it is given the old one. */
export function pageWith(
  page: InventoryPage,
  again: (name: string, text: () => string) => string | null,
): InventoryPage {
  const textAt = (at: number): string =>
    bytesOf(page).toString('utf8', page.ends[at - 1] ?? 0, page.ends[at]);
  const others = page.names.map((name, at) => again(name, () => textAt(at)));
  if (others.every(other => other === null)) return page;
  return pageOf(page.names.map((name, at) => ({ name, text: others[at] ?? textAt(at) })));
}

/** Pages that were told, for as long as their rows are the same: of an inventory that is asked for again little is new. */
export class KeptPages {
  readonly #ofThis = randomUUID();
  #made = 0;
  /** By the name that their rows come after; of the inventory that is told now, and of the one before it. */
  #now = new Map<string, { readonly rows: readonly RowText[]; readonly page: InventoryPage }>();
  #before = this.#now;

  /** `rows` are all that is in the page. */
  page(after: string, rows: readonly RowText[]): InventoryPage {
    if (after === '') {
      this.#before = this.#now;
      this.#now = new Map();
    }
    const known = this.#now.get(after) ?? this.#before.get(after);
    const kept = known !== undefined && areSame(known.rows, rows) ? known : this.#make(rows);
    this.#now.set(after, kept);
    return kept.page;
  }

  #make(rows: readonly RowText[]): { readonly rows: readonly RowText[]; readonly page: InventoryPage } {
    return { rows, page: pageOf(rows, `${this.#ofThis} ${++this.#made}`) };
  }
}

function areSame(one: readonly RowText[], other: readonly RowText[]): boolean {
  return one.length === other.length && one.every(({ text }, at) => text === other[at]!.text);
}

type Head = { readonly page: InventoryPage; readonly bytes: Buffer; at: number };

/** All rows of pages that come in order from each source, in order, with commas between them. */
export async function* mergedRows(
  sources: readonly AsyncIterator<InventoryPage, undefined>[],
): AsyncGenerator<Uint8Array> {
  const heads = await Promise.all(sources.map(headOf));
  const out = new Pieces();
  for (;;) {
    let least = -1;
    let name = '';
    for (let each = 0; each < heads.length; each++) {
      const head = heads[each];
      if (head == null || (least >= 0 && head.page.names[head.at]! >= name)) continue;
      least = each;
      name = head.page.names[head.at]!;
    }
    if (least < 0) break;
    const head = heads[least]!;
    const whole = out.row(head.bytes, head.page.ends[head.at - 1] ?? 0, head.page.ends[head.at]!);
    head.at += 1;
    if (whole !== null) yield whole;
    if (head.at === head.page.names.length) heads[least] = await headOf(sources[least]!);
  }
  const rest = out.rest();
  if (rest !== null) yield rest;
}

/** Null where there are no more. */
async function headOf(source: AsyncIterator<InventoryPage, undefined>): Promise<Head | null> {
  for (;;) {
    const { done, value: page } = await source.next();
    if (done) return null;
    if (page.names.length > 0) return { page, bytes: bytesOf(page), at: 0 };
  }
}

const COMMA = 0x2c;

/** Rows are copied into pieces worth sending. */
class Pieces {
  #piece = Buffer.allocUnsafeSlow(INVENTORY_PIECE_BYTES);
  #size = 0;
  #any = false;

  /** A piece that is full. */
  row(from: Buffer, start: number, end: number): Buffer | null {
    const length = end - start + 1;
    const full = this.#size > 0 && this.#size + length > this.#piece.length ? this.rest() : null;
    // One that is larger than a piece is its own.
    if (length > this.#piece.length) this.#piece = Buffer.allocUnsafeSlow(length);
    if (this.#any) this.#piece[this.#size++] = COMMA;
    this.#any = true;
    this.#size += from.copy(this.#piece, this.#size, start, end);
    return full;
  }

  rest(): Buffer | null {
    if (this.#size === 0) return null;
    const piece = this.#piece.subarray(0, this.#size);
    this.#piece = Buffer.allocUnsafeSlow(INVENTORY_PIECE_BYTES);
    this.#size = 0;
    return piece;
  }
}

function bytesOf({ text }: InventoryPage): Buffer {
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength);
}
