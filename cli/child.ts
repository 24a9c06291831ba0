// Runs a command in the foreground, as a shell would: its terminal, its signals and its exit code are its own.
import { spawn } from 'node:child_process';
import { access, constants as modes, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';

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

type Env = { readonly [name: string]: string | undefined };

export async function runChild(command: readonly string[], env: Env): Promise<ChildEnd> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'inherit', env: { ...env } });
  const ended = new Promise<ChildEnd>(resolve => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve(notFound(program));
      else if (child.pid === undefined) resolve(notRunnable(program, error.code ?? error.message));
    });
    child.on('exit', (code, signal) => resolve(endOf(code, signal)));
  });
  return await inForeground(signal => child.kill(signal), ended);
}

/** Waits for what runs in the foreground, and hands it the signals that are meant for it. */
export async function inForeground(
  kill: (signal: NodeJS.Signals) => void,
  ended: Promise<ChildEnd>,
): Promise<ChildEnd> {
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal's Ctrl-C reaches the child by itself, as a member of the foreground group.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  try {
    return await ended;
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}

export function endOf(code: number | null, signal: NodeJS.Signals | null): ChildEnd {
  return { code: signal === null ? (code ?? 1) : 128 + constants.signals[signal], problem: null };
}

/** Why a command cannot be run, found out before it is tried; null where it can. As execvp(3) looks for it. */
export async function whyNotRun(program: string, { PATH = '' }: Env): Promise<ChildEnd | null> {
  const files = program.includes('/')
    ? [program]
    : PATH.split(delimiter).map(folder => join(folder, program));
  let refused: string | null = null;
  for (const file of files) {
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => error.code ?? 'ENOENT');
    if (typeof found === 'string') {
      if (found === 'EACCES') refused = found;
      continue;
    }
    const may = found.isFile() && (await mayRun(file));
    if (may) return null;
    refused = 'EACCES';
  }
  return refused === null ? notFound(program) : notRunnable(program, refused);
}

function mayRun(file: string): Promise<boolean> {
  return access(file, modes.X_OK).then(
    () => true,
    () => false,
  );
}

function notFound(program: string): ChildEnd {
  return { code: NOT_FOUND, problem: `${program}: command not found` };
}

function notRunnable(program: string, why: string): ChildEnd {
  return { code: NOT_RUNNABLE, problem: `${program}: cannot be run (${why})` };
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
