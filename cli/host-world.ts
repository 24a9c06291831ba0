// Starts a world in this process for a command, and tells the other commands where it is. It brings most of the
// program along, so the commands load it when they start a world and not for every `--help`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { destination } from 'pino';
import { type RunningControl, startControl } from '../control/node/control.ts';
import { ControlError } from '../control/node/control-error.ts';
import { openLog } from '../control/node/log.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import type { Log } from '../control/ports/log.ts';
import { writeUp } from './up-file.ts';

export type HostOptions = {
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

export type HostedWorld = AsyncDisposable & {
  readonly control: RunningControl;
  /** Drains and stops both processes. */
  close(): Promise<void>;
};

export type HostResult =
  | { readonly ok: true; readonly world: HostedWorld }
  /** `exit` is the command's exit code: 2 where the config is what is wrong. */
  | { readonly ok: false; readonly why: string; readonly exit: 1 | 2 };

export async function hostWorld(options: HostOptions): Promise<HostResult> {
  const { paths, sandbox, forRun } = options;
  mkdirSync(paths.run, { recursive: true, mode: 0o700 });
  const log = openLog('info', destination({ dest: join(paths.run, 'control.log'), sync: true }));
  let control: RunningControl;
  try {
    control = await startControl({
      folder: paths.folder,
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
      proxyPort: options.proxyPort ?? 0,
      workers: options.workers ?? 1,
      ...(options.guestPort === undefined ? {} : { guestPort: options.guestPort }),
      sandbox,
      log: telling(log, options.tell),
    });
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const config =
      error.code === 'config-invalid' || error.code === 'config-missing' || error.code === 'twin-unusable';
    return { ok: false, why: error.message, exit: config ? 2 : 1 };
  }
  const { baseUrl, worldUrl, proxyUrl, caFile, proxyPid } = control;
  await writeUp(paths, { baseUrl, worldUrl, proxyUrl, caFile, pid: process.pid, proxyPid, sandbox, forRun });
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => (closed ??= control.close());
  return { ok: true, world: { control, close, [Symbol.asyncDispose]: close } };
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
