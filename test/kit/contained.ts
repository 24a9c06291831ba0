// For tests of contained runs: whether this machine can have them, and a run that is looked at while it is up.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { openContainment } from '../../contained/containment.ts';
import { COMMAND_MS_MAX, cleanEnv, command, wrldWords } from './command-line.ts';
import { within } from './deadline.ts';

/** False, or why no run can be contained here: for `skip`. */
export async function cannotContain(): Promise<string | false> {
  const opened = await openContainment({ env: process.env, folder: process.cwd(), tell: () => {} });
  if (!opened.ok) return `this machine contains no run: ${opened.why}`;
  await opened.containment[Symbol.asyncDispose]();
  return false;
}

/** One that has ended and that nobody has asked after yet does not run. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** False, or why there is no such program. */
export function lacks(program: string, ...args: readonly string[]): Promise<string | false> {
  return new Promise(resolve => {
    execFile(program, args.length === 0 ? ['--version'] : args, error =>
      resolve(error === null ? false : `no ${[program, ...args].join(' ').slice(0, 40)} on this machine`),
    );
  });
}

/** In front of words that another user runs, who may do nothing here. */
export const AS_OTHER: readonly string[] = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

/** Why no other user can run this Node; false where one can. */
export async function noOtherUser(): Promise<string | false> {
  const [program = '', ...args] = AS_OTHER;
  // What setpriv itself starts may still have what root may.
  const fails = await lacks(program, ...args, 'env', process.execPath, '--version');
  return fails === false ? false : 'no other user may run this Node here';
}

export type LiveRun = AsyncDisposable & {
  readonly process: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves with what was said on standard output, or standard error, once it matches. */
  said(what: RegExp): Promise<RegExpExecArray>;
  /** The exit code. */
  ended(): Promise<number | NodeJS.Signals>;
};

/** `wrld world run …`, or any other words, in `folder`. */
export function startRun(folder: string, words: readonly string[]): LiveRun {
  const [program = '', ...args] = words;
  const child = spawn(program, args, { cwd: folder, env: cleanEnv(), stdio: 'pipe' });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const exited = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  const live = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    process: child,
    out: () => out,
    err: () => err,
    said: async what => {
      for (;;) {
        const found = what.exec(out) ?? what.exec(err);
        if (found !== null) return found;
        if (!live()) throw new Error(`ended without ${what}: ${out}${err}`);
        await within(
          `the run to say ${what}; it said ${out}${err}`,
          Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), exited]),
          COMMAND_MS_MAX,
        );
      }
    },
    ended: () => within('the run to end', exited, COMMAND_MS_MAX),
    [Symbol.asyncDispose]: async () => {
      if (live()) child.kill('SIGKILL');
      await exited;
    },
  };
}

export function runWords(...command: readonly string[]): string[] {
  return wrldWords('world', 'run', '--contained', '--', ...command);
}

/** What answers on that port of this machine's loopback, once something does. */
export async function heardAt(port: number, host = '127.0.0.1'): Promise<string> {
  return await within(
    `somebody at ${host}:${port}`,
    (async () => {
      for (;;) {
        const text = await hearOnce(port, host);
        if (text !== null) return text;
      }
    })(),
  );
}

/** Null where nobody listens. */
export function hearOnce(port: number, host = '127.0.0.1'): Promise<string | null> {
  return new Promise(resolve => {
    let text = '';
    const socket = connect({ host, port });
    socket.setEncoding('utf8').on('data', part => (text += part));
    socket.on('error', () => setImmediate(resolve, null));
    socket.on('end', () => resolve(text));
  });
}

/** What each of these shell commands says, all in one contained run, each with an empty environment. */
export async function inside<Name extends string>(
  folder: string,
  commands: Readonly<Record<Name, string>>,
  ...flags: readonly string[]
): Promise<Record<Name, string>> {
  const lines = Object.values<string>(commands).map(
    text =>
      `env -i PATH=/usr/sbin:/usr/bin:/bin HOME=/nonexistent sh -c '${text.replaceAll("'", "'\\''")}' 2>&1; printf '\\0'`,
  );
  const words = wrldWords('world', 'run', '--contained', ...flags, '--', 'sh', '-c', lines.join('\n'));
  const ended = await command(words, folder);
  const said = ended.out.split('\0');
  if (said.length !== lines.length + 1) throw new Error(`the run ended early: ${ended.out}${ended.err}`);
  return Object.fromEntries(Object.keys(commands).map((name, nth) => [name, said[nth]])) as Record<
    Name,
    string
  >;
}
