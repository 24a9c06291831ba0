// An HTTP/2 client inside a tunnel: Node's session on the TLS socket, a judged exchange for each stream.
import { constants, performServerHandshake, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Held } from '../deadlines.ts';
import {
  HEAD_BYTES_MAX,
  HTTP2_SESSION_MEMORY_MB_MAX,
  HTTP2_STREAMS_MAX,
  HTTP2_WINDOW_BYTES,
} from '../limits.ts';
import type { TunnelPlace } from '../place.ts';
import type { Plane } from '../plane.ts';
import { requestHeadOf } from './head.ts';
import { StreamClient } from './stream.ts';

export class Http2Connection implements Held {
  deadline: number;
  readonly #socket: Socket;
  readonly #session: ServerHttp2Session;
  readonly #plane: Plane;
  #streams = 0;

  /** `socket`: inside the client's TLS. */
  constructor(socket: Socket, place: TunnelPlace, plane: Plane) {
    this.#socket = socket;
    this.#plane = plane;
    this.deadline = plane.deadlines.now + plane.limits.clientIdleMs;
    plane.deadlines.add(this);
    const session = performServerHandshake(socket, {
      maxSessionMemory: HTTP2_SESSION_MEMORY_MB_MAX,
      settings: {
        maxConcurrentStreams: HTTP2_STREAMS_MAX,
        maxHeaderListSize: HEAD_BYTES_MAX,
        initialWindowSize: HTTP2_WINDOW_BYTES,
        enablePush: false,
        // Extended CONNECT (WebSocket over HTTP/2) is not offered: nothing here would relay it.
        enableConnectProtocol: false,
      },
    });
    this.#session = session;
    session.on('error', this.#end);
    // The session itself would stay for as long as its half of the connection is open.
    socket.on('end', this.#end);
    socket.on('close', this.#end);
    session.on('close', () => plane.deadlines.delete(this));
    session.on('stream', (stream, _headers, flags, raw) => {
      const endsStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      const head = requestHeadOf(raw as unknown as string[], endsStream);
      if (head === null) {
        stream.on('error', () => {});
        stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
        return;
      }
      this.#streams++;
      this.#touch();
      stream.on('close', () => {
        this.#streams--;
        this.#touch();
      });
      new StreamClient(stream, head, plane, this.#touch).begin(place);
    });
  }

  readonly #touch = (): void => {
    const { deadlines, limits } = this.#plane;
    this.deadline = deadlines.now + (this.#streams > 0 ? limits.exchangeStallMs : limits.clientIdleMs);
  };

  /** GOAWAY: streams that are open finish, no new ones begin. */
  drain(): void {
    this.#session.close();
  }

  expire(): void {
    this.#end();
  }

  /** A session that is destroyed may still wait for its peer to close the connection; one that has gone away never does. */
  readonly #end = (): void => {
    this.#session.destroy();
    this.#socket.destroy();
  };
}
