// The sockets and timers of one tunnel: tells core/tunnel.ts what happens, and does what it says.
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { RefusalRecord } from '../policy/refusal.ts';
import { TUNNEL_BEGINS, type TunnelCommand, type TunnelEvent, tunnelStep } from './core/tunnel.ts';
import type { Held } from './deadlines.ts';
import { ClientConnection } from './http1/client.ts';
import { Http2Connection } from './http2/connection.ts';
import { DIAL_MS_MAX, SERVER_FIRST_MS } from './limits.ts';
import type { TunnelAsk } from './place.ts';
import type { Plane } from './plane.ts';
import { Relay } from './relay.ts';
import type { Dialled } from './upstream/dial.ts';

export class Tunnel implements Held {
  deadline: number;
  readonly #ask: TunnelAsk;
  readonly #plane: Plane;
  /** The client's connection; once its TLS is ended here, what is inside. */
  #socket: Socket;
  #state = TUNNEL_BEGINS;
  #silence: NodeJS.Timeout | undefined = undefined;

  constructor(options: { readonly socket: Socket; readonly ask: TunnelAsk; readonly plane: Plane }) {
    this.#socket = options.socket;
    this.#ask = options.ask;
    this.#plane = options.plane;
    this.deadline = this.#plane.deadlines.now + this.#plane.limits.handshakeMs;
    this.#plane.deadlines.add(this);
    this.#socket.on('data', this.#onData);
    this.#socket.on('end', this.#onEnd);
    this.#socket.on('error', this.#onEnd);
    this.#socket.on('close', this.#onClose);
  }

  /** `rest`: bytes that came in the same packet as the CONNECT. */
  open(rest: Buffer): void {
    this.#happened({ event: 'connect-accepted', rest });
  }

  drain(): void {
    this.#socket.destroy();
  }

  expire(): void {
    this.#socket.destroy();
  }

  #happened(event: TunnelEvent): void {
    const { state, command } = tunnelStep(this.#state, event, this.#ask, this.#plane.snapshot());
    this.#state = state;
    this.#act(command);
  }

  #act(command: TunnelCommand): void {
    const { upstreams } = this.#plane;
    switch (command.do) {
      case 'wait':
        if (command.serverMayBeFirst) this.#silence = setTimeout(this.#onSilence, SERVER_FIRST_MS);
        return;
      case 'end-tls':
        return this.#endTls(command.bytes, command.protocols);
      case 'speak-http1':
        this.#release();
        return new ClientConnection(this.#socket, command.place, this.#plane).feed(command.bytes);
      case 'speak-http2':
        this.#release();
        new Http2Connection(this.#socket, command.place, this.#plane);
        return;
      case 'relay':
        return this.#join(upstreams.unread(command.permit), command.bytes, 'tunnel');
      case 'relay-to-twin':
        return this.#join(upstreams.stream(command.stream), command.bytes, 'stream');
      case 'refuse':
        return this.#refuse(command.refusal);
      case 'close':
        this.#socket.destroy();
    }
  }

  #endTls(bytes: Buffer, protocols: readonly string[]): void {
    const raw = this.#socket;
    // The leaf is for the CONNECT's host whatever the hello names: what a client says here mints nothing.
    const leaf = this.#plane.leafFor(this.#ask.authority.host);
    if (leaf === null) return void raw.destroy();
    raw.pause();
    this.#release();
    // The hello goes back to where TLS will read it.
    raw.unshift(bytes);
    const tls = new TLSSocket(raw, {
      isServer: true,
      secureContext: leaf,
      ALPNProtocols: protocols,
    });
    this.#socket = tls;
    this.deadline = this.#plane.deadlines.now + this.#plane.limits.handshakeMs;
    this.#plane.deadlines.add(this);
    tls.on('error', this.#onEnd);
    // A server-side TLSSocket that no tls.Server made reports TLS errors by this event alone.
    tls.on('_tlsError', this.#onEnd);
    tls.on('end', this.#onEnd);
    tls.on('close', this.#onClose);
    tls.once('secure', () => {
      // Likewise nobody else says that the handshake is over, and HTTP/2 waits until it is.
      (tls as TLSSocket & { secureConnecting: boolean }).secureConnecting = false;
      this.#happened({ event: 'tls-ended', protocol: tls.alpnProtocol || null, name: serverName(tls) });
    });
  }

  #refuse(refusal: RefusalRecord): void {
    this.#plane.journal.tunnel(this.#ask, 'refuse', refusal.rule);
    this.#plane.refused(this.#ask.run, refusal, null);
    this.#socket.destroy();
  }

  /** Relays to what is being dialled; `first` has been read of the client already. */
  #join(dialling: Promise<Dialled>, first: Buffer, as: 'stream' | 'tunnel'): void {
    const client = this.#socket;
    client.off('data', this.#onData);
    client.pause();
    this.deadline = this.#plane.deadlines.now + DIAL_MS_MAX + this.#plane.limits.handshakeMs;
    void dialling.then(dialled => {
      if (dialled.ok && !client.destroyed) {
        this.#release();
        this.#plane.journal.tunnel(this.#ask, as, null);
        new Relay(client, dialled.socket, first, this.#plane.deadlines);
        return;
      }
      if (dialled.ok) dialled.socket.destroy();
      else if ('inside' in dialled) this.#happened({ event: 'led-inside', address: dialled.inside });
      else this.#plane.journal.metrics.failed(dialled.failure.stage);
      client.destroy();
    });
  }

  /** Lets go of the socket: another owner goes on with it. */
  #release(): void {
    clearTimeout(this.#silence);
    this.#plane.deadlines.delete(this);
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onEnd);
    this.#socket.off('error', this.#onEnd);
    this.#socket.off('close', this.#onClose);
  }

  readonly #onData = (bytes: Buffer): void => {
    clearTimeout(this.#silence);
    this.#happened({ event: 'bytes-came', bytes });
  };

  readonly #onSilence = (): void => {
    this.#happened({ event: 'silence-passed' });
  };

  readonly #onEnd = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    clearTimeout(this.#silence);
    this.#plane.deadlines.delete(this);
  };
}

/** The hello's server name; null where it has none. */
function serverName(tls: TLSSocket): string | null {
  const { servername } = tls as TLSSocket & { readonly servername?: string | false };
  return typeof servername === 'string' && servername !== '' ? servername.toLowerCase() : null;
}
