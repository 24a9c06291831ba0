// WebSockets of a world on the edge (4.11-4): those of its twins, whose messages are transactions of the world, and those
// that carry the bytes of a stream (4.2). Each ends when its client is gone, its credential is, or its world. Those that the
// object need not stay in memory for are `HibernatingSockets`; the others keep it there, by the timer that looks after them.
import { problem } from '../control/http/answer.ts';
import type { Arrived } from '../control/http/arrived.ts';
import type { Site } from '../control/http/site.ts';
import { TwinSocketRun } from '../control/http/twin-socket.ts';
import type { UpgradeAdmission } from '../control/http/upgrade.ts';
import type { Log } from '../control/ports/log.ts';
import {
  SOCKET_IDLE_MS_MAX,
  SOCKET_MESSAGE_BYTES_MAX,
  SOCKET_PING_MS,
  SOCKETS_MAX,
  STREAM_TOKEN_MS_MAX,
} from '../control/world/limits.ts';
import { describeFault } from '../control/world/store/fault.ts';
import type { OpenSocket } from '../control/world/work/open-socket.ts';
import type { Reply } from '../twins/kit/reply.ts';
import type { HibernatingSockets } from './hibernating-sockets.ts';
import {
  closeBack,
  GOING_AWAY,
  INTERNAL_ERROR,
  POLICY_VIOLATION,
  pair,
  type Shaken,
  shaken,
  stillStands,
  TOO_BIG,
  TRY_AGAIN_LATER,
  wireOf,
} from './socket-wire.ts';
import type { StreamServers } from './streams.ts';

type Held = { readonly ws: WebSocket; usedAt: number; stands: () => boolean };
type StreamAdmission = Extract<UpgradeAdmission, { at: 'stream' }>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Sockets {
  readonly #log: Log;
  readonly #streams: StreamServers;
  readonly #hibernating: HibernatingSockets;
  readonly #held = new Set<Held>();
  #watch: ReturnType<typeof setInterval> | null = null;

  constructor(log: Log, streams: StreamServers, hibernating: HibernatingSockets) {
    this.#log = log;
    this.#streams = streams;
    this.#hibernating = hibernating;
  }

  static asksForOne(request: Request): boolean {
    return request.headers.get('upgrade')?.toLowerCase() === 'websocket';
  }

  /** The answer that refuses the handshake, or the handshake. */
  async take(site: Site, arrived: Arrived): Promise<Reply | Shaken> {
    const admission = site.upgrade(arrived);
    if (admission.at === 'answered') return admission.reply;
    if (this.#held.size + this.#hibernating.count >= SOCKETS_MAX)
      return problem(503, 'too-many-sockets', `A world has at most ${SOCKETS_MAX} WebSockets at once.`);
    if (admission.at === 'stream') return this.#carry(admission);
    const opened = await admission.open();
    if ('status' in opened) return opened;
    const { stands } = admission;
    return this.#hibernating.accept(arrived, opened, stands) ?? this.#run(opened, stands);
  }

  /** The world is gone. */
  close(): void {
    for (const { ws } of this.#held) ws.close(GOING_AWAY, 'the world is gone');
    this.#hibernating.close();
  }

  #run(opened: OpenSocket, stands: () => boolean): Shaken {
    const { client, held } = this.#pair(stands);
    const { ws } = held;
    const wire = wireOf(ws);
    const run = new TwinSocketRun(wire, opened, this.#log);
    this.#listen(held, {
      message: (data, bytes) => {
        if (wire.behind) ws.close(TRY_AGAIN_LATER, 'more than the world takes at once');
        else run.message(data, bytes);
      },
      closed: () => run.gone(),
    });
    run.start();
    return shaken(client, opened.protocol);
  }

  /** 4.2: the first message is a token, and what follows are the bytes of a TCP connection, both ways. */
  #carry({ protocol, enter, stands }: StreamAdmission): Shaken {
    const { client, held } = this.#pair(() => true);
    const { ws } = held;
    const late = setTimeout(() => ws.close(POLICY_VIOLATION, 'no token came'), STREAM_TOKEN_MS_MAX);
    let take: ((bytes: Uint8Array) => void) | null = null;
    let over = (): void => {};
    this.#listen(held, {
      message: data => {
        const bytes = typeof data === 'string' ? encoder.encode(data) : data;
        if (take !== null) return take(bytes);
        clearTimeout(late);
        const token = decoder.decode(bytes);
        const session = enter(token);
        if (session === null) return ws.close(POLICY_VIOLATION, 'this token opens no stream');
        const serve = this.#streams[protocol];
        if (serve === undefined) return ws.close(POLICY_VIOLATION, `nothing here speaks ${protocol}`);
        held.stands = () => stands(token);
        const stream = serve(session, {
          send: sent => ws.send(sent),
          end: () => ws.close(1000),
          log: this.#log,
        });
        take = stream.take;
        over = stream.over;
      },
      closed: () => {
        clearTimeout(late);
        over();
      },
    });
    return shaken(client, null);
  }

  #pair(stands: () => boolean): { readonly client: WebSocket; readonly held: Held } {
    const { client, ws } = pair();
    ws.binaryType = 'arraybuffer';
    ws.accept();
    return { client, held: { ws, stands, usedAt: Date.now() } };
  }

  #listen(held: Held, to: { message(data: string | Uint8Array, bytes: number): void; closed(): void }): void {
    const { ws } = held;
    this.#held.add(held);
    this.#watch ??= setInterval(() => this.#look(), SOCKET_PING_MS);
    ws.addEventListener('message', ({ data }) => {
      held.usedAt = Date.now();
      const message = typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer);
      const bytes = message.length;
      if (bytes > SOCKET_MESSAGE_BYTES_MAX) return ws.close(TOO_BIG, 'a message is at most 16 MiB');
      try {
        to.message(message, bytes);
      } catch (error) {
        this.#log.error({ fault: describeFault(error) }, 'a WebSocket ended in a bug');
        ws.close(INTERNAL_ERROR, 'the world failed on this message');
      }
    });
    const gone = (): void => {
      if (!this.#held.delete(held)) return;
      if (this.#held.size === 0 && this.#watch !== null) {
        clearInterval(this.#watch);
        this.#watch = null;
      }
      to.closed();
    };
    ws.addEventListener('close', ({ code }) => {
      // Its client's word, given back, ends the connection.
      if (this.#held.has(held) && ws.readyState !== WebSocket.CLOSED) closeBack(ws, code);
      gone();
    });
    ws.addEventListener('error', gone);
  }

  /** Ends those that nobody uses or that are no longer let in. */
  #look(): void {
    for (const { ws, usedAt, stands } of this.#held) {
      if (!stillStands(stands)) ws.close(POLICY_VIOLATION, 'the credential is no longer good');
      else if (Date.now() - usedAt > SOCKET_IDLE_MS_MAX) ws.close(GOING_AWAY, 'idle for too long');
    }
  }
}
