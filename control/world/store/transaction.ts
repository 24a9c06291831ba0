// What a twin does while it answers one call or one due event (`Tx`): reads see its own writes, and all of it
// becomes at most one entry. Writes wait in memory until a list of their type or the end needs them in the tables,
// so a record that is put several times is stored once.
import type { RequestReader } from '../../../twins/kit/journal.ts';
import type {
  DeliveryRequest,
  Instant,
  ListQuery,
  LogReader,
  Memo,
  Page,
  RecordBody,
  Tx,
} from '../../../twins/kit/tx.ts';
import type { Entropy } from '../../ports/entropy.ts';
import {
  BLOB_BYTES_MAX,
  ENTRY_CHANGES_MAX,
  HELD_ITEMS_PER_PAGE_MAX,
  RECORD_BODY_BYTES_MAX,
  RECORD_ID_CHARS_MAX,
  ROW_BODY_BYTES_MAX,
} from '../limits.ts';
import { type BlobStore, exceeds } from './blob-store.ts';
import { base62, hex, orderedBase62 } from './identifier.ts';
import { listMade, type Made, underMade } from './made-list.ts';
import type { Memos } from './memos.ts';
import {
  type EndedRecord,
  type Outcome,
  type PastVersion,
  type RecordChange,
  RecordTooLarge,
} from './outcome.ts';
import { quoted, type Standing } from './quotes.ts';
import { recordOrder } from './record-order.ts';
import type { Head, IndexValues, Records, RowChange } from './records.ts';
import { type Held, type Slot, type Stored, slotKey } from './slot.ts';

/** Keys of `schedule` that begin with this are the world's own. */
export const OWN_DUE_KEY = '~';

/** Of base 62: what is random for so long is nobody else's. */
const UNIQUE_ID_CHARS = 14;

export type TransactionOptions = {
  readonly records: Records;
  readonly memos: Memos;
  readonly blobs: BlobStore;
  readonly entropy: Entropy;
  readonly log: LogReader;
  readonly requests: RequestReader;
  readonly now: Instant;
  /** Of the entry that this becomes. */
  readonly position: number;
};

export class Transaction implements Tx {
  readonly now: Instant;
  readonly log: LogReader;
  readonly requests: RequestReader;
  writes = 0;
  readonly #records: Records;
  readonly #memos: Memos;
  readonly #blobs: BlobStore;
  readonly #entropy: Entropy;
  readonly #position: number;
  readonly #slots = new Map<string, Slot>();
  /** By type, what lists of it held since it was last written: an object that is told of often is put together each time. */
  readonly #pages = new Map<string, Map<string, Held>>();
  /** What was read and not written: what is read before it is written is read once. */
  readonly #read = new Map<string, Head | undefined>();
  /** Bodies of those, for no eyes but ours. */
  readonly #parsed = new Map<string, RecordBody>();
  /** Types of which something waits to be in the tables. */
  readonly #waiting = new Set<string>();
  readonly #due = new Map<string, { at: Instant; payload: string } | null>();
  readonly #deliveries: DeliveryRequest[] = [];
  readonly #files = new Set<string>();
  /** Ids that this call made, which nobody else has. */
  readonly #made = new Set<string>();
  #kind: string | null = null;
  #remembered = false;
  #open = true;

  constructor({ records, memos, blobs, entropy, log, requests, now, position }: TransactionOptions) {
    this.now = now;
    this.log = log;
    this.requests = requests;
    this.#records = records;
    this.#memos = memos;
    this.#blobs = blobs;
    this.#entropy = entropy;
    this.#position = position;
  }

