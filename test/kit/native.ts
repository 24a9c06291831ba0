// For tests of images that run natively: whether this machine can have them, and how they are run.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openSandbox } from '../../images/native/sandbox.ts';
import { command, type Ended, wrldWords } from './command-line.ts';

/** False, or why no image can run natively here: for `skip`. */
export async function cannotRunNatively(): Promise<string | false> {
  const opened = await openSandbox({
    env: process.env,
    labelled: true,
    tell: () => {},
    heard: () => {},
    dial: () => {},
  });
  if (!opened.ok) return `this machine runs no image natively: ${opened.why}`;
  await opened.sandbox[Symbol.asyncDispose]();
  return false;
}

/** In the world's folder, each by its path there. */
export async function writeFiles(folder: string, files: { readonly [name: string]: string }): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** The Node that runs the tests stands for that of the base image, as --system has it. */
const SYSTEM = dirname(dirname(process.execPath));
// Without what a test runner loads into every Node: its files are none of the image's.
const ONLY = ['env', '-i', `PATH=${process.env['PATH']}`, `HOME=${process.env['HOME']}`];

export function imageWords(...args: readonly string[]): string[] {
  return [...ONLY, ...wrldWords('image', 'run', '--system', SYSTEM, ...args)];
}

export function runImage(folder: string, ...args: readonly string[]): Promise<Ended> {
  return command(imageWords(...args), folder);
}
