// The end of a WebSocket that this world holds, as what runs on it has it; and how one is begun and ended.
import type { SocketWire } from '../control/http/twin-socket.ts';

// RFC 6455, 7.4.1.
export const GOING_AWAY = 1001;
export const POLICY_VIOLATION = 1008;
export const TOO_BIG = 1009;
export const INTERNAL_ERROR = 1011;
export const TRY_AGAIN_LATER = 1013;

export type Shaken = { readonly at: 'shaken'; readonly response: Response };

/** `client`: the other end, which the platform takes over. */
export function shaken(client: WebSocket, protocol: string | null): Shaken {
  const headers = protocol === null ? {} : { 'sec-websocket-protocol': protocol };
  return { at: 'shaken', response: new Response(null, { status: 101, webSocket: client, headers }) };
}

export function pair(): { readonly client: WebSocket; readonly ws: WebSocket } {
  const [client, ws] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  return { client, ws };
}

/** The platform reads on whether anybody takes it or not: what comes while it is `behind` is too much. */
export type PacedWire = SocketWire & { readonly behind: boolean };

export function wireOf(ws: WebSocket): PacedWire {
  let behind = false;
  return {
    get behind() {
      return behind;
    },
    send: async message => {
      if (ws.readyState === WebSocket.OPEN) ws.send(message);
    },
    close: (code, reason) => ws.close(code, reason),
    cut: () => ws.close(INTERNAL_ERROR, 'the world failed on this message'),
    pace: is => {
      behind = is;
    },
  };
}

/** A world that was closed meanwhile lets nobody in. */
export function stillStands(stands: () => boolean): boolean {
  try {
    return stands();
  } catch {
    return false;
  }
}

/** Its client's word, given back, ends the connection. */
export function closeBack(ws: WebSocket, code: number): void {
  try {
    // 1005 and 1006 are said of what said nothing, and are never sent.
    if (code === 1005 || code === 1006) ws.close();
    else ws.close(code);
  } catch {
    // It is closed.
  }
}
