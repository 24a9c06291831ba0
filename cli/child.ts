// Runs a command in the foreground, as a shell would: its terminal, its signals and its exit code are its own.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** What the shell answers for a command that is not there, or cannot be run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

const FORWARDED: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR2',
  'SIGWINCH',
];

const HELD: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export type ChildEnd = { readonly code: number; readonly problem: string | null };

export async function runChild(
  command: readonly string[],
  env: { readonly [name: string]: string | undefined },
): Promise<ChildEnd> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'inherit', env: { ...env } });
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal's Ctrl-C reaches the child by itself, as a member of the foreground group.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  try {
    return await new Promise<ChildEnd>(resolve => {
      child.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') resolve({ code: NOT_FOUND, problem: `${program}: command not found` });
        else if (child.pid === undefined)
          resolve({
            code: NOT_RUNNABLE,
            problem: `${program}: cannot be run (${error.code ?? error.message})`,
          });
      });
      child.on('exit', (code, signal) => {
        resolve({ code: signal === null ? (code ?? 1) : 128 + constants.signals[signal], problem: null });
      });
    });
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}

export type HeldSignals = Disposable & {
  /** The exit code that the first signal asks for; null while there was none. */
  code(): number | null;
};

/** While a world starts or stops, a signal must not end this process at once: its proxy would be left behind. */
export function holdSignals(): HeldSignals {
  let code: number | null = null;
  const hold = (signal: NodeJS.Signals): void => {
    code ??= 128 + constants.signals[signal];
  };
  for (const signal of HELD) process.on(signal, hold);
  return {
    code: () => code,
    [Symbol.dispose]: () => {
      for (const signal of HELD) process.off(signal, hold);
    },
  };
}

/** Runs a tool whose words are nobody's business. */
export function runQuietly(program: string, args: readonly string[]): Promise<'done' | 'failed' | 'missing'> {
  return new Promise(resolve => {
    const tool = spawn(program, args, { stdio: 'ignore' });
    tool.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? 'missing' : 'failed'),
    );
    tool.on('exit', code => resolve(code === 0 ? 'done' : 'failed'));
  });
}
