// Types commands into a folder as a person would, and shows each with what it says.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { moduleFile } from '../../process/module-file.ts';
import { shellWord } from '../environment.ts';
import { DEMO_COMMAND_MS_MAX, DEMO_STOP_MS_MAX } from '../limits.ts';
import type { Output } from '../output.ts';
import type { Stage } from './stage.ts';

const MAIN = fileURLToPath(moduleFile(import.meta.url, '../main'));
/** The Node that this runs on may call its SQLite new, in every process. */
const NODE = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN];

type Env = { readonly [name: string]: string | undefined };

export type Words = {
  readonly words: readonly string[];
  /** On its standard input, where nobody sees it. */
  readonly input?: string;
  readonly env?: Env;
  /** Of what it says, how many lines are shown; all unless given. */
  readonly lines?: number;
  /** What it is to end with; 0 unless given. */
  readonly code?: number;
};

export type Typist = {
  /** `wrld <words>` in that folder. What it said, on both of its outputs; throws where it ends otherwise. */
  type(folder: string, typed: Words): Promise<string>;
};

export function openTypist(stage: Stage, output: Output, env: Env): Typist {
  const given = { ...env, ...(output.terminal ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }) };
  return {
    type: async (folder, { words, input, env: more, lines = Number.POSITIVE_INFINITY, code = 0 }) => {
      stage.typed(`wrld ${words.map(shellWord).join(' ')}${input === undefined ? '' : ' < secret'}`);
      const [program = '', ...args] = [...NODE, ...words];
      const child = spawn(program, args, {
        cwd: folder,
        env: { ...given, ...more },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.on('error', error => stage.answer(error.message));
      child.stdin.on('error', () => {});
      child.stdin.end(input ?? '');
      const late = setTimeout(() => child.kill('SIGKILL'), DEMO_COMMAND_MS_MAX);
      let said = '';
      let heardLines = 0;
      const listen = async (from: NodeJS.ReadableStream): Promise<void> => {
        for await (const line of createInterface({ input: from })) {
          said += `${line}\n`;
          heardLines += 1;
          if (heardLines <= lines) stage.answer(line);
        }
      };
      const heard = Promise.all([listen(child.stdout), listen(child.stderr)]);
      const [ended] = (await once(child, 'close')) as [number | null];
      clearTimeout(late);
      await heard;
      if (heardLines > lines) stage.answer(`… and ${heardLines - lines} more lines`);
      if (ended !== code)
        throw new Error(`wrld ${words.slice(0, 3).join(' ')} ended with ${ended} and not ${code}`);
      return said;
    },
  };
}

export type ServedDemo = AsyncDisposable & {
  readonly pid: number;
  readonly worldUrl: string;
  readonly token: string;
};

/** `wrld world serve` in that folder, in a process of its own. */
export async function startServed(folder: string, env: Env): Promise<ServedDemo> {
  const [program = '', ...args] = [...NODE, 'world', 'serve', '--json'];
  const child = spawn(program, args, { cwd: folder, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  child.on('error', error => {
    complaints += error.message;
  });
  const first = once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line));
  const early = once(child, 'exit').then(() => null);
  const line = await Promise.race([first, early]);
  if (line === null) throw new Error(`a world does not start: ${complaints.trim()}`);
  const { worldUrl, token } = JSON.parse(line) as { readonly worldUrl: string; readonly token: string };
  return { pid: child.pid!, worldUrl, token, [Symbol.asyncDispose]: () => stop(child) };
}

/** By a signal, and by force where it does not end. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), DEMO_STOP_MS_MAX);
  await gone;
  clearTimeout(late);
}
