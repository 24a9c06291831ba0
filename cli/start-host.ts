// Starts a host of many worlds in this process for its command. As start-world.ts, it is loaded when a host is started.
import { asControlError, ControlError } from '../control/node/control-error.ts';
import { type HostOptions, type RunningHost, startHost } from '../control/node/host/host.ts';
import { openLog } from '../control/node/log.ts';
import { outliveFileLimit } from '../process/file-limit.ts';

export type HostResult =
  | { readonly ok: true; readonly host: RunningHost }
  | { readonly ok: false; readonly why: string };

export async function startHostHere(options: Omit<HostOptions, 'log'>): Promise<HostResult> {
  outliveFileLimit();
  const log = openLog('info');
  process.on('uncaughtExceptionMonitor', error => log.error({ err: error }, 'the host ends in a bug'));
  try {
    return { ok: true, host: await startHost({ ...options, log }) };
  } catch (thrown) {
    const error = asControlError(thrown, options.directory);
    if (!(error instanceof ControlError)) throw error;
    return { ok: false, why: error.message };
  }
}
