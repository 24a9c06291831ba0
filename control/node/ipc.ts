// Control's end of the policy channel: proxies dial in and say hello, and each gets the newest snapshot, whole,
// then every newer one, and says of each whether it is in force. Control remembers what each said.

import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { PUSH_LINE_BYTES_MAX } from '../../policy/limits.ts';
import {
  encodeMessage,
  type FromControl,
  type FromProxy,
  LineReader,
  PUSH_PROTOCOL,
  parseFromProxy,
} from '../../policy/push.ts';
import type { SnapshotDocument } from '../../policy/snapshot.ts';
import type { Log } from '../ports/log.ts';
import { HELLO_MS_MAX, PUSH_ANSWER_MS_MAX } from './limits.ts';

/** What control pushes; the channel adds which start of control it is and which version. */
export type Policy = Omit<SnapshotDocument, 'epoch' | 'version'>;

export type PushOutcome =
  | 'acknowledged'
  /** It is kept, and goes to the first proxy that connects. */
  | 'nobody-connected'
  /** The proxy keeps the last good one. */
  | { readonly rejected: string };

type Hello = Extract<FromProxy, { type: 'hello' }>;
type Refused = Extract<FromProxy, { type: 'refused' }>;

/** A connected proxy, and what it said of the snapshots it got. */
export type ProxyLink = {
  readonly pid: number;
  readonly listen: Hello['listen'];
  /** The version in force there, if it is of this start of control. */
  readonly acknowledged: number | null;
  readonly rejected: { readonly version: number; readonly reason: string } | null;
};

export type IpcOptions = {
  readonly path: string;
  /** Random; a new one each time control starts. */
  readonly epoch: string;
  readonly log: Log;
  readonly onGone?: (link: ProxyLink) => void;
  /** A proxy acknowledged or rejected a snapshot of this control's. */
  readonly onAnswer?: () => void;
  readonly onRefused?: (refused: Refused) => void;
  readonly pushAnswerMs?: number;
};

type Waiting = { readonly version: number; readonly settle: (outcome: PushOutcome) => void };

/** One connection, after its hello. */
class Link implements ProxyLink {
  readonly pid: number;
  readonly listen: Hello['listen'];
  acknowledged: number | null = null;
  rejected: { readonly version: number; readonly reason: string } | null = null;
  readonly #socket: Socket;
  #waiting: Waiting[] = [];
  #sentVersion = 0;

  constructor(hello: Hello, socket: Socket) {
    this.pid = hello.pid;
    this.listen = hello.listen;
    this.#socket = socket;
  }

