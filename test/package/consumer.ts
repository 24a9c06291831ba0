// A project of somebody's own with the packed package in it, as `npm install` leaves it.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Ended } from '../kit/command-line.ts';

export const ROOT: string = join(import.meta.dirname, '..', '..');

/** What the project has besides: its own tools, of the repository's versions. */
const TOOLS = ['typescript', '@types/node'];

export type Consumer = AsyncDisposable & {
  readonly folder: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
  readonly run: (words: readonly string[], env?: NodeJS.ProcessEnv) => Promise<Ended>;
};

export async function packedConsumer(): Promise<Consumer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-packed-')));
  const run = (words: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended> =>
    ended(words, folder, { ...clean(process.env), ...env });
  const packed = await ended(
    ['npm', 'pack', '--json', '--pack-destination', folder],
    ROOT,
    clean(process.env),
  );
  if (packed.code !== 0) throw new Error(packed.err);
  // What its scripts say comes before.
  const [{ filename, files }] = JSON.parse(packed.out.slice(packed.out.indexOf('[\n'))) as [
    { readonly filename: string; readonly files: readonly { readonly path: string }[] },
  ];
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'shop', private: true, type: 'module' }),
  );
  const installed = await run(['npm', 'install', '--no-audit', '--no-fund', `./${filename}`]);
  if (installed.code !== 0) throw new Error(installed.err);
  for (const tool of TOOLS) {
    const link = join(folder, 'node_modules', tool);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', tool), link);
  }
  return {
    folder,
    files: files.map(({ path }) => path),
    run,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Without what npm and this suite's own runner leave in the environment: a user's shell has none of it. */
function clean(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !/^(npm_|NODE_|TAP|WRLD_|_TAPJS|FORCE_COLOR)/i.test(name),
  );
  const path = (env['PATH'] ?? '').split(':').filter(folder => !folder.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(':'), NO_COLOR: '1' };
}

/** npm on a busy machine. */
const WORDS_MS_MAX = 300_000;
const WORDS_BYTES_MAX = 16 * 1024 * 1024;

function ended(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  // The runner of this suite adds a loader of its own to whatever is started.
  const args = ['-u', 'NODE_OPTIONS', ...words];
  const options = { cwd, env, timeout: WORDS_MS_MAX, maxBuffer: WORDS_BYTES_MAX };
  return new Promise(resolve => {
    execFile('env', args, options, (error, out, err) =>
      resolve({ code: error === null ? 0 : (error.signal ?? Number(error.code ?? 1)), out, err }),
    );
  });
}
