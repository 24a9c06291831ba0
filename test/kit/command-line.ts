// The command line as a user runs it: real processes in real folders. For tests of cli/.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { dispatch } from '../../cli/dispatch.ts';
import { openOutput } from '../../cli/output.ts';
import { within } from './deadline.ts';

export const MAIN: string = join(import.meta.dirname, '..', '..', 'cli', 'main.ts');
export const LAUNCHER: string = join(import.meta.dirname, '..', '..', 'cli', 'wrld.js');

/** A world that starts, runs and stops takes about a second on a quiet machine. */
export const COMMAND_MS_MAX = 60_000;

export type Ended = { readonly code: number | NodeJS.Signals; readonly out: string; readonly err: string };

/** The environment of this test without what a test runner or a user's shell adds to it. */
export function cleanEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, JAVA_HOME, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    HOME,
    ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  };
}

/** Runs it to its end, in `folder`. `input`: on its standard input, which ends there. */
export function command(words: readonly string[], folder: string, input?: string): Promise<Ended> {
  const [program = '', ...args] = words;
  const options = { cwd: folder, env: cleanEnv(), timeout: COMMAND_MS_MAX };
  return new Promise(resolve => {
    const child = execFile(program, args, options, (error, out, err) => {
      resolve({ code: error === null ? 0 : (error.signal ?? Number(error.code ?? 1)), out, err });
    });
    if (input !== undefined) child.stdin!.end(input);
  });
}

/**
 * The words that start `wrld …` from the tree. A run is contained only where that is asked for: the tests of that are
 * elsewhere, and it costs every other one half a second.
 */
export function wrldWords(...args: readonly string[]): string[] {
  const [first, second, ...rest] = args;
  const asked = rest.includes('--contained') || rest.includes('--open');
  const isRun = first === 'world' && second === 'run' && !asked;
  return [process.execPath, MAIN, ...(isRun ? [first, second, '--open', ...rest] : args)];
}

/**
 * `wrld …` to its end. What talks to a world or works on its files is done in this process, as its own would do it: most of
 * what it takes otherwise is loading the same code again. What starts something, asks on a terminal or is stopped by a
 * signal has a process.
 */
export function wrld(folder: string, ...args: readonly string[]): Promise<Ended> {
  return isBrief(args) ? here(folder, args) : command(wrldWords(...args), folder);
}

/** The words that start `wrld …` as those of `wrldWords` do, with a terminal for its standard error. */
export function wordsOnTerminal(...args: readonly string[]): string[] {
  const [program = '', ...words] = wrldWords(...args);
  return [program, '--import', 'data:text/javascript,process.stderr.isTTY=true', ...words];
}

/** `wrld …` to its end, and what its terminal showed, one after the other, of how far it was. */
export async function wrldShown(
  folder: string,
  ...args: readonly string[]
): Promise<Ended & { readonly shown: readonly string[] }> {
  const ended = await command(wordsOnTerminal(...args), folder);
  return { ...ended, shown: shownIn(ended.err) };
}

/** The lines that replaced themselves; an empty one took the last away. */
export function shownIn(err: string): string[] {
  const lines = err.split('\r').filter(text => text.endsWith(LINE_CLEARED));
  return lines.map(text => text.slice(0, -LINE_CLEARED.length));
}

const LINE_CLEARED = '\u001b[K';

const BRIEF = new Set(
  [
    'backup branch changeset check clock diff down keys link log origin pull push refresh report requests reset restore',
    'root status timeline',
  ].flatMap(line => line.split(' ')),
);

function isBrief([group, verb = '', ...rest]: readonly string[]): boolean {
  return group === 'world' && BRIEF.has(verb) && rest[0] !== 'deploy';
}

async function here(folder: string, args: readonly string[]): Promise<Ended> {
  const out: string[] = [];
  const err: string[] = [];
  const into = (lines: string[]) => ({ write: (text: string) => lines.push(text) > 0 });
  const env = cleanEnv();
  const output = openOutput(into(out), into(err), env);
  const code = await dispatch(args, { output, folder, env });
  return { code, out: out.join(''), err: err.join('') };
}

/** With something on its standard input. */
export function wrldGiven(folder: string, input: string, ...args: readonly string[]): Promise<Ended> {
  return command(wrldWords(...args), folder, input);
}

/** The system's Node where it is older than the one wrld needs. */
export async function findOldNode(): Promise<string | null> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder.includes('node_modules')) continue;
    const node = join(folder, 'node');
    if (/^v(?:18|20|22)\./.test((await command([node, '--version'], tmpdir())).out)) return node;
  }
  return null;
}

export type Worlds = {
  readonly root: string;
  /** Makes `<root>/<name>` with a world `acme/shop` that has a Stripe twin. */
  make(name: string, config?: object): Promise<string>;
  remove(): Promise<void>;
};

export async function openWorlds(): Promise<Worlds> {
  // With a space, as folders have them.
  const root = await realpath(await mkdtemp(join(tmpdir(), 'wrld cli ')));
  return {
    root,
    make: async (name, config = {}) => {
      const folder = join(root, name);
      await mkdir(join(folder, '.wrld'), { recursive: true });
      const whole = { name: 'acme/shop', services: { stripe: { twin: 'stripe' } }, ...config };
      await writeFile(join(folder, '.wrld', 'world.json'), JSON.stringify(whole, null, 2));
      return folder;
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

type ServedLine = {
  readonly baseUrl: string;
  readonly worldUrl: string;
  readonly token: string;
  readonly readToken: string;
  readonly pid: number;
};

type UpLine = {
  readonly baseUrl: string;
  readonly worldUrl: string;
  readonly proxyUrl: string;
  readonly caFile: string;
  readonly pid: number;
  readonly proxyPid: number;
};

export type Running<Line> = AsyncDisposable & {
  readonly up: Line;
  readonly process: ChildProcess;
  readonly err: () => string;
  /** Resolves when that was said on standard error. */
  said(what: RegExp): Promise<void>;
};

export type RunningUp = Running<UpLine>;

export function startUp(folder: string, ...args: readonly string[]): Promise<RunningUp> {
  return start<UpLine>('up', folder, args);
}

/** `words` are a whole command line that ends in such a start, behind whatever it is to run under. */
export function startWords<Line = UpLine>(folder: string, words: readonly string[]): Promise<Running<Line>> {
  return startCommand<Line>('up', folder, words);
}

export function startServe(folder: string, ...args: readonly string[]): Promise<Running<ServedLine>> {
  return start<ServedLine>('serve', folder, args);
}

function start<Line>(verb: 'up' | 'serve', folder: string, args: readonly string[]): Promise<Running<Line>> {
  return startCommand<Line>(verb, folder, wrldWords('world', verb, '--json', ...args));
}

async function startCommand<Line>(
  verb: 'up' | 'serve',
  folder: string,
  [program = '', ...args]: readonly string[],
): Promise<Running<Line>> {
  const child = spawn(program, args, {
    cwd: folder,
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const line = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).once('line', line.resolve);
  child.once('exit', code => line.reject(new Error(`world ${verb} ended with ${code}: ${err}`)));
  const told = await within(`world ${verb}`, line.promise, COMMAND_MS_MAX).catch(error => {
    // Nobody is given what would end it.
    child.kill('SIGKILL');
    throw error;
  });
  const up = JSON.parse(told) as Line;
  return {
    up,
    process: child,
    err: () => err,
    said: async what => {
      while (!what.test(err)) await within(`standard error to match ${what}`, once(child.stderr, 'data'));
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await within(`world ${verb} to end`, gone, COMMAND_MS_MAX);
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
