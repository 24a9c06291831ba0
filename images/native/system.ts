// This machine's own system in the place of a base image: its programs, and of its settings what they need, read-only.
import { existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileInside, folderInside } from '../inside.ts';
import { bind, type Line } from './mounting.ts';

/** Where a system has its programs; on many, links to folders in /usr. */
export const SYSTEM: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
];
/** Of /etc, what programs of the system need, and none of what is the machine's own. */
const SETTINGS = [
  ...[
    'alternatives',
    'ca-certificates',
    'ca-certificates.conf',
    'crypto-policies',
    'debian_version',
    'fonts',
  ],
  ...['gai.conf', 'host.conf', 'inputrc', 'java-17-openjdk', 'java-21-openjdk', 'ld.so.cache', 'ld.so.conf'],
  ...[
    'ld.so.conf.d',
    'localtime',
    'magic',
    'mime.types',
    'os-release',
    'perl',
    'php',
    'pki/ca-trust',
    'pki/tls/certs',
  ],
  ...[
    'profile',
    'protocols',
    'python3',
    'rpc',
    'services',
    'ssl/certs',
    'ssl/openssl.cnf',
    'terminfo',
    'timezone',
  ],
];

export type SystemPlaces = {
  /** Other folders of this machine's. */
  readonly more: readonly string[];
  /** How a folder of the system's is seen together with what the image has there; null where it has nothing. */
  readonly together: (path: string) => readonly Line[] | null;
};

/** In `folder`, which is to be a root. */
export function systemLines(folder: string, { more, together }: SystemPlaces): readonly Line[] {
  const lines: Line[] = [];
  const isThere = (at: string): boolean => lstatSync(at, { throwIfNoEntry: false }) !== undefined;
  for (const path of [...SYSTEM, ...more]) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) {
      if (!isThere(join(folder, path))) symlinkSync(readlinkSync(path), join(folder, path));
    } else if (found?.isDirectory())
      lines.push(...(together(path) ?? [bind(path, folderInside(folder, path), true)]));
  }
  for (const name of SETTINGS) {
    const path = join('/etc', name);
    if (!existsSync(path)) continue;
    const found = lstatSync(path);
    const at = join(folder, path);
    mkdirSync(dirname(at), { recursive: true });
    // One that leads to the system's own folders leads there inside too.
    if (found.isSymbolicLink()) {
      if (!isThere(at)) symlinkSync(readlinkSync(path), at);
    } else if (found.isDirectory()) lines.push(bind(path, folderInside(folder, path), true));
    else lines.push(bind(path, fileInside(folder, path), true));
  }
  return lines;
}
