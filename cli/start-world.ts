// Starts a world in this process for a command. It brings most of the program along, so the commands load it when
// they start a world and not for every `--help`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type RunningControl,
  type ServedControl,
  type ServeOptions,
  serveControl,
  startControl,
} from '../control/node/control.ts';
import { asControlError, ControlError, type ControlErrorCode } from '../control/node/control-error.ts';
import { openLog } from '../control/node/log.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import type { Log } from '../control/ports/log.ts';
import { outliveFileLimit } from '../process/file-limit.ts';
import { openLogFile } from '../process/log-file.ts';
import { SAID_LINES_MAX, SAY_AGAIN_MS } from './limits.ts';

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
  start: (common: Pick<ServeOptions, 'folder' | 'home' | 'host' | 'port' | 'log'>) => Promise<Control>,
): Promise<StartResult<Control>> {
  outliveFileLimit();
  try {
    mkdirSync(paths.run, { recursive: true, mode: 0o700 });
    const lines = openLogFile({ path: join(paths.run, 'control.log'), rotates: true });
    // What waited for room on the disk.
    process.once('exit', () => lines.tick());
    const log = openLog('info', lines);
    process.on('uncaughtExceptionMonitor', error => log.error({ err: error }, 'control ends in a bug'));
    const control = await start({
      folder: paths.folder,
      home: paths.home,
      host: host ?? '127.0.0.1',
      port: port ?? 0,
      log: telling(log, tell),
    });
    return { ok: true, control };
  } catch (thrown) {
    const error = asControlError(thrown, paths.home);
    if (!(error instanceof ControlError)) throw error;
    const config =
      error.code === 'config-invalid' || error.code === 'config-missing' || error.code === 'twin-unusable';
    return { ok: false, why: error.message, code: error.code, exit: config ? 2 : 1 };
  }
}

/**
 * The log, with its warnings and errors told to the person at the terminal too; what is the same with every request (a
 * full disk) once in a while.
 */
function telling(log: Log, say: (line: string) => void): Log {
  const saidAt = new Map<string, number>();
  const tell = (line: string): void => {
    const now = performance.now();
    if (now - (saidAt.get(line) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_MS) return;
    if (saidAt.size >= SAID_LINES_MAX) saidAt.clear();
    saidAt.set(line, now);
    say(line);
  };
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
