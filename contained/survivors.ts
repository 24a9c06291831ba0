// What is left of a run when its program has ended: whatever it started in the background. It ends with the run, because
// its network does.
import { readdir, readlink } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { SURVIVORS_LOOK_MS, SURVIVORS_MS } from './limits.ts';

/** `/proc/<pid>/ns/net` of a process, which is the same for all in its namespace; null where there is none to read. */
export function networkOf(pid: number | 'self'): Promise<string | null> {
  return readlink(`/proc/${pid}/ns/net`).catch(() => null);
}

/** Ends every process of that network but `but`: asked to first. Resolves when none is left. */
export async function endSurvivors(network: string, but: readonly number[]): Promise<void> {
  const asked = new Set<number>();
  for (const until = performance.now() + SURVIVORS_MS; performance.now() < until; ) {
    const left = await processesIn(network, but);
    if (left.length === 0) return;
    for (const pid of left) {
      if (!asked.has(pid)) send(pid, 'SIGTERM');
      asked.add(pid);
    }
    await setTimeout(SURVIVORS_LOOK_MS);
  }
  // One that is being killed may have started another meanwhile.
  for (let left = await processesIn(network, but); left.length > 0; left = await processesIn(network, but)) {
    for (const pid of left) send(pid, 'SIGKILL');
    await setTimeout(SURVIVORS_LOOK_MS);
  }
}

async function processesIn(network: string, but: readonly number[]): Promise<readonly number[]> {
  const all = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    all.map(async pid => (!but.includes(pid) && (await networkOf(pid)) === network ? pid : null)),
  );
  return found.filter(pid => pid !== null);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
