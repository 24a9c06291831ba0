// Connections for which there is no room: where the system grants this process few descriptors, a listener takes half of
// them, and the stores and what the world sends have the rest. Who comes then is told so, and the log tells how many came.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { descriptorsMax } from '../../process/descriptors.ts';
import type { Log } from '../ports/log.ts';
import { CROWDED_CONNECTIONS_MAX, CROWDED_TOLD_MS, DESCRIPTORS_KEPT } from './limits.ts';

const CONNECTIONS_MIN = 8;
const LISTENERS = 2;
const WHY =
  'wrld: this world has as many connections open as it may; close some, raise its limit of file descriptors (ulimit -n), or ask again.\n';

export function connectionsMax(descriptors: number = descriptorsMax()): number {
  return Math.max(CONNECTIONS_MIN, Math.floor((descriptors - DESCRIPTORS_KEPT) / 2 / LISTENERS));
}

let turnedAway = 0;

/** Of all listeners of this process, since it started. */
export const connectionsTurnedAway = (): number => turnedAway;

export class Crowd {
  readonly #max: number;
  readonly #log: Log;
  readonly #late = new WeakSet<Socket>();
  #open = 0;
  #untold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(server: Server, log: Log, max: number = connectionsMax()) {
    this.#max = max;
    this.#log = log;
    if (max === Number.POSITIVE_INFINITY) return;
    server.maxConnections = max + CROWDED_CONNECTIONS_MAX;
    server.on('connection', socket => this.#come(socket));
    server.on('drop', () => this.#tell());
  }

  /** Answers a request that came over a connection too many. */
  turnsAway(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.#late.has(request.socket)) return false;
    response.writeHead(503, {
      'content-type': 'text/plain; charset=utf-8',
      'retry-after': '1',
      connection: 'close',
    });
    response.end(WHY);
    request.resume();
    return true;
  }

  #come(socket: Socket): void {
    this.#open++;
    socket.once('close', () => this.#open--);
    if (this.#open <= this.#max) return;
    this.#late.add(socket);
    this.#tell();
  }

  #tell(): void {
    turnedAway++;
    this.#untold++;
    const now = performance.now();
    if (now - this.#toldAt < CROWDED_TOLD_MS) return;
    this.#toldAt = now;
    this.#log.warn(
      { connections: this.#untold, limit: this.#max },
      'connections refused: too many at once (ulimit -n)',
    );
    this.#untold = 0;
  }
}
