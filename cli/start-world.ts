// Starts a world in this process for a command. It brings most of the program along, so the commands load it when
// they start a world and not for every `--help`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { destination } from 'pino';
import {
  type RunningControl,
  type ServedControl,
  type ServeOptions,
  serveControl,
  startControl,
} from '../control/node/control.ts';
import { ControlError, type ControlErrorCode } from '../control/node/control-error.ts';
import { openLog } from '../control/node/log.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import type { Log } from '../control/ports/log.ts';

export type StartOptions = {
  readonly paths: WorldPaths;
  readonly host?: string;
  readonly port?: number;
  readonly proxyPort?: number;
  readonly workers?: number;
  readonly guestPort?: number;
  readonly sandbox: boolean;
  readonly forRun: boolean;
  /** What a person at the terminal should know, a line each; the whole log is in `.wrld/run/control.log`. */
  readonly tell: (line: string) => void;
};

/** Both processes of a world. */
export function startWorld(options: StartOptions): Promise<StartResult<RunningControl>> {
  const { sandbox, forRun } = options;
  return starting(options, common =>
    startControl({
      ...common,
      proxyPort: options.proxyPort ?? 0,
      workers: options.workers ?? 1,
      ...(options.guestPort === undefined ? {} : { guestPort: options.guestPort }),
      sandbox,
      forRun,
    }),
  );
}

/** Control alone: the endpoints and the twins by URL, without a proxy. */
export function serveWorld(
  options: Pick<StartOptions, 'paths' | 'host' | 'port' | 'tell'> & Pick<ServeOptions, 'budget' | 'trust'>,
): Promise<StartResult<ServedControl>> {
  const { budget, trust } = options;
  return starting(options, common =>
    serveControl({
      ...common,
      ...(budget === undefined ? {} : { budget }),
      ...(trust === undefined ? {} : { trust }),
    }),
  );
}

export type StartResult<Control> =
  | { readonly ok: true; readonly control: Control }
  /** `exit` is the command's exit code: 2 where the config is what is wrong. */
  | { readonly ok: false; readonly why: string; readonly code: ControlErrorCode; readonly exit: 1 | 2 };

async function starting<Control>(
  { paths, host, port, tell }: Pick<StartOptions, 'paths' | 'host' | 'port' | 'tell'>,
  start: (common: Pick<ServeOptions, 'folder' | 'host' | 'port' | 'log'>) => Promise<Control>,
): Promise<StartResult<Control>> {
  mkdirSync(paths.run, { recursive: true, mode: 0o700 });
  const log = openLog('info', destination({ dest: join(paths.run, 'control.log'), sync: true, mode: 0o600 }));
  try {
    const control = await start({
      folder: paths.folder,
      host: host ?? '127.0.0.1',
      port: port ?? 0,
      log: telling(log, tell),
    });
    return { ok: true, control };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const config =
      error.code === 'config-invalid' || error.code === 'config-missing' || error.code === 'twin-unusable';
    return { ok: false, why: error.message, code: error.code, exit: config ? 2 : 1 };
  }
}

/** The log, with its warnings and errors told to the person at the terminal too. */
function telling(log: Log, tell: (line: string) => void): Log {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => {
      log.warn(fields, message);
      tell(withFault(fields, message));
    },
    error: (fields, message) => {
      log.error(fields, message);
      tell(withFault(fields, message));
    },
  };
}

/** What is wrong with a config comes beside the message, a line a problem. */
function withFault(fields: object, message: string): string {
  const { fault } = fields as { readonly fault?: unknown };
  return typeof fault === 'string' ? `${message}\n${fault}` : message;
}
