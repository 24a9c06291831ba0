// What comes after CONNECT: looks at the first bytes, ends the client's TLS with a leaf for the CONNECT's
// host, and hands the connection to the reader of its protocol. What policy lets by unread is relayed instead:
// to a TCP twin at once, to an origin after its TLS hello was seen to name it. Anything else is closed.
import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Ask, Scheme } from '../policy/ask.ts';
import { type Authority, unreadable } from '../policy/authority.ts';
import { decide } from '../policy/decide.ts';
import type { Decision } from '../policy/decision.ts';
import type { RefusalRecord } from '../policy/refusal.ts';
import { ClientHelloReader } from './core/client-hello.ts';
import { sniff } from './core/sniff.ts';
import type { Held } from './deadlines.ts';
import { refusalInside, refusalUnread } from './forward.ts';
import { ClientConnection } from './http1/client.ts';
import { Http2Connection } from './http2/connection.ts';
import type { Place } from './judge.ts';
import { DIAL_MS_MAX, SERVER_FIRST_MS } from './limits.ts';
import type { Plane, Tunnelled } from './plane.ts';
import { Relay } from './relay.ts';
import type { Dialled } from './upstream/dial.ts';

/** In the order we prefer. A twin speaks both; what is granted is read over HTTP/1.1, and a client that speaks
 * only HTTP/2 is let in to be told so (design.md, ALPN). */
const HTTP2_FIRST = ['h2', 'http/1.1'];
const HTTP1_FIRST = ['http/1.1', 'h2'];

const NOTHING = Buffer.alloc(0);

export class Tunnel implements Held {
  deadline: number;
  readonly #asked: Tunnelled;
  readonly #plane: Plane;
  #socket: Socket;
  #seen: Buffer | null = null;
  #silence: NodeJS.Timeout | undefined = undefined;
  /** Set while the hello of what may pass unread is not whole yet. */
  #hello: ClientHelloReader | null = null;

  constructor(options: {
    readonly socket: Socket;
    readonly asked: Tunnelled;
    readonly plane: Plane;
  }) {
    this.#socket = options.socket;
    this.#asked = options.asked;
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
    const { host, port } = this.#asked.authority;
    // A TCP twin may be the one who speaks first, so nothing is waited for.
    if (this.#plane.snapshot().twins.find(host)?.streams.has(port) === true) {
      const decision = this.#decide('raw');
      if (decision.to === 'stream') return this.#join(this.#stream(decision), rest, 'stream');
    }
    if (rest.length > 0) this.#onData(rest);
    else if (this.#isOwn || this.#plane.snapshot().ownHosts.has(host))
      this.#silence = setTimeout(this.#onSilence, SERVER_FIRST_MS);
  }

  /** The run's own listeners and the world's services may speak first (MySQL, SMTP); what is granted may not. */
  readonly #onSilence = (): void => {
    const decision = this.#decide('raw');
    if (decision.to === 'service' || (decision.to === 'tunnel' && this.#isOwn))
      this.#join(this.#plane.upstreams.unread(decision.permit), NOTHING);
  };

  drain(): void {
    this.#socket.destroy();
  }

  expire(): void {
    this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    clearTimeout(this.#silence);
    if (this.#hello !== null) return this.#readHello(chunk);
    const bytes = this.#seen === null ? chunk : Buffer.concat([this.#seen, chunk]);
    const carried = sniff(bytes);
    switch (carried) {
      case 'more':
        this.#seen = bytes;
        return;
      case 'tls':
        return this.#secure(bytes);
      case 'http1':
        this.#release(this.#socket);
        return this.#serve(this.#socket, 'http', null).feed(bytes);
      case 'h2c':
        return this.#unread('http2', bytes);
      case 'other':
        return this.#unread('raw', bytes);
    }
  };

  /** The run's own loopback listeners have certificates of their own, which their clients know. */
  #secure(bytes: Buffer): void {
    // Nothing else may pass unread: most tunnels need not be judged for what they will not be.
    const unread = this.#isOwn || this.#asked.guest || this.#plane.snapshot().phase === 'build';
    if (!unread || this.#decide('raw').to !== 'tunnel') return this.#terminate(bytes);
    if (this.#isOwn) return this.#unread('raw', bytes);
    this.#hello = new ClientHelloReader();
    this.#readHello(bytes);
  }

  #readHello(chunk: Buffer): void {
    const hello = this.#hello!.read(chunk);
    const { authority } = this.#asked;
    switch (hello.at) {
      case 'more':
        return;
      case 'unreadable':
        return this.#refuseName('', hello.why);
      case 'read':
        if (hello.name === null && isIP(authority.host) === 0)
          return this.#refuseName(
            '',
            `TLS names no host that can be seen and the tunnel is to ${authority.host}`,
          );
        if (hello.name !== null && !names(hello.name, authority))
          return this.#refuseName(
            hello.name,
            `TLS names ${hello.name} and the tunnel is to ${authority.host}`,
          );
        return this.#pass(this.#hello!.received);
    }
  }

  #refuseName(name: string, why: string): void {
    // Under any policy a name that cannot be told is what no grant matches.
    const decision = this.#decide('raw', unreadable(name === '' ? this.#asked.authority.host : name, why));
    if (decision.to === 'refuse') this.#refuse(decision.refusal);
    else this.#socket.destroy();
  }

  /** The hello named whom the tunnel is to: from here on nobody reads. Judged by the snapshot of now. */
  #pass(bytes: Buffer): void {
    const decision = this.#decide('raw');
    if (decision.to === 'tunnel') this.#join(this.#plane.upstreams.unread(decision.permit), bytes);
    else if (decision.to === 'refuse') this.#refuse(decision.refusal);
    else this.#socket.destroy();
  }

