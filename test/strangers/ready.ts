// What the programs of strangers need before they can be run: their packages, at the versions that are committed beside them, and for
// one of them a Postgres of its own. Nothing is installed unless WRLD_STRANGERS_INSTALL=1 says so, and what is missing is said
// in words, for the reason of a skip. Where it says so and the packages cannot be installed, that is a failure.
import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const PROGRAMS: string = join(import.meta.dirname, 'programs');
const MODULES = join(PROGRAMS, 'node_modules');
const LOCK = join(PROGRAMS, 'package-lock.json');
/** The lockfile that they were installed of: a committed version that changed is installed anew. */
const STAMP = join(MODULES, '.installed.json');
const STEP_MS_MAX = 280_000;

/** Why it cannot be told; null: everything is there. */
export async function lacksPackages(): Promise<string | null> {
  const [wanted, there] = await Promise.all([
    readFile(LOCK, 'utf8'),
    readFile(STAMP, 'utf8').catch(() => null),
  ]);
  if (wanted === there) return null;
  if (process.env['WRLD_STRANGERS_INSTALL'] !== '1')
    return 'the programs are not installed; WRLD_STRANGERS_INSTALL=1 installs them';
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline'], PROGRAMS);
  await copyFile(LOCK, STAMP);
  return null;
}

/** What it printed. Throws with the last it said where it ends badly. */
export function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, timeout: STEP_MS_MAX }, (error, out, err) => {
      if (error === null) return resolve(out);
      reject(new Error(`${program}: ${err.trim().split('\n').slice(-3).join(' ') || error.message}`));
    });
  });
}
