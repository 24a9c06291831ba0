// One end of a connection in a wire test: exact bytes out, exact bytes in, and waits that end with an event
// or with a deadline that says what was missing. Both the test's client (wire.ts) and the origins it
// scripts (origin.ts) are Peers.
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { within } from './deadline.ts';
import {
  framing,
  type Head,
  parseFields,
  parseHead,
  type Request,
  type Response,
  reasonOf,
  statusOf,
} from './http-text.ts';

/** How the other side left: `ended` is a FIN (a half-close until we end too), `reset` an error or abort. */
export type Ending = 'ended' | 'reset';

/** The connection ended before what was waited for had come. */
export class PeerGone extends Error {
  override readonly name = 'PeerGone';
}

export class Peer implements AsyncDisposable {
  readonly socket: Duplex;
  #received: Buffer[] = [];
  #unread: Buffer = Buffer.alloc(0);
  #ending: Ending | null = null;
  #changed = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<Ending>();

  constructor(socket: Duplex) {
    this.socket = socket;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** Every byte that ever came, read or not. */
  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  /** Bytes that came and were not taken yet. */
  get unread(): Buffer {
    return this.#unread;
  }

  /** Null while the other side may still send. */
  get ending(): Ending | null {
    return this.#ending;
  }

  /** Resolves when the kernel has taken the bytes: true, or false when the connection was gone first. */
  send(bytes: string | Uint8Array): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const raw = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    this.socket.write(raw, error => resolve(!error));
    return Promise.race([promise, this.#closed.promise.then(() => false)]);
  }

  /** Half-close: no more from us; what the other side sends is still read. */
  end(): void {
    this.socket.end();
  }

  /** Abort: an RST over TCP, a cut without close_notify over TLS. */
  reset(): void {
    const { socket } = this;
    // A TLS socket has the method too, and throws.
    if (socket instanceof Socket && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
    else socket.destroy();
  }

  /** Stop taking bytes from the kernel, so that back-pressure reaches the other side. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Exactly `count` bytes. */
  read(count: number, what = `${count} bytes`): Promise<Buffer> {
    return this.#wait(what, () => (this.#unread.length < count ? undefined : this.#take(count)));
  }

  /** Everything up to and with `marker`. */
  readUntil(marker: string, what = `up to ${JSON.stringify(marker)}`): Promise<Buffer> {
    return this.#wait(what, () => {
      const at = this.#unread.indexOf(marker, 0, 'latin1');
      return at < 0 ? undefined : this.#take(at + marker.length);
    });
  }

  /** Everything until the other side's FIN; rejects on a reset. */
  readToEnd(what = 'the end of the stream'): Promise<Buffer> {
    return this.#wait(what, () => (this.#ending === 'ended' ? this.#take(this.#unread.length) : undefined));
  }

  /** A request or response head with its blank line. */
  async readHead(what = 'a head'): Promise<Head> {
    return parseHead((await this.readUntil('\r\n\r\n', what)).toString('latin1'));
  }

  /** The final response and the 1xx before it. `asked` is the method it answers: HEAD has no body. */
  async readResponse(asked = 'GET'): Promise<Response> {
    const interim: Head[] = [];
    for (;;) {
      const head = await this.readHead('a response head');
      const status = statusOf(head);
      if (status >= 200 || status === 101) {
        return { ...head, status, reason: reasonOf(head), interim, ...(await this.#readBody(head, asked)) };
      }
      interim.push(head);
    }
  }

  async readRequest(): Promise<Request> {
    const head = await this.readHead('a request head');
    const [method = '', target = ''] = head.start.split(' ');
    return { ...head, method, target, ...(await this.#readBody(head, null)) };
  }

  /** One chunk of a chunked body: its bytes, empty for the last. */
  async readChunk(): Promise<Buffer> {
    const size = Number.parseInt((await this.readUntil('\r\n', 'a chunk size')).toString('latin1'), 16);
    if (size === 0) return Buffer.alloc(0);
    const bytes = await this.read(size, `a chunk of ${size} bytes`);
    await this.read(2, 'the end of a chunk');
    return bytes;
  }

  /** Resolves when the other side has sent its FIN or reset. */
  gone(what = 'the other side to end'): Promise<Ending> {
    return within(what, this.#goneSoon());
  }

  /** Waits for the other side to end or reset, ends ours too, and resolves when the connection is closed. */
  closed(what = 'the connection to close'): Promise<Ending> {
    const closed = this.#goneSoon().then(() => {
      this.socket.end();
      return this.#closed.promise;
    });
    return within(what, closed);
  }

  /** Hands the socket on (to TLS): unread bytes go back into it and this Peer is done. */
  release(): Duplex {
    this.socket.pause();
    this.socket
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onError)
      .off('close', this.#onClose);
    if (this.#unread.length > 0) this.socket.unshift(this.#unread);
    return this.socket;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    return Promise.resolve();
  }

  async #readBody(head: Head, asked: string | null): Promise<Pick<Response, 'body' | 'trailers'>> {
    const frame = framing(head, asked);
    if (frame.kind === 'none') return { body: Buffer.alloc(0), trailers: [] };
    if (frame.kind === 'length')
      return { body: await this.read(frame.bytes, `a body of ${frame.bytes} bytes`), trailers: [] };
    if (frame.kind === 'to-end') return { body: await this.readToEnd('a body to the end'), trailers: [] };
    const chunks: Buffer[] = [];
    for (let chunk = await this.readChunk(); chunk.length > 0; chunk = await this.readChunk())
      chunks.push(chunk);
    const trailers: string[] = [];
    for (;;) {
      const line = (await this.readUntil('\r\n', 'the end of the trailers')).toString('latin1').slice(0, -2);
      if (line === '') return { body: Buffer.concat(chunks), trailers: parseFields(trailers) };
      trailers.push(line);
    }
  }

  async #goneSoon(): Promise<Ending> {
    while (this.#ending === null) await this.#changed.promise;
    return this.#ending;
  }

  async #wait<T>(what: string, take: () => T | undefined): Promise<T> {
    const poll = async (): Promise<T> => {
      for (;;) {
        const got = take();
        if (got !== undefined) return got;
        if (this.#ending !== null)
          throw new PeerGone(`${what}: the connection ${this.#ending} after ${this.#shown()}`);
        await this.#changed.promise;
      }
    };
    return within(what, poll()).catch((error: Error) => {
      if (!(error instanceof PeerGone)) error.message += `; unread: ${this.#shown()}`;
      throw error;
    });
  }

  #shown(): string {
    return JSON.stringify(this.#unread.toString('latin1').slice(0, 400));
  }

  #take(count: number): Buffer {
    const bytes = this.#unread.subarray(0, count);
    this.#unread = this.#unread.subarray(count);
    return bytes;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#received.push(bytes);
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    this.#wake();
  };

  readonly #onEnd = (): void => {
    this.#ending ??= 'ended';
    this.#wake();
  };

  readonly #onError = (): void => {
    this.#ending ??= 'reset';
    this.#wake();
  };

  readonly #onClose = (): void => {
    this.#ending ??= 'reset';
    this.#closed.resolve(this.#ending);
    this.#wake();
  };
}
