// Several data planes on one port, a thread each (`--workers`): the kernel spreads the connections. The process
// stays one for control: this thread alone talks to it, and a snapshot is in force when every worker says so.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { TICKET_KEY_BYTES } from '../certs/cache.ts';
import type { SnapshotDocument } from '../policy/snapshot.ts';
import { moduleFile } from '../process/module-file.ts';
import {
  SHUTDOWN_MS_MAX,
  WORKER_DRAIN_SLACK_MS,
  WORKER_FALSE_STARTS_MAX,
  WORKER_RESTART_MS,
  WORKER_STEADY_MS,
} from './limits.ts';
import { METRICS_BYTES } from './metrics.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts';

const WORKER = moduleFile(import.meta.url, './worker');

export type WorkersOptions = {
  readonly count: number;
  /** The process's command line. */
  readonly args: readonly string[];
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly guestPort: number | null;
  readonly onRefused: (refused: Extract<FromWorker, { type: 'refused' }>) => void;
  /** Workers do not stay up: nothing listens any more. */
  readonly onHopeless: (why: string) => void;
  readonly log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
};

type Seat = {
  worker: Worker;
  startedAt: number;
  falseStarts: number;
  /** By `epoch version`: what it was sent and has not put in force yet. */
  readonly awaited: Map<string, () => void>;
};

export class Workers {
  /** Of each worker, for sums over all. */
  readonly metrics: readonly SharedArrayBuffer[];
  readonly #options: WorkersOptions;
  readonly #ticketKeys = randomBytes(TICKET_KEY_BYTES);
  readonly #seats: Seat[] = [];
  #address: { readonly host: string; readonly port: number };
  #guestPort: number | null;
  #document: SnapshotDocument | null = null;
  #ending = false;

  private constructor(options: WorkersOptions) {
    this.#options = options;
    this.#address = { host: options.host, port: options.port };
    this.#guestPort = options.guestPort;
    this.metrics = Array.from({ length: options.count }, () => new SharedArrayBuffer(METRICS_BYTES));
  }

  /** Resolves when all listen; rejects where the first cannot. */
  static async start(options: WorkersOptions): Promise<Workers> {
    const workers = new Workers(options);
    for (const port of [options.port, options.guestPort]) if (port) await isFree(port, options.host);
    try {
      // The first one finds the port that the others share.
      await workers.#seat(0);
      await Promise.all(Array.from({ length: options.count - 1 }, (_, nth) => workers.#seat(nth + 1)));
    } catch (error) {
      await workers.drain();
      throw error;
    }
    return workers;
  }

  get address(): { readonly host: string; readonly port: number } {
    return this.#address;
  }

  get guestPort(): number | null {
    return this.#guestPort;
  }

  /** The threads that run now. */
  get threads(): readonly Worker[] {
    return this.#seats.map(seat => seat.worker);
  }

  /** Resolves when every worker judges by it; one that ends meanwhile is replaced by one that starts with it. */
  async push(document: SnapshotDocument): Promise<void> {
    this.#document = document;
    const key = keyOf(document);
    await Promise.all(
      this.#seats.map(seat => {
        const { promise, resolve } = Promise.withResolvers<void>();
        seat.awaited.set(key, resolve);
        tell(seat.worker, { type: 'snapshot', document });
        return promise;
      }),
    );
  }

  /** Each finishes what is in flight, within its own limit. */
  async drain(): Promise<void> {
    this.#ending = true;
    const limit = setTimeout(() => {
      for (const { worker } of this.#seats) void worker.terminate();
    }, SHUTDOWN_MS_MAX + WORKER_DRAIN_SLACK_MS);
    await Promise.all(
      this.#seats.map(async ({ worker }) => {
        // Already gone: -1.
        if (worker.threadId === -1) return;
        const exited = once(worker, 'exit');
        tell(worker, { type: 'drain' });
        await exited;
      }),
    );
    clearTimeout(limit);
  }

  /** Starts the `nth` worker, and another in its place whenever it ends. */
  #seat(nth: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { args, count, log } = this.#options;
    const workerData: WorkerStart = {
      nth,
      args,
      workers: count,
      port: this.#address.port,
      guestPort: this.#guestPort,
      metrics: this.metrics,
      ticketKeys: this.#ticketKeys,
      document: this.#document,
    };
    const worker = new Worker(WORKER, { workerData });
    const seat = (this.#seats[nth] ??= { worker, startedAt: 0, falseStarts: 0, awaited: new Map() });
    seat.worker = worker;
    seat.startedAt = performance.now();
    let listening = false;
    worker.on('message', (message: FromWorker) => {
      switch (message.type) {
        case 'listening':
          this.#address = { host: message.host, port: message.port };
          this.#guestPort = message.guestPort;
          listening = true;
          resolve();
          return;
        case 'in-force':
          settle(seat, keyOf(message));
          return;
        case 'refused':
          return this.#options.onRefused(message);
      }
    });
    let fault: unknown = null;
    worker.on('error', error => (fault = error));
    worker.on('exit', code => {
      reject(fault ?? new Error(`a worker ended with ${code}`));
      if (this.#ending) return;
      log.error({ worker: nth, code, err: fault }, 'a worker ended; another takes its place');
      this.#replace(nth, seat, listening);
    });
    return promise;
  }

  #replace(nth: number, seat: Seat, listened: boolean): void {
    const steady = listened && performance.now() - seat.startedAt >= WORKER_STEADY_MS;
    seat.falseStarts = steady ? 0 : seat.falseStarts + 1;
    if (seat.falseStarts >= WORKER_FALSE_STARTS_MAX) {
      this.#options.onHopeless(`worker ${nth} ended ${WORKER_FALSE_STARTS_MAX} times soon after its start`);
      return;
    }
    const again = (): void => {
      if (this.#ending) return;
      // Its successor starts with the newest document, so what it owed is in force once that one listens.
      const owed = [...seat.awaited.keys()];
      this.#seat(nth).then(
        () => {
          for (const key of owed) settle(seat, key);
        },
        // Its end is handled where it is told.
        () => {},
      );
    };
    if (seat.falseStarts === 0) again();
    else setTimeout(again, WORKER_RESTART_MS);
  }
}

function settle(seat: Seat, key: string): void {
  seat.awaited.get(key)?.();
  seat.awaited.delete(key);
}

function keyOf({ epoch, version }: { readonly epoch: string; readonly version: number }): string {
  return `${epoch} ${version}`;
}

function tell(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}

/**
 * Sharing a port is meant for our own workers. Another process of this user that shares it too would get some of
 * our connections without anybody noticing, so the port must be free for one alone first.
 */
async function isFree(port: number, host: string): Promise<void> {
  const probe = createServer();
  probe.listen({ port, host, exclusive: true });
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