  /** A proxy that reads slower than control pushes gets the newest snapshot when it has read the one before. */
  offer(version: number, line: string): void {
    if (version <= this.#sentVersion || this.#socket.writableNeedDrain) return;
    this.#sentVersion = version;
    this.#socket.write(line);
  }

  send(message: FromControl): void {
    this.#socket.write(encodeMessage(message));
  }

  /** Resolves when the proxy has answered for `version` or a newer one, with null when it went away first. */
  answerFor(version: number, ms: number): Promise<PushOutcome | null> {
    return new Promise(resolve => {
      const timer = setTimeout(
        () => settle({ rejected: `the proxy (pid ${this.pid}) did not answer within ${ms} ms` }),
        ms,
      );
      const settle = (outcome: PushOutcome | null): void => {
        clearTimeout(timer);
        this.#socket.off('close', gone);
        this.#waiting = this.#waiting.filter(one => one !== waiting);
        resolve(outcome);
      };
      const gone = (): void => settle(null);
      const waiting: Waiting = { version, settle };
      this.#waiting.push(waiting);
      this.#socket.once('close', gone);
    });
  }

  answered(version: number, outcome: PushOutcome): void {
    for (const waiting of this.#waiting.filter(one => one.version <= version)) waiting.settle(outcome);
  }
}

export class Ipc implements AsyncDisposable {
  readonly #options: IpcOptions;
  readonly #server = createServer(socket => this.#greet(socket));
  readonly #sockets = new Set<Socket>();
  readonly #links = new Map<Socket, Link>();
  readonly #hearers: ((link: ProxyLink) => void)[] = [];
  #version = 0;
  #line: string | null = null;

  private constructor(options: IpcOptions) {
    this.#options = options;
  }

  /** A socket file that an earlier control left is replaced: the caller holds the world's lock. */
  static async listen(options: IpcOptions): Promise<Ipc> {
    const ipc = new Ipc(options);
    await rm(options.path, { force: true });
    ipc.#server.listen(options.path);
    await once(ipc.#server, 'listening');
    await chmod(options.path, 0o600);
    ipc.#server.on('error', error =>
      options.log.error({ err: error }, 'ipc: a connection could not be accepted'),
    );
    return ipc;
  }

  /** The version pushed last; 0 before the first. */
  get version(): number {
    return this.#version;
  }

  get links(): readonly ProxyLink[] {
    return [...this.#links.values()];
  }

  /** `hear` is told of each proxy that says hello from now on. */
  onHello(hear: (link: ProxyLink) => void): void {
    this.#hearers.push(hear);
  }

  /** Resolves when every proxy that is connected now has answered; the first rejection wins. */
  async push(policy: Policy): Promise<PushOutcome> {
    const version = ++this.#version;
    const snapshot: SnapshotDocument = { epoch: this.#options.epoch, version, ...policy };
    const line = encodeMessage({ type: 'snapshot', snapshot });
    // Nobody would read it to its end; the one before stays.
    const bytes = Buffer.byteLength(line);
    if (bytes > PUSH_LINE_BYTES_MAX)
      return {
        rejected: `the policy has ${bytes} bytes, and ${PUSH_LINE_BYTES_MAX} at most; grant subtrees instead`,
      };
    this.#line = line;
    const ms = this.#options.pushAnswerMs ?? PUSH_ANSWER_MS_MAX;
    const answers = [...this.#links.values()].map(link => {
      const answer = link.answerFor(version, ms);
      link.offer(version, line);
      return answer;
    });
    const outcomes = (await Promise.all(answers)).filter(outcome => outcome !== null);
    return (
      outcomes.find(outcome => typeof outcome === 'object') ??
      (outcomes.length === 0 ? 'nobody-connected' : 'acknowledged')
    );
  }

  /** What a connected proxy says of the newest snapshot, now or as soon as it has answered. */
  async confirmed(pid: number): Promise<PushOutcome> {
    const link = [...this.#links.values()].find(one => one.pid === pid);
    if (!link || this.#line === null) return 'nobody-connected';
    if (link.rejected?.version === this.#version) return { rejected: link.rejected.reason };
    if (link.acknowledged === this.#version) return 'acknowledged';
    const answer = await link.answerFor(this.#version, this.#options.pushAnswerMs ?? PUSH_ANSWER_MS_MAX);
    return answer ?? 'nobody-connected';
  }

  /** Asks one proxy, or all, to finish what is in flight and end. */
  drain(pid?: number): void {
    for (const link of this.#links.values())
      if (pid === undefined || link.pid === pid) link.send({ type: 'drain' });
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.close();
  }

  #greet(socket: Socket): void {
    const { log } = this.#options;
    this.#sockets.add(socket);
    const lines = new LineReader();
    const patience = setTimeout(() => {
      log.warn({}, 'ipc: a connection said no hello; closed');
      socket.destroy();
    }, HELLO_MS_MAX);
    socket.on('data', (chunk: Buffer) => {
      const read = lines.read(chunk);
      if (!read.ok) return this.#turnAway(socket, read.why);
      for (const line of read.lines) {
        if (socket.destroyed) return;
        const parsed = parseFromProxy(line);
        if (!parsed.ok) return this.#turnAway(socket, parsed.why);
        clearTimeout(patience);
        this.#take(socket, parsed.message);
      }
    });
    socket.on('drain', () => this.#offer(socket));
    // A reset is an end like any other; 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(patience);
      this.#sockets.delete(socket);
      const link = this.#links.get(socket);
      this.#links.delete(socket);
      if (link) this.#options.onGone?.(link);
    });
  }

  #take(socket: Socket, message: FromProxy): void {
    const link = this.#links.get(socket);
    if (message.type === 'hello') {
      if (link) return this.#turnAway(socket, 'it said hello twice');
      if (message.protocol !== PUSH_PROTOCOL)
        return this.#turnAway(
          socket,
          `it speaks protocol ${message.protocol}; this control speaks ${PUSH_PROTOCOL}`,
        );
      const made = new Link(message, socket);
      this.#links.set(socket, made);
      this.#offer(socket);
      for (const hear of this.#hearers) hear(made);
      return;
    }
    if (!link) return this.#turnAway(socket, `it said ${message.type} before hello`);
    if (message.type === 'refused') return this.#options.onRefused?.(message);
    // An answer to a snapshot of the control before this one says nothing of ours.
    if (message.epoch !== this.#options.epoch) return;
    if (message.type === 'ack') {
      link.acknowledged = message.version;
      if (link.rejected && link.rejected.version < message.version) link.rejected = null;
      link.answered(message.version, 'acknowledged');
    } else {
      link.rejected = { version: message.version, reason: message.reason };
      this.#options.log.error(
        { proxy: link.pid, version: message.version, reason: message.reason },
        'ipc: the proxy rejected a snapshot and keeps the one before',
      );
      link.answered(message.version, { rejected: message.reason });
    }
    this.#options.onAnswer?.();
  }

  #offer(socket: Socket): void {
    if (this.#line !== null) this.#links.get(socket)?.offer(this.#version, this.#line);
  }

  #turnAway(socket: Socket, why: string): void {
    this.#options.log.warn({ why }, 'ipc: a connection was closed');
    socket.destroy();
  }
}
