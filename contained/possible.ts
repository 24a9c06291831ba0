// Whether this machine can contain a run, and what forbids it where it cannot: in words that say what to change.
import { accessSync, constants, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

type Env = { readonly [name: string]: string | undefined };

/** `privileged`: the namespaces need none of users, so that whoever the program becomes stays who it is. */
export type Possible =
  | {
      readonly ok: true;
      readonly privileged: boolean;
      readonly path: string;
      /** It starts sooner where there is one. */
      readonly perl: boolean;
    }
  | { readonly ok: false; readonly why: string };

/** Before the user's own: what is looked for is the system's. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

const NEEDED: readonly (readonly [program: string, from: string])[] = [
  ['unshare', 'util-linux'],
  ['nsenter', 'util-linux'],
  ['mount', 'util-linux'],
  ['ip', 'iproute2'],
  ['sh', 'a shell'],
];

const CAP_NET_ADMIN = 12n;
const CAP_SYS_ADMIN = 21n;

/** Without waiting in between: the namespaces are begun before anything else is done. */
export function possible(env: Env, platform: NodeJS.Platform = process.platform): Possible {
  if (platform !== 'linux') return { ok: false, why: `${platform} has no network namespaces` };
  const path = [...SYSTEM_FOLDERS, ...(env['PATH'] ?? '').split(delimiter).filter(Boolean)].join(delimiter);
  for (const [program, from] of NEEDED)
    if (!isThere(program, path)) return { ok: false, why: `${program} is not installed (package ${from})` };
  const status = readFileSync('/proc/self/status', 'utf8');
  const capabilities = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const has = (capability: bigint): boolean => ((capabilities >> capability) & 1n) === 1n;
  return {
    ok: true,
    privileged: has(CAP_SYS_ADMIN) && has(CAP_NET_ADMIN),
    path,
    perl: isThere('perl', path),
  };
}

function isThere(program: string, path: string): boolean {
  return path.split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Settings of the kernel that forbid it, with the value that does and how to change it. */
const SETTINGS: readonly (readonly [name: string, forbids: string, change: string])[] = [
  ['user.max_user_namespaces', '0', 'sysctl -w user.max_user_namespaces=10000'],
  ['user.max_net_namespaces', '0', 'sysctl -w user.max_net_namespaces=10000'],
  ['user.max_mnt_namespaces', '0', 'sysctl -w user.max_mnt_namespaces=10000'],
  ['kernel.unprivileged_userns_clone', '0', 'sysctl -w kernel.unprivileged_userns_clone=1'],
  [
    'kernel.apparmor_restrict_unprivileged_userns',
    '1',
    'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  ],
];

/** `said`: what the programs that make the namespaces said when they failed. */
export async function whatForbids(said: string): Promise<string> {
  for (const [name, forbids, change] of SETTINGS) {
    const value = await readFile(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').catch(() => '');
    if (value.trim() === forbids) return `${name} is ${forbids} here; to allow it: ${change}`;
  }
  if (/unknown device type|not supported/i.test(said)) return 'this kernel has no virtual links (veth)';
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  if (/^Seccomp:\s*2$/m.test(status) && /not permitted/i.test(said))
    return 'a seccomp filter forbids namespaces, as that of a container does; to allow them: docker run --security-opt seccomp=unconfined';
  return said.trim().split('\n')[0] || 'the namespaces could not be made';
}
