// The files that a contained run sees otherwise than the machine has them: whom to ask for names, and what is trusted.
// Each is a bind mount in the run's own namespace of mounts; the files themselves are not touched, and nothing is left.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OUTER } from './addresses.ts';
import { realOf } from './real-path.ts';

/** `file`, or one with this text, is seen where `over` was; all of them exist. */
export type Mount = { readonly over: string } & ({ readonly file: string } | { readonly text: string });

/** Sockets by which the C library has names looked up by others, outside of the run. */
const OTHER_RESOLVERS = [
  '/run/systemd/resolve/io.systemd.Resolve',
  '/run/nscd/socket',
  '/var/run/nscd/socket',
  '/run/avahi-daemon/socket',
  '/var/run/avahi-daemon/socket',
];

/** The resolvers that the system names. */
export function systemResolvers(): readonly string[] {
  const text = textOf('/etc/resolv.conf') ?? '';
  return [...text.matchAll(/^\s*nameserver\s+([0-9a-f.:]+)\s*$/gim)].map(match => match[1]!);
}

/** Of every run, as they are now. */
export function ownMounts(): readonly Mount[] {
  const changed = (over: string, change: (text: string) => string): readonly Mount[] => {
    const text = textOf(over);
    return text === null ? [] : [{ text: change(text), over }];
  };
  return [
    ...OTHER_RESOLVERS.map(over => ({ file: '/dev/null', over })),
    ...changed('/etc/resolv.conf', () => `nameserver ${OUTER.v4}\n`),
    ...changed('/etc/hosts', ownHosts),
  ];
}

/** Mounts all that can be mounted, in the namespace of this process. A program waits for it, so that nothing waits in between. */
export async function mountFiles(mounts: readonly Mount[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-'));
  try {
    const table = join(folder, 'fstab');
    writeFileSync(table, tableOf(mounts, folder));
    // What cannot be mounted is left as it is: a client that trusts nothing of ours fails, and reaches nobody.
    await promisify(execFile)('mount', ['-a', '-T', table]).catch(() => {});
  } finally {
    // A file that is mounted somewhere is there for as long as the mount is.
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In fstab's words, each target once and as the file that it really is. `folder`: for what is written for it. */
function tableOf(mounts: readonly Mount[], folder: string): string {
  const targets = new Map<string, string>();
  for (const [nth, mount] of mounts.entries()) {
    const real = realOf(mount.over);
    if (real === null) continue;
    const file = 'file' in mount ? mount.file : join(folder, String(nth));
    if ('text' in mount) writeFileSync(file, mount.text, { mode: 0o644 });
    targets.set(real, file);
  }
  return [...targets].map(([over, file]) => `${word(file)} ${word(over)} none bind 0 0\n`).join('');
}

function word(path: string): string {
  return path.replace(/[\s\\#]/g, char => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/**
 * The names of this machine's own loopback. All others are looked up, so that whoever is connected to is known by the
 * name that the program said; the proxy, outside, reads the whole file.
 */
export function ownHosts(text: string): string {
  const own = text.split('\n').filter(line => /^\s*(?:127\.|::1\s)/.test(line));
  return `${own.join('\n')}\n`;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
