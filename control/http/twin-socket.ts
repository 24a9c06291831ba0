// One WebSocket of a twin: its messages in the order they came, each a transaction of its world, and the acts of the
// twin in the order they were decided, no faster than the client reads.
import type { SocketAct, SocketDeed, SocketMessage } from '../../twins/kit/socket.ts';
import type { Log } from '../ports/log.ts';
import { SOCKET_QUEUE_ACTS_MAX, SOCKET_QUEUE_BYTES_MAX } from '../world/limits.ts';
import type { OpenSocket } from '../world/work/open-socket.ts';

/** The client's end, as the host has it. */
export type SocketWire = {
  /** Resolves when the system has taken it, so that a client that does not read is not written for in memory. */
  send(message: string | Uint8Array): Promise<void>;
  close(code: number, reason: string): void;
  /** Without a word. */
  cut(): void;
  /** Whether it is behind: nothing more is read of a client that is. */
  pace(behind: boolean): void;
};

type Interruption = Extract<SocketAct, { interrupt: string }>;

export class TwinSocketRun {
  readonly #wire: SocketWire;
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

  constructor(wire: SocketWire, socket: OpenSocket, log: Log) {
    this.#wire = wire;
    this.#socket = socket;
    this.#log = log;
  }

  /** The handshake is done. */
  start(): void {
    this.#then(() => this.#socket.open());
  }

  /** `bytes`: as it came. */
  message(data: SocketMessage, bytes: number): void {
    this.#unread += bytes;
    this.#then(async () => {
      this.#unread -= bytes;
      if (this.#closing) return [];
      return this.#socket.message(data);
    });
    this.#pace();
  }

  /** Resolves when all that has come so far had its turn; what the twin then does goes on by itself. */
  get turn(): Promise<void> {
    return this.#turn;
  }

  /** The client is gone, or the twin closed. */
  gone(): void {
    this.#ended.abort();
    this.#acts.length = 0;
    this.#then(async () => {
      await this.#socket.closed();
      return [];
    });
  }

  #then(event: () => Promise<readonly SocketAct[]>): void {
    this.#turn = this.#turn
      .then(event)
      .then(acts => this.#queue(acts))
      .catch(error => {
        this.#log.error({ err: error }, 'a WebSocket of a twin ended in a bug');
        this.#wire.cut();
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
    this.#wire.pace(this.#unread > SOCKET_QUEUE_BYTES_MAX || this.#acts.length > SOCKET_QUEUE_ACTS_MAX);
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
        this.#wire.close(act.close.code, act.close.reason);
      } else await this.#wire.send(act.send);
    }
    this.#acting = false;
    this.#pace();
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
