// The files that a contained run sees otherwise than the machine has them: whom to ask for names, and what is trusted.
// Each is a bind mount in the run's own namespace of mounts; the files themselves are not touched, and nothing is left.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OUTER } from './addresses.ts';

/** `file` is seen where `over` was; both exist. */
export type Mount = { readonly file: string; readonly over: string };

/** Sockets by which the C library has names looked up by others, outside of the run. */
const OTHER_RESOLVERS = [
  '/run/systemd/resolve/io.systemd.Resolve',
  '/run/nscd/socket',
  '/var/run/nscd/socket',
  '/run/avahi-daemon/socket',
  '/var/run/avahi-daemon/socket',
];

/** The resolvers that the system names. */
export async function systemResolvers(): Promise<readonly string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  return [...text.matchAll(/^\s*nameserver\s+([0-9a-f.:]+)\s*$/gim)].map(match => match[1]!);
}

/** Mounts all that can be mounted, in the namespace of this process. */
export async function mountFiles(mounts: readonly Mount[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
  try {
    const own: Mount[] = OTHER_RESOLVERS.map(over => ({ file: '/dev/null', over }));
    const replace = async (over: string, change: (text: string) => string): Promise<void> => {
      const text = await readFile(over, 'utf8').catch(() => null);
      if (text === null) return;
      const file = join(folder, `${own.length}`);
      await writeFile(file, change(text), { mode: 0o644 });
      own.push({ file, over });
    };
    await replace('/etc/resolv.conf', () => `nameserver ${OUTER.v4}\n`);
    await replace('/etc/hosts', ownHosts);
    const table = join(folder, 'fstab');
    await writeFile(table, await tableOf([...own, ...mounts]));
    // What cannot be mounted is left as it is: a client that trusts nothing of ours fails, and reaches nobody.
    await promisify(execFile)('mount', ['-a', '-T', table]).catch(() => {});
  } finally {
    // A file that is mounted somewhere is there for as long as the mount is.
    await rm(folder, { recursive: true, force: true });
  }
}

/** In fstab's words, each target once and as the file that it really is. */
async function tableOf(mounts: readonly Mount[]): Promise<string> {
  const targets = new Map<string, string>();
  for (const { file, over } of mounts) {
    const real = await realpath(over).catch(() => null);
    if (real !== null) targets.set(real, file);
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
