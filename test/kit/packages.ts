// Packages that a suite of its own needs, at the versions that are committed: of npm in the folder of its programs, of Python in
// an environment of their own. Nothing is installed unless the suite's own variable says so, and what is missing is said in words,
// for the reason of a skip. Where it says so and they cannot be installed, that is a failure: who asks for it wants the suite run.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export type Wanted = {
  /** The environment variable that says to install. */
  readonly variable: string;
  /** The packages, in a sentence. */
  readonly what: string;
};

const NPM_INSTALL = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
/** A connection that breaks is made again before a package counts as missing; what is imported is compiled then, not before. */
const PIP_INSTALL = [
  ...['-m', 'pip', 'install', '--quiet', '--no-compile', '--retries', '10'],
  ...['--disable-pip-version-check', '--require-hashes', '--requirement'],
];
const STEP_MS_MAX = 280_000;

/** What the requirements were resolved for, and what some of them ask for themselves. */
const PYTHON_MINOR_MIN = 11;
const PYTHON_ASKS = `import ensurepip, sys, venv; sys.exit(sys.version_info < (3, ${PYTHON_MINOR_MIN}))`;

/** Why they are not there; null: they are. */
export function lacksPackages(folder: string, wanted: Wanted): Promise<string | null> {
  return lacks(wanted, {
    lock: join(folder, 'package-lock.json'),
    stamp: join(folder, 'node_modules', '.installed.json'),
    cannot: async () => null,
    install: async () => {
      await run('npm', NPM_INSTALL, folder);
    },
  });
}

/** `requirements`: the file, with hashes; `environment`: the folder. */
export function lacksPythonPackages({
  requirements,
  environment,
  ...wanted
}: Wanted & { readonly requirements: string; readonly environment: string }): Promise<string | null> {
  return lacks(wanted, {
    lock: requirements,
    stamp: join(environment, 'requirements.txt'),
    cannot: () =>
      run('python3', ['-c', PYTHON_ASKS]).then(
        () => null,
        () => `this needs python3 of 3.${PYTHON_MINOR_MIN} or newer, with its venv`,
      ),
    install: async () => {
      await rm(environment, { recursive: true, force: true });
      await mkdir(dirname(environment), { recursive: true });
      await run('python3', ['-m', 'venv', environment]);
      await run(pythonOf(environment), [...PIP_INSTALL, requirements]);
    },
  });
}

export const pythonOf = (environment: string): string => join(environment, 'bin', 'python');

type Place = {
  /** What says the versions. */
  readonly lock: string;
  /** The one that they were installed of: a committed version that changed is installed anew. */
  readonly stamp: string;
  /** What this machine lacks to have them at all. */
  readonly cannot: () => Promise<string | null>;
  readonly install: () => Promise<void>;
};

async function lacks(
  { variable, what }: Wanted,
  { lock, stamp, cannot, install }: Place,
): Promise<string | null> {
  const [wanted, there] = await Promise.all([
    readFile(lock, 'utf8'),
    readFile(stamp, 'utf8').catch(() => null),
  ]);
  if (wanted === there) return null;
  const why = await cannot();
  if (why !== null) return why;
  if (process.env[variable] !== '1') return `${what} are not installed; ${variable}=1 installs them`;
  await install();
  await copyFile(lock, stamp);
  return null;
}

const run = (program: string, args: readonly string[], cwd?: string) =>
  promisify(execFile)(program, args, { cwd, timeout: STEP_MS_MAX });
