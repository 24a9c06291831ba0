// How the program of a native run comes into its root: within its limits, as its user, with no right over anything. This
// machine's own tools do it where they are in that root; into an image's own root, which has none of them, a program goes that is loaded
// before (enter.pl).
import { fileURLToPath } from 'node:url';
import type { RunStart } from './messages.ts';
import { OBSERVER, type Observer } from './observer.ts';
import { OLD_ROOT } from './root.ts';

const ENTER = fileURLToPath(new URL('./enter.pl', import.meta.url));

/** `$1` is the root folder. What follows runs in it. */
const PIVOT = `cd "$1" && shift && pivot_root . ${OLD_ROOT} && cd / && umount -l /${OLD_ROOT} && rmdir /${OLD_ROOT} && exec "$@"`;

type Start = Pick<RunStart, 'limits' | 'root'>;

/** As something other than the program at first: whoever waits for its environment, to become the program. */
export type Entering = { readonly words: readonly string[]; readonly waits: boolean };

/** `folder` is the root, made; `observer` null: nobody is told what it asks for. */
export function entering(
  start: Start & Pick<RunStart, 'words'>,
  folder: string,
  observer: Observer | null,
): Entering {
  if (start.root.base !== null)
    return {
      words: byEnter(start, { how: 'root', where: folder, observed: observer !== null }, start.words),
      waits: true,
    };
  const words = observer === null ? start.words : observer.words(start.words);
  const pivoting = ['--mount', '--propagation', 'private', '--', 'sh', '-c', PIVOT, 'sh', folder];
  return { words: ['unshare', ...pivoting, ...byTools(start, words)], waits: observer !== null };
}

/** Beside the program, in its root. */
export function joining(start: Start, pid: number, words: readonly string[]): Entering {
  if (start.root.base !== null)
    return {
      words: byEnter(start, { how: 'join', where: String(pid), observed: false }, words),
      waits: true,
    };
  const enter = ['nsenter', '--target', String(pid), '--mount', '--'];
  return { words: [...enter, ...byTools(start, words)], waits: false };
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
