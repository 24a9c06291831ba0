// A connection that a program opened to somebody, led to the proxy as a CONNECT to whom it meant. The proxy does the
// rest: it reads, judges, answers and refuses as for any other client.
import { connect, type Socket } from 'node:net';
import { ClientHelloReader } from '../proxy/core/client-hello.ts';
import { hostAndPort, plainAddress } from './addresses.ts';
import { join } from './joint.ts';
import { CONNECT_HEAD_BYTES_MAX, SERVER_FIRST_MS } from './limits.ts';
import type { NameTable } from './name-table.ts';

export type EgressOptions = {
  /** Unix socket on which the proxy takes contained runs. */
  readonly proxySocket: string;
  /** `<run>:<secret>` */
  readonly credentials: string;
  readonly names: NameTable;
  readonly tell: (line: string) => void;
};

const HEAD_END = Buffer.from('\r\n\r\n');
const TLS_HANDSHAKE = 22;
const NOTHING = Buffer.alloc(0);

export class Egress {
  readonly #options: EgressOptions;
  readonly #authorization: string;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#authorization = Buffer.from(options.credentials).toString('base64');
  }

  /** One that the outer namespace accepted: its own end says whom it was to. */
  accept(client: Socket): void {
    const { localAddress, localPort } = client;
    client.on('error', () => client.destroy());
    // Gone before it was looked at.
    if (localAddress === undefined || localPort === undefined) return void client.destroy();
    const address = plainAddress(localAddress);
    const name = this.#options.names.nameOf(address);
    if (name !== null) return this.lead(client, hostAndPort(name, localPort));
    this.#lookFor(client, address, localPort);
  }

  /** `target`: `host:port`. `first` was read of the client already. */
  lead(client: Socket, target: string, first: Buffer = NOTHING): void {
    const proxy = this.#dial(client);
    proxy.write(
      `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: Basic ${this.#authorization}\r\n\r\n`,
      'latin1',
    );
    if (first.length > 0) proxy.write(first);
    let head: Buffer = NOTHING;
    const onData = (bytes: Buffer): void => {
      head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
      const end = head.indexOf(HEAD_END);
      if (end === -1) {
        if (head.length > CONNECT_HEAD_BYTES_MAX) proxy.destroy();
        return;
      }
      proxy.off('data', onData);
      proxy.off('end', onEnd);
      proxy.pause();
      // What is no tunnel says why in HTTP, which is all that can be said here.
      const accepted = head.subarray(0, 12).toString('latin1').endsWith(' 200');
      const rest = accepted ? head.subarray(end + HEAD_END.length) : head;
      if (rest.length > 0) client.write(rest);
      join(client, proxy);
    };
    const onEnd = (): void => void proxy.destroy();
    proxy.on('data', onData);
    proxy.on('end', onEnd);
  }

  /** To the proxy itself, by a program that was told of it. */
  leadToProxy(client: Socket): void {
    join(client, this.#dial(client));
  }

  #dial(client: Socket): Socket {
    const proxy = connect({ path: this.#options.proxySocket, allowHalfOpen: true });
    client.on('close', () => proxy.destroy());
    proxy.on('error', (error: NodeJS.ErrnoException) => {
      if (error.syscall === 'connect')
        this.#options.tell(
          'the world of this run does not answer any more (wrld world status); its program reaches nobody',
        );
      client.destroy();
    });
    proxy.on('close', () => client.destroySoon());
    return proxy;
  }

  /** An address that no name was given: the client's TLS hello may name whom it is to, as after a cache. */
  #lookFor(client: Socket, address: string, port: number): void {
    const hello = new ClientHelloReader();
    let seen: Buffer = NOTHING;
    const lead = (host: string): void => {
      clearTimeout(silence);
      client.off('data', onData);
      client.pause();
      this.lead(client, hostAndPort(host, port), seen);
    };
    const onData = (bytes: Buffer): void => {
      seen = seen.length === 0 ? bytes : Buffer.concat([seen, bytes]);
      if (seen[0] !== TLS_HANDSHAKE) return lead(address);
      const read = hello.read(bytes);
      if (read.at !== 'more') lead(read.at === 'read' && read.name !== null ? read.name : address);
    };
    const silence = setTimeout(() => lead(address), SERVER_FIRST_MS);
    client.on('data', onData);
    client.once('close', () => clearTimeout(silence));
  }
}
