// `.wrld/run/up.json`: where the commands that come after find the world that is up.
import { readIfThere, writeWhole } from '../control/node/files.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import type { Up as ControlUp, ServedUp } from '../control/node/status-file.ts';
import { worldClient } from './world-client.ts';

/** What control writes, and what the command that started it adds. Without a proxy it is `wrld world serve`'s. */
export type Up = (ControlUp | ServedUp) & {
  readonly sandbox: boolean;
  /** Up for one `wrld world run`, and gone when that ends. */
  readonly forRun: boolean;
};

export type UpWorld = Up & { readonly token: string };

/** Control keeps what is added here as long as it runs, and removes the file when it ends. */
export async function writeUp(paths: WorldPaths, up: Up): Promise<void> {
  await writeWhole(paths.up, `${JSON.stringify(up, null, 2)}\n`);
}

/** The world that is up, or null: a file that a killed process left behind does not count. */
export async function readUp(paths: WorldPaths): Promise<UpWorld | null> {
  const up = parseUp(await readIfThere(paths.up));
  if (up === null || !isAlive(up.pid)) return null;
  const token = ((await readIfThere(paths.tokens)) ?? '').split('\n')[0]!.trim();
  // A process id is used again in time: only an answer that knows the token is this world's.
  const answered = await worldClient(up.baseUrl, token).get(`/-${new URL(up.worldUrl).pathname}/clock`);
  return answered.ok && answered.status === 200 ? { ...up, token } : null;
}

function parseUp(text: string | null): Up | null {
  if (text === null) return null;
  try {
    const read = JSON.parse(text) as Partial<Up>;
    const { baseUrl, worldUrl, proxyUrl, caFile, pid, proxyPid, sandbox, forRun } = read;
    if (!baseUrl || !worldUrl || !caFile || !Number.isInteger(pid)) return null;
    return {
      baseUrl,
      worldUrl,
      caFile,
      pid: pid!,
      ...(proxyUrl ? { proxyUrl, proxyPid: proxyPid ?? 0 } : { proxyUrl: null, proxyPid: null }),
      sandbox: sandbox === true,
      forRun: forRun === true,
    };
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process answers so; the world's own answer then says the rest.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
