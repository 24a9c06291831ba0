// One WebSocket of a twin: its messages in the order they came, each a transaction of its world, and the acts of the
// twin in the order they were decided, no faster than the client reads.
import type { RawData, WebSocket } from 'ws';
import type { SocketAct, SocketDeed } from '../../twins/kit/socket.ts';
import type { Log } from '../ports/log.ts';
import { SOCKET_QUEUE_ACTS_MAX, SOCKET_QUEUE_BYTES_MAX } from '../world/limits.ts';
import type { OpenSocket } from '../world/work/open-socket.ts';

type Interruption = Extract<SocketAct, { interrupt: string }>;

export class TwinSocketRun {
  readonly #ws: WebSocket;
  readonly #socket: OpenSocket;
  readonly #log: Log;
  readonly #acts: SocketDeed[] = [];
  readonly #ended = new AbortController();
  #interrupted = new AbortController();
  #turn: Promise<void> = Promise.resolve();
  #acting = false;
  /** Bytes of messages that wait for their turn. */
  #unread = 0;
  /** The twin has decided to close: nothing that comes is for it any more. */
  #closing = false;

  constructor(ws: WebSocket, socket: OpenSocket, log: Log) {
    this.#ws = ws;
    this.#socket = socket;
    this.#log = log;
  }

  start(): void {
    const ws = this.#ws;
    ws.on('message', (data: RawData, binary: boolean) => {
      const bytes = bytesOf(data);
      this.#unread += bytes.length;
      this.#then(async () => {
        this.#unread -= bytes.length;
        if (this.#closing) return [];
        return this.#socket.message(binary ? new Uint8Array(bytes) : bytes.toString('utf8'));
      });
      this.#pace();
    });
    ws.on('close', () => {
      this.#ended.abort();
      this.#acts.length = 0;
      this.#then(async () => {
        await this.#socket.closed();
        return [];
      });
    });
    this.#then(() => this.#socket.open());
  }

  #then(event: () => Promise<readonly SocketAct[]>): void {
    this.#turn = this.#turn
      .then(event)
      .then(acts => this.#queue(acts))
      .catch(error => {
        this.#log.error({ err: error }, 'a WebSocket of a twin ended in a bug');
        this.#ws.terminate();
      });
  }

  #queue(acts: readonly SocketAct[]): void {
    if (this.#ended.signal.aborted) return;
    for (const act of acts) {
      if ('interrupt' in act) this.#acts.push(...this.#interrupt(act));
      else this.#acts.push(act);
    }
    this.#closing ||= this.#acts.some(act => 'close' in act);
    this.#pace();
    if (!this.#acting) void this.#act();
  }

  /** A client is read no faster than it is answered, nor than it reads. */
  #pace(): void {
    const ws = this.#ws;
    const behind = this.#unread > SOCKET_QUEUE_BYTES_MAX || this.#acts.length > SOCKET_QUEUE_ACTS_MAX;
    if (behind && !ws.isPaused) ws.pause();
    else if (!behind && ws.isPaused) ws.resume();
  }

  #interrupt({ interrupt, instead, otherwise }: Interruption): readonly SocketDeed[] {
    const left = this.#acts.filter(act => !('part' in act) || act.part !== interrupt);
    if (left.length === this.#acts.length) return otherwise;
    this.#acts.splice(0, this.#acts.length, ...left);
    this.#interrupted.abort();
    this.#interrupted = new AbortController();
    return instead;
  }

  async #act(): Promise<void> {
    this.#acting = true;
    for (let act = this.#acts[0]; act !== undefined; act = this.#acts[0]) {
      if (act.afterMs !== undefined && act.afterMs > 0)
        await wait(act.afterMs, AbortSignal.any([this.#ended.signal, this.#interrupted.signal]));
      if (this.#ended.signal.aborted) break;
      // Interrupted meanwhile: another one is next.
      if (this.#acts[0] !== act) continue;
      this.#acts.shift();
      if ('close' in act) {
        this.#acts.length = 0;
        this.#ws.close(act.close.code, act.close.reason);
      } else await this.#send(act.send);
    }
    this.#acting = false;
    this.#pace();
  }

  /** Resolves when the system has taken it, so that a client that does not read is not written for in memory. */
  #send(message: string | Uint8Array): Promise<void> {
    return new Promise(resolve => {
      this.#ws.send(message, () => resolve());
    });
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

export function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
