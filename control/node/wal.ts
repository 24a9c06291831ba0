// The write-ahead log of a store, read as SQLite reads it after a crash: as far as its checksums hold. SQLite takes what
// comes after a damaged frame for the rest of an older log and drops it without a word; here it is told from that.
// Format: https://sqlite.org/fileformat2.html#walformat
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The last bit says in which order the checksum's words are read. */
const MAGIC = 0x377f0682;

/**
 * Null when nothing is lost. What a crash cuts off was not committed: only where a commit comes after the damage did
 * somebody hear that it was kept.
 */
export const lossInWal = (file: string): string | null => {
  if (!existsSync(file)) return null;
  const descriptor = openSync(file, 'r');
  try {
    return lossIn(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
};

const lossIn = (descriptor: number, size: number): string | null => {
  if (size <= HEADER_BYTES) return null;
  const header = read(descriptor, 0, HEADER_BYTES);
  const magic = header.readUInt32BE(0);
  const sum = new Checksum((magic & 1) === 1);
  sum.add(header.subarray(0, 24));
  if ((magic & ~1) >>> 0 !== MAGIC || !sum.is(header, 24))
    return 'the head of its write-ahead log is damaged';
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  const frames = Math.floor((size - HEADER_BYTES) / frameBytes);
  let whole = 0;
  let damaged = -1;
  let last = -1;
  let lastCommit = -1;
  for (let n = 0; n < frames; n++) {
    const at = HEADER_BYTES + n * frameBytes;
    if (damaged >= 0) {
      // Of what comes after it only the place matters: is it of this log, or what an older one left?
      const frame = read(descriptor, at, FRAME_HEADER_BYTES);
      if (!isOfLog(frame, header)) continue;
      last = n;
      if (frame.readUInt32BE(4) !== 0) lastCommit = n;
      continue;
    }
    const frame = read(descriptor, at, frameBytes);
    if (isOfLog(frame, header)) {
      last = n;
      sum.add(frame.subarray(0, 8));
      sum.add(frame.subarray(FRAME_HEADER_BYTES));
      if (sum.is(frame, 16)) {
        whole = n + 1;
        continue;
      }
    }
    damaged = n;
  }
  return damaged < 0 || lastCommit <= damaged
    ? null
    : `its write-ahead log is damaged after ${whole} of ${last + 1} pages`;
};

const read = (descriptor: number, at: number, bytes: number): Buffer => {
  const buffer = Buffer.allocUnsafe(bytes);
  readSync(descriptor, buffer, 0, bytes, at);
  return buffer;
};

/** Its salts are the log's: those that an older log left in the file have others. */
const isOfLog = (frame: Buffer, header: Buffer): boolean => frame.compare(header, 16, 24, 8, 16) === 0;

class Checksum {
  #a = 0;
  #b = 0;
  readonly #bigEndian: boolean;

  constructor(bigEndian: boolean) {
    this.#bigEndian = bigEndian;
  }

  /** A multiple of eight bytes. */
  add(bytes: Buffer): void {
    let a = this.#a;
    let b = this.#b;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const little = !this.#bigEndian;
    for (let at = 0; at < bytes.length; at += 8) {
      a = (a + view.getUint32(at, little) + b) | 0;
      b = (b + view.getUint32(at + 4, little) + a) | 0;
    }
    this.#a = a;
    this.#b = b;
  }

  /** Whether the two words that stand there say the same. */
  is(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#a >>> 0 && bytes.readUInt32BE(at + 4) === this.#b >>> 0;
  }
}
