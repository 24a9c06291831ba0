// What this machine refuses, in words that say what to do: of a disk, a folder, a limit. Each is a state of the machine
// and no bug of ours, so it is told in a line, without a stack trace.

const WORDS: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full; make room on it',
  EDQUOT: 'this user’s share of the disk is used up; make room on it',
  EFBIG: 'a file may not become that large (ulimit -f); raise that limit',
  EROFS: 'the disk is mounted read-only; mount it for writing, or use another folder',
  EACCES: 'this user may not write or read there; change its owner or its mode',
  EPERM: 'this user may not do that there; change its owner or its mode',
  ENOTDIR: 'a file is where a folder has to be; move it away',
  EISDIR: 'a folder is where a file has to be; move it away',
  EEXIST: 'something else is there; move it away',
  ELOOP: 'its links lead in a circle; remove them',
  ENAMETOOLONG: 'its name is too long for this system; use a folder with a shorter path',
  EMFILE: 'this process has no file descriptors left; raise its limit (ulimit -n)',
  ENFILE: 'this machine has no file descriptors left; end other programs, or raise its limit',
  ENOMEM: 'this machine has no memory left; end other programs',
  EAGAIN: 'this machine starts no further process; end other programs, or raise the limit (ulimit -u)',
  EIO: 'the disk fails to read or write; look after it before anything else',
  EBUSY: 'another program holds it; end that one',
  ESTALE: 'the network disk lost it; mount it again',
  'mkdir ENOENT': 'the folder cannot be made; look whether its disk is mounted for writing',
  // By node:sqlite, which has no code of the system.
  'sqlite 8': 'the store may not be written; change its owner or its mode, or mount its disk for writing',
  'sqlite 10':
    'the disk is full, or fails to read or write; make room on it, and look after it if that does not help',
  'sqlite 13': 'the disk is full; make room on it',
  'sqlite 14':
    'a file of the store or its lock cannot be opened; look at its owner, its mode, and whether the disk is full',
};

/** Where and what to do; null for what is no fault of the machine's. `where`: where the error does not say so itself. */
export function systemFault(error: unknown, where?: string): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path, dest, syscall, errcode } = error as NodeJS.ErrnoException & {
    readonly dest?: string;
    readonly errcode?: number;
  };
  const key =
    code === 'ERR_SQLITE_ERROR' && errcode !== undefined
      ? // The low byte is SQLite's primary code.
        `sqlite ${errcode & 0xff}`
      : // A folder under one that takes none is told so by Node.
        code === 'ENOENT' && syscall === 'mkdir'
        ? 'mkdir ENOENT'
        : (code ?? '');
  if (!Object.hasOwn(WORDS, key)) return null;
  const place = dest ?? path ?? where;
  const told = key.startsWith('sqlite') ? error.message : key;
  return `${place === undefined ? '' : `${place}: `}${WORDS[key]} (${told})`;
}