  #terminate(bytes: Buffer): void {
    const raw = this.#socket;
    const leaf = this.#plane.leafFor(this.#asked.authority.host);
    if (leaf === null) return void raw.destroy();
    raw.pause();
    this.#release(raw);
    // The hello goes back to where TLS will read it.
    raw.unshift(bytes);
    const tls = new TLSSocket(raw, {
      isServer: true,
      // The leaf is for the CONNECT's host whatever the hello names: what a client says here mints nothing.
      secureContext: leaf,
      ALPNProtocols:
        this.#plane.snapshot().twins.find(this.#asked.authority.host) === undefined
          ? HTTP1_FIRST
          : HTTP2_FIRST,
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
      this.#release(tls);
      // Likewise nobody else says that the handshake is over, and HTTP/2 waits until it is.
      (tls as TLSSocket & { secureConnecting: boolean }).secureConnecting = false;
      const stray = strayName(tls, this.#asked.authority);
      if (tls.alpnProtocol === 'h2') new Http2Connection(tls, this.#place('https', stray), this.#plane);
      else this.#serve(tls, 'https', stray);
    });
  }

  #serve(socket: Socket, scheme: Scheme, strayName: string | null): ClientConnection {
    return new ClientConnection(socket, this.#place(scheme, strayName), this.#plane);
  }

  #place(scheme: Scheme, strayName: string | null): Place & { readonly at: 'tunnel' } {
    return { at: 'tunnel', scheme, strayName, ...this.#asked };
  }

  /** What is on this machine's loopback and the run's own is reached as it is, whatever the bytes are. */
  get #isOwn(): boolean {
    const { class: reach } = this.#asked.authority;
    return reach === 'loopback' || reach === 'unspecified';
  }

  #ask(transport: 'raw' | 'http2', authority: Ask['authority']): Ask {
    const { run, guest } = this.#asked;
    const scheme = this.#asked.authority.port === 80 ? 'http' : 'https';
    return { method: 'CONNECT', scheme, authority, path: '', transport, run, guest };
  }

  #decide(transport: 'raw' | 'http2', authority: Ask['authority'] = this.#asked.authority): Decision {
    return decide(this.#ask(transport, authority), this.#plane.snapshot());
  }

  /** Bytes that are neither HTTP/1 nor TLS. */
  #unread(transport: 'raw' | 'http2', bytes: Buffer): void {
    const decision = this.#decide(transport);
    if (decision.to === 'refuse') return this.#refuse(decision.refusal);
    if (decision.to !== 'tunnel' && decision.to !== 'service') return void this.#socket.destroy();
    if (this.#isOwn || decision.to === 'service')
      return this.#join(this.#plane.upstreams.unread(decision.permit), bytes);
    // An origin that is let through unread must be named by a TLS hello, and here is none.
    const ask = this.#ask(transport, this.#asked.authority);
    this.#refuse(refusalUnread(ask, 'bytes that are neither HTTP nor TLS', this.#plane.snapshot()));
  }

  /** Closed, and the record logged: there is no answer that this client could read. */
  #refuse(refusal: RefusalRecord): void {
    this.#plane.journal.tunnel(this.#asked, 'refuse', refusal.rule);
    this.#plane.refused(this.#asked.run, refusal);
    this.#socket.destroy();
  }

  #stream({ vendor, stream }: Decision & { readonly to: 'stream' }): Promise<Dialled> {
    const { authority, run } = this.#asked;
    const world = run.world ?? this.#plane.snapshot().world;
    return this.#plane.upstreams.stream({ world, vendor, stream, authority, run: run.name });
  }

  /** Relays to what is being dialled; `first` has been read of the client already. */
  #join(dialling: Promise<Dialled>, first: Buffer, as: 'stream' | 'tunnel' = 'tunnel'): void {
    const client = this.#socket;
    client.off('data', this.#onData);
    client.pause();
    this.deadline = this.#plane.deadlines.now + DIAL_MS_MAX + this.#plane.limits.handshakeMs;
    void dialling.then(dialled => {
      if (dialled.ok && !client.destroyed) {
        this.#release(client);
        this.#plane.journal.tunnel(this.#asked, as, null);
        new Relay(client, dialled.socket, first, this.#plane.deadlines);
        return;
      }
      if (dialled.ok) dialled.socket.destroy();
      else if ('inside' in dialled) {
        const ask = this.#ask('raw', this.#asked.authority);
        const record = refusalInside({ ask }, dialled.inside, this.#plane.snapshot());
        this.#plane.journal.tunnel(this.#asked, 'refuse', record.rule);
        this.#plane.refused(ask.run, record);
      }
      client.destroy();
    });
  }

  #release(socket: Socket): void {
    clearTimeout(this.#silence);
    this.#plane.deadlines.delete(this);
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onEnd);
    socket.off('close', this.#onClose);
  }

  readonly #onEnd = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    clearTimeout(this.#silence);
    this.#plane.deadlines.delete(this);
  };
}

/** The hello's server name where it is another than the tunnel's; an address has no server name. */
function strayName(tls: TLSSocket, authority: Authority): string | null {
  const named = (tls as TLSSocket & { readonly servername?: string | false }).servername;
  if (typeof named !== 'string' || named === '') return null;
  const name = named.toLowerCase();
  return isIP(name) !== 0 || names(name, authority) ? null : name;
}

/** `name` in lower case; one dot at its end is the root's. */
function names(name: string, authority: Authority): boolean {
  return name === authority.host || (name.endsWith('.') && name.slice(0, -1) === authority.host);
}
