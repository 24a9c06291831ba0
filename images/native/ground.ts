// What every native run has before it is known what runs in it: its network, from which nobody but the world is reached, and
// the ground of its root, in memory. A shell makes both beside the keeper's own start, in the namespaces of both.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { NEIGHBOURS } from './messages.ts';
import { type Line, tableOf } from './mounting.ts';

/** Whatever is not loopback is refused by the kernel as it is asked for: EPERM. */
const NETWORK = `link set lo up
route add default dev lo metric 9000
route add ::/0 dev lo metric 9000
xfrm policy add src 0.0.0.0/0 dst 127.0.0.0/8 dir out action allow priority 1
xfrm policy add src 0.0.0.0/0 dst ${NEIGHBOURS} dir out action allow priority 1
xfrm policy add src 0.0.0.0/0 dst 0.0.0.0/0 dir out action block priority 100
xfrm policy add src ::/0 dst ::1/128 dir out action allow priority 1
xfrm policy add src ::/0 dst ::/0 dir out action block priority 100
`;

/** The last words, of what went well and of what did not. */
const [MADE, FAILED] = ['made', 'not made'];
/** Where it is said how it went. */
export const GROUND_DESCRIPTOR = 5;

/**
 * A shell script: `$1` is the network of whoever starts the run, which it would cut off; `$2` the table of `openGround`; what
 * follows goes on meanwhile. Says how it went: see `whyNoGround`.
 */
export const GROUND_SCRIPT = `
outside=$1; table=$2; shift 2
{ [ "$(readlink /proc/self/ns/net)" = "$outside" ] && echo 'no network of its own' && exit
ip -force -batch - <<E 2>&1
${NETWORK}E
if mount -a -T "$table" 2>&1; then echo ${MADE}; else echo ${FAILED}; fi; } >&${GROUND_DESCRIPTOR} &
exec ${GROUND_DESCRIPTOR}>&-
exec "$@"
`;

export type Ground = { readonly root: string; readonly changes: string; readonly table: string };

export function groundOf(work: string): Ground {
  return { root: join(work, 'root'), changes: join(work, 'changes'), table: join(work, 'table') };
}

/**
 * Its folders, and the table of what is mounted on them, which is returned. `work` is an empty folder of this machine's, for
 * nobody else; `bytesMax` all that may be written.
 */
export function openGround(work: string, bytesMax: number): string {
  const { root, changes, table } = groundOf(work);
  const options = `nosuid,nodev,mode=755,size=${bytesMax}`;
  for (const at of [root, changes]) mkdirSync(at);
  const lines = [root, changes].map((at): Line => ({ what: 'tmpfs', at, type: 'tmpfs', options }));
  writeFileSync(table, tableOf(lines));
  return table;
}

/** Null when it is made, or what was said of why not. It is not waited for the end of what is said. */
export async function whyNoGround(said: Readable): Promise<string | null> {
  const failed: string[] = [];
  try {
    for await (const line of createInterface({ input: said })) {
      if (line === FAILED) break;
      if (line === MADE) return failed[0] ?? null;
      if (!isHarmless(line)) failed.push(line);
    }
  } catch (error) {
    failed.push((error as Error).message);
  }
  return failed[0] ?? 'the ground of the run was not made';
}

/** Where there is no IPv6, there is nothing of it to forbid. */
export function isHarmless(line: string): boolean {
  return /^Command failed|IPv6|inet6|not supported/i.test(line);
}
