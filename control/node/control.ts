// Starts the whole of one world on this machine: store, endpoints, IPC, and the proxy process it supervises.
import type { Log } from '../ports/log.ts';

export type ControlOptions = {
  /** The folder that holds `.wrld/world.json`. */
  readonly folder: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly proxyPort: number;
  readonly sandbox: boolean;
  readonly log: Log;
};

export type RunningControl = AsyncDisposable & {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  /** `<baseUrl>/<org>/<world>` */
  readonly worldUrl: string;
  readonly proxyUrl: string;
  readonly caFile: string;
  readonly token: string;
  readonly readToken: string;
  readonly proxyPid: number;
  close(): Promise<void>;
};
