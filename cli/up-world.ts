// The world that is up in a folder, as the commands that come after the one that started it find it.
import { readIfThere } from '../control/node/files.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import { parseUp, type Up } from '../control/node/up.ts';
import { isAlive } from '../process/alive.ts';
import { DOWN_LOOK_MS, DOWN_MS_MAX, UP_LOOK_MS, UP_MS_MAX } from './limits.ts';
import { worldClient } from './world-client.ts';

export type UpWorld = Up & { readonly token: string };

/** The world that is up, or null: a file that a killed process left behind does not count. */
export async function readUp(paths: WorldPaths): Promise<UpWorld | null> {
  const text = await readIfThere(paths.up);
  const up = text === null ? null : parseUp(text);
  if (up === null || !isAlive(up.pid)) return null;
  const token = ((await readIfThere(paths.tokens)) ?? '').split('\n')[0]!.trim();
  // A process id is used again in time: only an answer that knows the token is this world's.
  const answered = await worldClient(up.baseUrl, token).get(`/-${new URL(up.worldUrl).pathname}/clock`);
  return answered.ok && answered.status === 200 ? { ...up, token } : null;
}

/** The world that another command is starting, once it is up; null when that takes too long, or is called off. */
export async function waitForUp(paths: WorldPaths, calledOff: () => boolean): Promise<UpWorld | null> {
  for (const until = performance.now() + UP_MS_MAX; performance.now() < until && !calledOff(); ) {
    const up = await readUp(paths);
    if (up !== null) return up;
    // What another process brings about can only be looked for.
    await new Promise(resolve => setTimeout(resolve, UP_LOOK_MS));
  }
  return null;
}

/** Resolves when no world is up here any more, or that takes too long, or is called off. */
export async function waitForDown(paths: WorldPaths, calledOff: () => boolean): Promise<void> {
  for (const until = performance.now() + DOWN_MS_MAX; performance.now() < until && !calledOff(); ) {
    const text = await readIfThere(paths.up);
    const up = text === null ? null : parseUp(text);
    if (up === null || !isAlive(up.pid)) return;
    await new Promise(resolve => setTimeout(resolve, DOWN_LOOK_MS));
  }
}
