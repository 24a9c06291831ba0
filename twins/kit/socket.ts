// WebSockets of a twin, as plain values: the host owns the socket, the twin says what to send. Each event of a
// socket is one transaction, as a call is.
import type { Call } from './call.ts';
import type { Handling } from './generative.ts';
import type { JsonObject } from './json.ts';
import type { Reply } from './reply.ts';
import type { Reader, Tx } from './tx.ts';

export type SocketMessage = string | Uint8Array;

export type SocketDeed =
  /** Sent after `afterMs` milliseconds of wall time, counted from the act before it. `part`: what it is a part of. */
  | { readonly send: SocketMessage; readonly afterMs?: number; readonly part?: string }
  | { readonly close: { readonly code: number; readonly reason: string }; readonly afterMs?: number };

/** What a twin does on one of its sockets; in order. */
export type SocketAct =
  | SocketDeed
  /** What of that part was not sent yet is dropped, and `instead` is done; where nothing was left, `otherwise`. */
  | {
      readonly interrupt: string;
      readonly instead: readonly SocketDeed[];
      readonly otherwise: readonly SocketDeed[];
    };

/** One open socket. State that must outlive the process is in the twin's records; the rest may live here. */
export type TwinSocket = {
  /** One of those the client offered; none when null. */
  readonly protocol: string | null;
  /** Right after the handshake. */
  open(tx: Tx): readonly SocketAct[];
  message(data: SocketMessage, tx: Tx): readonly SocketAct[];
  /** The client is gone, or the twin closed. */
  closed?(tx: Tx): void;
  /** What `Twin.resume` goes on with, as it is after the last event: small, for it may be written after each. */
  kept?(): JsonObject;
};

/** A reply refuses the upgrade with that answer. */
export type UpgradeAnswer = TwinSocket | Reply;

/** Answers an upgrade at one of the paths that `Manifest.upgrades` names (`Twin.upgrade`). */
export type Upgrade = (call: Call, tx: Tx, handling?: Handling) => UpgradeAnswer;

/**
 * Goes on with a socket whose process was put away while nothing was said on it. `call`: its handshake's; `kept`: what the
 * socket kept last. Its next event is of the same transaction.
 */
export type Resume = (call: Call, kept: JsonObject, state: Reader, handling?: Handling) => TwinSocket;
