// Packages of Python that a suite of its own needs, in an environment of their own, at the versions and hashes of the
// committed requirements. As with those of npm, nothing is installed unless the suite's own variable says so, what is missing
// is said in words for the reason of a skip, and where it says so and they cannot be installed, that is a failure.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** What the requirements were resolved for, and what some of them ask for themselves. */
const MINOR_MIN = 11;
const ASKS = `import ensurepip, sys, venv; sys.exit(sys.version_info < (3, ${MINOR_MIN}))`;
const NEEDS = `this needs python3 of 3.${MINOR_MIN} or newer, with its venv`;
/** A connection that breaks is made again before a package counts as missing; what is imported is compiled then, not before. */
const INSTALL = ['install', '--quiet', '--no-compile', '--retries', '10', '--disable-pip-version-check'];
const STEP_MS_MAX = 280_000;

type Packages = {
  /** The file of requirements, with hashes. */
  readonly requirements: string;
  /** The folder of their environment. */
  readonly environment: string;
  /** The environment variable that says to install. */
  readonly variable: string;
  /** The packages, in a sentence. */
  readonly what: string;
};

/** Why they are not there; null: they are. */
export async function lacksPythonPackages(packages: Packages): Promise<string | null> {
  const { requirements, environment, variable, what } = packages;
  // The requirements that they were installed of: a committed version that changed is installed anew.
  const stamp = join(environment, 'requirements.txt');
  const [wanted, there] = await Promise.all([
    readFile(requirements, 'utf8'),
    readFile(stamp, 'utf8').catch(() => null),
  ]);
  if (wanted === there) return null;
  const fits = await run('python3', ['-c', ASKS]).then(
    () => true,
    () => false,
  );
  if (!fits) return NEEDS;
  if (process.env[variable] !== '1') return `${what} are not installed; ${variable}=1 installs them`;
  await rm(environment, { recursive: true, force: true });
  await mkdir(dirname(environment), { recursive: true });
  await run('python3', ['-m', 'venv', environment]);
  await run(pythonOf(environment), [
    '-m',
    'pip',
    ...INSTALL,
    '--require-hashes',
    '--requirement',
    requirements,
  ]);
  await copyFile(requirements, stamp);
  return null;
}

export const pythonOf = (environment: string): string => join(environment, 'bin', 'python');

const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(program, args, { timeout: STEP_MS_MAX });
