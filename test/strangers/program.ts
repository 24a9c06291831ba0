// A program of strangers, unmodified, as `wrld world run` starts it. What it tells is a line of JSON each.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnv, wrldWords } from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';

/** Of all of them, with their packages. */
export const PROGRAMS: string = join(import.meta.dirname, 'programs');

export type Fact = { readonly [name: string]: unknown };

export type Program = AsyncDisposable & {
  /** The first fact like this that was not waited for before. */
  told(what: string, like: (fact: Fact) => boolean): Promise<Fact>;
  /** Whatever else it said. */
  err(): string;
};

export async function startProgram(
  folder: string,
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<Program> {
  const [program = '', ...args] = wrldWords('world', 'run', '--', process.execPath, file);
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...cleanEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const facts: Fact[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', line => {
    // Its libraries print too.
    if (!line.startsWith('{')) err += `${line}\n`;
    else facts.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  child.once('exit', code => ended.reject(new Error(`${file} ended with ${code}: ${err}`)));
  const told: Program['told'] = async (what, like) => {
    const { promise, resolve } = Promise.withResolvers<Fact>();
    const look = (): void => {
      const at = facts.findIndex(like);
      if (at >= 0) resolve(facts.splice(at, 1)[0]!);
    };
    waiting.add(look);
    look();
    try {
      return await within(`${what}; it said ${err}`, Promise.race([promise, ended.promise]));
    } finally {
      waiting.delete(look);
    }
  };
  await told('the program to be ready', ({ ready }) => ready === true);
  return { told, err: () => err, [Symbol.asyncDispose]: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await within('the program to end', gone);
}
