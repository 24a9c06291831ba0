// What a language needs here before its stories can be told: itself, and the vendors' SDKs at the versions that are
// committed beside the stories. They are kept in a folder that git ignores; nothing is installed unless
// WRLD_CLIENTS_INSTALL=1 says so, and what is missing is said in words, for the reason of a skip. Where it says so and
// they cannot be installed, that is a failure: who asks for it wants the stories told.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lacksPythonPackages } from '../kit/packages.ts';

export const HERE: string = import.meta.dirname;
const CACHE = join(HERE, '..', '..', 'node_modules', '.cache', 'wrld-clients');
const INSTALL = process.env['WRLD_CLIENTS_INSTALL'] === '1';
const HOW = 'WRLD_CLIENTS_INSTALL=1 installs them';

/** Three SDKs of Go's take a third of this to compile where its cache is cold and both cores are busy with others besides. */
const STEP_MS_MAX = 840_000;

/** `folder`: where the programs are. */
export type Ready =
  | { readonly ok: true; readonly folder: string }
  | { readonly ok: false; readonly why: string };

export async function readyPython(): Promise<Ready> {
  const environment = join(CACHE, 'python');
  const requirements = join(HERE, 'python', 'requirements.txt');
  const why = await lacksPythonPackages({
    ...{ requirements, environment, variable: 'WRLD_CLIENTS_INSTALL', what: 'the SDKs for Python' },
  });
  return why === null ? { ok: true, folder: join(environment, 'bin') } : { ok: false, why };
}

export async function readyGo(): Promise<Ready> {
  const source = join(HERE, 'go');
  const folder = join(CACHE, 'go');
  if (!(await run('go', ['version'])).ok) return { ok: false, why: 'no go here' };
  if (INSTALL) {
    const fetched = await run('go', ['mod', 'download'], source);
    if (!fetched.ok) throw new Error(`go mod download: ${fetched.why}`);
  }
  await mkdir(folder, { recursive: true });
  // Without leave to install, Go is given no way to: it builds of what its cache holds, with the Go that is here.
  const env = INSTALL ? {} : { GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  const words = ['build', '-o', `${folder}/`, './...'];
  const built = await run('go', words, source, env);
  if (built.ok) return { ok: true, folder };
  // With everything installed a program that does not compile is ours, and no reason to skip.
  if (INSTALL) throw new Error(built.why);
  return { ok: false, why: `go build: ${built.why}; ${HOW}` };
}

type Ran = { readonly ok: true } | { readonly ok: false; readonly why: string };

function run(
  program: string,
  args: readonly string[],
  cwd: string = HERE,
  more: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const env = { ...process.env, ...more };
  return new Promise(resolve => {
    execFile(program, args, { cwd, env, timeout: STEP_MS_MAX }, (error, _out, err) => {
      if (error === null) return resolve({ ok: true });
      const said = err.trim().split('\n').slice(-3).join(' ');
      resolve({ ok: false, why: said === '' ? error.message : said });
    });
  });
}
