// The server name of a client's TLS hello, read without ending its TLS: what is tunnelled unread must first be
// seen to go where policy let it go. Pure: bytes in, a name out. RFC 8446 4.1.2 and 5.1, RFC 6066 3.
import { CLIENT_HELLO_BYTES_MAX, TLS_RECORD_BYTES_MAX } from '../limits.ts';

export type ClientHello =
  /** Too few bytes to say. */
  | { readonly at: 'more' }
  /** `name` is null where the hello names no host, or may hide whom it means (an encrypted hello). */
  | { readonly at: 'read'; readonly name: string | null }
  | { readonly at: 'unreadable'; readonly why: string };

const MORE: ClientHello = { at: 'more' };
const unreadable = (why: string): ClientHello => ({ at: 'unreadable', why });
const MALFORMED = unreadable('the TLS hello is malformed');
const TOO_LONG = unreadable(`the TLS hello is over ${CLIENT_HELLO_BYTES_MAX} bytes`);

const RECORD_HEAD_BYTES = 5;
const HANDSHAKE = 22;
const MESSAGE_HEAD_BYTES = 4;
const CLIENT_HELLO = 1;
const EXT_SERVER_NAME = 0;
/** The encrypted hello, and the encrypted server name that came before it (drafts of RFC 9849). */
const EXT_ENCRYPTED_HELLO = 0xfe0d;
const EXT_ENCRYPTED_NAME = 0xffce;
const HOST_NAME = 0;

/** Takes the client's bytes as they come; keeps them all, for they are the upstream's in the end. */
export class ClientHelloReader {
  #received = Buffer.alloc(0);
  #size = 0;
  /** The hello without its record heads. */
  #message = Buffer.alloc(0);
  #messageSize = 0;
  /** Where the next record begins in what was received. */
  #record = 0;
  #result: ClientHello = MORE;

  /** Everything that came, the hello and what follows it. */
  get received(): Buffer {
    return this.#received.subarray(0, this.#size);
  }

  read(chunk: Buffer): ClientHello {
    this.#received = append(this.#received, this.#size, chunk);
    this.#size += chunk.length;
    if (this.#result === MORE) this.#result = this.#readRecords();
    return this.#result;
  }

  #readRecords(): ClientHello {
    const bytes = this.#received;
    for (;;) {
      const head = this.#record;
      const here = this.#size - head;
      if (here >= 1 && bytes[head] !== HANDSHAKE) return MALFORMED;
      if (here >= 2 && bytes[head + 1] !== 3) return MALFORMED;
      if (here < RECORD_HEAD_BYTES) return MORE;
      const length = bytes.readUInt16BE(head + 3);
      // A handshake record is never empty (RFC 8446 5.1).
      if (length === 0 || length > TLS_RECORD_BYTES_MAX) return MALFORMED;
      if (this.#messageSize + length > CLIENT_HELLO_BYTES_MAX) return TOO_LONG;
      if (here < RECORD_HEAD_BYTES + length) return MORE;
      this.#record = head + RECORD_HEAD_BYTES + length;
      const fragment = bytes.subarray(head + RECORD_HEAD_BYTES, this.#record);
      this.#message = append(this.#message, this.#messageSize, fragment);
      this.#messageSize += length;
      const message = this.#message.subarray(0, this.#messageSize);
      if (message[0] !== CLIENT_HELLO) return MALFORMED;
      if (message.length < MESSAGE_HEAD_BYTES) continue;
      const end = MESSAGE_HEAD_BYTES + message.readUIntBE(1, 3);
      if (end > CLIENT_HELLO_BYTES_MAX) return TOO_LONG;
      if (message.length < end) continue;
      // Nothing may follow the hello before the server has answered it.
      if (message.length > end) return MALFORMED;
      return readMessage(new Fields(message.subarray(MESSAGE_HEAD_BYTES)));
    }
  }
}

function readMessage(hello: Fields): ClientHello {
  hello.skip(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  // Extensions may be absent as a whole: then there is no name.
  const extensions = hello.left === 0 ? new Fields(Buffer.alloc(0)) : new Fields(hello.vector(2));
  if (hello.broken || hello.left > 0) return MALFORMED;
  let name: string | null = null;
  let named = false;
  let hidden = false;
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const data = new Fields(extensions.vector(2));
    if (extensions.broken) return MALFORMED;
    // Whether an encrypted hello is meant or is only there for show cannot be told from outside.
    if (type === EXT_ENCRYPTED_HELLO || type === EXT_ENCRYPTED_NAME) hidden = true;
    if (type !== EXT_SERVER_NAME) continue;
    if (named) return MALFORMED;
    named = true;
    name = readServerName(data);
    if (name === null) return MALFORMED;
  }
  return { at: 'read', name: hidden ? null : name };
}

/** The one host name of the list; null where there is none, or another beside it. */
function readServerName(data: Fields): string | null {
  const list = new Fields(data.vector(2));
  const kind = list.number(1);
  const name = list.vector(2);
  if (data.broken || list.broken || data.left > 0 || list.left > 0 || kind !== HOST_NAME) return null;
  if (name.length === 0 || name.some(byte => byte <= 32 || byte >= 127)) return null;
  return name.toString('latin1').toLowerCase();
}

/** Reads numbers and length-prefixed vectors; past its end it is `broken` and answers nothings. */
class Fields {
  broken = false;
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  skip(count: number): Buffer {
    if (count > this.left) {
      this.broken = true;
      this.#at = this.#bytes.length;
      return this.#bytes.subarray(0, 0);
    }
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(size: 1 | 2): number {
    const bytes = this.skip(size);
    return bytes.length < size ? 0 : bytes.readUIntBE(0, size);
  }

  vector(lengthSize: 1 | 2): Buffer {
    return this.skip(this.number(lengthSize));
  }
}

/** `bytes` with `chunk` at `size`, in twice the room where it was short: a hello byte by byte costs no square. */
function append(bytes: Buffer<ArrayBuffer>, size: number, chunk: Buffer): Buffer<ArrayBuffer> {
  const needed = size + chunk.length;
  let room = bytes;
  if (needed > bytes.length) {
    room = Buffer.alloc(Math.max(needed, bytes.length * 2, 512));
    bytes.copy(room, 0, 0, size);
  }
  chunk.copy(room, size);
  return room;
}
