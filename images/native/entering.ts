// How the program of a native run comes into its root: within its limits, as its user, with no right over anything. Where there
// is perl, one program does all of it that is loaded before (enter.pl), into a root that has no tool of this machine's too; else
// this machine's own tools do, one after the other, which have to be in that root.
import { fileURLToPath } from 'node:url';
import type { RunStart } from './messages.ts';
import { OBSERVER } from './observer.ts';

const ENTER = fileURLToPath(new URL('./enter.pl', import.meta.url));

/** `$1` is the root folder. What follows runs in it. The old root lies over it for a moment, and is the one that is taken away. */
const PIVOT = 'cd "$1" && shift && pivot_root . . && umount -l . && cd / && exec "$@"';

type Start = Pick<RunStart, 'limits' | 'root'>;

/** `waits`: it waits for its environment, to become the program. */
export type Entering = { readonly words: readonly string[]; readonly waits: boolean };

/** `folder` is the root, made. `observed`: perl is there, and the kernel is to tell what the program asks for. */
export function entering(
  start: Start & Pick<RunStart, 'words'>,
  folder: string,
  observed: boolean,
): Entering {
  if (observed || start.root.base !== null)
    return { words: byEnter(start, { how: 'root', where: folder, observed }, start.words), waits: true };
  const pivoting = ['--mount', '--propagation', 'private', '--', 'sh', '-c', PIVOT, 'sh', folder];
  return { words: ['unshare', ...pivoting, ...byTools(start, start.words)], waits: false };
}

/** Beside the program, in its root, on the way that the program came. */
export function joining(
  start: Start,
  pid: number,
  words: readonly string[],
  { waits }: Pick<Entering, 'waits'>,
): Entering {
  if (waits)
    return { words: byEnter(start, { how: 'join', where: String(pid), observed: false }, words), waits };
  const enter = ['nsenter', '--target', String(pid), '--mount', '--'];
  return { words: [...enter, ...byTools(start, words)], waits };
}

function byTools(
  { limits, root: { user, workingFolder } }: Start,
  words: readonly string[],
): readonly string[] {
  return [
    ...['prlimit', `--nproc=${limits.processes}`, `--data=${limits.memory}`, '--core=0', '--'],
    ...[
      'unshare',
      '--user',
      `--map-user=${user.uid}`,
      `--map-group=${user.gid}`,
      `--wd=${workingFolder}`,
      '--',
    ],
    ...['setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--'],
    ...words,
  ];
}

type How = { readonly how: 'root' | 'join'; readonly where: string; readonly observed: boolean };

function byEnter(
  { limits, root: { user, workingFolder } }: Start,
  { how, where, observed }: How,
  words: readonly string[],
): readonly string[] {
  const numbers = [user.uid, user.gid, limits.processes, limits.memory].map(String);
  return ['perl', ENTER, OBSERVER, how, where, ...numbers, workingFolder, observed ? '1' : '0', ...words];
}
