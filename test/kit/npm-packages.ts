// Packages of npm that a suite of its own needs, in the folder of its programs, at the versions of the lockfile there. Nothing is
// installed unless the suite's own variable says so, and what is missing is said in words, for the reason of a skip. Where it
// says so and they cannot be installed, that is a failure: who asks for it wants the suite run.
import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const INSTALL = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
const INSTALL_MS_MAX = 280_000;

/** `what`: the packages, in a sentence. Why they are not there; null: they are. */
export async function lacksPackages(
  folder: string,
  { variable, what }: { readonly variable: string; readonly what: string },
): Promise<string | null> {
  const lock = join(folder, 'package-lock.json');
  // The lockfile that they were installed of: a committed version that changed is installed anew.
  const stamp = join(folder, 'node_modules', '.installed.json');
  const [wanted, there] = await Promise.all([
    readFile(lock, 'utf8'),
    readFile(stamp, 'utf8').catch(() => null),
  ]);
  if (wanted === there) return null;
  if (process.env[variable] !== '1') return `${what} are not installed; ${variable}=1 installs them`;
  await promisify(execFile)('npm', INSTALL, { cwd: folder, timeout: INSTALL_MS_MAX });
  await copyFile(lock, stamp);
  return null;
}
