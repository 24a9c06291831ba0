// What a native run may do on macOS, as the text that `sandbox-exec` takes: what is not said is refused with EPERM, and of two
// rules that are about the same thing the later one holds. Paths are real ones: the kernel judges those, and no link.
import type { RootPlan } from './messages.ts';

/** Where the system has its programs, and what all of them read. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/System',
  '/Library/Apple',
  '/Library/Developer',
  '/Library/Frameworks',
  '/Library/Java',
  '/private/etc/hosts',
  '/private/etc/localtime',
  '/private/etc/protocols',
  '/private/etc/services',
  '/private/etc/shells',
  '/private/etc/ssl',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
];
const DEVICES = ['/dev/fd', '/dev/null', '/dev/random', '/dev/tty', '/dev/urandom', '/dev/zero'];

export type MacPlan = {
  readonly root: Pick<RootPlan, 'mounts' | 'provided' | 'bundle' | 'system' | 'hidden'>;
  /** The run's own folder: its image's files, its volumes, and what it writes; gone with the run. */
  readonly folder: string;
  /** Of this machine's loopback: the world's proxy and the world's own. */
  readonly ports: readonly number[];
};

/** @throws where a path cannot be said: no file has such a name. */
export function macProfile({ root, folder, ports }: MacPlan): string {
  const read = [...SYSTEM, ...root.system, folder, ...root.mounts.map(each => each.from)];
  const write = [folder, ...root.mounts.flatMap(({ from, readOnly }) => (readOnly ? [] : [from]))];
  const provided = [...root.provided, ...(root.bundle === null ? [] : [root.bundle.from])];
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec)',
    '(allow process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow file-read-metadata)',
    // Whoever looks for a path begins here.
    '(allow file-read-data (literal "/"))',
    rule('allow file-read*', read),
    rule('allow file-write*', write),
    rule('allow file-read* file-write-data file-ioctl', DEVICES),
    rule('deny file-read* file-write*', root.hidden),
    rule('allow file-read*', provided),
    // A filter of the local address on what goes out would admit all of it: the remote one alone is asked for.
    ...[...new Set(ports)].map(port => `(allow network-outbound (remote ip "localhost:${port}"))`),
    '(allow network-bind (local ip "*:*"))',
    '(allow network-inbound (local ip "*:*"))',
    '',
  ]
    .filter(line => line !== null)
    .join('\n');
}

function rule(what: string, paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  return `(${what}${[...new Set(paths)].map(path => `\n  (subpath ${quoted(path)})`).join('')})`;
}

/** Between quotes these two alone mean more than themselves; a line's end is one more letter. */
function quoted(path: string): string {
  if (path.includes('\0') || !path.startsWith('/')) throw new Error('a path of the sandbox is no path');
  return `"${path.replace(/[\\"]/g, char => `\\${char}`)}"`;
}
