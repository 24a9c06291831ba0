// One proxy process: started, or found running from the control before this one. Either way it can be told to
// end, and says when it has.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, stat } from 'node:fs/promises';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { processArguments } from '../../process/module-file.ts';
import { proxyEnvironment } from './environment.ts';
import { OUTPUT_TAIL_CHARS_MAX, PROCESS_LOOK_MS, PROXY_OUTPUT_BYTES_MAX } from './limits.ts';

export type ProxyProcess = {
  readonly pid: number;
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>;
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
};

export type ProxyCommand = {
  /** The proxy's main module. */
  readonly script: string;
  readonly args: readonly string[];
  /** Where its standard output and error go: what it says before it has a log, and what Node says of its end. */
  readonly outputFile: string;
};

export type StartedProxy = ProxyProcess & {
  /** The end of what it said since its start, for an error that says why it does not work. */
  said(): Promise<string>;
};

/** Rejects when the process cannot be started at all. */
export async function startProxyProcess(command: ProxyCommand): Promise<StartedProxy> {
  await setAside(command.outputFile);
  const log = await open(command.outputFile, 'a', 0o600);
  const { size: before } = await log.stat();
  let child: ChildProcess;
  let ended: Promise<string>;
  try {
    child = spawn(process.execPath, [...processArguments(command.script), ...command.args], {
      stdio: ['ignore', log.fd, log.fd],
      env: proxyEnvironment(compileCache(dirname(command.outputFile))),
      // A process group of its own: Ctrl-C is for control, which then drains the proxy in order.
      detached: true,
    });
    // Listened for from the first moment: one that crashes at once may be gone before the next line.
    ended = new Promise(resolve =>
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal)),
    );
    await once(child, 'spawn');
  } finally {
    await log.close();
  }
  // Of a signal that could not be sent: the process is gone, which 'exit' tells.
  child.on('error', () => {});
  return {
    pid: child.pid!,
    ended,
    signal: signal => void child.kill(signal),
    said: async () => {
      const output = await readFile(command.outputFile).catch(() => Buffer.alloc(0));
      return output.subarray(before).toString('utf8').slice(-OUTPUT_TAIL_CHARS_MAX).trim();
    },
  };
}

/** A process that another control started; no child of ours, so it is looked at until it is gone. */
export function foundProxyProcess(pid: number): ProxyProcess {
  const ended = new Promise<string>(resolve => {
    const look = setInterval(() => {
      if (isOurs(pid)) return;
      clearInterval(look);
      resolve('gone');
    }, PROCESS_LOOK_MS);
    look.unref();
  });
  return { pid, ended, signal: signal => void (isOurs(pid) && process.kill(pid, signal)) };
}

export function isOurs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Where this process has its own code compiled, for the first proxy of a new world too; else in the world's own folder. */
function compileCache(folder: string): string {
  const own = (module as Partial<typeof module>).getCompileCacheDir?.();
  return own === undefined ? join(folder, 'compile-cache') : dirname(own);
}

async function setAside(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && found.size > PROXY_OUTPUT_BYTES_MAX) await rename(path, `${path}.old`);
}
