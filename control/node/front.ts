// What listens at `{base_url}`. It is there before the worlds are, because their own addresses have its port, and
// answers 503 until the first of them is served.
import type { Authority } from '../../certs/authority.ts';
import { Sites } from '../http/sites.ts';
import type { Log } from '../ports/log.ts';
import { urlHost } from './addresses.ts';
import { ControlError } from './control-error.ts';
import { listen } from './listener.ts';
import { Streams } from './streams.ts';

export type FrontOptions = {
  /** `<org>/<world>`, of the world that answers for the listener's own pages. */
  readonly name: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** For the TLS that streams speak. */
  readonly authority: Authority;
  readonly log: Log;
};

export type Front = {
  readonly sites: Sites;
  readonly streams: Streams;
  readonly host: string;
  /** The port that it got. */
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  /** Lets what is in flight finish; resolves when nobody is connected any more. */
  close(): Promise<void>;
};

/** Throws `ControlError` when it cannot listen. */
export async function openFront(options: FrontOptions, opened: AsyncDisposableStack): Promise<Front> {
  const { name, host, port, authority, log } = options;
  const sites = new Sites(name);
  const streams = new Streams({ authority, log });
  sites.onGone(gone => streams.cut(gone));
  const listener = await listen({ site: sites, from: 'client', log, host, port, streams }).catch(
    cannotListen(host, port),
  );
  opened.use(listener);
  return {
    sites,
    streams,
    host,
    port: listener.port,
    baseUrl: `http://${urlHost(host)}:${listener.port}`,
    close: listener.close,
  };
}

export function cannotListen(host: string, port: number): (error: NodeJS.ErrnoException) => never {
  return error => {
    const why =
      error.code === 'EADDRINUSE'
        ? 'something listens there already'
        : error.code === 'EACCES'
          ? 'this user may not listen there'
          : (error.code ?? error.message);
    throw new ControlError('cannot-listen', `${host}:${port}: ${why}`);
  };
}
