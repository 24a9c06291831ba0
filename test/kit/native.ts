// For tests of images that run natively: whether this machine can have them, and how they are run.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT_BYTES_MAX } from '../../images/limits.ts';
import { openSandbox } from '../../images/native/sandbox.ts';
import { command, type Ended, wrldWords } from './command-line.ts';

/** False, or why no image can run natively here: for `skip`. */
export async function cannotRunNatively(): Promise<string | false> {
  const opened = await openSandbox({
    env: process.env,
    labelled: true,
    bytesMax: ROOT_BYTES_MAX,
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

/** Built first; what is made is kept in `cache`. */
export function buildWords(cache: string, ...args: readonly string[]): string[] {
  return [
    ...ONLY,
    `XDG_CACHE_HOME=${cache}`,
    ...wrldWords('image', 'run', '--system', SYSTEM, '--build', ...args),
  ];
}

/** One that is built already, without anything of this machine's; what is unpacked is kept in `cache`. */
export function runBuiltImage(folder: string, cache: string, ...args: readonly string[]): Promise<Ended> {
  return command([...ONLY, `XDG_CACHE_HOME=${cache}`, ...wrldWords('image', 'run', ...args)], folder);
}

/** A program of this machine's, and the libraries that it is linked with, in `/app` of a root. */
export function copyProgram(name: string, root: string): void {
  const shell = (script: string): string =>
    execFileSync('sh', ['-c', script, 'sh', name], { encoding: 'utf8' });
  const program = shell('command -v "$1"').trim();
  const linked = shell('ldd "$(command -v "$1")"').match(/\/\S+/g) ?? [];
  for (const [from, at] of [[program, `/app/${name}`], ...linked.map(each => [each, each])] as const) {
    mkdirSync(dirname(join(root, at)), { recursive: true });
    copyFileSync(realpathSync(from), join(root, at));
  }
}
