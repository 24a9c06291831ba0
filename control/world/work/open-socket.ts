// A WebSocket of a twin at work in its world: the handshake and each message are a transaction each, all of them of
// one caller and one trace. The host owns the bytes (control/node/web-sockets.ts).
import type { Call } from '../../../twins/kit/call.ts';
import type { JsonObject } from '../../../twins/kit/json.ts';
import type { Reply } from '../../../twins/kit/reply.ts';
import type { SocketAct, SocketMessage, TwinSocket } from '../../../twins/kit/socket.ts';
import type { Tx } from '../../../twins/kit/tx.ts';
import type { Acts } from './acts.ts';
import type { Seat } from './seat.ts';

export type OpenSocket = {
  /** Of those the client offered; none when null. */
  readonly protocol: string | null;
  /** Right after the handshake. What the twin does on it, in order; of what lasts only. Never rejects. */
  open(): Promise<readonly SocketAct[]>;
  /** To be called in the order in which messages came. Never rejects. */
  message(data: SocketMessage): Promise<readonly SocketAct[]>;
  /** Once, when the client is gone or the twin closed. Never rejects. */
  closed(): Promise<void>;
  /** What `resumeSocket` goes on with, after each event; null where the twin knows of no way. */
  kept(): KeptSocket | null;
};

/** A socket that was put away with its process. */
export type KeptSocket = { readonly call: KeptCall; readonly state: JsonObject };

/** Of a handshake: it has no body. */
export type KeptCall = Omit<Call, 'body'>;

export type SocketParts = {
  readonly seat: Seat;
  readonly call: Call;
  readonly acts: Acts;
};

/** RFC 6455, 7.4.1. */
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** A reply refuses the handshake. */
export async function openSocket(parts: SocketParts): Promise<OpenSocket | Reply> {
  const { seat, call, acts } = parts;
  const { upgrade, error } = seat.twin;
  if (upgrade === undefined || seat.twin.manifest.upgrades?.includes(call.path) !== true)
    return error(404, 'no_such_socket', 'No WebSocket is served at this path.');
  const answer = await acts.run(seat, call, (seen, tx) => upgrade(seen, tx));
  if ('status' in answer) return answer;
  return { protocol: answer.protocol, ...socketAtWork(parts, answer) };
}

/** The twin goes on with it in the transaction of its next event. */
export function resumeSocket(parts: SocketParts, kept: JsonObject): OpenSocket {
  const { resume } = parts.seat.twin;
  if (resume === undefined) throw new Error('no twin keeps what it cannot go on with');
  return { protocol: null, ...socketAtWork(parts, { kept, begin: (seen, tx) => resume(seen, kept, tx) }) };
}

type PutAway = { readonly kept: JsonObject; readonly begin: (call: Call, tx: Tx) => TwinSocket };

function socketAtWork(
  { seat, call, acts }: SocketParts,
  from: TwinSocket | PutAway,
): Omit<OpenSocket, 'protocol'> {
  let socket = 'begin' in from ? null : from;
  const during = async (
    work: (socket: TwinSocket, tx: Tx) => readonly SocketAct[],
    run: 'run' | 'runLater' = 'run',
  ): Promise<readonly SocketAct[]> => {
    const done = await acts[run](seat, call, (seen, tx) => {
      socket ??= (from as PutAway).begin(seen, tx);
      return { acts: work(socket, tx) };
    });
    if ('status' in done) return [closeOf(done)];
    return done.acts;
  };
  return {
    open: () => during((on, tx) => on.open(tx)),
    message: data => during((on, tx) => on.message(data, tx)),
    closed: async () => {
      await during((on, tx) => {
        on.closed?.(tx);
        return [];
      }, 'runLater');
    },
    kept: () => {
      if (seat.twin.resume === undefined) return null;
      const state = socket === null ? (from as PutAway).kept : socket.kept?.();
      if (state === undefined) return null;
      const { body, ...handshake } = call;
      return { call: handshake, state };
    },
  };
}

/** What an error over HTTP would be, as the end of a socket. */
function closeOf({ status }: Reply): SocketAct {
  const close =
    status === 403
      ? { code: POLICY_VIOLATION, reason: 'the credential reads only' }
      : status === 503
        ? { code: TRY_AGAIN_LATER, reason: 'the world cannot answer now' }
        : { code: INTERNAL_ERROR, reason: 'the world failed on this message' };
  return { close };
}