  get<T extends RecordBody = RecordBody>(type: string, id: string): T | undefined {
    this.#mustBeOpen();
    const key = slotKey(type, id);
    const slot = this.#slots.get(key);
    if (slot !== undefined) {
      const { wanted } = slot;
      return wanted === null ? undefined : this.#records.read<T>(type, this.#text(type, wanted));
    }
    this.#records.indexes(type);
    const head = this.#head(key, type, id);
    if (head === undefined || this.#records.isOver(type, head.at, this.now)) return undefined;
    const body = this.#records.read<T>(type, head.body);
    // Before the twin changes what it was given: what is read is often written next.
    head.values ??= this.#records.values(type, body);
    return body;
  }

  #head(key: string, type: string, id: string): Head | undefined {
    if (this.#made.has(id)) return undefined;
    if (this.#read.has(key)) return this.#read.get(key);
    const head = this.#records.head(type, id);
    this.#read.set(key, head);
    return head;
  }

  list<T extends RecordBody = RecordBody>(type: string, query: ListQuery): Page<T> {
    this.#mustBeOpen();
    const under = underMade(this.#records.indexes(type), query, id => this.#made.has(id));
    if (under !== null) return listMade<T>(this.#ownOf(type), under, query);
    // What is read backwards stands in another order than its texts.
    if (query.keep !== undefined || query.before !== undefined) return this.#stored<T>(type, query);
    const asked = JSON.stringify(query);
    const held = this.#pages.get(type)?.get(asked);
    if (held !== undefined) {
      const items = held.texts.map(text => this.#records.read<T>(type, text));
      return { ...held.page, items };
    }
    const texts: string[] = [];
    const page = this.#stored<T>(type, query, texts);
    if (page.items.length <= HELD_ITEMS_PER_PAGE_MAX) {
      const pages = this.#pages.get(type) ?? new Map<string, Held>();
      this.#pages.set(type, pages.set(asked, { page: { ...page, items: [] }, texts }));
    }
    return page;
  }

  /** As the tables have it, with what this call has written. */
  #stored<T extends RecordBody>(type: string, query: ListQuery, texts?: string[]): Page<T> {
    if (this.#waiting.has(type)) this.#flush(slot => slot.type === type);
    return this.#records.list<T>(type, query, { now: this.now, next: this.#position, texts });
  }

  *#ownOf(type: string): Iterable<Made> {
    for (const { type: each, wanted, before } of this.#slots.values()) {
      if (each === type && wanted !== null && wanted !== before)
        yield { ord: wanted.ord, body: this.#text(type, wanted), values: this.#values(type, wanted) };
    }
  }

  put(type: string, id: string, body: RecordBody): void {
    this.#mustBeOpen();
    this.writes += 1;
    const slot = this.#slot(type, id);
    const text = this.#records.quotes(type) === null ? textOf(type, body) : null;
    const { ord, at } = slot.wanted ??
      slot.before ?? { ord: recordOrder(this.#position, slot.index), at: this.now };
    const values = this.#records.values(type, body);
    slot.wanted = { pos: null, ord, at, body: text, values, row: null, value: body };
    this.#wrote(type);
  }

  delete(type: string, id: string): void {
    this.#mustBeOpen();
    this.writes += 1;
    this.#slot(type, id).wanted = null;
    this.#wrote(type);
  }

  putBlob(bytes: Uint8Array): string {
    this.#mustBeOpen();
    this.writes += 1;
    if (bytes.length > BLOB_BYTES_MAX) throw new RecordTooLarge(`A file may hold ${BLOB_BYTES_MAX} bytes.`);
    const sha256 = this.#blobs.put(bytes);
    this.#files.add(sha256);
    return sha256;
  }

  blob(sha256: string): Uint8Array | undefined {
    this.#mustBeOpen();
    return this.#blobs.get(sha256);
  }

  id(prefix: string, length: number): string {
    const id = prefix + base62(this.#entropy, length);
    if (length >= UNIQUE_ID_CHARS) this.#made.add(id);
    return id;
  }

  recordId(prefix: string, length: number): string {
    const id = prefix + orderedBase62(this.#entropy, this.#position, length);
    this.#made.add(id);
    return id;
  }

  hex(bytes: number): string {
    return hex(this.#entropy.bytes(bytes));
  }

  kind(kind: string): void {
    this.#kind ??= kind;
  }

  schedule(key: string, at: Instant, payload: RecordBody): void {
    this.#mustBeOpen();
    this.writes += 1;
    if (key.startsWith(OWN_DUE_KEY))
      throw new TypeError(`A key of a due event begins with no ${OWN_DUE_KEY}.`);
    if (!Number.isSafeInteger(at)) throw new TypeError('A due event has a whole number of milliseconds.');
    const text = JSON.stringify(payload);
    if (exceeds(text, ROW_BODY_BYTES_MAX))
      throw new RecordTooLarge('The payload of a due event is too large.');
    this.#due.set(key, { at, payload: text });
  }

  cancel(key: string): void {
    this.#mustBeOpen();
    this.writes += 1;
    // What was named just now has never been waited for.
    if (this.#isMade(key)) this.#due.delete(key);
    else this.#due.set(key, null);
  }

  /** Whether an id that this call made is in a text. */
  #isMade(text: string): boolean {
    for (const id of this.#made) if (text.includes(id)) return true;
    return false;
  }

  deliver(request: DeliveryRequest): void {
    this.#mustBeOpen();
    this.writes += 1;
    if (exceeds(request.body, RECORD_BODY_BYTES_MAX))
      throw new RecordTooLarge('The body of a webhook is too large.');
    this.#deliveries.push(request);
  }

  recall(key: string): Memo | undefined {
    this.#mustBeOpen();
    return this.#memos.recall(key, this.now);
  }

  remember(key: string, memo: Memo, expires: Instant): void {
    this.#mustBeOpen();
    if (exceeds(memo.body, RECORD_BODY_BYTES_MAX))
      throw new RecordTooLarge('The answer to remember is too large.');
    this.#memos.remember(key, memo, expires, this.now);
    this.#remembered = true;
  }

  /** What it shows is written whole, unless it is known how that stands in the end. */
  #text(type: string, stored: Stored, standing?: Standing): string {
    stored.body ??= this.#written(type, stored.value!, standing);
    return stored.body;
  }

  #written(type: string, value: RecordBody, standing: Standing | undefined): string {
    return textOf(
      type,
      standing === undefined ? value : quoted(value, this.#records.quotes(type)!, standing),
    );
  }

  #standing(type: string, id: string): ReturnType<Standing> {
    if (!this.#records.declares(type) || this.#records.quotes(type) !== null) return undefined;
    const key = slotKey(type, id);
    const slot = this.#slots.get(key);
    if (slot === undefined) return this.#found(key, type, id);
    const { body = null, value } = slot.wanted ?? {};
    if (body === null || value === undefined) return undefined;
    return { pos: this.#positionOf(slot, body), body: value };
  }

  /** A record that this call left as it was. */
  #found(key: string, type: string, id: string): ReturnType<Standing> {
    const head = this.#head(key, type, id);
    if (head === undefined) return undefined;
    let body = this.#parsed.get(key);
    if (body === undefined) {
      body = JSON.parse(head.body) as RecordBody;
      this.#parsed.set(key, body);
    }
    return { pos: head.pos, body };
  }

  /** What is as it was found is no version of its own. */
  #positionOf({ before }: Slot, body: string): number {
    return before !== null && before.body === body ? before.pos! : this.#position;
  }

  /** Ends it: everything is in the tables but the entry itself, and later use is an error. */
  finish(): Outcome {
    const standing: Standing = (type, id) => this.#standing(type, id);
    for (const { type, wanted } of this.#slots.values())
      if (wanted !== null) this.#text(type, wanted, standing);
    this.#flush(() => true);
    this.#open = false;
    const changes: RecordChange[] = [];
    const versions: PastVersion[] = [];
    const ended: EndedRecord[] = [];
    const tallies = new Map<string, number>();
    for (const { type, id, index, before, wanted } of this.#slots.values()) {
      if (wanted === null && before === null) continue;
      if (wanted !== null && before !== null && wanted.body === before.body) continue;
      const made = wanted !== null && before === null;
      const op = wanted === null ? 'delete' : 'put';
      const n = made && index !== changes.length ? { n: index } : {};
      changes.push({ op, type, id, ...n });
      if (before !== null) versions.push({ type, id, pos: before.pos!, body: before.row! });
      if (wanted === null) ended.push({ type, id, ord: before!.ord, at: before!.at });
      if (made || wanted === null) tallies.set(type, (tallies.get(type) ?? 0) + (made ? 1 : -1));
    }
    for (const id of this.#files) changes.push({ op: 'blob', type: 'blob', id });
    return {
      kind: this.#kind ?? this.#kindOf(changes[0]),
      changes,
      versions,
      ended,
      tallies,
      due: this.#due,
      deliveries: this.#deliveries,
      remembered: this.#remembered,
    };
  }

  #kindOf(change: RecordChange | undefined): string {
    if (change === undefined) return '';
    if (change.op === 'delete') return `${change.type}.deleted`;
    if (change.op === 'blob') return 'blob.created';
    const before = this.#slots.get(slotKey(change.type, change.id))!.before;
    return `${change.type}.${before === null ? 'created' : 'updated'}`;
  }

  #slot(type: string, id: string): Slot {
    const key = slotKey(type, id);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    this.#records.indexes(type);
    if (id === '' || id.length > RECORD_ID_CHARS_MAX || !id.isWellFormed()) {
      throw new TypeError(`An id of a ${type} has 1 to ${RECORD_ID_CHARS_MAX} well-formed characters.`);
    }
    if (this.#slots.size === ENTRY_CHANGES_MAX) {
      throw new RecordTooLarge(`One call changes at most ${ENTRY_CHANGES_MAX} records.`);
    }
    const head = this.#head(key, type, id);
    const before: Stored | null = head ?? null;
    const slot: Slot = { type, id, index: this.#slots.size, before, stored: before, wanted: before };
    this.#slots.set(key, slot);
    return slot;
  }

  #flush(of: (slot: Slot) => boolean): void {
    const rows: RowChange[] = [];
    for (const slot of this.#slots.values()) {
      const { type, id, before, stored, wanted } = slot;
      if (stored === wanted || !of(slot)) continue;
      this.#waiting.delete(type);
      slot.stored = wanted;
      if (wanted === null) {
        this.#records.remove(type, id, { ord: stored!.ord, values: this.#values(type, stored!) });
        continue;
      }
      const text = this.#text(type, wanted);
      if (stored !== null && stored.body === text) continue;
      const { ord, at } = wanted;
      const values = this.#values(type, wanted);
      const pos = this.#positionOf(slot, text);
      const body = before !== null && pos === before.pos ? before.row! : this.#blobs.rowText(text);
      const was = stored === null ? null : this.#values(type, stored);
      rows.push({ type, id, pos, ord, at, body, text, values, was });
    }
    this.#records.write(rows);
  }

  #wrote(type: string): void {
    this.#waiting.add(type);
    this.#pages.delete(type);
  }

  #values(type: string, stored: Stored): IndexValues {
    stored.values ??= this.#records.values(type, JSON.parse(this.#text(type, stored)) as RecordBody);
    return stored.values;
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new Error('The transaction has ended; a twin answers synchronously.');
  }
}

const textOf = (type: string, body: RecordBody): string => {
  const text = JSON.stringify(body);
  if (exceeds(text, RECORD_BODY_BYTES_MAX))
    throw new RecordTooLarge(`A ${type} may hold ${RECORD_BODY_BYTES_MAX} bytes.`);
  return text;
};
