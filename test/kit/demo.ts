// `wrld demo …` as a user runs it, in a folder where what it leaves behind can be seen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_MS_MAX, cleanEnv, wrldWords } from './command-line.ts';
import { within } from './deadline.ts';

/** A demo is many commands. */
const DEMO_MS_MAX = 4 * COMMAND_MS_MAX;

export async function startDemo(words: readonly string[] = ['demo'], env: NodeJS.ProcessEnv = {}) {
  // Its temporary folder is made in here, so that what is left behind can be seen.
  const folder = await mkdtemp(join(tmpdir(), 'wrld-demo-test-'));
  const [program = '', ...args] = wrldWords(...words);
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...cleanEnv(), TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close');
  return {
    child,
    said: () => out,
    complained: () => err,
    ended: () => within('the demo to end', ended, DEMO_MS_MAX),
    until: async (what: RegExp) => {
      while (!what.test(out)) await within(`${what}`, once(child.stdout, 'data'), DEMO_MS_MAX);
    },
    leftovers: async () => {
      const left = await readdir(folder);
      await rm(folder, { recursive: true });
      return left;
    },
  };
}

/** Of the processes that it named. */
export const pidsIn = (text: string): number[] =>
  [...text.matchAll(/process (\d+)/g)].map(match => Number(match[1]));
