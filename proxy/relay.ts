// Two sockets joined byte for byte: for connections that policy lets through unread. Back-pressure and
// half-closes pass in both directions; when one side breaks, the other is cut.
import type { Socket } from 'node:net';
import type { Deadlines, Held } from './deadlines.ts';
import { EXCHANGE_STALL_MS_MAX } from './limits.ts';

export class Relay implements Held {
  deadline: number;
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #deadlines: Deadlines;
  readonly #stallMs: number;

  /** `first`: bytes the client has sent already. */
  constructor(
    client: Socket,
    upstream: Socket,
    first: Buffer,
    deadlines: Deadlines,
    stallMs = EXCHANGE_STALL_MS_MAX,
  ) {
    this.#client = client;
    this.#upstream = upstream;
    this.#deadlines = deadlines;
    this.#stallMs = stallMs;
    this.deadline = deadlines.now + stallMs;
    deadlines.add(this);
    if (first.length > 0) upstream.write(first);
    this.#join(client, upstream);
    this.#join(upstream, client);
    client.resume();
    upstream.resume();
  }

  drain(): void {
    // Its end cannot be known from outside; the shutdown limit ends it.
  }

  expire(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }

  #join(from: Socket, to: Socket): void {
    from.on('data', bytes => {
      this.deadline = this.#deadlines.now + this.#stallMs;
      if (!to.write(bytes)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#deadlines.delete(this);
      if (!to.writableEnded) to.destroy();
    });
  }
}
