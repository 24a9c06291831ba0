// WebSockets of twins that outlast their object (4.11-4): the platform puts the object away while nothing is said on them and
// keeps the connections, and the next message wakes it. What is needed to go on is attached to each socket, or stands in a row
// where that is too large. Words that the platform could answer by itself (`setWebSocketAutoResponse`) there are none: whatever
// a client says is its vendor's to answer. Its pings it answers without waking anybody.
import type { Arrived } from '../control/http/arrived.ts';
import type { Site } from '../control/http/site.ts';
import { TwinSocketRun } from '../control/http/twin-socket.ts';
import type { Log } from '../control/ports/log.ts';
import {
  SOCKET_IDLE_MS_MAX,
  SOCKET_MESSAGE_BYTES_MAX,
  SOCKET_QUEUE_BYTES_MAX,
} from '../control/world/limits.ts';
import { describeFault } from '../control/world/store/fault.ts';
import type { KeptCall, KeptSocket, OpenSocket } from '../control/world/work/open-socket.ts';
import type { JsonObject } from '../twins/kit/json.ts';
import { entropy } from './entropy.ts';
import {
  SOCKET_ATTACHMENT_BYTES_MAX,
  SOCKET_HANDSHAKE_BYTES_MAX,
  SOCKET_STATE_BYTES_MAX,
  STAY_AWAKE_MS,
} from './limits.ts';
import {
  closeBack,
  GOING_AWAY,
  INTERNAL_ERROR,
  type PacedWire,
  POLICY_VIOLATION,
  pair,
  type Shaken,
  shaken,
  stillStands,
  TOO_BIG,
  TRY_AGAIN_LATER,
  wireOf,
} from './socket-wire.ts';

/** Rows of what no attachment holds; a socket's id follows. */
const ROWS = 'socket/';
const ID_BYTES = 8;

type Parts = {
  readonly ctx: Pick<DurableObjectState, 'acceptWebSocket' | 'getWebSockets' | 'getTags'>;
  readonly kv: SyncKvStorage;
  /** Null: the world is gone. Rejects when it cannot be opened. */
  readonly site: () => Promise<Site | null>;
  readonly log: () => Log;
  /** Has `look` called no later than then, whether anybody asks or not. */
  readonly rouse: (at: number) => void;
};

/**
 * With a credential in it, by which the socket is judged again: it is in the platform's memory beside the connection, as it
 * would be in the object's, and in no row.
 */
type Handshake = { readonly arrived: Arrived; readonly call: KeptCall };

type Attached = Handshake & {
  readonly usedAt: number;
  /** `rows`: in a row of its own. `nowhere`: it was too large for one, and the object is kept awake for it. */
  readonly state: { readonly here: JsonObject } | 'rows' | 'nowhere';
};

type Running = {
  readonly run: TwinSocketRun;
  readonly wire: PacedWire;
  readonly socket: OpenSocket;
  readonly stands: () => boolean;
  readonly handshake: Handshake;
  usedAt: number;
  /** As it was written last. */
  row: string | null;
};

