// Loopback in both directions. Without containment a program reaches what listens on this machine's loopback, and this
// machine reaches what the program listens on: so each side's listeners are opened on the other, on the same port. Who
// comes first keeps a port, as without it.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { hostAndPort } from './addresses.ts';
import { join, keepHalfOpen } from './joint.ts';
import {
  BACKLOG,
  LOOK_ANYHOW_MS,
  LOOK_MS,
  LOOK_PAUSE_TIMES,
  LOOK_SOON_FOR_MS,
  LOOK_SOON_MS,
  MIRRORED_PORTS_MAX,
} from './limits.ts';
import { type Listening, listenersOf, socketCount } from './socket-table.ts';

export type MirrorOptions = {
  /** A process on this machine, outside. */
  readonly outside: number;
  /** Ports that neither side's listeners are looked at for. */
  readonly apart: ReadonlySet<number>;
  /** Asks for a listener outside; `opened` or `notOpened` is the answer. */
  readonly open: (place: Listening) => void;
  /** A connection of the program's to what listens there outside. */
  readonly lead: (client: Socket, target: string) => void;
};

export class Mirror {
  readonly #options: MirrorOptions;
  /** Ours inside, each for one that listens outside. */
  readonly #inside = new Map<string, Server>();
  /** Ours outside, each for one that the program listens on; null while it is asked for, or where the port is taken. */
  readonly #outside = new Map<string, Server | null>();
  #seen = '';
  #changedAt = performance.now();
  /** How many sockets there were when the tables were looked at last. */
  #count: string | null = null;
  #lookedAt = 0;
  #restsUntil = 0;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /** Resolves when what listens outside by now can be reached inside; from then on both sides are looked at. */
  async start(): Promise<void> {
    await this.#look();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const server of this.#inside.values()) server.close();
    for (const server of this.#outside.values()) server?.close();
  }

  /** The answer to `open`. */
  opened(place: Listening, server: Server): void {
    const key = keyOf(place);
    // It has stopped listening meanwhile.
    if (this.#outside.get(key) !== null) return void server.close();
    this.#outside.set(key, server);
    keepHalfOpen(server);
    server.on('connection', socket => this.accepted(place, socket));
    server.on('error', () => {});
  }

  /** One that came from outside, to be led to the program. */
  accepted({ address, port }: Listening, client: Socket): void {
    client.setNoDelay(true);
    client.on('error', () => client.destroy());
    const program = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    program.on('error', () => client.destroy());
    client.on('close', () => program.destroy());
    program.once('connect', () => join(client, program));
  }

  /** At the tables if there is anything new in them, and again in a while. */
  async #look(): Promise<void> {
    const counts = await Promise.all([socketCount('self'), socketCount(this.#options.outside)]);
    if (this.#closed) return;
    const from = performance.now();
    const count = counts.includes(null) ? null : counts.join();
    const sameCount = count !== null && count === this.#count && from - this.#lookedAt < LOOK_ANYHOW_MS;
    if (!sameCount && from >= this.#restsUntil) {
      this.#count = count;
      this.#lookedAt = from;
      await this.#lookAtTables();
      if (this.#closed) return;
      const now = performance.now();
      this.#restsUntil = now + LOOK_PAUSE_TIMES * (now - from);
    }
    const pause = performance.now() - this.#changedAt < LOOK_SOON_FOR_MS ? LOOK_SOON_MS : LOOK_MS;
    // What another process brings about can only be looked for.
    this.#timer = setTimeout(() => void this.#look(), pause);
  }

  async #lookAtTables(): Promise<void> {
    const [inside, outside] = await Promise.all([listenersOf('self'), listenersOf(this.#options.outside)]);
    if (this.#closed) return;
    this.#openOutside(placesOf(inside, this.#options.apart));
    await this.#openInside(placesOf(outside, this.#options.apart));
    const seen = [...this.#inside.keys(), ' ', ...this.#outside.keys()].join();
    if (seen !== this.#seen) this.#changedAt = performance.now();
    this.#seen = seen;
  }

  #openOutside(wanted: ReadonlyMap<string, Listening>): void {
    for (const [key, server] of this.#outside) {
      if (wanted.has(key)) continue;
      server?.close();
      this.#outside.delete(key);
    }
    for (const [key, place] of wanted) {
      // The one that listens there is ours.
      if (this.#inside.has(key) || this.#outside.has(key)) continue;
      if (this.#outside.size >= MIRRORED_PORTS_MAX) return;
      this.#outside.set(key, null);
      this.#options.open(place);
    }
  }

  async #openInside(wanted: ReadonlyMap<string, Listening>): Promise<void> {
    for (const [key, server] of this.#inside) {
      if (wanted.has(key)) continue;
      server.close();
      this.#inside.delete(key);
    }
    const opening: Promise<void>[] = [];
    for (const [key, place] of wanted) {
      if (this.#inside.has(key) || this.#outside.has(key)) continue;
      if (this.#inside.size + opening.length >= MIRRORED_PORTS_MAX) break;
      opening.push(this.#openOneInside(key, place));
    }
    await Promise.all(opening);
  }

  async #openOneInside(key: string, place: Listening): Promise<void> {
    const server = await listenInside(place, socket =>
      this.#options.lead(socket, hostAndPort(place.address, place.port)),
    );
    // The program listens there itself: it came first.
    if (server !== null) this.#inside.set(key, server);
  }
}

/** Null where the port is taken. */
export function listenInside(
  { address, port }: Listening,
  accept: (socket: Socket) => void,
): Promise<Server | null> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    socket.on('error', () => socket.destroy());
    accept(socket);
  });
  return new Promise(resolve => {
    server.once('error', () => resolve(null));
    server.listen({ host: address, port, backlog: BACKLOG, ipv6Only: true }, () => resolve(server));
  });
}

function keyOf({ address, port }: Listening): string {
  return `${address} ${port}`;
}

/** The loopback addresses at which these listeners are reached, by their keys. */
function placesOf(
  listeners: readonly Listening[],
  apart: ReadonlySet<number>,
): ReadonlyMap<string, Listening> {
  const places = new Map<string, Listening>();
  for (const { address, port } of listeners) {
    if (apart.has(port)) continue;
    for (const each of loopbackOf(address)) {
      const place = { address: each, port };
      places.set(keyOf(place), place);
    }
  }
  return places;
}

function loopbackOf(address: string): readonly string[] {
  if (address === '0.0.0.0') return ['127.0.0.1'];
  // One of both kinds, unless it says otherwise, which the table does not tell.
  if (address === '::') return ['127.0.0.1', '::1'];
  return address === '::1' || address.startsWith('127.') ? [address] : [];
}
