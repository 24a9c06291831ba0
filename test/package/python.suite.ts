// The Python package as people install it: a wheel in an environment of its own, and pytest with its plugin.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { MAIN } from '../kit/command-line.ts';
import { ROOT } from './consumer.ts';

const run = promisify(execFile);

const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-wheel-')));
t.teardown(() => rm(folder, { recursive: true, force: true }));

/** Null, or why it cannot be: no Python with `venv`, or no pytest to be had. */
async function environment(): Promise<string | null> {
  try {
    // What the machine has of pytest and setuptools does; where it has none, pip gets them.
    await run('python3', ['-m', 'venv', '--system-site-packages', join(folder, 'env')]);
    await run(pip, ['install', '--quiet', 'pytest']);
    return null;
  } catch (error) {
    return `no python3 with venv and pytest here: ${(error as Error).message.split('\n')[0]}`;
  }
}

const pip = join(folder, 'env', 'bin', 'pip');
const missing = await environment();

t.test('the wheel and its plugin for pytest', { skip: missing ?? false }, async t => {
  const source = join(folder, 'source');
  await cp(join(ROOT, 'clients', 'python'), source, { recursive: true });
  await run(pip, ['wheel', '--quiet', '--no-deps', '--wheel-dir', join(folder, 'wheel'), source]);
  const [wheel = ''] = await readdir(join(folder, 'wheel'));
  t.match(wheel, /^wrld-.*-py3-none-any\.whl$/);
  await run(pip, ['install', '--quiet', '--no-deps', join(folder, 'wheel', wheel)]);
  await cp(join(import.meta.dirname, 'python'), join(folder, 'suite'), { recursive: true });

  const python = join(folder, 'env', 'bin', 'python');
  const env = { PATH: process.env['PATH'], HOME: folder, WRLD_COMMAND: `${process.execPath} ${MAIN}` };
  const options = { cwd: join(folder, 'suite'), env };
  const passed = await run(python, ['-m', 'pytest', '-q'], options);
  t.match(passed.stdout, /8 passed, 1 skipped/);
  const failed = await run(python, ['-m', 'pytest', '-q'], {
    ...options,
    env: { ...env, WRLD_FAIL: '1' },
  }).catch((error: { readonly stdout: string }) => error);
  t.match(failed.stdout, /- the world -[\s\S]*refused by the world:[\s\S]*what they changed:/);
});