/** Of this object: it is known by its socket until it is put away with it. */
type Woken = {
  readonly running: Promise<Running | null>;
  /** Bytes of messages that came before it ran. */
  waiting: number;
  /** It was told that it ends: what comes is nobody's any more. */
  over: boolean;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class HibernatingSockets {
  readonly #parts: Parts;
  readonly #woken = new Map<WebSocket, Woken>();
  readonly #large = new Set<WebSocket>();
  #awake: ReturnType<typeof setInterval> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#open().length;
  }

  /** Null: it cannot be put away. */
  accept(arrived: Arrived, socket: OpenSocket, stands: () => boolean): Shaken | null {
    const kept = socket.kept();
    if (kept === null) return null;
    const handshake: Handshake = { arrived, call: kept.call };
    if (bytesOf(handshake).length > SOCKET_HANDSHAKE_BYTES_MAX) return null;
    const { client, ws } = pair();
    const id = [...entropy.bytes(ID_BYTES)].map(byte => byte.toString(16).padStart(2, '0')).join('');
    this.#parts.ctx.acceptWebSocket(ws, [id]);
    const wire = wireOf(ws);
    const run = new TwinSocketRun(wire, socket, this.#parts.log());
    const running: Running = { run, wire, socket, stands, handshake, usedAt: Date.now(), row: null };
    this.#woken.set(ws, { running: Promise.resolve(running), waiting: 0, over: false });
    this.#keep(ws, running);
    run.start();
    void run.turn.then(() => this.#keep(ws, running));
    this.#parts.rouse(running.usedAt + SOCKET_IDLE_MS_MAX);
    return shaken(client, socket.protocol);
  }

  async message(ws: WebSocket, data: string | ArrayBuffer): Promise<void> {
    const message = typeof data === 'string' ? data : new Uint8Array(data);
    const bytes = message.length;
    const woken = this.#wokenFor(ws);
    const end = (code: number, reason: string): void => {
      woken.over = true;
      if (ws.readyState === WebSocket.OPEN) ws.close(code, reason);
    };
    if (bytes > SOCKET_MESSAGE_BYTES_MAX) return end(TOO_BIG, 'a message is at most 16 MiB');
    woken.waiting += bytes;
    if (woken.waiting > SOCKET_QUEUE_BYTES_MAX) return end(TRY_AGAIN_LATER, TOO_MUCH);
    const running = await woken.running;
    woken.waiting -= bytes;
    if (running === null || woken.over) return;
    if (!stillStands(running.stands)) return end(POLICY_VIOLATION, NO_LONGER_GOOD);
    if (running.wire.behind) return end(TRY_AGAIN_LATER, TOO_MUCH);
    running.usedAt = Date.now();
    running.run.message(message, bytes);
    await running.run.turn;
    this.#keep(ws, running);
  }

  /** Its client is gone, or has said that it goes. */
  async closed(ws: WebSocket, code: number): Promise<void> {
    const woken = this.#wokenFor(ws);
    closeBack(ws, code);
    this.#forget(ws);
    const running = await woken.running;
    running?.run.gone();
    await running?.run.turn;
  }

  /** Ends those that nobody uses or that are no longer let in. The world is open. */
  look(site: Site): void {
    let next = Number.POSITIVE_INFINITY;
    for (const ws of this.#open()) {
      const attached = attachedTo(ws);
      if (attached === null) continue;
      const idleAt = attached.usedAt + SOCKET_IDLE_MS_MAX;
      const admission = site.upgrade(attached.arrived, { call: attached.call, state: {} });
      if (admission.at !== 'socket' || !stillStands(admission.stands))
        ws.close(POLICY_VIOLATION, NO_LONGER_GOOD);
      else if (idleAt <= Date.now()) ws.close(GOING_AWAY, 'idle for too long');
      else next = Math.min(next, idleAt);
    }
    if (Number.isFinite(next)) this.#parts.rouse(next);
  }

  /** Of sockets that ended with the runtime, which told nobody. */
  dropRows(): void {
    const { kv, ctx } = this.#parts;
    const here = new Set(ctx.getWebSockets().map(ws => this.#rowOf(ws)));
    const gone = [...kv.list({ prefix: ROWS })].filter(([key]) => !here.has(key));
    for (const [key] of gone) kv.delete(key);
  }

  /** The world is gone. */
  close(): void {
    for (const ws of this.#open()) ws.close(GOING_AWAY, 'the world is gone');
  }

  #open(): readonly WebSocket[] {
    return this.#parts.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
  }

  #wokenFor(ws: WebSocket): Woken {
    const woken = this.#woken.get(ws) ?? { running: this.#wake(ws), waiting: 0, over: false };
    this.#woken.set(ws, woken);
    return woken;
  }

  /** Null: it has ended instead. */
  async #wake(ws: WebSocket): Promise<Running | null> {
    try {
      const attached = attachedTo(ws);
      const kept = attached === null ? null : this.#keptOf(ws, attached);
      if (attached === null || kept === null) return end(ws, INTERNAL_ERROR, 'it was put away and is lost');
      const site = await this.#parts.site();
      const admission = site?.upgrade(attached.arrived, kept);
      if (admission?.at !== 'socket') return end(ws, GOING_AWAY, 'the world is gone');
      const socket = await admission.open();
      if ('status' in socket) return end(ws, TRY_AGAIN_LATER, 'the world cannot answer now');
      const wire = wireOf(ws);
      const run = new TwinSocketRun(wire, socket, this.#parts.log());
      const { arrived, call, usedAt } = attached;
      const row = attached.state === 'rows' ? JSON.stringify(kept.state) : null;
      return { run, wire, socket, stands: admission.stands, handshake: { arrived, call }, usedAt, row };
    } catch (error) {
      this.#parts.log().error({ fault: describeFault(error) }, 'a WebSocket could not be gone on with');
      return end(ws, TRY_AGAIN_LATER, 'the world cannot answer now');
    }
  }

  #keptOf(ws: WebSocket, { call, state }: Attached): KeptSocket | null {
    if (typeof state === 'object') return { call, state: state.here };
    const row = state === 'rows' ? this.#parts.kv.get<Uint8Array>(this.#rowOf(ws)) : undefined;
    return row === undefined ? null : { call, state: JSON.parse(decoder.decode(row)) };
  }

  /** What it goes on with, as it is now: in its attachment, or in a row, or, too large for both, in memory alone. */
  #keep(ws: WebSocket, running: Running): void {
    const { socket, handshake, usedAt } = running;
    const here = socket.kept()?.state;
    if (!this.#woken.has(ws) || here === undefined) return;
    const whole = bytesOf({ ...handshake, usedAt, state: { here } } satisfies Attached);
    if (whole.length <= SOCKET_ATTACHMENT_BYTES_MAX) {
      ws.serializeAttachment(whole);
      if (running.row !== null) this.#parts.kv.delete(this.#rowOf(ws));
      running.row = null;
      return this.#stay(ws, false);
    }
    const row = JSON.stringify(here);
    const bytes = encoder.encode(row);
    const fits = bytes.length <= SOCKET_STATE_BYTES_MAX;
    if (fits && row !== running.row) this.#parts.kv.put(this.#rowOf(ws), bytes);
    running.row = fits ? row : null;
    const state = fits ? 'rows' : 'nowhere';
    ws.serializeAttachment(bytesOf({ ...handshake, usedAt, state } satisfies Attached));
    this.#stay(ws, !fits);
  }

  #rowOf(ws: WebSocket): string {
    return `${ROWS}${this.#parts.ctx.getTags(ws)[0]}`;
  }

  #forget(ws: WebSocket): void {
    this.#woken.delete(ws);
    if (attachedTo(ws)?.state === 'rows') this.#parts.kv.delete(this.#rowOf(ws));
    this.#stay(ws, false);
  }

  /** The platform puts no object away that waits for a timer. */
  #stay(ws: WebSocket, large: boolean): void {
    if (large) this.#large.add(ws);
    else this.#large.delete(ws);
    if (this.#large.size > 0) this.#awake ??= setInterval(() => {}, STAY_AWAKE_MS);
    else if (this.#awake !== null) {
      clearInterval(this.#awake);
      this.#awake = null;
    }
  }
}

const NO_LONGER_GOOD = 'the credential is no longer good';
const TOO_MUCH = 'more than the world takes at once';

const bytesOf = (value: object): Uint8Array => encoder.encode(JSON.stringify(value));

function attachedTo(ws: WebSocket): Attached | null {
  const bytes: unknown = ws.deserializeAttachment();
  return bytes instanceof Uint8Array ? JSON.parse(decoder.decode(bytes)) : null;
}

function end(ws: WebSocket, code: number, reason: string): null {
  if (ws.readyState === WebSocket.OPEN) ws.close(code, reason);
  return null;
}
