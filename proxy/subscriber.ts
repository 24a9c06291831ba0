// Keeps the proxy in touch with control: dials its socket, says hello, takes whole snapshots and answers each.
// While control is away the last snapshot stays in force and the dialling goes on.
import { connect, type Socket } from 'node:net';
import {
  encodeMessage,
  type FromProxy,
  LineReader,
  PUSH_PROTOCOL,
  parseFromControl,
} from '../policy/push.ts';
import { compileSnapshot, type Snapshot, type SnapshotDocument, unreadSnapshot } from '../policy/snapshot.ts';
import { CONTROL_RETRY_MS_MAX, CONTROL_RETRY_MS_MIN, REPORTS_BYTES_MAX } from './limits.ts';

export type SubscriberOptions = {
  readonly socketPath: string;
  readonly listen: () => { readonly host: string; readonly port: number };
  readonly onDrain: () => void;
  /** Puts a good snapshot in force elsewhere too, where several judge; it is acknowledged when that is done. Null: nowhere else. */
  readonly spread: (document: SnapshotDocument) => Promise<void> | null;
  /** A snapshot is in force, or was rejected. */
  readonly onAnswer: (inForce: boolean) => void;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
};

export class Subscriber {
  /** In force now. Replaced as a whole, never changed. */
  snapshot: Snapshot = unreadSnapshot('http://localhost');
  /** When control was last there, by the monotonic clock. */
  seenAt = performance.now();
  readonly #options: SubscriberOptions;
  #socket: Socket | null = null;
  #retryMs = CONTROL_RETRY_MS_MIN;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  get connected(): boolean {
    return this.#socket !== null && !this.#socket.connecting;
  }

  start(): void {
    const socket = connect({ path: this.#options.socketPath });
    this.#socket = socket;
    const lines = new LineReader();
    socket.on('connect', () => {
      this.#retryMs = CONTROL_RETRY_MS_MIN;
      this.#options.log.info({ ipc: this.#options.socketPath }, 'connected to control');
      const { snapshot } = this;
      this.#send({
        type: 'hello',
        protocol: PUSH_PROTOCOL,
        pid: process.pid,
        listen: this.#options.listen(),
        snapshot: snapshot.unread === null ? { epoch: snapshot.epoch, version: snapshot.version } : null,
      });
    });
    socket.on('data', (bytes: Buffer) => {
      this.seenAt = performance.now();
      const read = lines.read(bytes);
      if (!read.ok) {
        this.#options.log.warn({ why: read.why }, 'control sent what is no message; connecting anew');
        socket.destroy();
        return;
      }
      for (const line of read.lines) this.#take(line);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (this.#stopped) return;
      this.#retry = setTimeout(() => this.start(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, CONTROL_RETRY_MS_MAX);
    });
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#socket?.end();
  }

  report(message: Extract<FromProxy, { type: 'refused' }>): void {
    if (this.connected && this.#socket!.writableLength < REPORTS_BYTES_MAX) this.#send(message);
  }

  #take(line: string): void {
    const parsed = parseFromControl(line);
    if (!parsed.ok) {
      this.#options.log.warn({ why: parsed.why }, 'control sent a message that cannot be read');
      return;
    }
    const { message } = parsed;
    if (message.type === 'drain') return this.#options.onDrain();
    const { epoch, version } = message.snapshot;
    const compiled = compileSnapshot(message.snapshot);
    if (compiled.ok) {
      const inForce = (): void => {
        this.snapshot = compiled.snapshot;
        this.#options.log.info({ epoch, version }, 'policy in force');
        this.#options.onAnswer(true);
        this.#send({ type: 'ack', epoch, version });
      };
      const spreading = this.#options.spread(message.snapshot);
      if (spreading === null) inForce();
      else void spreading.then(inForce);
    } else {
      // The last good one stays: a bad push must not open anything, nor close what works.
      this.#options.log.warn({ epoch, version, why: compiled.why }, 'policy rejected; the one before stays');
      this.#options.onAnswer(false);
      this.#send({ type: 'reject', epoch, version, reason: compiled.why });
    }
  }

  #send(message: FromProxy): void {
    this.#socket?.write(encodeMessage(message));
  }
}
