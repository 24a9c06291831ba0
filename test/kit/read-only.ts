// A disk that becomes read-only under a world that is up. The system turns no disk with open files read-only on demand,
// so its two sides are made apart: what is open already is refused its writes, and what is opened anew its opening.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { within } from './deadline.ts';

/** Why a test cannot have the first here; false where it can. */
export function noRefusedWrites(): string | false {
  const tried = spawnSync('strace', ['-qq', '-o', '/dev/null', '-e', 'inject=pwrite64:error=EROFS', 'true']);
  return tried.status === 0 ? false : 'this machine has no strace, or lets it look at no process';
}

/** From here on nothing is written to `files` by the process `pid`: it is told that their disk is read-only. */
export async function refuseWrites(pid: number, files: readonly string[]): Promise<AsyncDisposable> {
  const calls = 'pwrite64,write,pwritev,ftruncate,fsync,fdatasync';
  const paths = files.flatMap(file => ['-P', file]);
  const words = ['-f', '-o', '/dev/null', '-p', String(pid), ...paths, '-e', `trace=${calls}`];
  const tracer = spawn('strace', [...words, '-e', `inject=${calls}:error=EROFS`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(tracer, 'exit');
  const said = createInterface({ input: tracer.stderr });
  await within('strace to be attached', Promise.race([once(said, 'line'), gone]));
  return {
    [Symbol.asyncDispose]: async () => {
      tracer.kill('SIGINT');
      await gone;
    },
  };
}

/** Nothing below `folder` can be opened for writing by the process `pid`, which has a mount namespace of its own. */
export function refuseOpening(pid: number, folder: string): Disposable {
  const inside = (...words: readonly string[]): void => {
    const entered = spawnSync('nsenter', ['--target', String(pid), '--user', '--mount', '--', ...words]);
    if (entered.status !== 0) throw new Error(`${words.join(' ')}: ${entered.stderr}`);
  };
  inside('mount', '--bind', folder, folder);
  inside('mount', '-o', 'remount,bind,ro', folder);
  return { [Symbol.dispose]: () => inside('umount', '--lazy', folder) };
}
