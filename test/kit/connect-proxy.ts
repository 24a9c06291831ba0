// A stand-in for the proxy between a machine and the internet: takes CONNECTs, keeps their heads, and leads
// each to a port of this machine whatever it names.
import { connect as connectTcp, type Socket } from 'node:net';
import type { Head } from './http-text.ts';
import { type Origin, type OriginTls, startOrigin } from './origin.ts';

export type ConnectProxy = AsyncDisposable & {
  readonly port: number;
  /** Heads of the CONNECTs so far, oldest first. */
  readonly asked: readonly Head[];
};

export type ConnectProxyOptions = {
  /** Where everything leads. */
  readonly to: number;
  /** It is an https:// proxy. */
  readonly tls?: OriginTls;
  /** The whole answer to a CONNECT; one that is no 2xx ends there. */
  readonly answer?: string;
};

export async function startConnectProxy({
  to,
  tls,
  answer = 'HTTP/1.1 200 Connection established\r\n\r\n',
}: ConnectProxyOptions): Promise<ConnectProxy> {
  const asked: Head[] = [];
  const behind: Socket[] = [];
  const origin: Origin = await startOrigin({
    ...(tls && { tls }),
    script: async peer => {
      const head = await peer.readHead();
      asked.push(head);
      await peer.send(answer);
      if (!/^HTTP\/1\.1 2/m.test(answer)) {
        peer.end();
        return;
      }
      const client = peer.release();
      const upstream = connectTcp({ host: '127.0.0.1', port: to, allowHalfOpen: true });
      behind.push(upstream);
      for (const [from, onto] of [
        [client, upstream],
        [upstream, client],
      ] as const)
        from.on('error', () => onto.destroy()).pipe(onto);
    },
  });
  return {
    port: origin.port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of behind) socket.destroy();
      await origin.stop();
    },
  };
}
