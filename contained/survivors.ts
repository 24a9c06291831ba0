// What is left of a run when its program has ended: whatever it started in the background. It ends with the run, because
// its network does.
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { SURVIVORS_LOOK_MS, SURVIVORS_MS } from './limits.ts';

/** `/proc/<pid>/ns/net` of a process, which is the same for all in its namespace; null where there is none to read. */
export function networkOf(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
}

/** Ends every process of that network but `but`: asked to first. Resolves when none is left. */
export async function endSurvivors(network: string, but: readonly number[]): Promise<void> {
  const asked = new Set<number>();
  for (const until = performance.now() + SURVIVORS_MS; performance.now() < until; ) {
    const left = processesIn(network, but);
    if (left.length === 0) return;
    for (const pid of left) {
      if (!asked.has(pid)) send(pid, 'SIGTERM');
      asked.add(pid);
    }
    await setTimeout(SURVIVORS_LOOK_MS);
  }
  // One that is being killed may have started another meanwhile.
  for (let left = processesIn(network, but); left.length > 0; left = processesIn(network, but)) {
    for (const pid of left) send(pid, 'SIGKILL');
    await setTimeout(SURVIVORS_LOOK_MS);
  }
}

/** Without waiting in between: one that is looked at late may have started another. */
function processesIn(network: string, but: readonly number[]): readonly number[] {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return all.map(Number).filter(pid => !but.includes(pid) && networkOf(pid) === network);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
